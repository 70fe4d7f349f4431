#include "lattice/lattice_timetable.hpp"

#include <optional>
#include <utility>

#include "aapc/bound.hpp"
#include "aapc/torus.hpp"
#include "lattice/choice.hpp"
#include "lattice/traffic.hpp"

namespace aapc::lattice {

namespace {

/// Networks whose routes have more hops together are not played: a single trial would take too long.
constexpr std::int64_t most_hops = 1'500'000;

/// How many pairs of multipliers theory alone compares: fewer the longer each takes.
int pairs_to_compare(std::int64_t positions) { return positions > (1 << 16) ? 2 : 64; }

Multipliers choose(const Network& network, const Demand& demand, const Placement& placement, std::int64_t slack) {
    const std::int64_t positions = demand.participants();
    const std::optional<Traffic> traffic =
        positions * positions <= most_hops ? Traffic::find(network, demand, placement, most_hops) : std::nullopt;
    if (!traffic || traffic->hops() > most_hops) {
        return theoretical_multipliers(positions, pairs_to_compare(positions));
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
            sends.push_back({slot * ticks_in_slot + stagger, rank, placement_.rank_at[static_cast<std::size_t>(to)]});
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
                                placement_.rank_at[static_cast<std::size_t>(from)], rank});
        }
        from += formula_.sender_step();
        from -= from >= positions ? positions : 0;
    }
    return receives;
}

Expected<std::unique_ptr<LatticeTimetable>> build_formula(const Network& network, const Demand& demand) {
    const bool torus = !is_tree(network.kind());
    if (torus && !TorusWiring::find(network)) {
        return failure({"", 0, 0, "the links of this network are not those of a torus", "describe a torus"});
    }
    Expected<Placement> placement = place_ranks(network, demand);
    if (!placement) {
        return failure(placement.error());
    }
    const std::int64_t slack = torus ? slack_of_tori : slack_of_trees;
    const LatticeFormula formula(demand.participants(), choose(network, demand, *placement, slack));
    const double bound = network_bound(network, demand).seconds_per_byte;
    const Cycle cycle{bound * (1 + static_cast<double>(slack) / 1000), bound};
    return std::make_unique<LatticeTimetable>(std::move(*placement), formula, cycle);
}

Expected<std::unique_ptr<Timetable>> build(const Network& network, const Demand& demand, std::string_view /*variant*/) {
    Expected<std::unique_ptr<LatticeTimetable>> timetable = build_formula(network, demand);
    if (!timetable) {
        return failure(timetable.error());
    }
    return std::unique_ptr<Timetable>(std::move(*timetable));
}

}  // namespace aapc::lattice
