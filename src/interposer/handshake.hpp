/// @file
/// Whether all ranks of the job have this library in them.
#pragma once

#include <cstdint>

namespace aapc::interposer {

/// The largest value of all ranks of MPI_COMM_WORLD. Collective; the first thing that ranks do together. Ranks that
/// have no interposer never come: after a minute, one rank says so and ends the job, which would wait for good.
[[nodiscard]] std::uint64_t largest_of_all(std::uint64_t mine);

}  // namespace aapc::interposer
