! The same calls through each of MPI's three Fortran bindings: -DBINDING_mpifh, -DBINDING_mpi, -DBINDING_mpi_f08.
program fortran_alltoall
#if defined(BINDING_mpi_f08)
    use mpi_f08
#define COMMUNICATOR type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#elif defined(BINDING_mpi)
    use mpi
#define COMMUNICATOR integer
#define DATATYPE integer
#else
#define COMMUNICATOR integer
#define DATATYPE integer
#endif
    implicit none
#if defined(BINDING_mpifh)
    include 'mpif.h'
#endif
    integer, parameter :: length = 3000
    integer, allocatable :: sent(:, :), received(:, :), gapped(:, :)
    integer :: rank, ranks, peer, i, error
    integer :: exchanged, passed, calls(2), sums(2)
    COMMUNICATOR :: reversed, pair
    DATATYPE :: every_other

    call MPI_Init(error)
    call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
    call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
    allocate (sent(length, 0:ranks - 1), received(length, 0:ranks - 1), gapped(2*length - 1, 0:ranks - 1))
    exchanged = 0
    passed = 0

    call fill(sent, rank)
    received = -1
    call MPI_Alltoall(sent, length, MPI_INTEGER, received, length, MPI_INTEGER, MPI_COMM_WORLD, error)
    exchanged = exchanged + 1
    call check('plain', received, rank)

    call fill(received, rank)
    call MPI_Alltoall(MPI_IN_PLACE, length, MPI_INTEGER, received, length, MPI_INTEGER, MPI_COMM_WORLD, error)
    exchanged = exchanged + 1
    call check('in place', received, rank)

    call unequal()
    passed = passed + 2

    call MPI_Type_vector(length, 1, 2, MPI_INTEGER, every_other, error)
    call MPI_Type_commit(every_other, error)
    gapped = -7
    call MPI_Alltoall(sent, length, MPI_INTEGER, gapped, 1, every_other, MPI_COMM_WORLD, error)
    exchanged = exchanged + 1
    received = gapped(1::2, :)
    call check('vector', received, rank)
    if (any(gapped(2::2, :) /= -7)) call fail('the gaps were not left alone')
    call MPI_Type_free(every_other, error)

    call MPI_Comm_split(MPI_COMM_WORLD, 0, -rank, reversed, error)
    call fill(sent, ranks - 1 - rank)
    received = -1
    call MPI_Alltoall(sent, length, MPI_INTEGER, received, length, MPI_INTEGER, reversed, error)
    exchanged = exchanged + 1
    call check('reversed', received, ranks - 1 - rank)
    call MPI_Comm_free(reversed, error)

    call MPI_Comm_split(MPI_COMM_WORLD, rank, 0, pair, error)
    received(1, 0) = -1
    call MPI_Alltoall(rank, 1, MPI_INTEGER, received, 1, MPI_INTEGER, pair, error)
    passed = passed + 1
    if (received(1, 0) /= rank) call fail('alone')
    call MPI_Comm_free(pair, error)

    calls = [exchanged, passed]
    call MPI_Reduce(calls, sums, 2, MPI_INTEGER, MPI_SUM, 0, MPI_COMM_WORLD, error)
    if (rank == 0) print '(I0, A, I0, A)', sums(1), ' calls exchanged, ', sums(2), ' passed through'
    call MPI_Finalize(error)

contains

    ! A count, a place and a datatype for each rank.
    subroutine unequal()
        integer :: counts(0:ranks - 1), places(0:ranks - 1)
        DATATYPE :: types(0:ranks - 1)
        counts = length
        places = [(peer*length, peer=0, ranks - 1)]
        types = MPI_INTEGER
        call fill(sent, rank)
        received = -1
        call MPI_Alltoallv(sent, counts, places, MPI_INTEGER, received, counts, places, MPI_INTEGER, MPI_COMM_WORLD, &
                           error)
        call check('unequal', received, rank)
        received = -1
        places = 4*places
        call MPI_Alltoallw(sent, counts, places, types, received, counts, places, types, MPI_COMM_WORLD, error)
        call check('of types', received, rank)
    end subroutine unequal

    ! Element i of the block from `source` to `peer` says all three.
    subroutine fill(blocks, source)
        integer, intent(out) :: blocks(:, 0:)
        integer, intent(in) :: source
        do peer = 0, ranks - 1
            blocks(:, peer) = [(source*10000000 + peer*100000 + i, i=1, length)]
        end do
    end subroutine fill

    subroutine check(what, blocks, destination)
        character(*), intent(in) :: what
        integer, intent(in) :: blocks(:, 0:)
        integer, intent(in) :: destination
        do peer = 0, ranks - 1
            if (any(blocks(:, peer) /= [(peer*10000000 + destination*100000 + i, i=1, length)])) call fail(what)
        end do
    end subroutine check

    subroutine fail(what)
        character(*), intent(in) :: what
        print '(3A, I0)', 'fortran: wrong: ', what, ' on rank ', rank
        call MPI_Abort(MPI_COMM_WORLD, 1, error)
    end subroutine fail
end program fortran_alltoall
