#include "algorithms/torus/division.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace aapc::torus {

Expected<Division> Division::plan(const TorusGrid& grid, std::int32_t divisions) {
    constexpr std::int32_t most_divisions = 15;  // of a side of 65,536
    const std::int32_t unit = std::int32_t{1} << std::min(divisions, most_divisions);
    const bool fits = divisions <= most_divisions &&
                      std::all_of(grid.sides().begin(), grid.sides().end(),
                                  [&](std::int32_t side) { return side % unit == 0 && side / unit >= 2; });
    if (!fits) {
        return failure(fmt::format("a torus of {} cannot be divided {} {}: each side would have to be at least 2^{} "
                                   "and a multiple of 2^{}",
                                   grid.text(), divisions, divisions == 1 ? "time" : "times",
                                   std::int64_t{divisions} + 1, divisions),
                       "choose fewer divisions; divisions-0 is possible for any sides");
    }
    return Division(grid, divisions);
}

Division::Division(TorusGrid grid, std::int32_t divisions) : grid_(std::move(grid)), unit_(1 << divisions) {
    if (grid_.dimensions() == 0) {
        return;  // one machine
    }
    for (std::int32_t hops = 1; hops < unit_; hops *= 2) {
        add_split(hops);
    }
    add_exchange();
    for (std::int32_t hops = unit_ / 2; hops > 0; hops /= 2) {
        add_merge(hops);
    }
}

/// In a cell of two by two machines that are neighbours at that distance, blocks change over along the row, so that
/// those for even rows come to even columns; then a machine whose row and column are not both even or both odd gives
/// all it has to the other one of its column. In three dimensions blocks change over along two dimensions, each by its
/// own coordinate, before they are handed over along the first; in one dimension they are only handed over.
void Division::add_split(std::int32_t hops) {
    for (std::size_t place = 0; place + 1 < grid_.dimensions(); ++place) {
        const std::size_t dimension = ordered(place);
        steps_.push_back(
            {Step::Kind::exchange, hops, dimension, hops, 1, 1, decisive_in_split(dimension), hops, place == 0});
    }
    steps_.push_back({Step::Kind::hand_over, hops, 0, hops, 1, 1, 0, 2 * hops, grid_.dimensions() == 1});
}

/// Among the machines that are left, on tori of their own that share no line. Rings first, on each of which every
/// group_-th machine passes on what is for another group; the machines between them are busy in other dimensions or the
/// other direction. Then inside the groups.
void Division::add_exchange() {
    const auto all_multiples_of = [&](std::int32_t number) {
        return std::all_of(grid_.sides().begin(), grid_.sides().end(),
                           [&](std::int32_t side) { return side / unit_ % number == 0; });
    };
    // Four classes of machines need two dimensions to keep out of each other's way.
    group_ = all_multiples_of(4) && grid_.dimensions() > 1 ? 4 : all_multiples_of(2) ? 2 : 1;
    const std::int32_t hops = group_ * unit_;
    for (std::size_t turn = 0; turn < grid_.dimensions(); ++turn) {
        const std::int32_t rounds = longest_ring(turn);
        for (std::int32_t round = 1; round < rounds; ++round) {
            steps_.push_back({Step::Kind::ring, hops, turn, unit_, round, rounds, 0, unit_, round == 1});
        }
    }
    for (std::size_t turn = 0; group_ == 4 && turn < grid_.dimensions(); ++turn) {
        steps_.push_back({Step::Kind::exchange_by_parity, 2 * unit_, turn, unit_, 1, 1, 0, unit_, turn == 0});
    }
    for (std::size_t place = 0; group_ > 1 && place < grid_.dimensions(); ++place) {
        steps_.push_back({Step::Kind::exchange, unit_, ordered(place), unit_, 1, 1, ordered(place), unit_, place == 0});
    }
}

/// All blocks are in the right place by now except for one coordinate, and along that they go back.
void Division::add_merge(std::int32_t hops) {
    const std::size_t dimension = grid_.dimensions() == 2 ? 1 : 0;
    steps_.push_back({Step::Kind::exchange, hops, dimension, 2 * hops, 1, 1, dimension, 2 * hops, true});
}

