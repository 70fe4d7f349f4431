#include "algorithms/aggregate/aggregate_timetable.hpp"

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <limits>
#include <utility>
#include <vector>

#include "aapc/topology/clusters.hpp"
#include "algorithms/aggregate/shares.hpp"
#include "algorithms/factor/nodes.hpp"
#include "timetable/shares_memory.hpp"

namespace aapc::aggregate {

namespace {

using factor::Nodes;
using factor::Seat;

/// How machines exchange, and by how many ranks.
struct AggregateRecipe {
    std::int32_t most_carriers = 1;
    bool passes_on = false;    ///< from machine to machine, digit by digit
    bool at_switches = false;  ///< the machines of a switch count as one
};

AggregateRecipe aggregate_recipe_of(std::string_view variant) {
    if (variant == bruck) {
        return {1, true, false};
    }
    if (variant == carriers_all || variant == switches) {
        return {std::numeric_limits<std::int32_t>::max(), false, variant == switches};
    }
    AggregateRecipe recipe;
    const std::string_view number = variant.substr(carriers_prefix.size());
    std::from_chars(number.data(), number.data() + number.size(), recipe.most_carriers);
    return recipe;
}

/// How far machines send in each phase of their exchange.
std::vector<std::int32_t> shifts_of(std::int32_t machines, bool passes_on) {
    std::vector<std::int32_t> shifts;
    for (std::int64_t shift = 1; shift < machines; passes_on ? shift *= 2 : ++shift) {
        shifts.push_back(static_cast<std::int32_t>(shift));
    }
    return shifts;
}

/// Numbers that are the same for machines whose ranks put their blocks together: those of a cluster, where there are
/// several, or else of a switch, or else each machine alone.
std::vector<std::int32_t> groups_of(const Network& network, const Placement& placement) {
    const auto of_ranks = [&](const std::vector<std::int32_t>& of_machine) {
        std::vector<std::int32_t> groups;
        groups.reserve(placement.machine_of.size());
        for (const Machine machine : placement.machine_of) {
            groups.push_back(of_machine[static_cast<std::size_t>(machine)]);
        }
        return groups;
    };
    const auto differ = [](const std::vector<std::int32_t>& groups) {
        return std::adjacent_find(groups.begin(), groups.end(), std::not_equal_to<>()) != groups.end();
    };
    if (network.kind() == NetworkKind::clusters) {
        if (auto clusters = of_ranks(find_clusters(network).cluster_of); differ(clusters)) {
            return clusters;
        }
    }
    if (is_tree(network.kind())) {
        if (auto groups = of_ranks(factor::switch_of_machine(network)); differ(groups)) {
            return groups;
        }
    }
    return placement.machine_of;
}

/// "Machine" stands for a group of them below, where the recipe says so.
class AggregateTimetable final : public Timetable, public SharesMemory {
  public:
    AggregateTimetable(const Network& network, const Placement& placement, const AggregateRecipe& recipe)
        : nodes_(factor::place_ranks(recipe.at_switches ? Placement{groups_of(network, placement)} : placement, 1)),
          shares_(nodes_.sizes(), recipe.most_carriers),
          passes_on_(recipe.passes_on),
          shifts_(shifts_of(shares_.machines(), recipe.passes_on)) {
        for (const std::vector<Rank>& ranks : nodes_.ranks_of) {
            inside_ = std::max(inside_, static_cast<Phase>(ranks.size()) - 1);
        }
        // Where every block goes straight there is a ring of machines or of ranks, which promises no more than a ring.
        contention_free_ = forwards() && !recipe.at_switches && factor::machines_never_meet(network, placement);
    }

    [[nodiscard]] Rank participants() const override { return static_cast<Rank>(nodes_.seat_of.size()); }
    [[nodiscard]] Phase phases() const override { return begin_of_handing_out() + (shifts_.empty() ? 0 : inside_); }
    [[nodiscard]] Guarantee guarantee() const override {
        return contention_free_ ? Guarantee::contention_free : Guarantee::one_port;
    }
    [[nodiscard]] bool forwards() const override {
        return shares_.machines() > 1 && (inside_ > 0 || (passes_on_ && shares_.machines() > 2));
    }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override { return transfers_of(rank, Way::out); }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override { return transfers_of(rank, Way::in); }

    void append_blocks(const Transfer& transfer, std::vector<Block>& out) const override {
        const Seat& from = seat_of(transfer.from);
        const Seat& to = seat_of(transfer.to);
        if (transfer.phase < inside_) {
            out.push_back({transfer.from, transfer.to});
            for (const std::int32_t other : shares_.share(to.node, to.index)) {
                for (const Rank destination : ranks_of(other)) {
                    out.push_back({transfer.from, destination});
                }
            }
        } else if (transfer.phase < begin_of_handing_out()) {
            append_crossing(static_cast<std::size_t>(transfer.phase - inside_), from.node, out);
        } else {
            for (const std::int32_t other : shares_.share(from.node, from.index)) {
                for (const Rank origin : ranks_of(other)) {
                    out.push_back({origin, transfer.to});
                }
            }
        }
    }

