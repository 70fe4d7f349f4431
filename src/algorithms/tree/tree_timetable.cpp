#include "algorithms/tree/tree_timetable.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "algorithms/tree/branch_formula.hpp"
#include "algorithms/tree/rooted_tree.hpp"
#include "topology/switch_of.hpp"

namespace aapc::tree {

namespace {

/// Branches of the root packed into bins: which branches, largest bin first.
using Packing = std::vector<std::vector<std::int32_t>>;

/// Every branch by itself.
Packing separate(const std::vector<std::int32_t>& sizes) {
    Packing bins;
    for (std::size_t branch = 0; branch < sizes.size(); ++branch) {
        bins.push_back({static_cast<std::int32_t>(branch)});
    }
    return bins;
}

std::int32_t size_of(const std::vector<std::int32_t>& bin, const std::vector<std::int32_t>& sizes) {
    return std::accumulate(bin.begin(), bin.end(), 0, [&](std::int32_t sum, std::int32_t branch) {
        return sum + sizes[static_cast<std::size_t>(branch)];
    });
}

/// First-fit decreasing into bins as large as the largest branch. Every branch of a bin hangs from the root, so a bin
/// is a subtree that shares no link with the others, and the number of phases depends on the largest branch only.
/// O(branches²) at worst.
Packing merge(const std::vector<std::int32_t>& sizes) {
    Packing bins;
    std::vector<std::int32_t> room;
    for (std::size_t branch = 0; branch < sizes.size(); ++branch) {
        const auto fits =
            std::find_if(room.begin(), room.end(), [&](std::int32_t left) { return left >= sizes[branch]; });
        if (fits == room.end()) {
            bins.push_back({static_cast<std::int32_t>(branch)});
            room.push_back(sizes.front() - sizes[branch]);
        } else {
            bins[static_cast<std::size_t>(fits - room.begin())].push_back(static_cast<std::int32_t>(branch));
            *fits -= sizes[branch];
        }
    }
    std::stable_sort(bins.begin(), bins.end(),
                     [&](const auto& left, const auto& right) { return size_of(left, sizes) > size_of(right, sizes); });
    return bins;
}

/// One rank alone: nothing to send.
class EmptyTimetable final : public Timetable {
  public:
    [[nodiscard]] Rank participants() const override { return 1; }
    [[nodiscard]] Phase phases() const override { return 0; }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::shortest; }
    [[nodiscard]] std::vector<Transfer> sends_of(Rank) const override { return {}; }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank) const override { return {}; }
};

/// For each rank the vertex that its machine hangs from; the machine itself where it hangs from nothing.
std::vector<Vertex> switches_of_ranks(const Network& network, const Placement& placement) {
    std::vector<Vertex> switches;
    switches.reserve(placement.machine_of.size());
    for (const Machine machine : placement.machine_of) {
        switches.push_back(switch_of(network, machine));
    }
    return switches;
}

class TreeTimetable final : public Timetable {
  public:
    TreeTimetable(RootedTree tree, std::vector<Vertex> switch_of, const Packing& bins, BranchFormula formula)
        : tree_(std::move(tree)),
          switch_of_(std::move(switch_of)),
          formula_(std::move(formula)),
          seat_of_(tree_.rank_at.size()) {
        std::vector<Position> first_of_branch(tree_.branch_sizes.size());
        std::exclusive_scan(tree_.branch_sizes.begin(), tree_.branch_sizes.end(), first_of_branch.begin(), 0);
        for (std::size_t bin = 0; bin < bins.size(); ++bin) {
            rank_at_.emplace_back();
            for (const std::int32_t branch : bins[bin]) {
                const Position first = first_of_branch[static_cast<std::size_t>(branch)];
                for (Position position = first; position < first + tree_.branch_sizes[static_cast<std::size_t>(branch)];
                     ++position) {
                    const Rank rank = tree_.rank_at[static_cast<std::size_t>(position)];
                    seat_of_[static_cast<std::size_t>(rank)] = {static_cast<std::int32_t>(bin),
                                                                static_cast<std::int32_t>(rank_at_[bin].size())};
                    rank_at_[bin].push_back(rank);
                }
            }
        }
    }