std::int32_t Division::longest_ring(std::size_t turn) const {
    std::int32_t longest = 1;
    for (std::int32_t in_class = 0; in_class < group_; ++in_class) {
        longest = std::max(longest, grid_.side(ring_dimension(turn, in_class)) / (group_ * unit_));
    }
    return longest;
}

std::optional<Machine> Division::destination(std::size_t step, Machine machine) const {
    const Step& now = steps_[step];
    if (!sends(now, machine)) {
        return std::nullopt;
    }
    const Move move = move_of(now, machine);
    return grid_.moved(machine, move.dimension, move.hops);
}

std::optional<Machine> Division::origin(std::size_t step, Machine machine) const {
    // The sender is as far away as this machine's receiver: on rings in the other direction, else it is that receiver.
    const Step& now = steps_[step];
    const Move move = move_of(now, machine);
    const std::int32_t back = now.kind == Step::Kind::ring ? -move.hops : move.hops;
    const Machine from = grid_.moved(machine, move.dimension, back);
    return destination(step, from) == machine ? std::optional(from) : std::nullopt;
}

std::size_t Division::dimension(std::size_t step, Machine machine) const {
    return move_of(steps_[step], machine).dimension;
}

bool Division::sends(const Step& step, Machine machine) const {
    if (!is_active(machine, step.active_below)) {
        return false;
    }
    switch (step.kind) {
        case Step::Kind::hand_over:
            return sum(machine, step.hops) % 2 == 1;
        case Step::Kind::ring:
            return step.round < grid_.side(ring_move(step, machine).dimension) / step.hops;
        default:
            return true;
    }
}

Division::Move Division::move_of(const Step& step, Machine machine) const {
    if (step.kind == Step::Kind::ring) {
        return ring_move(step, machine);
    }
    const bool by_parity = step.kind == Step::Kind::exchange_by_parity;
    const std::size_t dimension =
        by_parity ? ordered(step.turn + static_cast<std::size_t>(sum(machine, unit_) % 2)) : step.turn;
    const bool is_even = grid_.coordinate(machine, dimension) / step.hops % 2 == 0;
    return {dimension, is_even ? step.hops : -step.hops};
}

/// Every group_-th machine of a line goes the same way. Of four classes, the first and the third, which lie half a
/// group apart, share a dimension in opposite directions, and so do the second and the fourth in two dimensions; in
/// three, the fourth has one to itself. Of two classes, each has a dimension, or in one dimension a direction.
Division::Move Division::ring_move(const Step& step, Machine machine) const {
    const std::int32_t in_class = sum(machine, unit_) % group_;
    const bool alone = grid_.dimensions() == 1;
    const bool in_own_dimension = in_class == 3 && grid_.dimensions() == 3;
    const bool down = (in_class >= 2 && !in_own_dimension) || (alone && in_class == 1);
    return {ring_dimension(step.turn, in_class), down ? -step.hops : step.hops};
}

bool Division::holds(Machine machine, Machine final_destination, std::int32_t split_below) const {
    for (std::size_t dimension = 1; dimension < grid_.dimensions(); ++dimension) {
        const std::int32_t here = grid_.coordinate(machine, dimension);
        const std::int32_t there = grid_.coordinate(final_destination, decisive_in_split(dimension));
        if ((here - there) % split_below != 0) {
            return false;
        }
    }
    return true;
}

bool Division::is_active(Machine machine, std::int32_t below) const {
    for (std::int32_t bit = 1; bit < below; bit *= 2) {
        if (sum(machine, bit) % 2 == 1) {
            return false;
        }
    }
    return true;
}

std::int32_t Division::sum(Machine machine, std::int32_t unit) const {
    std::int32_t total = 0;
    for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
        total += grid_.coordinate(machine, dimension) / unit;
    }
    return total;
}

}  // namespace aapc::torus
