#include "selection/measured_start.hpp"

#include <gtest/gtest.h>

#include <vector>

#include "aapc/topology/topology_file.hpp"

namespace aapc::selection {
namespace {

/// The emulated cluster of ./demo: blocks of 8 KB have a bound of 42 ms.
Network chain() {
    return read_topology(
               "[network]\nspeed = \"100Mbit\"\nbuffer = \"128KiB\"\n"
               "[[switch]]\nname = \"s0\"\nmachines = \"n[0-3]\"\n"
               "[[switch]]\nname = \"s1\"\nuplink = \"s0\"\nmachines = \"n[4-7]\"\n"
               "[[switch]]\nname = \"s2\"\nuplink = \"s1\"\nmachines = \"n[8-11]\"\n"
               "[[switch]]\nname = \"s3\"\nuplink = \"s2\"\nmachines = \"n[12-15]\"\n",
               "chain.toml")
        .value();
}

TEST(MeasuredStart, OneBadMomentDoesNotForbidWhatTheBoundPromises) {
    const Network network = chain();
    const Placement placement = full_placement(network);
    const Bound bound = network_bound(network, placement);
    constexpr std::int64_t block_bytes = 8192;
    const auto allowed = [&](double start) {
        return crossover(network, placement, bound, start).block_bytes <= block_bytes;
    };
    ASSERT_TRUE(allowed(3e-3));
    ASSERT_FALSE(allowed(14.6e-3));

    MeasuredStart start(2e-3);
    EXPECT_FALSE(start.seconds().has_value());
    start.note(14.6e-3);
    std::vector<bool> by_time;
    for (int call = 0; call < 4; ++call) {
        if (!allowed(*start.seconds()) && start.is_due_again()) {
            start.note(3.2e-3);
        }
        by_time.push_back(allowed(*start.seconds()));
    }
    EXPECT_EQ(by_time, std::vector<bool>(4, true));
}

TEST(MeasuredStart, TheLeastCounts) {
    MeasuredStart start(2e-3);
    start.note(3e-3);
    start.note(20e-3);
    EXPECT_DOUBLE_EQ(*start.seconds(), 3e-3);
    start.note(1e-6);
    EXPECT_DOUBLE_EQ(*start.seconds(), 2e-3);
}

TEST(MeasuredStart, IsMeasuredEverMoreRarely) {
    MeasuredStart start(2e-3);
    start.note(14.6e-3);
    int measured = 0;
    for (int call = 1; call <= 1024; ++call) {
        measured += start.is_due_again() ? 1 : 0;
    }
    EXPECT_EQ(measured, 11);
}

}  // namespace
}  // namespace aapc::selection