  private:
    enum class Way : std::uint8_t { out, in };

    [[nodiscard]] const Seat& seat_of(Rank rank) const { return nodes_.seat_of[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const std::vector<Rank>& ranks_of(std::int32_t machine) const {
        return nodes_.ranks_of[static_cast<std::size_t>(machine)];
    }
    [[nodiscard]] Rank rank_at(std::int32_t machine, std::int32_t index) const {
        return ranks_of(machine)[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] Phase begin_of_handing_out() const { return inside_ + static_cast<Phase>(shifts_.size()); }
    [[nodiscard]] std::int32_t turned(std::int32_t machine, std::int64_t by) const {
        return static_cast<std::int32_t>((machine + by + shares_.machines()) % shares_.machines());
    }

    [[nodiscard]] std::vector<Transfer> transfers_of(Rank rank, Way way) const {
        const Seat& seat = seat_of(rank);
        std::vector<Transfer> transfers;
        append_inside(
            seat, way, 0, [](const Seat&) { return true; }, transfers);
        for (std::size_t round = 0; round < shifts_.size(); ++round) {
            const std::int32_t other = turned(seat.node, way == Way::out ? shifts_[round] : -shifts_[round]);
            if (shares_.carrier(seat.node, other) == seat.index) {
                transfers.push_back(directed(inside_ + static_cast<Phase>(round), rank,
                                             rank_at(other, shares_.carrier(other, seat.node)), way));
            }
        }
        if (!shifts_.empty()) {
            append_inside(
                seat, way, begin_of_handing_out(), [&](const Seat& sender) { return carries(sender); }, transfers);
        }
        return transfers;
    }

    static Transfer directed(Phase phase, Rank rank, Rank other, Way way) {
        return way == Way::out ? Transfer{phase, rank, other} : Transfer{phase, other, rank};
    }

    /// Every rank to the rank k places ahead on the machine, in phase k-1 from `begin` on, if it sends at all.
    template <class Sends>
    void append_inside(const Seat& seat, Way way, Phase begin, Sends sends, std::vector<Transfer>& out) const {
        const auto size = static_cast<std::int32_t>(ranks_of(seat.node).size());
        for (std::int32_t ahead = 1; ahead < size; ++ahead) {
            const Seat other{seat.node, (seat.index + (way == Way::out ? ahead : size - ahead)) % size};
            if (sends(way == Way::out ? seat : other)) {
                out.push_back(
                    directed(begin + ahead - 1, rank_at(seat.node, seat.index), rank_at(seat.node, other.index), way));
            }
        }
    }

    [[nodiscard]] bool carries(const Seat& seat) const {
        // The other machines are dealt out to the carriers in turn.
        return seat.index < std::min(shares_.carriers(seat.node), shares_.machines() - 1);
    }

    /// What machine `from` sends in that phase of the exchange, by origin. Where blocks are passed on, one that has
    /// travelled the lower digits of its distance is that far from its origin.
    void append_crossing(std::size_t round, std::int32_t from, std::vector<Block>& out) const {
        const std::int64_t shift = shifts_[round];
        if (!passes_on_) {
            append_pair(from, turned(from, shift), out);
            return;
        }
        for (std::int64_t travelled = 0; travelled < shift; ++travelled) {
            for (std::int64_t distance = shift + travelled; distance < shares_.machines(); distance += 2 * shift) {
                const std::int32_t origin = turned(from, -travelled);
                append_pair(origin, turned(origin, distance), out);
            }
        }
    }
    void append_pair(std::int32_t from, std::int32_t to, std::vector<Block>& out) const {
        for (const Rank origin : ranks_of(from)) {
            for (const Rank destination : ranks_of(to)) {
                out.push_back({origin, destination});
            }
        }
    }

    Nodes nodes_;
    Shares shares_;
    bool passes_on_;
    std::vector<std::int32_t> shifts_;  ///< one per phase of the exchange among machines
    Phase inside_ = 0;                  ///< phases inside machines, before and after that
    bool contention_free_ = false;
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                           std::string_view variant) {
    return std::make_unique<AggregateTimetable>(network, placement, aggregate_recipe_of(variant));
}

bool has_what_to_put_together(const Placement& placement) {
    return factor::place_ranks(placement, 1).ranks_of.size() < placement.machine_of.size();
}

std::optional<std::string> more_carriers(std::string_view variant) {
    return variant == carriers_all ? std::nullopt : std::optional(std::string(carriers_all));
}

}  // namespace aapc::aggregate
