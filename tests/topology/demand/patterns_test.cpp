// The patterns: their sums, what makes each what it is, and that everybody draws the same.
#include "aapc/topology/patterns.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace aapc {
namespace {

Demand made(std::string_view pattern, Rank ranks, std::int64_t mean, std::uint64_t seed = 1) {
    const Expected<Demand> demand = make_demand(pattern, ranks, mean, seed);
    EXPECT_TRUE(demand) << pattern;
    return demand ? *demand : Demand(ranks);
}

/// Of messages between different ranks.
std::vector<std::int64_t> lengths(const Demand& demand) {
    std::vector<std::int64_t> lengths;
    for (Rank from = 0; from < demand.participants(); ++from) {
        for (Rank to = 0; to < demand.participants(); ++to) {
            if (from != to) {
                lengths.push_back(demand.bytes(from, to));
            }
        }
    }
    return lengths;
}

std::int64_t total(const std::vector<std::int64_t>& numbers) {
    return std::accumulate(numbers.begin(), numbers.end(), std::int64_t{0});
}

TEST(Patterns, HaveTheMeanThatIsAskedForAndNothingNegative) {
    for (const PatternEntry& pattern : patterns()) {
        SCOPED_TRACE(pattern.name);
        for (const Rank ranks : {1, 2, 3, 5, 16, 40}) {
            const std::vector<std::int64_t> all = lengths(made(pattern.name, ranks, 10'000));
            EXPECT_TRUE(std::all_of(all.begin(), all.end(), [](std::int64_t bytes) { return bytes >= 0; }));
            if (ranks >= 16) {
                const double mean = static_cast<double>(total(all)) / static_cast<double>(all.size());
                EXPECT_NEAR(mean, 10'000, ranks >= 40 ? 1000 : 2500) << ranks;
            }
        }
        EXPECT_EQ(total(lengths(made(pattern.name, 8, 0))), 0);
    }
}

TEST(Patterns, AreTheSameForTheSameSeed) {
    std::set<std::string> random;
    for (const PatternEntry& pattern : patterns()) {
        EXPECT_EQ(made(pattern.name, 12, 5000, 7), made(pattern.name, 12, 5000, 7)) << pattern.name;
        if (!(made(pattern.name, 12, 5000, 7) == made(pattern.name, 12, 5000, 8))) {
            random.emplace(pattern.name);
        }
    }
    EXPECT_EQ(random,
              (std::set<std::string>{"uniform", "exponential", "zipf", "hot", "zeros", "transpose", "experts"}));
}

// Numbers that a program with another standard library has to find as well.
TEST(Patterns, AreTheSameEverywhere) {
    EXPECT_EQ(lengths(made("exponential", 3, 1000)), (std::vector<std::int64_t>{134, 1911, 2250, 803, 749, 113}));
    EXPECT_EQ(lengths(made("zipf", 3, 1000)), (std::vector<std::int64_t>{1224, 612, 2449, 490, 408, 816}));
    EXPECT_EQ(lengths(made("experts", 3, 1000)), (std::vector<std::int64_t>{1750, 375, 937, 375, 812, 1750}));
}

TEST(Patterns, AreWhatTheySay) {
    const std::vector<std::int64_t> uniform = lengths(made("uniform", 30, 1000));
    EXPECT_LE(*std::max_element(uniform.begin(), uniform.end()), 2000);
    EXPECT_GT(*std::max_element(uniform.begin(), uniform.end()), 1900);

    std::vector<std::int64_t> zipf = lengths(made("zipf", 16, 100'000));
    std::sort(zipf.rbegin(), zipf.rend());
    EXPECT_NEAR(static_cast<double>(zipf[0]) / static_cast<double>(zipf[9]), 10, 0.01);

    const std::vector<std::int64_t> zeros = lengths(made("zeros", 40, 1000));
    const auto empty = std::count(zeros.begin(), zeros.end(), 0);
    EXPECT_NEAR(static_cast<double>(empty) / static_cast<double>(zeros.size()), 0.8, 0.05);

    const Demand hot = made("hot", 9, 8000);
    std::vector<std::int64_t> received;
    for (Rank to = 0; to < 9; ++to) {
        received.push_back(total(hot.column(to)));
    }
    std::sort(received.begin(), received.end());
    EXPECT_EQ(received.back(), 8 * 32'000);
    EXPECT_LT(4 * received[7], received.back());

    const Demand block = made("block", 16, 1000);
    EXPECT_EQ(block.bytes(0, 3), 5000);
    EXPECT_EQ(block.bytes(0, 4), 0);
    EXPECT_EQ(block.bytes(15, 12), 5000);

    const Demand transpose = made("transpose", 10, 1'000'000);
    const auto ratio = [&](Rank from, Rank to) {
        return static_cast<double>(transpose.bytes(from, to)) / static_cast<double>(transpose.bytes(from, 9));
    };
    EXPECT_NEAR(ratio(0, 1), ratio(5, 1), 1e-4);

    const Demand experts = made("experts", 16, 1'000'000);
    std::vector<std::int64_t> asked;
    for (Rank to = 0; to < 16; ++to) {
        asked.push_back(total(experts.column(to)));
    }
    std::sort(asked.rbegin(), asked.rend());
    EXPECT_NEAR(static_cast<double>(asked[0]) / static_cast<double>(asked[1]), 2, 0.3);
    EXPECT_EQ(total(std::vector<std::int64_t>(experts.row(3).begin(), experts.row(3).end())), 16'000'000);
}

TEST(Patterns, AnUnknownNameIsAnsweredWithTheNearest) {
    const Expected<Demand> demand = make_demand("ziff", 4, 1, 1);
    ASSERT_FALSE(demand);
    EXPECT_EQ(to_string(demand.error()), "there is no pattern 'ziff'; did you mean 'zipf'?");
    EXPECT_EQ(to_string(make_demand("something", 4, 1, 1).error()),
              "there is no pattern 'something'; the patterns are equal, uniform, exponential, zipf, hot, block, zeros, "
              "transpose, experts");
}

}  // namespace
}  // namespace aapc
