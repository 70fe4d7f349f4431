#include "aapc/algorithms/torus_model.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <utility>

#include "algorithms/torus/direct.hpp"
#include "algorithms/torus/divided.hpp"
#include "algorithms/torus/division.hpp"

namespace aapc {

namespace {

using torus::Division;
using torus::Step;

/// The largest message of a step, if every sender holds `held` blocks.
std::int64_t sent_in(const Step& step, std::int64_t held) {
    switch (step.kind) {
        case Step::Kind::hand_over:
            return held;
        case Step::Kind::ring:
            return held / step.rounds * (step.rounds - step.round);
        default:
            return held / 2;
    }
}

/// What a machine that stays holds after a step.
std::int64_t held_after(const Step& step, std::int64_t held) {
    if (step.kind == Step::Kind::hand_over) {
        return 2 * held;
    }
    return step.is_merge() ? held / 2 : held;
}

double seconds_per_message_byte(const TorusWork& work, const TorusCosts& costs) {
    return static_cast<double>(work.sent_blocks) * costs.seconds_per_byte +
           static_cast<double>(work.rearranged_blocks) * costs.copy_seconds_per_byte;
}

double start_up_seconds(const TorusWork& work, const TorusCosts& costs) {
    return static_cast<double>(work.start_ups) * costs.start_up_seconds;
}

}  // namespace

Expected<TorusWork> divided_work(const TorusGrid& grid, std::int32_t divisions) {
    const Expected<Division> division = Division::plan(grid, divisions);
    if (!division) {
        return failure(division.error());
    }
    TorusWork work;
    std::int64_t held = grid.machines();
    for (const Step& step : division->steps()) {
        if (step.starts_stage && work.start_ups > 0) {
            work.rearranged_blocks += held;
        }
        ++work.start_ups;
        work.sent_blocks += sent_in(step, held);
        held = held_after(step, held);
        work.buffer_blocks = std::max(work.buffer_blocks, held);
    }
    return work;
}

std::optional<TorusWork> direct_work(const TorusGrid& grid) {
    const std::optional<Phase> phases = torus::direct_phases(grid);
    return phases ? std::optional(TorusWork{*phases, *phases, 0, 0}) : std::nullopt;
}

std::vector<PublishedWork> published_table(std::int32_t side) {
    if (side < 4 || side > 65'536 || !std::has_single_bit(static_cast<std::uint32_t>(side))) {
        return {};
    }
    const std::int64_t logarithm = std::bit_width(static_cast<std::uint32_t>(side)) - 1;
    const std::int64_t square = std::int64_t{side} * side;
    const std::int64_t cube = square * side;
    return {
        {"A_{n-1}",
         {3 * logarithm - 1, 2 * cube - 2 * square, 4 * square * logarithm * (logarithm - 1), 0},
         static_cast<std::int32_t>(logarithm - 1)},
        {"A_1", {side / 4 + 5, (cube + 10 * square) / 4, 10 * square, 0}, 1},
        {"Tseng et al.", {side / 2 + 2, (cube + 4 * square) / 4, (cube + 2 * square) / 2, 0}, std::nullopt},
        {"Suh", {side / 2 + 2, (cube + 4 * square) / 4, 3 * square, 0}, 0},
    };
}

double predict_seconds(const TorusWork& work, const TorusCosts& costs, double message_bytes) {
    return start_up_seconds(work, costs) + message_bytes * seconds_per_message_byte(work, costs);
}

std::optional<double> break_even_bytes(const TorusWork& with_fewer, const TorusWork& with_more_start_ups,
                                       const TorusCosts& costs) {
    const double gain =
        seconds_per_message_byte(with_fewer, costs) - seconds_per_message_byte(with_more_start_ups, costs);
    const double loss = start_up_seconds(with_more_start_ups, costs) - start_up_seconds(with_fewer, costs);
    if (gain <= 0) {
        return std::nullopt;
    }
    return std::max(0.0, loss / gain);
}

std::vector<TorusCandidate> torus_candidates(const TorusGrid& grid) {
    std::vector<TorusCandidate> candidates;
    if (grid.dimensions() == 0) {
        return candidates;
    }
    for (std::int32_t divisions = 0;; ++divisions) {
        const Expected<TorusWork> work = divided_work(grid, divisions);
        if (!work) {
            break;
        }
        candidates.push_back({fmt::format("torus/{}{}", torus::divisions_prefix, divisions), *work});
    }
    if (const std::optional<TorusWork> work = direct_work(grid)) {
        candidates.push_back({fmt::format("torus-direct/{}", torus::direct_variants[0]), *work});
    }
    return candidates;
}

std::vector<TorusRange> fastest_by_size(const std::vector<TorusCandidate>& candidates, const TorusCosts& costs) {
    std::vector<TorusRange> ranges;
    if (candidates.empty()) {
        return ranges;
    }
    const auto per_byte = [&](std::size_t index) { return seconds_per_message_byte(candidates[index].work, costs); };
    const auto at_once = [&](std::size_t index) { return start_up_seconds(candidates[index].work, costs); };
    TorusRange current;
    for (std::size_t index = 1; index < candidates.size(); ++index) {
        if (std::pair(at_once(index), per_byte(index)) <
            std::pair(at_once(current.candidate), per_byte(current.candidate))) {
            current.candidate = index;
        }
    }
    // Along the lower envelope of straight lines: the next one is that which the current one meets first.
    for (;;) {
        ranges.push_back(current);
        std::optional<TorusRange> next;
        for (std::size_t index = 0; index < candidates.size(); ++index) {
            const auto from = break_even_bytes(candidates[current.candidate].work, candidates[index].work, costs);
            if (from &&
                (!next || std::pair(*from, per_byte(index)) < std::pair(next->from_bytes, per_byte(next->candidate)))) {
                next = TorusRange{*from, index};
            }
        }
        if (!next) {
            return ranges;
        }
        current = *next;
    }
}

}  // namespace aapc
