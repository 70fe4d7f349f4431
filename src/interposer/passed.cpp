// The routines that are counted and left to the MPI. DESIGN.md says why for each kind.
#include <mpi.h>

#include <cstdint>

#include "interposer/job.hpp"
#include "interposer/real.hpp"
#include "interposer/symbols.hpp"
#include "interposer/traffic.hpp"

namespace aapc::interposer {

namespace {

/// Open MPI 4.1.4 numbers a communicator's calls that do not wait, and making a communicator of it is one. An unequal
/// one in place is not counted on ranks that have no data, so from then on they look for the others in vain. Nobody
/// sees whether there were such, so nothing is set up there any more.
template <class... Rest>
void leave_alone_in_place([[maybe_unused]] MPI_Comm comm, [[maybe_unused]] Job& job,
                          [[maybe_unused]] const void* send_buffer, const Rest&...) {
#if defined(OPEN_MPI)
    if (send_buffer == MPI_IN_PLACE) {
        job.leave_alone(comm);
    }
#endif
}

constexpr bool may_lose_count(Routine routine) {
    return routine == Routine::Ialltoallv || routine == Routine::Ialltoallw;
}

/// The MPI's own routine. What it has refused changes nothing, and its communicator may be none.
template <Routine routine, class... Arguments>
int call_real(MPI_Comm comm, Job& job, int (*real)(Arguments...), Arguments... arguments) {
    const int error = real(arguments...);
    if constexpr (may_lose_count(routine)) {
        if (error == MPI_SUCCESS) {
            leave_alone_in_place(comm, job, arguments...);
        }
    }
    return error;
}

template <Routine routine, Peers peers, class... Arguments>
int pass(MPI_Comm comm, int (*real)(Arguments...), Arguments... arguments) {
    Job* const job = Job::current();
    if (job == nullptr) {
        return real(arguments...);
    }
    Tally& tally = job->tally();
    if (!tally.measures()) {
        tally.count(routine, Outcome::routine_not_served);
        return call_real<routine>(comm, *job, real, arguments...);
    }
    const Stopwatch watch;
    const int error = call_real<routine>(comm, *job, real, arguments...);
    // What the MPI has complained about is not looked at.
    const std::int64_t bytes = error == MPI_SUCCESS ? bytes_sent(peers, arguments...) : 0;
    tally.add(routine, Outcome::routine_not_served, bytes, watch.nanoseconds());
    if (Recorder* const recorder = job->recorder()) {
        recorder->note({routine, Outcome::routine_not_served, Recorder::native, 0, bytes, -1, comm}, watch);
    }
    return error;
}

}  // namespace

}  // namespace aapc::interposer

// Parameters are named as in the MPI standard's C bindings, of which these are definitions. COUNT is int or, in the
// large-count forms, MPI_Count; PLACE is what displacements are counted in.

#define AAPC_EQUAL(COUNT)                                                                        \
    const void *sendbuf, COUNT sendcount, MPI_Datatype sendtype, void *recvbuf, COUNT recvcount, \
        MPI_Datatype recvtype, MPI_Comm comm
#define AAPC_UNEQUAL(COUNT, PLACE)                                                                              \
    const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[], MPI_Datatype sendtype, void *recvbuf, \
        const COUNT recvcounts[], const PLACE rdispls[], MPI_Datatype recvtype, MPI_Comm comm
#define AAPC_TYPED(COUNT, PLACE)                                                                         \
    const void *sendbuf, const COUNT sendcounts[], const PLACE sdispls[], const MPI_Datatype sendtype[], \
        void *recvbuf, const COUNT recvcounts[], const PLACE rdispls[], const MPI_Datatype recvtype[], MPI_Comm comm

#define AAPC_EQUAL_ARGUMENTS sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm
#define AAPC_UNEQUAL_ARGUMENTS sendbuf, sendcounts, sdispls, sendtype, recvbuf, recvcounts, rdispls, recvtype, comm

// NAME(PARAMETERS), which calls the MPI's own with the arguments that follow.
#define AAPC_PASSED(NAME, PEERS, PARAMETERS, ...)                                                     \
    AAPC_INTERPOSED int MPI_##NAME PARAMETERS {                                                       \
        namespace ours = aapc::interposer;                                                            \
        static const auto real = ours::find_next<decltype(&MPI_##NAME)>("PMPI_" #NAME, "MPI_" #NAME); \
        return ours::pass<ours::Routine::NAME, ours::Peers::PEERS>(comm, real, __VA_ARGS__);          \
    }                                                                                                 \
    AAPC_ALSO_AS_PMPI(NAME)

