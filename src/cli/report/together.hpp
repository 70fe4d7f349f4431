/// @file
/// Communicators that exchange at the same time, and so share wires: the rows, or the columns, of a grid of ranks.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/record.hpp"

namespace aapc::report {

/// The communicators that exchange together with `name`, which comes first: of as many ranks, none of them in two of
/// the communicators, and during at least half of the time that `name` spends in such calls they are in one as well.
/// Such calls are those of `routine` with as many bytes, within a factor of two, or with any number of bytes if `bytes`
/// is nullopt. Their times are those of each one's rank 0, counted from its MPI_Init. Only `name` where its members are
/// not known. O(communicators · calls).
[[nodiscard]] std::vector<const RecordedCommunicator*> together_with(const Record& record, const std::string& name,
                                                                     const std::string& routine,
                                                                     std::optional<std::int64_t> bytes);

}  // namespace aapc::report
