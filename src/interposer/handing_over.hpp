/// @file
/// Calls that do not block and persistent ones, whichever entry they come by: handed to a thread of ours where
/// AAPC_ASYNC_PROGRESS asks for that, or counted and left to the MPI.
#pragma once

#include <mpi.h>

#include <cstdint>

#include "interposer/background.hpp"
#include "interposer/pass_through.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

/// Who carries out a call.
struct Handed {
    Channel* channel = nullptr;                     ///< null: the MPI
    Outcome why_not = Outcome::routine_not_served;  ///< then
    bool lacks_memory = false;                      ///< or nobody
};

/// Arguments of which the MPI complains on sight are for it to judge, at once and not when the call is waited for.
[[nodiscard]] Handed hand_over(const Job& job, Background& background, Call& call);
[[nodiscard]] Handed hand_over(const Job& job, Background& background, const UnequalCall& call);

/// Calls that begin at once, and such as MPI_Start begins.
enum class Form : std::uint8_t { immediate, persistent };

/// `real`: the native routine, called with `arguments` where no thread of ours takes the call.
template <Routine routine, Form form, class AnyCall, class... Arguments>
int hand_over_or_pass(AnyCall call, MPI_Request* request, int (*real)(Arguments...), Arguments... arguments) {
    Job* const job = Job::current();
    Background* const background = job != nullptr ? job->background() : nullptr;
    if (background == nullptr || request == nullptr) {
        return pass_through<routine, Peers::all>(call.comm, real, arguments...);
    }
    const Handed handed = hand_over(*job, *background, call);
    if (handed.lacks_memory) {
        return mpi::raise(call.comm, MPI_ERR_NO_MEM);
    }
    if (handed.channel == nullptr) {
        return pass_through_because<routine, Peers::all>(handed.why_not, call.comm, *job, real, arguments...);
    }
    return form == Form::immediate ? background->start(*handed.channel, call, request)
                                   : background->make_persistent(*handed.channel, call, request);
}

/// Calls `action` with our threads, where there are such: those that have not ended, or with Job::background_or_ended
/// also those that have since MPI does.
template <class Action>
void tell_background(Action action, Background* (Job::*which)() const = &Job::background) {
    Job* const job = Job::current();
    if (Background* const background = job != nullptr ? (job->*which)() : nullptr) {
        action(*background);
    }
}

}  // namespace aapc::interposer

// Calls of routines whose parameters are those of passing.hpp.
#define AAPC_EQUAL_CALL(NAME)                                                                             \
    aapc::interposer::Call {                                                                              \
        sendbuf, sendcount, sendtype, recvbuf, recvcount, recvtype, comm, aapc::interposer::Routine::NAME \
    }
#define AAPC_UNEQUAL_CALL(NAME)                                                                                     \
    aapc::interposer::UnequalCall {                                                                                 \
        {sendbuf, sendcounts, sdispls, sendtype, nullptr}, {recvbuf, recvcounts, rdispls, recvtype, nullptr}, comm, \
            aapc::interposer::Routine::NAME, false                                                                  \
    }
#define AAPC_TYPED_CALL(NAME)                                                                                        \
    aapc::interposer::UnequalCall {                                                                                  \
        {sendbuf, sendcounts, sdispls, MPI_DATATYPE_NULL, sendtype},                                                 \
            {recvbuf, recvcounts, rdispls, MPI_DATATYPE_NULL, recvtype}, comm, aapc::interposer::Routine::NAME, true \
    }