    [[nodiscard]] Rank participants() const override { return static_cast<Rank>(seat_of_.size()); }
    [[nodiscard]] Phase phases() const override { return formula_.phases(); }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::shortest; }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        return transfers([&](Rank other) { return Transfer{phase_of(rank, other), rank, other}; }, rank);
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        return transfers([&](Rank other) { return Transfer{phase_of(other, rank), other, rank}; }, rank);
    }

    void append_previous_users(const Transfer& transfer, std::vector<Transfer>& out) const override {
        append_users(
            transfer, out, [&](const auto& group) { return formula_.last_leaving(group, transfer.phase); },
            [&](const auto& group) { return formula_.last_entering(group, transfer.phase); });
    }
    void append_next_users(const Transfer& transfer, std::vector<Transfer>& out) const override {
        append_users(
            transfer, out, [&](const auto& group) { return formula_.first_leaving(group, transfer.phase); },
            [&](const auto& group) { return formula_.first_entering(group, transfer.phase); });
    }

    [[nodiscard]] std::vector<Rank> ranks_of_switch(Rank rank) const override {
        const Vertex own = switch_of_[static_cast<std::size_t>(rank)];
        std::vector<Rank> ranks;
        for (Rank other = 0; other < participants(); ++other) {
            if (switch_of_[static_cast<std::size_t>(other)] == own) {
                ranks.push_back(other);
            }
        }
        return ranks;
    }

  private:
    [[nodiscard]] const Seat& seat_of(Rank rank) const { return seat_of_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] Rank rank_at(const Seat& seat) const {
        return rank_at_[static_cast<std::size_t>(seat.branch)][static_cast<std::size_t>(seat.index)];
    }
    [[nodiscard]] Phase phase_of(Rank from, Rank to) const { return formula_.phase_of(seat_of(from), seat_of(to)); }

    template <class MakeTransfer>
    [[nodiscard]] std::vector<Transfer> transfers(MakeTransfer make, Rank self) const {
        std::vector<Transfer> list;
        list.reserve(seat_of_.size() - 1);
        for (Rank other = 0; other < participants(); ++other) {
            if (other != self) {
                list.push_back(make(other));
            }
        }
        std::sort(list.begin(), list.end());
        return list;
    }

    /// Calls `visit` with the group of seats below each link between the rank and the first subtree that holds `other`
    /// too.
    template <class Visit>
    void for_each_group_below(Rank rank, Rank other, Visit visit) const {
        const Position position = tree_.position_of[static_cast<std::size_t>(rank)];
        const Position other_position = tree_.position_of[static_cast<std::size_t>(other)];
        std::int32_t index = tree_.interval_of[static_cast<std::size_t>(position)];
        while (index >= 0) {
            const Interval& interval = tree_.intervals[static_cast<std::size_t>(index)];
            if (interval.contains(other_position)) {
                return;
            }
            const Seat& seat = seat_of(rank);
            const std::int32_t first = seat.index - (position - interval.first);
            visit(BranchFormula::Group{seat.branch, first, first + interval.last - interval.first});
            index = interval.parent;
        }
    }

    template <class Leaving, class Entering>
    void append_users(const Transfer& transfer, std::vector<Transfer>& out, Leaving leaving, Entering entering) const {
        const auto append = [&](const std::optional<SeatMessage>& message) {
            if (message) {
                out.push_back({message->phase, rank_at(message->from), rank_at(message->to)});
            }
        };
        for_each_group_below(transfer.from, transfer.to, [&](const auto& group) { append(leaving(group)); });
        for_each_group_below(transfer.to, transfer.from, [&](const auto& group) { append(entering(group)); });
    }

    RootedTree tree_;
    std::vector<Vertex> switch_of_;  ///< by rank
    BranchFormula formula_;
    std::vector<Seat> seat_of_;               ///< by rank
    std::vector<std::vector<Rank>> rank_at_;  ///< by bin, then by index in the bin
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                           std::string_view variant) {
    if (placement.participants() == 1) {
        return std::make_unique<EmptyTimetable>();
    }
    RootedTree tree = root_tree(network, placement);
    const Packing bins = variant == paper ? separate(tree.branch_sizes) : merge(tree.branch_sizes);
    std::vector<std::int32_t> sizes;
    for (const auto& bin : bins) {
        sizes.push_back(size_of(bin, tree.branch_sizes));
    }
    Pattern pattern = Pattern::rotate;
    if (variant == merged) {
        pattern = sizes[0] == sizes[1] ? Pattern::flat : Pattern::late;
    }
    return std::make_unique<TreeTimetable>(std::move(tree), switches_of_ranks(network, placement), bins,
                                           BranchFormula(std::move(sizes), pattern));
}

}  // namespace aapc::tree
