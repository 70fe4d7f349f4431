#include "algorithms/lattice/lattice_timetable.hpp"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <utility>

#include "aapc/algorithms/lattice.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/torus.hpp"
#include "algorithms/lattice/choice.hpp"
#include "algorithms/lattice/settle.hpp"
#include "algorithms/lattice/settled_timetable.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

namespace {

/// Networks whose routes have more hops together are not played: a single trial would take too long.
constexpr std::int64_t most_hops_kept = 2'000'000;

/// What a message of two hops takes to settle at the very least, if half of the work is to do for
/// placing all of them once.
constexpr std::int64_t work_a_message = 120;

/// How many pairs of multipliers theory alone compares: fewer the longer each takes.
int pairs_to_compare(std::int64_t positions) { return positions > (1 << 16) ? 2 : 64; }

Multipliers choose(const Network& network, const Placement& placement, const Positions& places, std::int64_t slack) {
    const std::int64_t positions = placement.participants();
    const std::optional<Traffic> traffic = positions * positions <= most_hops_kept
                                               ? Traffic::find(network, placement, places, most_hops_kept)
                                               : std::nullopt;
    if (!traffic || traffic->hops() > most_hops_kept) {
        return theoretical_multipliers(positions, pairs_to_compare(positions));
    }
    return best_of_trials(*traffic, slack, work_of_trials).multipliers;
}

std::int64_t slack_of(const Network& network) { return is_tree(network.kind()) ? slack_of_trees : slack_of_tori; }

Expected<Positions> place_on_known_routes(const Network& network, const Placement& placement) {
    if (!is_tree(network.kind()) && !TorusWiring::find(network)) {
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
    Expected<Positions> positions = place_on_known_routes(network, placement);
    if (!positions) {
        return failure(positions.error());
    }
    const std::int64_t slack = slack_of(network);
    const LatticeFormula formula(placement.participants(), choose(network, placement, *positions, slack));
    const double bound = network_bound(network, placement).seconds_per_byte;
    const Cycle cycle{bound * (1 + static_cast<double>(slack) / 1000), bound};
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
