// The routines that are counted and left to the MPI: those of neighbours. docs/decisions.md says why.
#include "interposer/pass_through.hpp"
#include "interposer/real.hpp"
#include "interposer/symbols.hpp"

// NAME(PARAMETERS), which calls the MPI's own with the arguments that follow.
#define AAPC_PASSED(NAME, PEERS, PARAMETERS, ...)                                                     \
    AAPC_ENTRY(NAME)                                                                                  \
    int aapc_entry_##NAME PARAMETERS {                                                                \
        namespace ours = aapc::interposer;                                                            \
        static const auto real = ours::find_next<decltype(&MPI_##NAME)>("PMPI_" #NAME, "MPI_" #NAME); \
        return ours::pass_through<ours::Routine::NAME, ours::Peers::PEERS>(comm, real, __VA_ARGS__);  \
    }

AAPC_PASSED(Neighbor_alltoall, neighbours, (AAPC_EQUAL(int)), AAPC_EQUAL_ARGUMENTS)
AAPC_PASSED(Neighbor_alltoallv, neighbours, (AAPC_UNEQUAL(int, int)), AAPC_UNEQUAL_ARGUMENTS)
AAPC_PASSED(Neighbor_alltoallw, neighbours, (AAPC_TYPED(int, MPI_Aint)), AAPC_UNEQUAL_ARGUMENTS)
AAPC_PASSED(Ineighbor_alltoall, neighbours, (AAPC_EQUAL(int), MPI_Request* request), AAPC_EQUAL_ARGUMENTS, request)
AAPC_PASSED(Ineighbor_alltoallv, neighbours, (AAPC_UNEQUAL(int, int), MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS,
            request)
AAPC_PASSED(Ineighbor_alltoallw, neighbours, (AAPC_TYPED(int, MPI_Aint), MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS,
            request)

#if AAPC_MPI_HAS_PERSISTENT
AAPC_PASSED(Neighbor_alltoall_init, neighbours, (AAPC_EQUAL(int), MPI_Info info, MPI_Request* request),
            AAPC_EQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Neighbor_alltoallv_init, neighbours, (AAPC_UNEQUAL(int, int), MPI_Info info, MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Neighbor_alltoallw_init, neighbours, (AAPC_TYPED(int, MPI_Aint), MPI_Info info, MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, info, request)
#endif

#if AAPC_MPI_HAS_LARGE_COUNTS
AAPC_PASSED(Neighbor_alltoall_c, neighbours, (AAPC_EQUAL(MPI_Count)), AAPC_EQUAL_ARGUMENTS)
AAPC_PASSED(Neighbor_alltoallv_c, neighbours, (AAPC_UNEQUAL(MPI_Count, MPI_Aint)), AAPC_UNEQUAL_ARGUMENTS)
AAPC_PASSED(Neighbor_alltoallw_c, neighbours, (AAPC_TYPED(MPI_Count, MPI_Aint)), AAPC_UNEQUAL_ARGUMENTS)
AAPC_PASSED(Ineighbor_alltoall_c, neighbours, (AAPC_EQUAL(MPI_Count), MPI_Request* request), AAPC_EQUAL_ARGUMENTS,
            request)
AAPC_PASSED(Ineighbor_alltoallv_c, neighbours, (AAPC_UNEQUAL(MPI_Count, MPI_Aint), MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, request)
AAPC_PASSED(Ineighbor_alltoallw_c, neighbours, (AAPC_TYPED(MPI_Count, MPI_Aint), MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, request)
AAPC_PASSED(Neighbor_alltoall_init_c, neighbours, (AAPC_EQUAL(MPI_Count), MPI_Info info, MPI_Request* request),
            AAPC_EQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Neighbor_alltoallv_init_c, neighbours,
            (AAPC_UNEQUAL(MPI_Count, MPI_Aint), MPI_Info info, MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS, info,
            request)
AAPC_PASSED(Neighbor_alltoallw_init_c, neighbours,
            (AAPC_TYPED(MPI_Count, MPI_Aint), MPI_Info info, MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS, info,
            request)
#endif
