#include "selection/crossover.hpp"

#include <gmock/gmock.h>

#include <string>

#include "aapc/topology/topology_file.hpp"
#include "selection/rule.hpp"

namespace aapc::selection {
namespace {

using testing::HasSubstr;

/// So many machines on one switch.
Network star(int machines, const std::string& network_lines) {
    return read_topology("[network]\n" + network_lines + "[[switch]]\nname = \"s0\"\nmachines = \"n[0-" +
                             std::to_string(machines - 1) + "]\"\n",
                         "star.toml")
        .value();
}

Crossover of(const Network& network, double start_seconds) {
    const Placement placement = full_placement(network);
    return crossover(network, placement, network_bound(network, placement), start_seconds);
}

TEST(Crossover, IsAMultipleOfTheStartBeyondWhatThePortsHold) {
    // 4 messages of 8 ns a byte; 125,000 bytes in a port are 1 ms.
    const Network network = star(5, "speed = \"1Gbit\"\n");
    const Crossover found = of(network, 3e-3);
    EXPECT_DOUBLE_EQ(found.start_seconds, 3e-3);
    EXPECT_DOUBLE_EQ(found.buffered_seconds, 1e-3);
    EXPECT_DOUBLE_EQ(found.bound_seconds, 16e-3);
    EXPECT_EQ(found.block_bytes, 500000);
    EXPECT_EQ(of(network, 1e-3).block_bytes, 187500);
    EXPECT_EQ(of(star(5, "speed = \"10Gbit\"\n"), 3e-3).block_bytes, 5000000);
}

TEST(Crossover, ABufferThatTheFileGivesCounts) {
    const Network shallow = star(5, "speed = \"1Gbit\"\nbuffer = \"12500B\"\n");
    const Network deep = star(5, "speed = \"1Gbit\"\nbuffer = \"12500000B\"\n");
    EXPECT_DOUBLE_EQ(of(shallow, 3e-3).buffered_seconds, 1e-4);
    EXPECT_DOUBLE_EQ(of(deep, 3e-3).buffered_seconds, 1e-1);
    EXPECT_DOUBLE_EQ(of(deep, 3e-3).bound_seconds, 115e-3);
}

TEST(Crossover, IsNeverBelowTheSmallestBlockNorForMessagesShorterThanAnyClockKeepsApart) {
    const Crossover small = of(star(200, "speed = \"10Mbit\"\nbuffer = \"1KiB\"\n"), 0);
    EXPECT_EQ(small.block_bytes, smallest_scheduled_block);
    EXPECT_DOUBLE_EQ(small.bound_seconds, 199 * 8192 / 1e7);
    // 2,000 ranks at 100 Gbit/s: 20 microseconds for each message are 250 KB.
    const Crossover many = of(star(2000, "speed = \"100Gbit\"\n"), 1e-3);
    EXPECT_DOUBLE_EQ(many.bound_seconds, 1999 * 20e-6);
    EXPECT_EQ(many.block_bytes, 250000);
}

TEST(Crossover, ExchangesThatAreAlwaysTooShortAreNeverScheduled) {
    const Network network = star(3, "speed = \"1000Gbit\"\nbuffer = \"1KiB\"\n");
    const Crossover found = of(network, 3600);
    EXPECT_GT(found.block_bytes, largest_scheduled_block);
    const Placement placement = full_placement(network);
    const Decision chosen = decide(network, placement, network_bound(network, placement), {}, nullptr, "", 3600);
    EXPECT_TRUE(chosen.at(largest_scheduled_block).native());
}

TEST(Crossover, SaysItsNumbers) {
    EXPECT_THAT(to_string(of(star(5, "speed = \"1Gbit\"\n"), 2.5e-3)),
                HasSubstr("worth a start of 2.5 ms from 13.5 ms of bound on"));
}

}  // namespace
}  // namespace aapc::selection
