/// @file
/// How a call of a routine that is counted goes to the MPI's own, and the parameters of such routines.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "interposer/job.hpp"
#include "interposer/this_mpi.hpp"
#include "interposer/traffic.hpp"

namespace aapc::interposer {

/// Open MPI 4.1.4 numbers a communicator's calls that do not wait, and making a communicator of it is one. An unequal
/// one in place is not counted on ranks that have no data, so from then on they look for the others in vain. Nobody
/// sees whether there were such, so nothing is set up there any more.
template <class... Rest>
void leave_alone_in_place(MPI_Comm comm, Job& job, const void* send_buffer, const Rest&...) {
    if (send_buffer == MPI_IN_PLACE && this_mpi().loses_count_in_place) {
        job.leave_alone(comm);
    }
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

/// Counts the call with that outcome.
template <Routine routine, Peers peers, class... Arguments>
int pass_through_because(Outcome outcome, MPI_Comm comm, Job& job, int (*real)(Arguments...), Arguments... arguments) {
    Tally& tally = job.tally();
    if (!tally.measures()) {
        tally.count(routine, outcome);
        return call_real<routine>(comm, job, real, arguments...);
    }
    const Stopwatch watch;
    const int error = call_real<routine>(comm, job, real, arguments...);
    const std::int64_t bytes = is_carried_out(error, comm) ? bytes_sent(peers, arguments...) : 0;
    tally.add(routine, outcome, bytes, watch.nanoseconds());
    if (Recorder* const recorder = job.recorder()) {
        recorder->note({routine, outcome, Recorder::native, 0, bytes, -1, comm}, watch);
    }
    return error;
}

template <Routine routine, Peers peers, class... Arguments>
int pass_through(MPI_Comm comm, int (*real)(Arguments...), Arguments... arguments) {
    Job* const job = Job::current();
    return job == nullptr
               ? real(arguments...)
               : pass_through_because<routine, peers>(Outcome::routine_not_served, comm, *job, real, arguments...);
}

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
