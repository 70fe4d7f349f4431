/// @file
/// A call that has come in is carried out here, whichever routine it was and whichever entry it came by: by an exchange
/// of ours or by the native routine.
#pragma once

#include "interposer/call.hpp"
#include "interposer/unequal_call.hpp"

namespace aapc::interposer {

class Job;

/// MPI_Alltoall, or its large-count form, from the first line on: decided on, exchanged or passed through, and counted
/// as `routine`. Native where there is no job. Returns an MPI error code.
template <Routine routine, class Count>
[[nodiscard]] int alltoall(const void* send, Count send_count, MPI_Datatype send_type, void* receive,
                           Count receive_count, MPI_Datatype receive_type, MPI_Comm comm);
/// The same for MPI_Alltoallv, MPI_Alltoallw and their large-count forms.
[[nodiscard]] int exchange_or_pass(const UnequalCall& call);

/// Carries out a call as one that blocks, and counts it under its routine. Collective over its communicator. Returns an
/// MPI error code, for which that communicator's error handler has been called.
[[nodiscard]] int carry_out(Job& job, Call call);
[[nodiscard]] int carry_out(Job& job, const UnequalCall& call);

/// Sets up what such a call needs, with more thought than a call has time for; carries nothing out. Collective over its
/// communicator. What fails is left to the call.
void plan_ahead(Job& job, Call call);
void plan_ahead(Job& job, const UnequalCall& call);

/// As carry_out(), by the native routine that blocks, and counted as passed through because of the routine.
[[nodiscard]] int carry_out_natively(Job& job, const Call& call);
[[nodiscard]] int carry_out_natively(Job& job, const UnequalCall& call);

}  // namespace aapc::interposer
