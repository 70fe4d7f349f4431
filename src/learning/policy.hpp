/// @file
/// Every constant of learning, in one table: name, unit, value, why, and where it was measured.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aapc::learning::policy {

// What exploration may cost (Budget). Regret tests of 10, 100 and 1,000 calls in tests/learning hold these five.

/// Calls. Up to here a share of so few calls would forbid every trial.
inline constexpr std::int64_t first_calls = 10;
/// Calls' time that may be spent within first_calls: one trial of a candidate that takes 1.6 times as long.
inline constexpr double first_allowance = 0.6;
/// Share of the time of the first early_calls. A program of 100 calls is to lose 5 % at most.
inline constexpr double early_share = 0.04;
inline constexpr std::int64_t early_calls = 100;
/// Share of the time of all later calls. A program of 1,000 calls is to lose 2 % at most.
inline constexpr double later_share = 0.016;

// What is believed before anything was measured.

/// Share of its bound. Exchanges by the clock reach 0.88 to 0.95 of it (docs/measurements.md): the prior of a candidate
/// is spread evenly from its least time to as far beyond bound / 0.9 again.
inline constexpr double link_efficiency = 0.9;
/// Times the bound. A native call that takes so long leaves hardly a doubt that a candidate is faster: it serves while
/// its first result is in flight. Native calls of 8 KB at 100 Mbit/s take 4 to 6 times the bound (the demo). In the
/// same way a gain of so many times its price needs no budget where the native routine is known by its first call
/// alone, or where a trial has it by itself. What is known by one call is expected to gain so many times less: programs
/// of 20 calls whose native calls take 5 times as long lose 21 %, and 36 % without that (regret tests).
inline constexpr double beyond_doubt = 2;
/// Share of a call that a trial is expected to lose: 0.15 lets two candidates, not three, have one in a program's first
/// ten calls.
inline constexpr double trial_risk = 0.15;
/// Factor by which a gain must exceed its price where no model says how likely it is: nobody knows how many calls there
/// will be, and of what could be gained two thirds are expected.
inline constexpr double doubt = 1.5;

// What times say.

/// Relative spread of a cost of which there is one sample. Calls on quiet networks scatter by 3 to 10 %; two such
/// samples make a lead of 14 % evidence.
inline constexpr double prior_spread = 0.1;
/// Relative lead that is worth a change: noise of repeated runs of the same program is 2 % (docs/benchmarking.md).
inline constexpr double least_lead = 0.02;
/// Seconds. What the first call of all may take longer since connections are cold: 30 to 50 ms with 16 ranks.
inline constexpr double cold_seconds = 0.05;
/// Factor. A call that takes so many times as long as its neighbour among the first two is an accident: a time-out of
/// TCP takes 0.2 s beside calls of 50 ms and less. Two and more were seen in calls that time out as a rule.
inline constexpr double accident = 4;
/// Factor, up or down, by which a cost has changed rather than scattered.
inline constexpr double changed = 4.0 / 3.0;
/// Samples. With so many the mean counts (but for the slowest), since a program waits for the sum of its calls.
inline constexpr std::size_t samples_of_a_mean = 12;
/// Samples kept of a candidate. Older ones say little of the network as it is.
inline constexpr std::size_t samples_kept = 32;

// How often evidence is renewed.

/// Share of the time that agreements on the winner's costs may take.
inline constexpr double watching_share = 0.002;
/// Share of the calls since the latest look that a look at a losing candidate may cost: one that is twice as slow is
/// looked at again after 100 calls.
inline constexpr double look_share = 0.01;
/// Factor by which calls have to grow between two looks at a loser.
inline constexpr std::int64_t back_off = 2;
/// Calls that the winner is exploited without being watched, at most; an eighth of it on the evidence of others.
inline constexpr std::int64_t longest_rest = 2000;

}  // namespace aapc::learning::policy
