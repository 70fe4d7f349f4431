#include "algorithms/factor/factor_timetable.hpp"

#include <algorithm>
#include <charconv>
#include <unordered_map>
#include <utility>

#include "algorithms/factor/nodes.hpp"
#include "algorithms/factor/step_formula.hpp"

namespace aapc::factor {

namespace {

/// A variant: how many nodes are made of a machine, and what the paper leaves open.
struct Recipe {
    std::int32_t nodes_per_machine = 1;
    Rules rules;
};

constexpr Recipe recipe_of_permutation{1, {Factors::permutations, true, true}};

/// Those of the list, in its order.
constexpr std::pair<std::string_view, Recipe> recipes[] = {
    {fill, {1, {Factors::matchings_loops_last, true, true}}}, {permutation, recipe_of_permutation},
    {paper, {1, {Factors::matchings, false, false}}},         {exchange, {1, {Factors::matchings, true, false}}},
    {flat, {every_rank, {Factors::matchings, false, false}}},
};

/// `variant` is one of the list, or numbered.
Recipe recipe_of(std::string_view variant) {
    for (const auto& [name, recipe] : recipes) {
        if (name == variant) {
            return recipe;
        }
    }
    Recipe recipe = recipe_of_permutation;
    const std::string_view number = variant.substr(ports_prefix.size());
    std::from_chars(number.data(), number.data() + number.size(), recipe.nodes_per_machine);
    return recipe;
}

class FactorTimetable final : public Timetable {
  public:
    FactorTimetable(const Network& network, const Placement& placement, const Recipe& recipe)
        : nodes_(place_ranks(placement, recipe.nodes_per_machine)), formula_(nodes_.sizes(), recipe.rules) {
        const auto machines = static_cast<std::size_t>(place_ranks(placement, 1).ranks_of.size());
        const bool node_is_machine = nodes_.ranks_of.size() == machines;
        // On a single machine nothing crosses a link, whatever the nodes are.
        contention_free_ = machines == 1 || (node_is_machine && machines_never_meet(network, placement));
        nodes_have_links_ = machines > 1;
        const std::vector<Vertex> switches = switch_of_machine(network);
        for (const Machine machine : placement.machine_of) {
            switch_of_.push_back(switches[static_cast<std::size_t>(machine)]);
        }
    }

    [[nodiscard]] Rank participants() const override { return static_cast<Rank>(nodes_.seat_of.size()); }
    [[nodiscard]] Phase phases() const override { return formula_.steps(); }
    [[nodiscard]] Guarantee guarantee() const override {
        return contention_free_ ? Guarantee::contention_free : Guarantee::one_port;
    }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        return transfers(formula_.sends_of(seat_of(rank)));
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        return transfers(formula_.receives_of(seat_of(rank)));
    }

    void append_previous_users(const Transfer& transfer, std::vector<Transfer>& out) const override {
        append_users(transfer, StepFormula::Search::backward, out);
    }
    void append_next_users(const Transfer& transfer, std::vector<Transfer>& out) const override {
        append_users(transfer, StepFormula::Search::forward, out);
    }

    [[nodiscard]] std::vector<Rank> ranks_of_switch(Rank rank) const override {
        std::vector<Rank> neighbours;
        for (Rank other = 0; other < participants(); ++other) {
            if (switch_of_[static_cast<std::size_t>(other)] == switch_of_[static_cast<std::size_t>(rank)]) {
                neighbours.push_back(other);
            }
        }
        return neighbours;
    }

  private:
    using Way = StepFormula::Way;

    [[nodiscard]] const Seat& seat_of(Rank rank) const { return nodes_.seat_of[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] Transfer transfer_of(const SeatMessage& message) const {
        const auto rank_at = [&](const Seat& seat) {
            return nodes_.ranks_of[static_cast<std::size_t>(seat.node)][static_cast<std::size_t>(seat.index)];
        };
        return {message.step, rank_at(message.from), rank_at(message.to)};
    }
    [[nodiscard]] std::vector<Transfer> transfers(const std::vector<SeatMessage>& messages) const {
        std::vector<Transfer> list;
        list.reserve(messages.size());
        for (const SeatMessage& message : messages) {
            list.push_back(transfer_of(message));
        }
        return list;
    }

    /// A message uses its sender's port and its receiver's and, between machines, only links on which the machine of
    /// the one or of the other is alone (machines_never_meet).
    void append_users(const Transfer& transfer, StepFormula::Search search, std::vector<Transfer>& out) const {
        if (!contention_free_) {
            return;
        }
        const auto append = [&](const std::optional<SeatMessage>& message) {
            if (message) {
                out.push_back(transfer_of(*message));
            }
        };
        const Seat from = seat_of(transfer.from);
        const Seat to = seat_of(transfer.to);
        append(formula_.find_message(from, Way::out, transfer.phase, search));
        append(formula_.find_message(to, Way::in, transfer.phase, search));
        if (nodes_have_links_ && from.node != to.node) {
            append(formula_.find_crossing(from.node, Way::out, transfer.phase, search));
            append(formula_.find_crossing(to.node, Way::in, transfer.phase, search));
        }
    }

    Nodes nodes_;
    StepFormula formula_;
    bool contention_free_ = false;
    bool nodes_have_links_ = false;
    std::vector<Vertex> switch_of_;  ///< by rank
};

}  // namespace

std::string_view best_variant(const Placement& placement) {
    std::unordered_map<Machine, std::size_t> ranks_on;
    for (const Machine machine : placement.machine_of) {
        ++ranks_on[machine];
    }
    const bool numbers_differ = std::any_of(
        ranks_on.begin(), ranks_on.end(), [&](const auto& entry) { return entry.second != ranks_on.begin()->second; });
    return numbers_differ ? permutation : fill;
}

Expected<std::unique_ptr<Timetable>> build(const Network& network, const Placement& placement,
                                           std::string_view variant) {
    return std::make_unique<FactorTimetable>(network, placement, recipe_of(variant));
}

}  // namespace aapc::factor
