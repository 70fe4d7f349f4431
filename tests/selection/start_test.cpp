#include "selection/start.hpp"

#include <gtest/gtest.h>

#include "aapc/topology/topology_file.hpp"

namespace aapc::selection {
namespace {

Bound bound_of(const char* text) {
    const Network network = read_topology(text, "network.toml").value();
    return network_bound(network, full_placement(network));
}

Bound star_at_100_mbit() {
    return bound_of("[network]\nspeed = \"100Mbit\"\n[[switch]]\nname = \"s\"\nmachines = \"n[0-15]\"\n");
}

Bound two_clusters() {
    return bound_of(
        "[network]\nkind = \"clusters\"\nspeed = \"100Mbit\"\n"
        "[[cluster]]\nname = \"a\"\nmachines = \"n[0-7]\"\n"
        "[[cluster]]\nname = \"b\"\nmachines = \"n[8-15]\"\n"
        "[wide_area]\nspeed = \"100Mbit\"\nlatency = \"10ms\"\n");
}

// Four messages of 120 us, and 10 us each on links of 100 Mbit/s.
TEST(Start, TakesAsLongAsFiveReductions) {
    const Bound bound = star_at_100_mbit();
    EXPECT_NEAR(expected_agreement_seconds(bound, 16, usual_message_seconds), 0.52e-3, 1e-9);
    EXPECT_NEAR(expected_start_seconds(bound, 16), 2.6e-3, 1e-9);
    EXPECT_NEAR(expected_start_seconds(bound, 4), 1.3e-3, 1e-9);
}

TEST(Start, FollowsWhatTheHostsShow) {
    const Bound bound = star_at_100_mbit();
    const double message = message_seconds_of(0.12e-3, bound, 16);
    EXPECT_NEAR(message, 20e-6, 1e-9);
    const StartCosts fast = start_costs(bound, 16, message);
    EXPECT_NEAR(fast.usual_seconds, 0.6e-3, 1e-9);
    EXPECT_NEAR(fast.least_seconds, 0.24e-3, 1e-9);
}

TEST(Start, CrossesTheWideAreaOnceForEachReduction) {
    const Bound bound = two_clusters();
    EXPECT_DOUBLE_EQ(bound.latency_seconds, 5e-3);
    EXPECT_NEAR(expected_start_seconds(bound, 16), 2.6e-3 + 5 * 10e-3, 1e-9);
    // 12 ms were measured: the latency is none of the processors' time.
    EXPECT_NEAR(message_seconds_of(12e-3, bound, 16), 490e-6, 1e-9);
}

TEST(Start, AnOddMomentForbidsNoSchedule) {
    const Bound bound = star_at_100_mbit();
    EXPECT_NEAR(message_seconds_of(1, bound, 16), 1200e-6, 1e-9);
    const StartCosts slow = start_costs(bound, 16, message_seconds_of(1, bound, 16));
    EXPECT_NEAR(slow.usual_seconds, 5 * 0.52e-3, 1e-9);
    EXPECT_NEAR(slow.least_seconds, 2 * 0.52e-3, 1e-9);
}

TEST(Start, IsWhatTheUserSays) {
    const StartCosts said = start_costs(star_at_100_mbit(), 16, usual_message_seconds, 0.25);
    EXPECT_EQ(said.least_seconds, 0.25);
    EXPECT_EQ(said.usual_seconds, 0.25);
}

}  // namespace
}  // namespace aapc::selection
