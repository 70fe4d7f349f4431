#include "algorithms/factor/step_formula.hpp"

#include <algorithm>
#include <numeric>

namespace aapc::factor {

namespace {

/// The later of two messages looking backward, the earlier one looking forward.
std::optional<SeatMessage> nearer(const std::optional<SeatMessage>& left, const std::optional<SeatMessage>& right,
                                  StepFormula::Search search) {
    if (!left || !right) {
        return left ? left : right;
    }
    return (left->step > right->step) == (search == StepFormula::Search::backward) ? left : right;
}

/// Of `count` things at steps first, first + stride, …: which is the last before `step` (the first after it)?
std::optional<std::int64_t> find_in_progression(Phase first, Phase stride, std::int64_t count, Phase step,
                                                StepFormula::Search search) {
    if (search == StepFormula::Search::backward) {
        if (count == 0 || first >= step) {
            return std::nullopt;
        }
        return std::min(count - 1, (step - 1 - first) / stride);
    }
    const std::int64_t number = first > step ? 0 : (step - first) / stride + 1;
    return number < count ? std::optional(number) : std::nullopt;
}

SeatMessage directed(Phase step, Seat own, Seat other, StepFormula::Way way) {
    return way == StepFormula::Way::out ? SeatMessage{step, own, other} : SeatMessage{step, other, own};
}

}  // namespace

StepFormula::StepFormula(const std::vector<std::int32_t>& sizes, const Rules& rules)
    : rules_(rules), size_(sizes), place_(sizes.size()), shares_(sizes.size()), assigned_(sizes.size(), 0) {
    std::vector<std::int32_t> distinct = sizes;
    std::sort(distinct.begin(), distinct.end());
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    std::int32_t done = 0;
    for (const std::int32_t current : distinct) {
        add_stage(done, current);
        done = current;
    }
    if (rules_.fills_rounds) {
        add_rests();
    }
}

void StepFormula::add_stage(std::int32_t done, std::int32_t current) {
    std::vector<std::int32_t> active;
    for (std::int32_t node = 0; node < static_cast<std::int32_t>(size_.size()); ++node) {
        if (size(node) > done) {
            place_[static_cast<std::size_t>(node)].push_back(static_cast<std::int32_t>(active.size()));
            active.push_back(node);
        }
    }
    const Factorisation factorisation(static_cast<std::int32_t>(active.size()), rules_.factors);
    const auto precede = [this](std::int32_t left, std::int32_t right) { return precedes(left, right); };
    first_in_size_.push_back(*std::min_element(active.begin(), active.end(), precede));
    std::vector<std::int32_t> largest(std::min<std::size_t>(active.size(), 3));
    std::partial_sort_copy(active.begin(), active.end(), largest.begin(), largest.end(),
                           [&](std::int32_t left, std::int32_t right) { return precede(right, left); });
    stages_.push_back({done, current, std::move(active), factorisation, static_cast<std::int32_t>(rounds_.size())});
    const Stage& stage = stages_.back();
    for (std::int32_t factor = 0; factor < stage.rounds(); ++factor) {
        rounds_.push_back({static_cast<std::int32_t>(stages_.size()) - 1, steps_});
        const std::vector<std::int32_t> loops = stage.factorisation.loops(factor);
        const Phase on_wire = wire_steps(stage, loops, largest);
        steps_ += std::max(on_wire, add_shares(stage, loops, steps_, on_wire));
    }
}

Phase StepFormula::wire_steps(const Stage& stage, const std::vector<std::int32_t>& loops,
                              const std::vector<std::int32_t>& largest) const {
    if (loops.size() == stage.active.size()) {
        return 0;
    }
    // Otherwise at most two nodes are paired with themselves, so that one of the three largest is not.
    for (const std::int32_t node : largest) {
        const bool paired_with_itself = std::any_of(loops.begin(), loops.end(), [&](std::int32_t place) {
            return stage.active[static_cast<std::size_t>(place)] == node;
        });
        if (!paired_with_itself) {
            return (stage.current - stage.done) * size(node);
        }
    }
    return 0;
}

Phase StepFormula::add_shares(const Stage& stage, const std::vector<std::int32_t>& loops, Phase start,
                              Phase wire_steps) {
    Phase longest = 0;
    for (const std::int32_t place : loops) {
        const auto node = static_cast<std::size_t>(stage.active[static_cast<std::size_t>(place)]);
        const std::int64_t ranks = size_[node];
        const std::int64_t end = rules_.fills_rounds
                                     ? std::min(operations_before_row(ranks, ranks), assigned_[node] + wire_steps)
                                     : operations_before_row(ranks, stage.current);
        const Share share{start, assigned_[node], end - assigned_[node]};
        if (share.operations > 0) {
            shares_[node].push_back(share);
            assigned_[node] = end;
            longest = std::max(longest, share.operations);
        }
    }
    return longest;
}

void StepFormula::add_rests() {
    Phase longest = 0;
    for (std::size_t node = 0; node < size_.size(); ++node) {
        const std::int64_t rest = operations_before_row(size_[node], size_[node]) - assigned_[node];
        if (rest > 0) {
            shares_[node].push_back({steps_, assigned_[node], rest});
            longest = std::max(longest, rest);
        }
    }
    steps_ += longest;
}

bool StepFormula::precedes(std::int32_t left, std::int32_t right) const {
    return size(left) != size(right) ? size(left) < size(right) : left < right;
}

const StepFormula::Stage& StepFormula::stage_of(std::int32_t round) const {
    return stages_[static_cast<std::size_t>(rounds_[static_cast<std::size_t>(round)].stage)];
}

std::int32_t StepFormula::partner(std::int32_t round, std::int32_t node, Way way) const {
    const Stage& stage = stage_of(round);
    const auto stage_number = static_cast<std::size_t>(rounds_[static_cast<std::size_t>(round)].stage);
    const std::int32_t place = place_[static_cast<std::size_t>(node)][stage_number];
    const std::int32_t factor = round - stage.first_round;
    const std::int32_t other =
        way == Way::out ? stage.factorisation.successor(factor, place) : stage.factorisation.predecessor(factor, place);
    return stage.active[static_cast<std::size_t>(other)];
}

std::int32_t StepFormula::round_at(Phase step) const {
    const auto after = std::upper_bound(rounds_.begin(), rounds_.end(), step,
                                        [](Phase value, const Round& round) { return value < round.start; });
    return static_cast<std::int32_t>(after - rounds_.begin()) - 1;
}

std::int32_t StepFormula::end_of_rounds(std::int32_t node) const {
    const Stage& last = stages_[place_[static_cast<std::size_t>(node)].size() - 1];
    return last.first_round + last.rounds();
}

std::optional<StepFormula::Run> StepFormula::run_of(Seat seat, Way way, std::int32_t round) const {
    const Stage& stage = stage_of(round);
    const std::int32_t other = partner(round, seat.node, way);
    const Phase start = rounds_[static_cast<std::size_t>(round)].start;
    if (other == seat.node) {
        return std::nullopt;
    }
    if (precedes(other, seat.node)) {
        return Run{other, stage.done, stage.current - stage.done, start + seat.index, size(seat.node)};
    }
    if (!stage.has_row(seat.index)) {
        return std::nullopt;
    }
    const auto messages = static_cast<std::int32_t>(size(other));
    return Run{other, 0, messages, start + Phase{seat.index - stage.done} * messages, 1};
}

SeatMessage StepFormula::message_of_run(Seat seat, Way way, const Run& run, std::int64_t number) const {
    const Seat other{run.node, run.first_index + static_cast<std::int32_t>(number)};
    return directed(run.first + number * run.stride, seat, other, way);
}

bool StepFormula::meets_others(Seat seat, const Stage& stage) const {
    const auto number = static_cast<std::size_t>(&stage - stages_.data());
    return stage.has_row(seat.index) || first_in_size_[number] != seat.node;
}

std::int64_t StepFormula::operations_before_row(std::int64_t size, std::int64_t row) const {
    return rules_.exchanges_inside ? row * size - row * (row - 1) / 2 : row * size;
}

std::int64_t StepFormula::operation(std::int64_t size, std::int64_t from, std::int64_t to) const {
    if (!rules_.exchanges_inside) {
        return operations_before_row(size, from) + to;
    }
    const auto [row, other] = std::minmax(from, to);
    return operations_before_row(size, row) + other - row;
}

Phase StepFormula::step_of_operation(std::int32_t node, std::int64_t operation) const {
    const std::vector<Share>& shares = shares_[static_cast<std::size_t>(node)];
    const auto after = std::upper_bound(shares.begin(), shares.end(), operation,
                                        [](std::int64_t value, const Share& share) { return value < share.first; });
    const Share& share = *std::prev(after);
    return share.start + (operation - share.first);
}

SeatMessage StepFormula::message_inside(Seat seat, Way way, std::int32_t other) const {
    const Seat peer{seat.node, other < seat.index ? other : other + 1};
    const std::int64_t number = way == Way::out ? operation(size(seat.node), seat.index, peer.index)
                                                : operation(size(seat.node), peer.index, seat.index);
    return directed(step_of_operation(seat.node, number), seat, peer, way);
}

std::vector<SeatMessage> StepFormula::messages_of(Seat seat, Way way) const {
    std::vector<SeatMessage> list;
    for (std::int32_t other = 0; other + 1 < size(seat.node); ++other) {
        list.push_back(message_inside(seat, way, other));
    }
    const auto inside = static_cast<std::ptrdiff_t>(list.size());
    for (std::int32_t round = 0; round < end_of_rounds(seat.node); ++round) {
        if (const std::optional<Run> run = run_of(seat, way, round)) {
            for (std::int32_t number = 0; number < run->messages; ++number) {
                list.push_back(message_of_run(seat, way, *run, number));
            }
        }
    }
    std::inplace_merge(list.begin(), list.begin() + inside, list.end(),
                       [](const SeatMessage& left, const SeatMessage& right) { return left.step < right.step; });
    return list;
}

std::optional<SeatMessage> StepFormula::find_inside(Seat seat, Way way, Phase step, Search search) const {
    // The first of the other seats whose message is not before `step` (backward) or after it (forward).
    const Phase limit = search == Search::backward ? step : step + 1;
    std::int32_t low = 0;
    std::int32_t high = static_cast<std::int32_t>(size(seat.node)) - 1;
    const std::int32_t others = high;
    while (low < high) {
        const std::int32_t middle = low + (high - low) / 2;
        if (message_inside(seat, way, middle).step < limit) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const std::int32_t found = search == Search::backward ? low - 1 : low;
    return found >= 0 && found < others ? std::optional(message_inside(seat, way, found)) : std::nullopt;
}

std::optional<SeatMessage> StepFormula::find_on_wire(Seat seat, Way way, Phase step, Search search) const {
    const bool backward = search == Search::backward;
    const std::int32_t end = end_of_rounds(seat.node);
    std::int32_t round = backward ? std::min(round_at(step), end - 1) : round_at(step);
    while (round >= 0 && round < end) {
        const Stage& stage = stage_of(round);
        if (!meets_others(seat, stage)) {
            round = backward ? stage.first_round - 1 : stage.first_round + stage.rounds();
            continue;
        }
        if (const std::optional<Run> run = run_of(seat, way, round)) {
            if (const auto number = find_in_progression(run->first, run->stride, run->messages, step, search)) {
                return message_of_run(seat, way, *run, *number);
            }
        }
        round += backward ? -1 : 1;
    }
    return std::nullopt;
}

std::optional<SeatMessage> StepFormula::find_message(Seat seat, Way way, Phase step, Search search) const {
    return nearer(find_inside(seat, way, step, search), find_on_wire(seat, way, step, search), search);
}

std::optional<SeatMessage> StepFormula::find_crossing(std::int32_t node, Way way, Phase step, Search search) const {
    const bool backward = search == Search::backward;
    const std::int32_t end = end_of_rounds(node);
    std::int32_t round = backward ? std::min(round_at(step), end - 1) : round_at(step);
    for (; round >= 0 && round < end; round += backward ? -1 : 1) {
        const std::int32_t other = partner(round, node, way);
        if (other == node) {
            continue;
        }
        const Stage& stage = stage_of(round);
        const bool own_rows = precedes(node, other);
        const std::int64_t row_length = size(own_rows ? other : node);
        const Phase start = rounds_[static_cast<std::size_t>(round)].start;
        const auto found = find_in_progression(start, 1, (stage.current - stage.done) * row_length, step, search);
        if (found) {
            const auto row = static_cast<std::int32_t>(stage.done + *found / row_length);
            const auto column = static_cast<std::int32_t>(*found % row_length);
            const Seat own{node, own_rows ? row : column};
            return directed(start + *found, own, {other, own_rows ? column : row}, way);
        }
    }
    return std::nullopt;
}

}  // namespace aapc::factor
