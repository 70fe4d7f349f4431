/// @file
/// From a network and a placement to a checked schedule in one call.
#pragma once

#include <memory>
#include <string>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/schedule/tabulate.hpp"
#include "aapc/topology/bound.hpp"

namespace aapc::test {

struct Built {
    std::unique_ptr<Timetable> timetable;
    Expected<Schedule, Violation> schedule;
};

/// Builds `tree` in `variant`, writes it down and has it checked against the bound.
inline Built build_tree_schedule(const Network& network, const Placement& placement, std::string_view variant) {
    const Algorithm& algorithm = **find_algorithm("tree");
    auto timetable = build_timetable(algorithm, variant, network, placement);
    if (!timetable) {
        return {nullptr, tl::unexpected(Violation{to_string(timetable.error())})};
    }
    auto schedule =
        check_schedule(tabulate(**timetable, "tree", std::string(variant), tree_bound(network, placement).messages),
                       network, placement);
    return {std::move(*timetable), std::move(schedule)};
}

}  // namespace aapc::test
