// The symbols that the program, its Fortran bindings and its tools find before the MPI's own: the MPI_ names, which C
// programs call, and the PMPI_ names, which Open MPI's Fortran bindings and tools that wrap the MPI_ names call. A call
// comes by here once, whichever way it takes. Routines that are only counted are in passed.cpp.
#include <mpi.h>

#include <cstdint>
#include <type_traits>

#include "aapc/interposer.h"
#include "interposer/background.hpp"
#include "interposer/call.hpp"
#include "interposer/carry_out.hpp"
#include "interposer/communicator.hpp"
#include "interposer/job.hpp"
#include "interposer/real.hpp"
#include "interposer/refusals.hpp"
#include "interposer/symbols.hpp"
#include "interposer/traffic.hpp"

namespace aapc::interposer {

namespace {

int initialise(int* argc, char*** argv) {
    // Threads of ours are to call MPI beside the program's one.
    int provided = MPI_THREAD_SINGLE;
    const int error =
        asks_for_threads() ? real().init_thread(argc, argv, MPI_THREAD_MULTIPLE, &provided) : real().init(argc, argv);
    if (error == MPI_SUCCESS) {
        Job::start();
    }
    return error;
}

int initialise_thread(int* argc, char*** argv, int required, int* provided) {
    const int error = real().init_thread(argc, argv, asks_for_threads() ? MPI_THREAD_MULTIPLE : required, provided);
    if (error == MPI_SUCCESS) {
        Job::start();
    }
    return error;
}

int free_communicator(int (*real_routine)(MPI_Comm*), MPI_Comm* comm) {
    Job* const job = Job::current();
    if (job != nullptr && comm != nullptr && *comm != MPI_COMM_NULL) {
        job->before_freeing(*comm);
    }
    return real_routine(comm);
}

/// What becomes of a call, and with which exchange.
struct Served {
    CommunicatorState::Choice choice;
    CommunicatorState* state = nullptr;
};

/// Where the MPI itself would send messages of unequal sizes, the other ranks may be in an exchange, and wait.
[[gnu::noinline]] bool joins_nevertheless(const Job& job, Call& call) {
    if (call.unequal && !job.refusals().refuses_unequal()) {
        call.block_bytes = data_bytes(call.receive_count, call.receive_type);
    }
    return call.well_formed();
}

inline Served serve(Job& job, Call& call) {
    read_arguments(call);
    if (!call.well_formed() && !joins_nevertheless(job, call)) {
        return {{nullptr, Outcome::arguments}, nullptr};
    }
    if (job.opening().takes(call.comm, call.block_bytes)) {
        return {{nullptr, Outcome::size}, nullptr};
    }
    CommunicatorState* const state = CommunicatorState::of(call.comm, job, call.block_bytes);
    return state == nullptr ? Served{{nullptr, Outcome::unavailable}, nullptr}
                            : Served{state->choose(call, job.refusals()), state};
}

/// The MPI's own, for such counts.
template <class Count>
auto own_routine() {
#if AAPC_MPI_HAS_LARGE_COUNTS
    if constexpr (std::is_same_v<Count, MPI_Count>) {
        return real().alltoall_c;
    } else {
        return real().alltoall;
    }
#else
    return real().alltoall;
#endif
}

template <class Count>
int run_own(const Call& call) {
    return own_routine<Count>()(call.send_buffer, static_cast<Count>(call.send_count), call.send_type,
                                call.receive_buffer, static_cast<Count>(call.receive_count), call.receive_type,
                                call.comm);
}

/// What a call that is carried out came to.
struct Carried {
    int error;
    Outcome outcome;
};

template <class Count>
Carried carry_out_decided(const Served& served, const Call& call) {
    mpi::Exchange* const exchange = served.choice.exchange;
    int error = exchange != nullptr ? served.state->run(*exchange, call) : mpi::Exchange::declined;
    Outcome outcome = served.choice.outcome;
    if (error == mpi::Exchange::declined) {
        outcome = exchange != nullptr ? Outcome::unavailable : outcome;
        error = run_own<Count>(call);
    }
    if (served.choice.measured) {
        served.state->note_return();
    }
    return {error, outcome};
}

template <class Count>
[[gnu::noinline]] int measured_alltoall(Job& job, Call& call) {
    const Stopwatch watch;
    const Served served = serve(job, call);
    const auto [error, outcome] = carry_out_decided<Count>(served, call);
    const std::int64_t bytes = error == MPI_SUCCESS
                                   ? bytes_sent(Peers::all, call.send_buffer, call.send_count, call.send_type,
                                                call.receive_buffer, call.receive_count, call.receive_type, call.comm)
                                   : 0;
    job.tally().add(call.routine, outcome, bytes, watch.nanoseconds());
    if (Recorder* const recorder = job.recorder()) {
        const auto noted = served.state != nullptr ? served.state->noted() : CommunicatorState::Noted();
        recorder->note(
            {call.routine, outcome, served.choice.method, noted.exchange, bytes, noted.waited_seconds, call.comm},
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

/// What a call that is passed through without further ado is counted as; what becomes of its like is kept.
Outcome pass(Job& job, const Served& served, const Call& call) {
    if (served.choice.repeats && job.settled().allowed() && call.sends_what_it_receives() &&
        is_predefined(call.receive_type)) {
        job.settled().keep(call.comm, call.receive_count, call.receive_type, served.choice.outcome, served.choice.rest);
    }
    return served.choice.outcome;
}

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
            if (const Outcome* const outcome = job->settled().find(comm, receive_count, receive_type)) {
                job->tally().count(routine, *outcome);
                return own_routine<Count>()(send, send_count, send_type, receive, receive_count, receive_type, comm);
            }
        }
        const Served served = serve(*job, call);
        if (served.choice.exchange != nullptr || served.choice.measured) {
            const auto [error, outcome] = carry_out_decided<Count>(served, call);
            job->tally().count(routine, outcome);
            return error;
        }
        job->tally().count(routine, pass(*job, served, call));
    }
    // As they came: they have never left their registers.
    return own_routine<Count>()(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

}  // namespace

int carry_out_natively(Job& job, const Call& call) {
    job.tally().count(call.routine, Outcome::routine_not_served);
    return run_own<LargestCount>(call);
}

int carry_out(Job& job, Call call) {
    if (job.tally().measures()) {
        return measured_alltoall<LargestCount>(job, call);
    }
    const Served served = serve(job, call);
    const auto [error, outcome] = carry_out_decided<LargestCount>(served, call);
    job.tally().count(call.routine, outcome);
    return error;
}

}  // namespace aapc::interposer

// Parameters are named as in the MPI standard's C bindings, of which these are definitions.

AAPC_INTERPOSED int MPI_Init(int* argc, char*** argv) { return aapc::interposer::initialise(argc, argv); }
AAPC_ALSO_AS_PMPI(Init)

AAPC_INTERPOSED int MPI_Init_thread(int* argc, char*** argv, int required, int* provided) {
    return aapc::interposer::initialise_thread(argc, argv, required, provided);
}
AAPC_ALSO_AS_PMPI(Init_thread)

AAPC_INTERPOSED int MPI_Comm_free(MPI_Comm* comm) {
    return aapc::interposer::free_communicator(aapc::interposer::real().comm_free, comm);
}
AAPC_ALSO_AS_PMPI(Comm_free)

AAPC_INTERPOSED int MPI_Comm_disconnect(MPI_Comm* comm) {
    return aapc::interposer::free_communicator(aapc::interposer::real().comm_disconnect, comm);
}
AAPC_ALSO_AS_PMPI(Comm_disconnect)

AAPC_INTERPOSED int MPI_Alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                 int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    namespace ours = aapc::interposer;
    return ours::alltoall<ours::Routine::Alltoall>(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
AAPC_ALSO_AS_PMPI(Alltoall)

#if AAPC_MPI_HAS_LARGE_COUNTS
AAPC_INTERPOSED int MPI_Alltoall_c(const void* sendbuf, MPI_Count sendcount, MPI_Datatype sendtype, void* recvbuf,
                                   MPI_Count recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    namespace ours = aapc::interposer;
    return ours::alltoall<ours::Routine::Alltoall_c>(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}
AAPC_ALSO_AS_PMPI(Alltoall_c)
#endif

AAPC_INTERPOSED int aapc_native_alltoall(const void* sendbuf, int sendcount, MPI_Datatype sendtype, void* recvbuf,
                                         int recvcount, MPI_Datatype recvtype, MPI_Comm comm) {
    return aapc::interposer::real().alltoall(sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm);
}

AAPC_INTERPOSED void aapc_calls(long* exchanged, long* passed_through) {
    aapc::interposer::Job* const job = aapc::interposer::Job::current();
    if (job == nullptr) {
        *exchanged = -1;
        *passed_through = -1;
        return;
    }
    const aapc::interposer::CallCounts counts = call_counts(job->tally().totals());
    *exchanged = counts.exchanged;
    *passed_through = counts.passed_through;
}

AAPC_INTERPOSED const char* aapc_rejected(void) { return aapc::interposer::rejected_settings(); }
