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

namespace aapc::lattice {

namespace {

/// Networks whose routes have more hops together are not played: a single trial would take too long.
constexpr std::int64_t most_hops_kept = 2'000'000;

/// Fabrics with more pairs of ranks are played on a sample of their cables: more lattices are tried than on all of
/// them.
constexpr std::int64_t most_pairs_played = 40'000;

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
    if (network.kind() != NetworkKind::fabric || !has_known_routes(network) || FabricRoutes::mistake_in(network)) {
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

Choice choose(const Network& network, const Placement& placement, const Positions& places, std::int64_t slack,
              bool suits_shifts, const Bound& bound) {
    const bool is_fabric = network.kind() == NetworkKind::fabric;
    const std::int64_t positions = placement.participants();
    if (is_fabric && has_known_routes(network) && !suits_shifts && positions * positions > most_pairs_played) {
        if (std::optional<BusyChannels> busy = BusyChannels::find(network, placement, places, bound, slack)) {
            return best_of_trials(*busy, work_of_sampled_trials);
        }
    }
    const bool is_small = has_few_pairs(placement);
    if (!has_known_routes(network) && is_small) {
        return choose(tree_of_cuts(network), placement, places, slack, false, bound);
    }
    const std::optional<Traffic> traffic =
        is_small ? Traffic::find(network, placement, places, most_hops_kept) : std::nullopt;
    if (!traffic || traffic->hops() > most_hops_kept) {
        return {suits_shifts ? shift_multipliers(positions)
                             : theoretical_multipliers(positions, pairs_to_compare(positions)),
                0};
    }
    return best_of_trials(*traffic, slack, work_of_trials, is_fabric);
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
    const std::int64_t positions = formula_.positions();
    const Position from = position_of(rank);
    const Tick stagger = formula_.stagger(from);
    std::vector<Transfer> sends;
    sends.reserve(static_cast<std::size_t>(positions - 1));
    std::int64_t to = formula_.first_receiver(from);
    for (std::int64_t slot = 0; slot < positions; ++slot) {
        if (to != from) {
            sends.push_back({slot * ticks_in_slot + stagger, rank, positions_.rank_at[static_cast<std::size_t>(to)]});
        }
        to += formula_.receiver_step();
        to -= to >= positions ? positions : 0;
    }
    return sends;
}

std::vector<Transfer> LatticeTimetable::receives_of(Rank rank) const {
    const std::int64_t positions = formula_.positions();
    const Position to = position_of(rank);
    std::vector<Transfer> receives;
    receives.reserve(static_cast<std::size_t>(positions - 1));
    std::int64_t from = formula_.first_sender(to);
    for (std::int64_t slot = 0; slot < positions; ++slot) {
        if (from != to) {
            receives.push_back({slot * ticks_in_slot + formula_.stagger(static_cast<Position>(from)),
                                positions_.rank_at[static_cast<std::size_t>(from)], rank});
        }
        from += formula_.sender_step();
        from -= from >= positions ? positions : 0;
    }
    return receives;
}

Expected<std::unique_ptr<LatticeTimetable>> build_formula(const Network& network, const Placement& placement) {
    const std::int64_t slack = slack_of(network);
    const std::optional<double> shifts = bound_of_shifts(network, placement);
    // Shifts that are not tried are those of the file's order.
    const bool is_in_file_order = shifts && !has_few_pairs(placement);
    Expected<Positions> positions = is_in_file_order ? place_ranks(network, placement, FabricOrder::file)
                                                     : place_on_known_routes(network, placement);
    if (!positions) {
        return failure(positions.error());
    }
    // Lists of the loads of all links take long in large fabrics.
    Bound found;
    if (shifts) {
        found.seconds_per_byte = *shifts;
    } else {
        found = network_bound(network, placement);
    }
    Choice choice = choose(network, placement, *positions, slack, shifts.has_value(), found);
    if (network.kind() == NetworkKind::fabric && has_known_routes(network) && !is_in_file_order) {
        // Ranks in the order by which destination-modulo counts, where that serves better.
        Expected<Positions> in_file_order = place_ranks(network, placement, FabricOrder::file);
        if (in_file_order && in_file_order->rank_at != positions->rank_at) {
            const Choice other = choose(network, placement, *in_file_order, slack, shifts.has_value(), found);
            if (other.queue <= choice.queue) {
                choice = other;
                positions = std::move(in_file_order);
            }
        }
    }
    const LatticeFormula formula(placement.participants(), choice.multipliers);
    const double bound = found.seconds_per_byte;
    // Under a hash some cable has more than its share: the cycle is what it needs on average.
    const double reachable = std::max(bound, hashed_bound(network, placement, found));
    const Cycle cycle{reachable * (1 + static_cast<double>(slack) / 1000), bound};
    return std::make_unique<LatticeTimetable>(std::move(*positions), formula, cycle);
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
