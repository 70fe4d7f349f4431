/// @file
/// Transfers of one rank with every other.
#pragma once

#include <cstddef>
#include <vector>

#include "aapc/timetable/timetable.hpp"

namespace aapc {

/// make(other) for every rank but this one, in the order of the ranks.
template <typename MakeTransfer>
[[nodiscard]] std::vector<Transfer> with_all_others(Rank rank, Rank participants, MakeTransfer make) {
    std::vector<Transfer> transfers;
    transfers.reserve(static_cast<std::size_t>(participants));
    for (Rank other = 0; other < participants; ++other) {
        if (other != rank) {
            transfers.push_back(make(other));
        }
    }
    return transfers;
}

}  // namespace aapc
