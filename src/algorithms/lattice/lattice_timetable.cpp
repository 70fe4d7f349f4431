#include "algorithms/lattice/lattice_timetable.hpp"

#include <optional>
#include <utility>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/torus.hpp"
#include "algorithms/lattice/choice.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

namespace {

/// Networks whose routes have more hops together are not played: a single trial would take too long.
constexpr std::int64_t most_hops = 1'500'000;

/// How many pairs of multipliers theory alone compares: fewer the longer each takes.
int pairs_to_compare(std::int64_t positions) { return positions > (1 << 16) ? 2 : 64; }

Multipliers choose(const Network& network, const Placement& placement, const Positions& positions, std::int64_t slack) {
    const std::int64_t ranks = placement.participants();
    const std::optional<Traffic> traffic =
        ranks * ranks <= most_hops ? Traffic::find(network, placement, positions, most_hops) : std::nullopt;
    if (!traffic || traffic->hops() > most_hops) {
        return theoretical_multipliers(ranks, pairs_to_compare(ranks));
    }
    return best_of_trials(*traffic, slack, work_of_trials).multipliers;
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
    const bool torus = !is_tree(network.kind());
    if (torus && !TorusWiring::find(network)) {
        return failure("the links of this network are not those of a torus", "describe a torus");
    }
    Expected<Positions> positions = place_ranks(network, placement);
    if (!positions) {
        return failure(positions.error());
    }
    const std::int64_t slack = torus ? slack_of_tori : slack_of_trees;
    const LatticeFormula formula(placement.participants(), choose(network, placement, *positions, slack));
    const double bound = network_bound(network, placement).seconds_per_byte;
    const Cycle cycle{bound * (1 + static_cast<double>(slack) / 1000), bound};
    return std::make_unique<LatticeTimetable>(std::move(*positions), formula, cycle);
}

Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                           std::string_view /*variant*/) {
    Expected<std::unique_ptr<LatticeTimetable>> timetable = build_formula(network, placement);
    if (!timetable) {
        return failure(timetable.error());
    }
    return std::unique_ptr<Timetable>(std::move(*timetable));
}

}  // namespace aapc::lattice
