/// @file
/// From a network and a placement to a checked schedule in one call.
#pragma once

#include <memory>
#include <string>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/offline/make_schedule.hpp"
#include "aapc/topology/bound.hpp"

namespace aapc::test {

struct Built {
    std::shared_ptr<const Timetable> timetable;
    Expected<Schedule, Violation> schedule;
};

/// Builds `tree` in `variant`, writes it down and has it checked against the bound.
inline Built build_tree_schedule(const Network& network, const Placement& placement, std::string_view variant) {
    const Method method{*find_algorithm("tree"), std::string(variant), Synchronisation::none};
    auto prepared = prepare(network, placement, network_bound(network, placement), method);
    if (!prepared) {
        return {nullptr, tl::unexpected(Violation{to_string(prepared.error())})};
    }
    auto made = make_schedule(*prepared, network, placement);
    if (!made) {
        return {nullptr, tl::unexpected(made.error())};
    }
    return {std::move(prepared->timetable), std::move(made->schedule)};
}

}  // namespace aapc::test
