// MPI_Alltoallv and MPI_Alltoallw, as carry_out.cpp has MPI_Alltoall.
#include <mpi.h>

#include <cstdint>
#include <optional>

#include "aapc/mpi/exchange.hpp"
#include "interposer/carry_out.hpp"
#include "interposer/communicator.hpp"
#include "interposer/job.hpp"
#include "interposer/native.hpp"
#include "interposer/traffic.hpp"
#include "interposer/unequal_call.hpp"

namespace aapc::interposer {

namespace {

/// Decides a call; `state` is that of its communicator then, null if it has none.
Verdict serve(Job& job, const UnequalCall& call, CommunicatorState*& state) {
    if (call.comm == MPI_COMM_NULL) {
        return {Outcome::arguments};
    }
    state = CommunicatorState::of(call.comm, job, std::nullopt);
    return state == nullptr ? Verdict{Outcome::unavailable} : state->serve(call, job);
}

/// The native routine, with the arguments as they came.
int run_own(const UnequalCall& call) {
    const UnequalSide& send = call.send;
    const UnequalSide& receive = call.receive;
#if AAPC_MPI_HAS_LARGE_COUNTS
    if (receive.counts.wide()) {
        const auto* const sent = send.counts.as<MPI_Count>();
        const auto* const received = receive.counts.as<MPI_Count>();
        const auto* const from = send.displacements.as<MPI_Aint>();
        const auto* const to = receive.displacements.as<MPI_Aint>();
        return call.typed ? native().alltoallw_c(send.buffer, sent, from, send.types, call.receive_buffer(), received,
                                                 to, receive.types, call.comm)
                          : native().alltoallv_c(send.buffer, sent, from, send.type, call.receive_buffer(), received,
                                                 to, receive.type, call.comm);
    }
#endif
    const int* const sent = send.counts.as<int>();
    const int* const received = receive.counts.as<int>();
    const int* const from = send.displacements.as<int>();
    const int* const to = receive.displacements.as<int>();
    return call.typed ? native().alltoallw(send.buffer, sent, from, send.types, call.receive_buffer(), received, to,
                                           receive.types, call.comm)
                      : native().alltoallv(send.buffer, sent, from, send.type, call.receive_buffer(), received, to,
                                           receive.type, call.comm);
}

/// Carries out a call; `verdict` has what came of it. Returns an MPI error code.
int carry_out_decided(Verdict& verdict, CommunicatorState* state, const UnequalCall& call) {
    int error = verdict.outcome == Outcome::exchanged ? state->run(call) : mpi::Exchange::declined;
    if (error == mpi::Exchange::declined) {
        verdict.outcome = verdict.outcome == Outcome::exchanged ? Outcome::unavailable : verdict.outcome;
        error = run_own(call);
    }
    if (verdict.timed) {
        state->note_return(true);
    }
    return error;
}

}  // namespace

int exchange_or_pass(const UnequalCall& call) {
    Job* const job = Job::current();
    return job == nullptr ? run_own(call) : carry_out(*job, call);
}

void plan_ahead(Job& job, const UnequalCall& call) { CommunicatorState::plan_ahead(call, job); }

int carry_out_natively(Job& job, const UnequalCall& call) {
    job.tally().count(call.routine, Outcome::routine_not_served);
    return run_own(call);
}

int carry_out(Job& job, const UnequalCall& call) {
    Tally& tally = job.tally();
    if (!tally.measures()) {
        CommunicatorState* state = nullptr;
        Verdict verdict = serve(job, call, state);
        const int error = carry_out_decided(verdict, state, call);
        tally.count(call.routine, verdict.outcome);
        return error;
    }
    const Stopwatch watch;
    CommunicatorState* state = nullptr;
    Verdict verdict = serve(job, call, state);
    const int error = carry_out_decided(verdict, state, call);
    const std::int64_t bytes = is_carried_out(error, call.comm) ? bytes_sent(call) : 0;
    tally.add(call.routine, verdict.outcome, bytes, watch.nanoseconds());
    if (Recorder* const recorder = job.recorder()) {
        const auto noted = state != nullptr ? state->noted() : CallNotes::Noted();
        recorder->note({call.routine, verdict.outcome, noted.unequal_method, noted.exchange, bytes,
                        noted.waited_seconds, call.comm},
                       watch);
        if (error == MPI_SUCCESS) {
            recorder->note_lengths(call);
        }
    }
    return error;
}

}  // namespace aapc::interposer
