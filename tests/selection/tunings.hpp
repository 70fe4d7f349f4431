/// @file
/// Tunings to test with.
#pragma once

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"

namespace aapc::test {

inline Method method(std::string_view text) { return parse_method(text, NetworkKind::tree).value(); }

/// Three ranges, all that a file can say, for ranks on the machines n0 to n7.
inline Tuning example_tuning() {
    Tuning tuning;
    tuning.fingerprint = {"0.1.0",
                          "openmpi",
                          "Open MPI v4.1.4, package: \"Debian\" Open MPI",
                          "fnv1a:0123456789abcdef",
                          "eight machines\\of ours.toml",
                          {"n0", "n1", "n2", "n3", "n4", "n5", "n6", "n7"}};
    tuning.conditions = {"2026-11-21T07:15:00Z", 512.25, "cubic", "n0"};
    tuning.ranges = {
        {0, Method{}, {{1, 0.000125, 0.000125, {1, 1, 1}, 0.0625, 25, RunnerUp{method("tree/merged+none"), 0.00025}}}},
        {2048,
         method("tree/paper+sender-partial:8"),
         {{4096, 0.003, 0.002, {1.5, 1.375, 1.625}, 0.03125, 21, RunnerUp{Method{}, 0.003}},
          {16384, 0.0125, 0.0075, {1.625, 1.5, 1.75}, 0, 13, std::nullopt}}},
        {65536,
         method("tree/merged+timed:8688@0.95"),
         {{1048576, 12.5, 3.125, {4, 3.875, 4.125}, 0.015625, 5, RunnerUp{method("tree/merged+barrier"), 4.5}}}},
    };
    return tuning;
}

/// A number that six digits hold.
inline double short_number(std::mt19937_64& random, double least) {
    const std::string digits = fmt::format("{:.6g}", least + std::ldexp(static_cast<double>(random() % 1'000'000 + 1),
                                                                        static_cast<int>(random() % 40) - 40));
    return std::strtod(digits.c_str(), nullptr);
}

inline std::string random_name(std::mt19937_64& random) {
    static constexpr std::array<std::string_view, 6> pieces = {"n", "rack-", "x.y", "07", "9", "100"};
    std::string name(pieces[random() % 3]);
    for (std::uint64_t more = random() % 3; more > 0; --more) {
        name += pieces[random() % pieces.size()];
    }
    return name;
}

inline Tuning random_tuning(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    static constexpr std::array<std::string_view, 6> methods = {"native",
                                                                "tree/paper+receiver",
                                                                "tree/merged+barrier-partial-sender:4",
                                                                "tree/merged+timed:1448",
                                                                "tree/merged+window:3",
                                                                "tree/paper+dummy"};
    const auto any_method = [&] { return method(methods[random() % methods.size()]); };
    const auto any_text = [&] {
        std::string text;
        for (std::uint64_t length = random() % 20; length > 0; --length) {
            text += static_cast<char>(random() % 128);
        }
        return text;
    };
    Tuning tuning;
    tuning.fingerprint = {any_text(), any_text(), any_text(), any_text(), any_text(), {}};
    for (std::uint64_t machines = 1 + random() % 12; machines > 0; --machines) {
        tuning.fingerprint.machine_of.insert(tuning.fingerprint.machine_of.end(), 1 + random() % 3,
                                             random_name(random));
    }
    tuning.conditions = {any_text(), short_number(random, 0), random() % 2 == 0 ? any_text() : "", any_text()};
    std::int64_t at = 0;
    for (std::uint64_t ranges = 1 + random() % 5; ranges > 0; --ranges) {
        TunedRange range{at, any_method(), {}};
        for (std::uint64_t sizes = random() % 4; sizes > 0; --sizes) {
            at += 1 + static_cast<std::int64_t>(random() % 1'000'000);
            const double low = short_number(random, 0);
            MeasuredSize measured{at,
                                  short_number(random, 0),
                                  short_number(random, 0),
                                  {low, low, low},
                                  short_number(random, 0),
                                  1 + static_cast<std::int64_t>(random() % 100),
                                  {}};
            if (random() % 2 == 0) {
                measured.runner_up = RunnerUp{any_method(), short_number(random, 0)};
            }
            range.measured.push_back(measured);
        }
        tuning.ranges.push_back(range);
        at += 1 + static_cast<std::int64_t>(random() % 1'000'000);
    }
    return tuning;
}

}  // namespace aapc::test
