! The calls through one of MPI's three Fortran bindings: -DBINDING_mpifh, -DBINDING_mpi, -DBINDING_mpi_f08.
subroutine aapc_fortran_call(routine, send, receive, comm_number, request_number, error) bind(C)
    use, intrinsic :: iso_c_binding
#if defined(BINDING_mpi_f08)
    use mpi_f08
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define REQUEST_TYPE type(MPI_Request)
#define NUMBER(handle) handle%MPI_VAL
#elif defined(BINDING_mpi)
    use mpi
#define COMMUNICATOR integer
#define DATATYPE integer
#define REQUEST_TYPE integer
#define NUMBER(handle) handle
#else
#define COMMUNICATOR integer
#define DATATYPE integer
#define REQUEST_TYPE integer
#define NUMBER(handle) handle
#endif
    implicit none
#if defined(BINDING_mpifh)
    include 'mpif.h'
#endif
    integer, parameter :: most_peers = 16
    type, bind(C) :: arguments
        integer(c_intptr_t) :: buffer
        integer(c_int) :: special
        integer(c_int) :: counts(0:most_peers - 1)
        integer(c_int) :: places(0:most_peers - 1)
        integer(MPI_ADDRESS_KIND) :: addresses(0:most_peers - 1)
        DATATYPE :: types(0:most_peers - 1)
    end type arguments
    integer(c_int), intent(in) :: routine, comm_number
    type(arguments), intent(in) :: send, receive
    integer(c_int), intent(out) :: request_number, error
    integer(c_signed_char), pointer, contiguous :: from(:), to(:)
    COMMUNICATOR :: comm
    REQUEST_TYPE :: request

    NUMBER(comm) = comm_number
    NUMBER(request) = 0
    call point(from, send)
    call point(to, receive)

    ! No copies: calls that do not wait read the arrays later.
#define SEND(PLACES) from, send%counts, send%PLACES, send%types
#define RECEIVE(PLACES) to, receive%counts, receive%PLACES, receive%types
#define EQUAL from, send%counts(0), send%types(0), to, receive%counts(0), receive%types(0), comm
#define UNEQUAL SEND(places)(0), RECEIVE(places)(0), comm
#define TYPED SEND(places), RECEIVE(places), comm
#define ADDRESSED SEND(addresses), RECEIVE(addresses), comm
    select case (routine)
    case (0)
        call MPI_Alltoall(EQUAL, error)
    case (1)
        call MPI_Alltoallv(UNEQUAL, error)
    case (2)
        call MPI_Alltoallw(TYPED, error)
    case (3)
        call MPI_Ialltoall(EQUAL, request, error)
    case (4)
        call MPI_Ialltoallv(UNEQUAL, request, error)
    case (5)
        call MPI_Ialltoallw(TYPED, request, error)
    case (6)
        call MPI_Neighbor_alltoall(EQUAL, error)
    case (7)
        call MPI_Neighbor_alltoallv(UNEQUAL, error)
    case (8)
        call MPI_Neighbor_alltoallw(ADDRESSED, error)
    case (9)
        call MPI_Ineighbor_alltoall(EQUAL, request, error)
    case (10)
        call MPI_Ineighbor_alltoallv(UNEQUAL, request, error)
    case default
        call MPI_Ineighbor_alltoallw(ADDRESSED, request, error)
    end select
    request_number = NUMBER(request)

contains

    ! In Fortran the special addresses are those of variables of MPI's.
    subroutine point(array, side)
        integer(c_signed_char), pointer, contiguous, intent(out) :: array(:)
        type(arguments), intent(in) :: side
        integer(c_intptr_t) :: address
        address = side%buffer
        if (side%special == 1) address = loc(MPI_IN_PLACE)
        if (side%special == 2) address = loc(MPI_BOTTOM)
        call c_f_pointer(transfer(address, c_null_ptr), array, [1])
    end subroutine point
end subroutine aapc_fortran_call
