/// @file
/// The decision for one call.
#pragma once

#include <cstdint>
#include <optional>

#include "aapc/mpi/exchange.hpp"
#include "interposer/recorder.hpp"
#include "interposer/routines.hpp"

namespace aapc::interposer {

/// The calls of one size class that a communicator lets pass unmeasured: `calls` more of them are native.
struct Rest {
    int size_class = 0;  ///< key of the class
    std::int64_t calls = 0;
};

/// What becomes of a call, the same on all ranks except on a rank whose arguments the MPI refuses on sight.
struct Verdict {
    Outcome outcome = Outcome::unavailable;
    mpi::Exchange* exchange = nullptr;  ///< of equal blocks, where they are exchanged; null otherwise
    bool timed = false;                 ///< note_return() follows as soon as the call is over
    Recorder::MethodNumber method = Recorder::native;
    bool repeats = false;  ///< the same call has the same outcome again, the native routine, for all of `rest`
    std::optional<Rest> rest = std::nullopt;  ///< of the call's class; nullopt if nothing is learned from such calls
};

}  // namespace aapc::interposer
