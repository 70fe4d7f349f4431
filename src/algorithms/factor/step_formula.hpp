/// @file
/// The step of every message as a function of the node sizes alone (Sanders & Träff 2002, Figure 2, corrected and
/// extended).
///
/// A node is a group of ranks of which at most one sends to another node and at most one receives from another node in
/// a step: in the paper the processors of an SMP machine. The algorithm goes through stages (the paper's phases); in
/// each of them the local indices from `done` up to `current`, the size of the smallest node that is left, exchange
/// with all ranks of all nodes that are left. A stage has a round for each factor of those nodes. Everything here is
/// arithmetic on stages, rounds and nodes; there is no table of messages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/timetable/timetable.hpp"
#include "algorithms/factor/factorisation.hpp"

namespace aapc::factor {

/// A rank as the formulas see it: its node and its number in the node (the paper's l(u)).
struct Seat {
    std::int32_t node = -1;
    std::int32_t index = -1;

    friend bool operator==(const Seat&, const Seat&) = default;
};

struct SeatMessage {
    Phase step = -1;
    Seat from;
    Seat to;

    friend bool operator==(const SeatMessage&, const SeatMessage&) = default;
};

/// What the paper leaves open.
struct Rules {
    Factors factors = Factors::matchings;
    /// How messages inside a node go: both messages of a pair of ranks in one step, or each in a step of its own (as
    /// Figure 2 says). A rank's copy to itself takes a step either way.
    bool exchanges_inside = true;
    /// When: as much as fits into the rounds in which a node is paired with itself, and the rest at the end of all; or
    /// exactly the work of Figure 2 in such a round, which may make it longer for all.
    bool fills_rounds = true;
};

class StepFormula {
  public:
    /// `sizes` of the nodes, in any order, all positive, at least one. O(nodes + sum of the sizes) time and space.
    StepFormula(const std::vector<std::int32_t>& sizes, const Rules& rules);

    /// Steps of the whole, those in which nodes merely copy included.
    [[nodiscard]] Phase steps() const { return steps_; }

    /// What a seat sends, in order of steps; one message a step at most. O(sum of the sizes), like receives_of().
    [[nodiscard]] std::vector<SeatMessage> sends_of(Seat seat) const { return messages_of(seat, Way::out); }
    [[nodiscard]] std::vector<SeatMessage> receives_of(Seat seat) const { return messages_of(seat, Way::in); }

    enum class Way : std::uint8_t { out, in };
    enum class Search : std::uint8_t { backward, forward };

    /// The last message before `step` (backward) or the first one after it (forward) that the seat sends (out) or
    /// receives (in). O(rounds) at worst; O(log) where the neighbouring rounds have one.
    [[nodiscard]] std::optional<SeatMessage> find_message(Seat seat, Way way, Phase step, Search search) const;
    /// The same for messages from the node to other nodes (out) or from other nodes to the node (in). O(log) unless the
    /// node is paired with itself in many rounds.
    [[nodiscard]] std::optional<SeatMessage> find_crossing(std::int32_t node, Way way, Phase step, Search search) const;

  private:
    /// The paper's phase.
    struct Stage {
        std::int32_t done;
        std::int32_t current;
        std::vector<std::int32_t> active;  ///< nodes with more than `done` ranks, ascending
        Factorisation factorisation;
        std::int32_t first_round;

        [[nodiscard]] bool has_row(std::int32_t index) const { return done <= index && index < current; }
        [[nodiscard]] std::int32_t rounds() const { return factorisation.vertices(); }
    };
    struct Round {
        std::int32_t stage;
        Phase start;
    };
    /// Work inside a node that is done in one go: `operations` from number `first` on, one a step.
    struct Share {
        Phase start;
        std::int64_t first;
        std::int64_t operations;
    };
    /// The messages between one seat and the seats of another node in one round: the k-th at step first + k·stride with
    /// seat first_index + k.
    struct Run {
        std::int32_t node;
        std::int32_t first_index;
        std::int32_t messages;
        Phase first;
        Phase stride;
    };

    void add_stage(std::int32_t done, std::int32_t current);
    /// Gives the nodes that are paired with themselves their shares; returns how long these last.
    Phase add_shares(const Stage& stage, const std::vector<std::int32_t>& loops, Phase start, Phase wire_steps);
    /// The length of a round's longest pair of two nodes. `largest` are active nodes, largest first, at most three of
    /// them.
    [[nodiscard]] Phase wire_steps(const Stage& stage, const std::vector<std::int32_t>& loops,
                                   const std::vector<std::int32_t>& largest) const;
    void add_rests();

    [[nodiscard]] std::int64_t size(std::int32_t node) const { return size_[static_cast<std::size_t>(node)]; }
    /// The paper's order of nodes, by size and then by number.
    [[nodiscard]] bool precedes(std::int32_t left, std::int32_t right) const;
    /// With whom the node is paired in a round in which it is active.
    [[nodiscard]] std::int32_t partner(std::int32_t round, std::int32_t node, Way way) const;
    [[nodiscard]] const Stage& stage_of(std::int32_t round) const;
    [[nodiscard]] std::int32_t round_at(Phase step) const;
    /// Behind the last round in which the node is active.
    [[nodiscard]] std::int32_t end_of_rounds(std::int32_t node) const;

    [[nodiscard]] std::optional<Run> run_of(Seat seat, Way way, std::int32_t round) const;
    [[nodiscard]] SeatMessage message_of_run(Seat seat, Way way, const Run& run, std::int64_t number) const;
    /// Whether the seat can have a message to or from another node in the stage.
    [[nodiscard]] bool meets_others(Seat seat, const Stage& stage) const;

    /// The number of the operation that sends from→to, both of one node of `size` ranks.
    [[nodiscard]] std::int64_t operation(std::int64_t size, std::int64_t from, std::int64_t to) const;
    /// Operations of the ranks with an index below `row`, as Figure 2 has them in its loop over u.
    [[nodiscard]] std::int64_t operations_before_row(std::int64_t size, std::int64_t row) const;
    [[nodiscard]] Phase step_of_operation(std::int32_t node, std::int64_t operation) const;
    /// The message between the seat and the `other`-th other seat of its node; steps ascend with `other`.
    [[nodiscard]] SeatMessage message_inside(Seat seat, Way way, std::int32_t other) const;

    [[nodiscard]] std::vector<SeatMessage> messages_of(Seat seat, Way way) const;
    [[nodiscard]] std::optional<SeatMessage> find_inside(Seat seat, Way way, Phase step, Search search) const;
    [[nodiscard]] std::optional<SeatMessage> find_on_wire(Seat seat, Way way, Phase step, Search search) const;

    Rules rules_;
    std::vector<std::int32_t> size_;  ///< by node
    std::vector<Stage> stages_;
    std::vector<Round> rounds_;
    /// By node, then stage: the node's place among the active ones. A node is active in the first few stages.
    std::vector<std::vector<std::int32_t>> place_;
    std::vector<std::vector<Share>> shares_;   ///< by node, in order of steps and of operations
    std::vector<std::int64_t> assigned_;       ///< by node: operations that are in shares
    std::vector<std::int32_t> first_in_size_;  ///< by stage: the active node that precedes all others
    Phase steps_ = 0;
};

}  // namespace aapc::factor
