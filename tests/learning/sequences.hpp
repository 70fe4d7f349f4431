/// @file
/// Programs whose sequences of methods are recorded in sequences.csv, as the learner before the state machine of
/// trials.hpp chose them.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "learning/simulated.hpp"

namespace aapc::learning {

/// A program of the record: its world for a seed, and its calls.
struct Program {
    std::string name;
    World (*world)(std::uint64_t seed);
    int calls;
    std::int64_t size = 65536;
};

inline constexpr std::uint64_t recorded_seeds = 5;

/// Calls of 50 ms, a bound of half of it, an agreement of 0.1 ms.
inline World long_calls_of(std::vector<double> seconds, std::uint64_t seed, double spread = 0.05) {
    World world = steady(std::move(seconds), spread, seed);
    world.agreement_seconds = 1e-4;
    world.least_seconds = [](std::int64_t) { return 0.0255; };
    return world;
}

/// 16 ranks at 100 Mbit/s, blocks of 8 KB: the bound is 42 ms, and the native call waits for time-outs.
inline World demo_of(double native, std::uint64_t seed) {
    World world = steady({native, 0.05}, 0.1, seed);
    world.set_up_seconds = 1.2e-2;
    world.agreement_seconds = 1.5e-3;
    world.least_seconds = [](std::int64_t) { return 0.042; };
    world.candidate_takes_more_seconds = 1e-3;
    return world;
}

/// Unequal messages with a bound of 21 ms, of which a candidate takes 2.9 to 7.7 ms more.
inline World unequal_of(double native, double by_clock, std::uint64_t seed) {
    World world = steady({native, by_clock}, 0.03, seed);
    world.unequal = true;
    world.agreement_seconds = 1.2e-3;
    world.set_up_seconds = 1.8e-2;
    world.least_seconds = [](std::int64_t) { return 0.0201; };
    world.candidate_takes_more_seconds = 3.5e-3;
    world.candidate_spread_seconds = 5.7e-3;
    world.own_after_agreement = 1.5;
    return world;
}

/// One candidate becomes slow in call 100.
inline World changing_of(std::vector<double> before, std::vector<double> after, std::uint64_t seed) {
    World world = long_calls_of(before, seed);
    world.time_of = [=](std::int64_t, int call, std::size_t one) {
        return (call < 100 ? before : after)[one] * scatter(call, one, seed, 0.05);
    };
    return world;
}

/// One native call in eight waits 0.2 s for a time-out.
inline World time_outs_of(std::uint64_t seed) {
    World world = demo_of(0, seed);
    world.time_of = [=](std::int64_t, int call, std::size_t one) {
        const bool late = std::abs(std::log(scatter(call, one, seed + 100, 1))) > 1.54;
        return (one == 0 ? 0.048 + (late ? 0.2 : 0) : 0.0505) * scatter(call, one, seed, 0.05);
    };
    return world;
}

inline std::vector<Program> recorded_programs() {
    using Seed = std::uint64_t;
    return {
        {"native slightly faster",
         [](Seed seed) {
             return long_calls_of({0.05, 0.0525}, seed);
         },
         100},
        {"native twice as fast",
         [](Seed seed) {
             return long_calls_of({0.05, 0.1}, seed);
         },
         100},
        {"native fastest of four",
         [](Seed seed) {
             return long_calls_of({0.05, 0.07, 0.06, 0.095}, seed);
         },
         300},
        {"candidate slightly faster",
         [](Seed seed) {
             return long_calls_of({0.05, 0.045}, seed);
         },
         100},
        {"candidate twice as fast",
         [](Seed seed) {
             return long_calls_of({0.05, 0.0265}, seed);
         },
         100},
        {"second candidate fastest",
         [](Seed seed) {
             return long_calls_of({0.05, 0.045, 0.035}, seed);
         },
         300},
        {"much noise",
         [](Seed seed) {
             return long_calls_of({0.05, 0.045}, seed, 0.2);
         },
         300},
        {"demo, quiet", [](Seed seed) { return demo_of(0.25, seed); }, 20},
        {"demo, native at the bound", [](Seed seed) { return demo_of(0.045, seed); }, 100},
        {"demo, time-outs", [](Seed seed) { return time_outs_of(seed); }, 100},
        {"candidate becomes slow",
         [](Seed seed) {
             return changing_of({0.05, 0.035}, {0.05, 0.08}, seed);
         },
         300},
        {"native becomes slow",
         [](Seed seed) {
             return changing_of({0.035, 0.05}, {0.1, 0.05}, seed);
         },
         300},
        {"short calls",
         [](Seed seed) {
             return steady({2e-4, 1.5e-4}, 0.05, seed);
         },
         1000},
        {"unequal, native faster", [](Seed seed) { return unequal_of(0.0245, 0.033, seed); }, 40, 21000000},
        {"unequal, candidate faster", [](Seed seed) { return unequal_of(0.045, 0.027, seed); }, 100, 21000000},
    };
}

}  // namespace aapc::learning
