// An MPI_Alltoall, whichever entry it came by: decided on, exchanged or passed through, counted.
#include "interposer/carry_out.hpp"

#include <mpi.h>

#include <cstdint>
#include <type_traits>

#include "interposer/call.hpp"
#include "interposer/communicator.hpp"
#include "interposer/job.hpp"
#include "interposer/native.hpp"
#include "interposer/refusals.hpp"
#include "interposer/traffic.hpp"

namespace aapc::interposer {

namespace {

/// Where the MPI itself would send messages of unequal sizes, the other ranks may be in an exchange, and wait.
[[gnu::noinline]] bool joins_nevertheless(const Job& job, Call& call) {
    if (call.unequal && !job.refusals().refuses_unequal()) {
        call.block_bytes = data_bytes(call.receive_count, call.receive_type);
    }
    return call.well_formed();
}

/// Decides a call; `state` is that of its communicator then, null if it has none.
inline Verdict serve(Job& job, Call& call, CommunicatorState*& state) {
    read_arguments(call);
    if (!call.well_formed() && !joins_nevertheless(job, call)) {
        return {Outcome::arguments};
    }
    if (job.opening().takes(call.comm, call.block_bytes)) {
        return {Outcome::size};
    }
    state = CommunicatorState::of(call.comm, job, call.block_bytes);
    return state == nullptr ? Verdict{Outcome::unavailable} : state->serve(call, job.refusals());
}

/// The native routine for such counts.
template <class Count>
auto own_routine() {
#if AAPC_MPI_HAS_LARGE_COUNTS
    if constexpr (std::is_same_v<Count, MPI_Count>) {
        return native().alltoall_c;
    } else {
        return native().alltoall;
    }
#else
    return native().alltoall;
#endif
}

template <class Count>
int run_own(const Call& call) {
    return own_routine<Count>()(call.send_buffer, static_cast<Count>(call.send_count), call.send_type,
                                call.receive_buffer, static_cast<Count>(call.receive_count), call.receive_type,
                                call.comm);
}

/// Carries out a call; `verdict` has what came of it. Returns an MPI error code.
template <class Count>
int carry_out_decided(Verdict& verdict, CommunicatorState* state, const Call& call) {
    int error = verdict.exchange != nullptr ? state->run(*verdict.exchange, call) : mpi::Exchange::declined;
    if (error == mpi::Exchange::declined) {
        verdict.outcome = verdict.exchange != nullptr ? Outcome::unavailable : verdict.outcome;
        error = run_own<Count>(call);
    }
    if (verdict.timed) {
        state->note_return(false);
    }
    return error;
}

template <class Count>
[[gnu::noinline]] int measured_alltoall(Job& job, Call& call) {
    const Stopwatch watch;
    CommunicatorState* state = nullptr;
    Verdict verdict = serve(job, call, state);
    const int error = carry_out_decided<Count>(verdict, state, call);
    const std::int64_t bytes = is_carried_out(error, call.comm)
                                   ? bytes_sent(Peers::all, call.send_buffer, call.send_count, call.send_type,
                                                call.receive_buffer, call.receive_count, call.receive_type, call.comm)
                                   : 0;
    job.tally().add(call.routine, verdict.outcome, bytes, watch.nanoseconds());
    if (Recorder* const recorder = job.recorder()) {
        const auto noted = state != nullptr ? state->noted() : CallNotes::Noted();
        recorder->note(
            {call.routine, verdict.outcome, verdict.method, noted.exchange, bytes, noted.waited_seconds, call.comm},
            watch);
    }
    return error;
}

/// Counts of all sizes that this MPI knows.
#if AAPC_MPI_HAS_LARGE_COUNTS
using LargestCount = MPI_Count;
#else
using LargestCount = int;
#endif

/// A call is passed through: what becomes of its like is kept.
void keep(Job& job, const Verdict& verdict, const Call& call) {
    if (verdict.repeats && job.cache().allowed() && call.sends_what_it_receives() && is_predefined(call.receive_type)) {
        job.cache().keep(call.comm, call.receive_count, call.receive_type, verdict);
    }
}

}  // namespace

template <Routine routine, class Count>
int alltoall(const void* send, Count send_count, MPI_Datatype send_type, void* receive, Count receive_count,
             MPI_Datatype receive_type, MPI_Comm comm) {
    Job* const job = Job::current();
    if (job != nullptr) {
        Call call{send, send_count, send_type, receive, receive_count, receive_type, comm, routine};
        if (job->tally().measures()) {
            return measured_alltoall<Count>(*job, call);
        }
        if (call.sends_what_it_receives()) {
            if (const Outcome* const outcome = job->cache().find(comm, receive_count, receive_type)) {
                job->tally().count(routine, *outcome);
                return own_routine<Count>()(send, send_count, send_type, receive, receive_count, receive_type, comm);
            }
        }
        CommunicatorState* state = nullptr;
        Verdict verdict = serve(*job, call, state);
        if (verdict.exchange != nullptr || verdict.timed) {
            const int error = carry_out_decided<Count>(verdict, state, call);
            job->tally().count(routine, verdict.outcome);
            return error;
        }
        keep(*job, verdict, call);
        job->tally().count(routine, verdict.outcome);
    }
    // As they came: they have never left their registers.
    return own_routine<Count>()(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

template int alltoall<Routine::Alltoall, int>(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
#if AAPC_MPI_HAS_LARGE_COUNTS
// A component sees both routines as one.
template int alltoall<Routine::Alltoall, MPI_Count>(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                                                    MPI_Datatype, MPI_Comm);
template int alltoall<Routine::Alltoall_c, MPI_Count>(const void*, MPI_Count, MPI_Datatype, void*, MPI_Count,
                                                      MPI_Datatype, MPI_Comm);
#endif

void plan_ahead(Job& job, Call call) {
    read_arguments(call);
    if (call.well_formed() || joins_nevertheless(job, call)) {
        CommunicatorState::plan_ahead(call.comm, job, call.block_bytes);
    }
}

int carry_out_natively(Job& job, const Call& call) {
    job.tally().count(call.routine, Outcome::routine_not_served);
    return run_own<LargestCount>(call);
}

int carry_out(Job& job, Call call) {
    if (job.tally().measures()) {
        return measured_alltoall<LargestCount>(job, call);
    }
    CommunicatorState* state = nullptr;
    Verdict verdict = serve(job, call, state);
    const int error = carry_out_decided<LargestCount>(verdict, state, call);
    job.tally().count(call.routine, verdict.outcome);
    return error;
}

}  // namespace aapc::interposer
