// MPI_Alltoallv and MPI_Alltoallw with their large-count forms, as entry.cpp has MPI_Alltoall.
#include <mpi.h>

#include "interposer/carry_out.hpp"
#include "interposer/symbols.hpp"

// Parameters are named as in the MPI standard's C bindings, of which these are definitions. COUNT is int or, in the
// large-count forms, MPI_Count; PLACE is what displacements are counted in.

#define AAPC_ANSWER_UNEQUAL(NAME, COUNT, PLACE)                                                                        \
    AAPC_ENTRY(NAME)                                                                                                   \
    int aapc_entry_##NAME(const void* sendbuf, const COUNT sendcounts[], const PLACE sdispls[], MPI_Datatype sendtype, \
                          void* recvbuf, const COUNT recvcounts[], const PLACE rdispls[], MPI_Datatype recvtype,       \
                          MPI_Comm comm) {                                                                             \
        namespace ours = aapc::interposer;                                                                             \
        return ours::exchange_or_pass({{sendbuf, sendcounts, sdispls, sendtype, nullptr},                              \
                                       {recvbuf, recvcounts, rdispls, recvtype, nullptr},                              \
                                       comm,                                                                           \
                                       ours::Routine::NAME,                                                            \
                                       false});                                                                        \
    }
#define AAPC_ANSWER_TYPED(NAME, COUNT, PLACE)                                                        \
    AAPC_ENTRY(NAME)                                                                                 \
    int aapc_entry_##NAME(const void* sendbuf, const COUNT sendcounts[], const PLACE sdispls[],      \
                          const MPI_Datatype sendtypes[], void* recvbuf, const COUNT recvcounts[],   \
                          const PLACE rdispls[], const MPI_Datatype recvtypes[], MPI_Comm comm) {    \
        namespace ours = aapc::interposer;                                                           \
        return ours::exchange_or_pass({{sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtypes}, \
                                       {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtypes}, \
                                       comm,                                                         \
                                       ours::Routine::NAME,                                          \
                                       true});                                                       \
    }

AAPC_ANSWER_UNEQUAL(Alltoallv, int, int)
AAPC_ANSWER_TYPED(Alltoallw, int, int)
#if AAPC_MPI_HAS_LARGE_COUNTS
AAPC_ANSWER_UNEQUAL(Alltoallv_c, MPI_Count, MPI_Aint)
AAPC_ANSWER_TYPED(Alltoallw_c, MPI_Count, MPI_Aint)
#endif
