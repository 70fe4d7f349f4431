#include "algorithms/lattice/lattice_timetable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>
#include <string>
#include <utility>

#include "aapc/algorithms/lattice.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"
#include "aapc/topology/torus.hpp"
#include "algorithms/lattice/busy_channels.hpp"
#include "algorithms/lattice/choice.hpp"
#include "algorithms/lattice/settle.hpp"
#include "algorithms/lattice/settled_timetable.hpp"
#include "algorithms/lattice/traffic.hpp"
#include "timetable/with_all_others.hpp"

namespace aapc::lattice {

namespace {

/// Networks whose routes have more hops together are not played: a single trial would take too long.
constexpr std::int64_t most_hops_kept = 2'000'000;

/// What a message of two hops takes to settle at the very least, if half of the work is to do for
/// placing all of them once.
constexpr std::int64_t work_a_message = 120;

/// The formula for hashed paths looks at all pairs of leaf switches.
constexpr std::size_t most_switches_expected = 32;

/// How many pairs of multipliers theory alone compares: fewer the longer each takes.
int pairs_to_compare(std::int64_t positions) { return positions > (1 << 16) ? 2 : 64; }

/// Nothing is known of hashed routes but what leaves each part of the fabric.
bool has_known_routes(const Network& network) {
    return network.kind() != NetworkKind::fabric || network.forwarding().paths == FabricPaths::static_;
}

/// Whether all pairs of ranks can be played at all.
bool has_few_pairs(const Placement& placement) {
    return std::int64_t{placement.participants()} * placement.participants() <= most_hops_kept;
}

/// What no cycle can be shorter than, for messages of one byte, where shifts meet nowhere: destination-modulo on a full
/// fat tree, whose loads are even. nullopt elsewhere: with a cable less they meet at some, all at once.
std::optional<double> bound_of_shifts(const Network& network, const Placement& placement) {
    if (network.kind() != NetworkKind::fabric || !has_known_routes(network)) {
        return std::nullopt;
    }
    const std::optional<RegularLoads> regular = regular_loads(network, placement);
    if (!regular || !regular->modulo_is_even) {
        return std::nullopt;
    }
    double longest = 0;
    for (std::size_t link = 0; link < network.links().size(); ++link) {
        longest = std::max(longest, 8 * regular->even[2 * link] / network.links()[link].bits_per_second);
    }
    return longest;
}

/// Where trials take too long, the lattice of theory.
LatticeFormula choose(const Network& network, const Placement& placement, const Positions& places, std::int64_t slack) {
    const bool is_small = has_few_pairs(placement);
    if (!has_known_routes(network) && is_small) {
        return choose(tree_of_cuts(network), placement, places, slack);
    }
    const std::optional<Traffic> traffic =
        is_small ? Traffic::find(network, placement, places, most_hops_kept) : std::nullopt;
    if (!traffic || traffic->hops() > most_hops_kept) {
        const std::int64_t positions = placement.participants();
        return {positions, theoretical_multipliers(positions, pairs_to_compare(positions))};
    }
    return best_of_trials(*traffic, slack, work_of_trials).formula;
}

/// The same under static tables, by positions in the order of the file.
LatticeFormula choose_on_tables(const Network& network, const Placement& placement, const Positions& places,
                                std::int64_t slack, const Bound& bound) {
    const Seats seats = seat_ranks(network, placement, places);
    if (std::optional<BusyChannels> busy = BusyChannels::find(network, placement, places, bound, slack)) {
        return best_of_trials(*busy, seats, work_of_sampled_trials).formula;
    }
    Generator generator(placement.participants());
    return {seats, draw_switch_steps(seats, generator)};
}

std::int64_t slack_of(const Network& network) {
    return network.kind() == NetworkKind::torus ? slack_of_tori : slack_of_trees;
}

/// Where the formula would take too long: each of N cables carries a sum of many independent choices, of variance its
/// mean at most, and the largest of N normal ones exceeds the mean by sqrt(2 ln N) deviations at most.
double estimated_hashed_bound(const Network& network, const Bound& bound) {
    double longest = 0;
    double cables = 1;
    const LinkLoad* fullest = nullptr;
    for (const LinkLoad& load : bound.links) {
        const Link& link = network.links()[static_cast<std::size_t>(load.link)];
        if (network.vertices()[static_cast<std::size_t>(link.lower)].is_switch) {
            cables += 2;
            fullest = fullest == nullptr || load.seconds_per_byte > fullest->seconds_per_byte ? &load : fullest;
        }
    }
    if (fullest != nullptr) {
        longest =
            fullest->seconds_per_byte *
            (1 + std::sqrt(2 * std::log(cables) / static_cast<double>(std::max<std::int64_t>(fullest->messages, 1))));
    }
    return longest;
}

/// The mean of the bound over all draws where paths are hashed; 0 elsewhere.
double hashed_bound(const Network& network, const Placement& placement, const Bound& bound) {
    if (!network.has_hashed_paths()) {
        return 0;
    }
    std::size_t switches = 0;
    for (const NetworkVertex& vertex : network.vertices()) {
        switches += vertex.is_switch ? 1 : 0;
    }
    if (switches > most_switches_expected) {
        return estimated_hashed_bound(network, bound);
    }
    const auto routes = FabricRoutes::find(network);
    return routes ? expected_bound(network, *routes, placement).mean : 0;
}

Expected<Positions> place_on_known_routes(const Network& network, const Placement& placement) {
    if (network.kind() == NetworkKind::torus && !TorusWiring::find(network)) {
        return failure("the links of this network are not those of a torus", "describe a torus");
    }
    return place_ranks(network, placement);
}

/// A settled timetable, or why there is none.
struct Attempt {
    std::unique_ptr<Timetable> timetable;
    std::string shortfall;
};

Expected<Attempt> try_to_settle(const Network& network, const Placement& placement, std::int64_t work) {
    if (!has_known_routes(network)) {
        return Attempt{nullptr, "paths are not known beforehand"};
    }
    Expected<Positions> places = place_on_known_routes(network, placement);
    if (!places) {
        return failure(places.error());
    }
    const std::int64_t positions = placement.participants();
    const std::optional<Traffic> traffic = positions * positions <= work / work_a_message
                                               ? Traffic::find(network, placement, *places, work / work_a_message)
                                               : std::nullopt;
    if (!traffic) {
        return Attempt{nullptr, fmt::format("there are {} messages", positions * (positions - 1))};
    }
    const Settlement settlement = settle(*traffic, {work, slack_of(network)}, positions);
    if (settlement.unplaced > 0) {
        return Attempt{nullptr,
                       fmt::format("{} of {} messages were left", settlement.unplaced, positions * (positions - 1))};
    }
    const double bound = network_bound(network, placement).seconds_per_byte;
    return Attempt{settled_timetable(*places, *traffic, settlement, bound), ""};
}

}  // namespace

std::vector<Transfer> LatticeTimetable::sends_of(Rank rank) const {
    return in_order_of_time(with_all_others(rank, participants(), [&](Rank other) {
        return Transfer{tick(rank, other), rank, other};
    }));
}

std::vector<Transfer> LatticeTimetable::receives_of(Rank rank) const {
    return in_order_of_time(with_all_others(rank, participants(), [&](Rank other) {
        return Transfer{tick(other, rank), other, rank};
    }));
}

std::vector<Transfer> LatticeTimetable::in_order_of_time(std::vector<Transfer> transfers) const {
    std::vector<Transfer> sorted;
    std::vector<std::uint32_t> begin;
    sort_by_tick(
        transfers, phases(), [](const Transfer& transfer) { return transfer.phase; }, sorted, begin);
    return transfers;
}

Expected<std::unique_ptr<LatticeTimetable>> build_formula(const Network& network, const Placement& placement) {
    const std::int64_t slack = slack_of(network);
    const bool has_tables = network.kind() == NetworkKind::fabric && has_known_routes(network);
    Expected<Positions> positions =
        has_tables ? place_ranks(network, placement, FabricOrder::file) : place_on_known_routes(network, placement);
    if (!positions) {
        return failure(positions.error());
    }
    // Shifts need no trial in a large fabric in which they meet nowhere, nor the list of the loads of all links.
    const std::optional<double> shifts = has_few_pairs(placement) ? std::nullopt : bound_of_shifts(network, placement);
    Bound found;
    if (shifts) {
        found.seconds_per_byte = *shifts;
    } else {
        found = network_bound(network, placement);
    }
    const std::int64_t ranks = placement.participants();
    LatticeFormula formula = shifts       ? LatticeFormula(ranks, shift_multipliers(ranks))
                             : has_tables ? choose_on_tables(network, placement, *positions, slack, found)
                                          : choose(network, placement, *positions, slack);
    const double bound = found.seconds_per_byte;
    // Under a hash some cable has more than its share: the cycle is what it needs on average.
    const double reachable = std::max(bound, hashed_bound(network, placement, found));
    const Cycle cycle{reachable * (1 + static_cast<double>(slack) / 1000), bound};
    return std::make_unique<LatticeTimetable>(std::move(*positions), std::move(formula), cycle);
}

Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                           std::string_view variant) {
    std::string remark;
    if (variant == variants.front()) {
        Expected<Attempt> attempt = try_to_settle(network, placement, work_at_set_up);
        if (!attempt) {
            return failure(attempt.error());
        }
        if (attempt->timetable) {
            return std::move(attempt->timetable);
        }
        remark = fmt::format("slots were not settled in the time of a set-up ({}); the formula serves instead",
                             attempt->shortfall);
    }
    Expected<std::unique_ptr<LatticeTimetable>> timetable = build_formula(network, placement);
    if (!timetable) {
        return failure(timetable.error());
    }
    (*timetable)->set_remark(std::move(remark));
    return std::unique_ptr<Timetable>(std::move(*timetable));
}

Expected<std::unique_ptr<Timetable>> build_thoroughly(const Network& network, const Placement& placement,
                                                      std::string_view variant) {
    return variant == variants.front() ? settled_lattice(network, placement) : build(network, placement, variant);
}

}  // namespace aapc::lattice

namespace aapc {

Expected<std::unique_ptr<Timetable>> settled_lattice(const Network& network, const Placement& placement,
                                                     std::int64_t work) {
    Expected<lattice::Attempt> attempt = lattice::try_to_settle(network, placement, work);
    if (!attempt) {
        return failure(attempt.error());
    }
    if (!attempt->timetable) {
        return failure(fmt::format("no slots were found for all messages ({})", attempt->shortfall),
                       "allow more work, or take the variant 'formula'");
    }
    return std::move(attempt->timetable);
}

}  // namespace aapc
