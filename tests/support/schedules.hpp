/// @file
/// From a network and a demand to a checked schedule in one call.
#pragma once

#include <memory>
#include <string>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/schedule/tabulate.hpp"

namespace aapc::test {

struct Built {
    std::unique_ptr<Timetable> timetable;
    Expected<Schedule, Violation> schedule;
};

/// Builds `tree` in `variant`, writes it down and has it checked against the bound.
inline Built build_tree_schedule(const Network& network, const Demand& demand, std::string_view variant) {
    const Algorithm& algorithm = **find_algorithm("tree");
    auto timetable = build_timetable(algorithm, variant, network, demand);
    if (!timetable) {
        return {nullptr, tl::unexpected(Violation{to_string(timetable.error())})};
    }
    auto schedule = check_schedule(
        tabulate(**timetable, "tree", std::string(variant), tree_bound(network, demand).messages), network, demand);
    return {std::move(*timetable), std::move(schedule)};
}

}  // namespace aapc::test
