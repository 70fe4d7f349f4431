/// @file
/// What is known of a class of calls before its first one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace aapc::learning {

/// Calls at the beginning that the native routine serves: a program of three calls loses nothing.
inline constexpr std::int64_t opening_calls = 3;

/// A method that may serve the calls of a size.
struct Prospect {
    std::size_t method = 0;     ///< any number that the caller knows it by
    double set_up_seconds = 0;  ///< expected cost of setting it up
    double least_seconds = 0;   ///< a call takes no less, its start included; 0 if only the bound is known
    double spread_seconds = 0;  ///< a call takes at most so much more, any value equally likely; 0 if not known
};

/// What is known before the first call.
struct Beginning {
    std::vector<Prospect> prospects;    ///< the first is the native routine; at least one
    double least_seconds = 0;           ///< the bound of a call; 0 if not known
    std::optional<std::size_t> winner;  ///< index of the prospect that was the fastest in earlier jobs; nullopt if none
    std::int64_t calls = 0;             ///< calls of this size that the native routine has served already
    std::int64_t size = 1;              ///< of the first call, > 0: bytes, or nanoseconds of the bound
    double agreement_seconds = 0;       ///< expected price of an agreement
    double share_of_ranks = 1;          ///< of all ranks of the job, that the communicator has; above 0
    bool publishes_early = false;       ///< two first calls are published with the third, however short they are
    bool opens_early = false;           ///< a candidate may serve the second call
};

}  // namespace aapc::learning