AAPC_PASSED(Ialltoall, all, (AAPC_EQUAL(int), MPI_Request* request), AAPC_EQUAL_ARGUMENTS, request)
AAPC_PASSED(Ialltoallv, all, (AAPC_UNEQUAL(int, int), MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS, request)
AAPC_PASSED(Ialltoallw, all, (AAPC_TYPED(int, int), MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS, request)
AAPC_PASSED(Neighbor_alltoall, neighbours, (AAPC_EQUAL(int)), AAPC_EQUAL_ARGUMENTS)
AAPC_PASSED(Neighbor_alltoallv, neighbours, (AAPC_UNEQUAL(int, int)), AAPC_UNEQUAL_ARGUMENTS)
AAPC_PASSED(Neighbor_alltoallw, neighbours, (AAPC_TYPED(int, MPI_Aint)), AAPC_UNEQUAL_ARGUMENTS)
AAPC_PASSED(Ineighbor_alltoall, neighbours, (AAPC_EQUAL(int), MPI_Request* request), AAPC_EQUAL_ARGUMENTS, request)
AAPC_PASSED(Ineighbor_alltoallv, neighbours, (AAPC_UNEQUAL(int, int), MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS,
            request)
AAPC_PASSED(Ineighbor_alltoallw, neighbours, (AAPC_TYPED(int, MPI_Aint), MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS,
            request)

#if MPI_VERSION >= 4
AAPC_PASSED(Alltoall_init, all, (AAPC_EQUAL(int), MPI_Info info, MPI_Request* request), AAPC_EQUAL_ARGUMENTS, info,
            request)
AAPC_PASSED(Alltoallv_init, all, (AAPC_UNEQUAL(int, int), MPI_Info info, MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS,
            info, request)
AAPC_PASSED(Alltoallw_init, all, (AAPC_TYPED(int, int), MPI_Info info, MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS,
            info, request)
AAPC_PASSED(Neighbor_alltoall_init, neighbours, (AAPC_EQUAL(int), MPI_Info info, MPI_Request* request),
            AAPC_EQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Neighbor_alltoallv_init, neighbours, (AAPC_UNEQUAL(int, int), MPI_Info info, MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Neighbor_alltoallw_init, neighbours, (AAPC_TYPED(int, MPI_Aint), MPI_Info info, MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Ialltoall_c, all, (AAPC_EQUAL(MPI_Count), MPI_Request* request), AAPC_EQUAL_ARGUMENTS, request)
AAPC_PASSED(Ialltoallv_c, all, (AAPC_UNEQUAL(MPI_Count, MPI_Aint), MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS,
            request)
AAPC_PASSED(Ialltoallw_c, all, (AAPC_TYPED(MPI_Count, MPI_Aint), MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS, request)
AAPC_PASSED(Neighbor_alltoall_c, neighbours, (AAPC_EQUAL(MPI_Count)), AAPC_EQUAL_ARGUMENTS)
AAPC_PASSED(Neighbor_alltoallv_c, neighbours, (AAPC_UNEQUAL(MPI_Count, MPI_Aint)), AAPC_UNEQUAL_ARGUMENTS)
AAPC_PASSED(Neighbor_alltoallw_c, neighbours, (AAPC_TYPED(MPI_Count, MPI_Aint)), AAPC_UNEQUAL_ARGUMENTS)
AAPC_PASSED(Ineighbor_alltoall_c, neighbours, (AAPC_EQUAL(MPI_Count), MPI_Request* request), AAPC_EQUAL_ARGUMENTS,
            request)
AAPC_PASSED(Ineighbor_alltoallv_c, neighbours, (AAPC_UNEQUAL(MPI_Count, MPI_Aint), MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, request)
AAPC_PASSED(Ineighbor_alltoallw_c, neighbours, (AAPC_TYPED(MPI_Count, MPI_Aint), MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, request)
AAPC_PASSED(Alltoall_init_c, all, (AAPC_EQUAL(MPI_Count), MPI_Info info, MPI_Request* request), AAPC_EQUAL_ARGUMENTS,
            info, request)
AAPC_PASSED(Alltoallv_init_c, all, (AAPC_UNEQUAL(MPI_Count, MPI_Aint), MPI_Info info, MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Alltoallw_init_c, all, (AAPC_TYPED(MPI_Count, MPI_Aint), MPI_Info info, MPI_Request* request),
            AAPC_UNEQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Neighbor_alltoall_init_c, neighbours, (AAPC_EQUAL(MPI_Count), MPI_Info info, MPI_Request* request),
            AAPC_EQUAL_ARGUMENTS, info, request)
AAPC_PASSED(Neighbor_alltoallv_init_c, neighbours,
            (AAPC_UNEQUAL(MPI_Count, MPI_Aint), MPI_Info info, MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS, info,
            request)
AAPC_PASSED(Neighbor_alltoallw_init_c, neighbours,
            (AAPC_TYPED(MPI_Count, MPI_Aint), MPI_Info info, MPI_Request* request), AAPC_UNEQUAL_ARGUMENTS, info,
            request)
#endif
