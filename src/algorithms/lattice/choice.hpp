/// @file
/// Which lattice: the multipliers, by trials where ranks are few and by theory where they are many.
#pragma once

#include <cstdint>

#include "algorithms/lattice/busy_channels.hpp"
#include "algorithms/lattice/formula.hpp"
#include "algorithms/lattice/positions.hpp"
#include "algorithms/lattice/random.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

/// How much longer than the bound the cycle of a lattice is, in thousandths.
inline constexpr std::int64_t slack_of_trees = 20;
inline constexpr std::int64_t slack_of_tori = 30;

/// Work of all trials together: messages on channels that are played, about 10 ns each.
inline constexpr std::int64_t work_of_trials = 1'500'000;

/// The same where a sample of channels is played, about 25 ns each.
inline constexpr std::int64_t work_of_sampled_trials = 2'000'000;

/// Multipliers that promise evenness whatever the network: those near P·α and P·β for a pair of numbers that no
/// fractions with one small denominator approximate well, α = 2cos(2π/7) - 1 and β = 2cos(4π/7) + 1, which with 1 span
/// the integers of a cubic field, and as many others from a fixed series; of these `candidates` the pair with the
/// smallest unevenness(). O(candidates · positions).
[[nodiscard]] Multipliers theoretical_multipliers(std::int64_t positions, int candidates);

/// Those of plain shifts: in slot s rank i sends to i + s. Under destination-modulo on a full fat tree no cable then
/// carries two messages at a time (Zahavi 2011). O(1).
[[nodiscard]] Multipliers shift_multipliers(std::int64_t positions);

/// A figure of merit of the lattice of points (i, j, slot): the sum over waves h = 1 … of
/// 1/(h·|sender·h|·|receiver·h|), each factor the distance to the nearest multiple of P, on a scale on which 2^40 is 1.
/// The errors of boxes and intervals of time are bounded by it, times P²/π³ (the Fourier series of their indicators).
/// O(min(P, waves)).
[[nodiscard]] std::int64_t unevenness(std::int64_t positions, const Multipliers& multipliers, std::int64_t waves);

/// Steps whose lattice is that of an even pair of multipliers within the finest distance that places leave, and one of
/// a fixed series of pairs beyond it. O(min(positions, waves)).
[[nodiscard]] SwitchSteps draw_switch_steps(const Seats& seats, Generator& generator);

/// A lattice and the longest queue that its trial found.
struct Choice {
    LatticeFormula formula;
    std::int64_t queue = 0;  ///< in parts of a message
};

/// The best of as many lattices as `work` allows, which are the theoretical ones first and then a fixed series of
/// others: the same on all ranks. At least one is tried. `slack` as QueueMeter takes it. Where there are many messages
/// the trials play some of the busiest channels, and only the best five lattices all of them.
[[nodiscard]] Choice best_of_trials(const Traffic& traffic, std::int64_t slack, std::int64_t work);

/// The same on a sample of channels: plain shifts, and a fixed series of lattices by switch. Trials play a part of the
/// channels until `work` messages are played, and only the best five lattices all of them.
[[nodiscard]] Choice best_of_trials(BusyChannels& channels, const Seats& seats, std::int64_t work);

}  // namespace aapc::lattice
