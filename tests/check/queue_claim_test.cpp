// What is said of queues is refused where it is not what was found.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "aapc/check/queues.hpp"
#include "check/cycles.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

/// Everything at once on two switches: 3 messages wait at the trunk, both ways, 2 at every port.
struct Claimed : testing::Test {
    Network network = with_buffers(test::chain_of({2, 2}).build());
    Schedule schedule = *check_schedule(test::random_cycle(network, full_placement(network), 1, 1, 0), network,
                                        full_placement(network));
    QueueCertificate certificate = *certify_queues(schedule);

    /// 1 MB at both ends of the trunk.
    static Network with_buffers(const Network& plain) {
        std::vector<Link> links = plain.links();
        for (Link& link : links) {
            const bool is_trunk = plain.vertices()[static_cast<std::size_t>(link.lower)].is_switch;
            link.lower_buffer_bytes = is_trunk ? 1'000'000 : 0;
            link.upper_buffer_bytes = is_trunk ? 1'000'000 : 0;
        }
        return {plain.kind(), plain.vertices(), links, plain.machines()};
    }

    [[nodiscard]] std::string complaint(const QueueClaim& claim) const {
        const auto violation = check_queue_claim(certificate, network, claim);
        return violation ? violation->what : "";
    }
};

TEST_F(Claimed, WhatWasFoundIsTaken) {
    EXPECT_EQ(complaint({3, "s1", "s0"}), "");
    EXPECT_EQ(complaint({3, "s0", "s1"}), "") << "as long";
    EXPECT_EQ(complaint({3 + 1e-9, "s0", "s1"}), "") << "rounding";
}

TEST_F(Claimed, WrongLength) {
    const std::string found = "longest queue 3 messages on s1->s0, at 0.25 of the cycle.";
    EXPECT_EQ(complaint({2.9, "s1", "s0"}), "The longest queue is said to be 2.9 messages, but there is " + found);
    EXPECT_EQ(complaint({3.1, "s1", "s0"}), "The longest queue is said to be 3.1 messages, but there is " + found);
    EXPECT_EQ(complaint({0, "", ""}), "The longest queue is said to be 0 messages, but there is " + found);
}

TEST_F(Claimed, WrongLink) {
    EXPECT_EQ(
        complaint({3, "s0", "n0"}),
        "The longest queue is said to be on s0->n0, but there 2 messages wait at most; longest queue 3 messages on "
        "s1->s0, at 0.25 of the cycle.");
    EXPECT_EQ(complaint({3, "s0", "s9"}),
              "The longest queue is said to be on s0->s9, which is no link that any message uses.");
    EXPECT_EQ(complaint({3, "", ""}), "The longest queue is said to be on ->, which is no link that any message uses.");
}

TEST_F(Claimed, NoQueue) {
    ScheduleDraft draft = test::random_cycle(network, full_placement(network), 1, 1000, 0);
    draft.ticks = 12;
    for (Phase tick = 0; tick < 12; ++tick) {
        draft.transfers[static_cast<std::size_t>(tick)].phase = tick;
    }
    certificate = *certify_queues(*check_schedule(draft, network, full_placement(network)));
    EXPECT_EQ(complaint({0, "", ""}), "");
    EXPECT_EQ(complaint({1, "s0", "s1"}), "The longest queue is said to be 1 messages, but there is no queue.");
}

TEST_F(Claimed, SegmentsAndBuffers) {
    EXPECT_FALSE(check_buffers(certificate, network, 333'333));
    const auto violation = check_buffers(certificate, network, 333'334);
    ASSERT_TRUE(violation);
    EXPECT_EQ(violation->what,
              "On s1->s0 up to 1000002 bytes wait, in segments of 333334, but the port holds 1000000.");
    EXPECT_FALSE(check_buffers(certificate, test::chain_of({2, 2}).build(), 1e12)) << "no buffer is known";
}

}  // namespace
}  // namespace aapc
