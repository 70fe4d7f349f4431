/// @file
/// The steps of `torus`: who sends how far in each.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/torus.hpp"

namespace aapc::torus {

/// One step, the same rule for all machines. Machines that are left of the split so far are *active*: those for which
/// the bits below a number, all coordinates taken together, have even parity place by place.
struct Step {
    enum class Kind : std::uint8_t {
        exchange,            ///< neighbours in one dimension, `hops` apart, change blocks over
        hand_over,           ///< machines that are not active from now on give everything to a neighbour
        exchange_by_parity,  ///< as exchange; two dimensions at a time
        ring,                ///< all machines pass blocks on, around rings of machines `hops` apart
    };

    Kind kind = Kind::exchange;
    std::int32_t hops = 1;
    /// The dimension (exchange, hand_over), or how far the order of the dimensions is turned (the other two).
    std::size_t turn = 0;
    std::int32_t active_below = 1;  ///< who is active
    std::int32_t round = 1;         ///< of a ring, from 1
    std::int32_t rounds = 1;        ///< machines on the longest ring of the step
    /// exchange: the coordinate of the destination that decides which blocks change over.
    std::size_t decisive = 0;
    /// Machines that send hold only what a split that far has left them (Division::holds()).
    std::int32_t split_below = 1;
    /// Until now blocks were looked at by one of their coordinates, from now on they are by another.
    bool starts_stage = true;

    /// Half of what the senders hold goes back to machines that have been idle.
    [[nodiscard]] bool is_merge() const { return kind == Kind::exchange && active_below > hops; }
};

/// The exchange of the divide-and-conquer paper with K divisions, as corrected in docs/torus.md, on one to three
/// dimensions. K = 0 is what the paper takes over from Suh, K = 1 its A1, the largest K its A_{n-1}.
class Division {
  public:
    /// Or why not: every side must be a multiple of 2^divisions and at least twice that. No side is 1.
    [[nodiscard]] static Expected<Division> plan(const TorusGrid& grid, std::int32_t divisions);

    [[nodiscard]] const std::vector<Step>& steps() const { return steps_; }
    [[nodiscard]] const TorusGrid& grid() const { return grid_; }

    /// Where `machine` sends to in that step, if it sends. O(dimensions · log side).
    [[nodiscard]] std::optional<Machine> destination(std::size_t step, Machine machine) const;
    /// The sender to it. O(the same).
    [[nodiscard]] std::optional<Machine> origin(std::size_t step, Machine machine) const;

    /// The dimension in which `machine` would send in that step if it were active. O(dimensions).
    [[nodiscard]] std::size_t dimension(std::size_t step, Machine machine) const;

    /// Whether an active machine may hold a block for `final_destination` after a split that far (Step::split_below).
    [[nodiscard]] bool holds(Machine machine, Machine final_destination, std::int32_t split_below) const;

  private:
    /// A way along one dimension.
    struct Move {
        std::size_t dimension = 0;
        std::int32_t hops = 0;
    };

    Division(TorusGrid grid, std::int32_t divisions);

    void add_split(std::int32_t hops);
    void add_exchange();
    void add_merge(std::int32_t hops);

    /// How many machines there are on the longest ring that is used in a ring step of that turn.
    [[nodiscard]] std::int32_t longest_ring(std::size_t turn) const;
    /// The dimension in which machines of that class, by their sum modulo group_, move on rings.
    [[nodiscard]] std::size_t ring_dimension(std::size_t turn, std::int32_t in_class) const {
        const bool in_own_dimension = in_class == 3 && grid_.dimensions() == 3;
        return ordered(turn + (in_own_dimension ? 2 : static_cast<std::size_t>(in_class % 2)));
    }

    /// What `machine` would do in the step if it were active.
    [[nodiscard]] Move move_of(const Step& step, Machine machine) const;
    [[nodiscard]] Move ring_move(const Step& step, Machine machine) const;
    [[nodiscard]] bool sends(const Step& step, Machine machine) const;
    [[nodiscard]] bool is_active(Machine machine, std::int32_t below) const;
    /// By which coordinate of their destination blocks change over along `dimension` in the split.
    [[nodiscard]] std::size_t decisive_in_split(std::size_t dimension) const {
        return grid_.dimensions() == 2 ? 0 : dimension;
    }
    /// The sum of a machine's coordinates, counted in units.
    [[nodiscard]] std::int32_t sum(Machine machine, std::int32_t unit) const;
    /// The dimension at that place of the order, the last first, turned.
    [[nodiscard]] std::size_t ordered(std::size_t place) const {
        return grid_.dimensions() - 1 - place % grid_.dimensions();
    }

    TorusGrid grid_;
    std::int32_t unit_;       ///< 2^divisions: how far apart machines are that take part in the exchange
    std::int32_t group_ = 1;  ///< how many of these pass one another by on a ring: 4, 2 or 1
    std::vector<Step> steps_;
};

}  // namespace aapc::torus
