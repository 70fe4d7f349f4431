/// @file
/// A call that has come in is carried out here, whichever routine it was: by an exchange of ours or by the MPI's own.
#pragma once

#include "interposer/call.hpp"
#include "interposer/unequal_call.hpp"

namespace aapc::interposer {

class Job;

/// Carries out a call as one that blocks, and counts it under its routine. Collective over its communicator. Returns an
/// MPI error code, for which that communicator's error handler has been called.
[[nodiscard]] int carry_out(Job& job, Call call);
[[nodiscard]] int carry_out(Job& job, const UnequalCall& call);

/// The same by the native routine that blocks, and counted as passed through because of the routine.
[[nodiscard]] int carry_out_natively(Job& job, const Call& call);
[[nodiscard]] int carry_out_natively(Job& job, const UnequalCall& call);

}  // namespace aapc::interposer
