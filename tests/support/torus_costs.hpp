/// @file
/// What a schedule for a torus costs, counted in the schedule itself.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "aapc/algorithms/torus_model.hpp"
#include "aapc/check/schedule.hpp"
#include "algorithms/torus/division.hpp"

namespace aapc::test {

/// What a schedule that has passed the checker does, all ranks followed through its phases, which are the steps of
/// `division`.
inline TorusWork followed(const Schedule& schedule, const torus::Division& division) {
    TorusWork work;
    const auto ranks = static_cast<std::size_t>(schedule.placement().participants());
    std::vector<std::int64_t> held(ranks, schedule.placement().participants());
    for (std::size_t phase = 0; phase < schedule.phases().size(); ++phase) {
        if (division.steps()[phase].starts_stage && phase > 0) {
            work.rearranged_blocks += *std::max_element(held.begin(), held.end());
        }
        std::size_t largest = 0;
        for (std::size_t message = 0; message < schedule.phases()[phase].size(); ++message) {
            const std::size_t blocks = schedule.blocks()[phase][message].size();
            largest = std::max(largest, blocks);
            held[static_cast<std::size_t>(schedule.phases()[phase][message].from)] -= static_cast<std::int64_t>(blocks);
            held[static_cast<std::size_t>(schedule.phases()[phase][message].to)] += static_cast<std::int64_t>(blocks);
        }
        work.start_ups += largest > 0 ? 1 : 0;
        work.sent_blocks += static_cast<std::int64_t>(largest);
        work.buffer_blocks = std::max(work.buffer_blocks, *std::max_element(held.begin(), held.end()));
    }
    return work;
}

/// The formulas count blocks that are at their destination already and go away and come back, a rank's for itself among
/// them; the timetables let these stay. A rank that leaves in the K-th split has 4^(K-1) of them, and lacks as many in
/// the K-th merge; in the same message travels what it will hand on to 2^(K-1-j) ranks that left in an earlier split j.
/// So many blocks less are sent on N x N machines.
inline std::int64_t staying_blocks(int divisions) {
    std::int64_t all = 0;
    for (int split = 1; split <= divisions; ++split) {
        all += std::int64_t{1} << (2 * (split - 1));
        for (int earlier = 1; earlier < split; ++earlier) {
            all += std::int64_t{1} << (split - 1 - earlier + 2 * (earlier - 1));
        }
    }
    return all;
}

}  // namespace aapc::test
