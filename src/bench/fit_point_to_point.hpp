/// @file
/// Single messages between two ranks, measured while all others wait.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/network.hpp"
#include "bench/harness.hpp"

namespace aapc::bench {

/// Two ranks of the harness's communicator.
struct Pair {
    Rank first = 0;
    Rank second = 1;
};

// All functions are collective over the harness's communicator, with equal arguments, and return the same on all ranks.
// What arrives is compared with what was sent, outside the timed part; a wrong byte is an error.

/// One message of `message_bytes` (at least 1), one way: half the median round trip.
[[nodiscard]] Expected<double> one_way_seconds(Harness& harness, Pair pair, std::int64_t message_bytes, int repeats);

/// Gap and overheads (network_model.hpp). The gap is what each further message of a train adds until the receiver has
/// answered the last; the overheads are what MPI_Send takes on an idle network, and MPI_Recv for a message that has had
/// time to arrive.
[[nodiscard]] Expected<GapMeasurement> gap_and_overheads(Harness& harness, Pair pair, std::int64_t message_bytes,
                                                         int repeats);

}  // namespace aapc::bench
