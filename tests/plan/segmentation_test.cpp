#include <gtest/gtest.h>

#include <random>

#include "aapc/plan/pacing.hpp"

namespace aapc {
namespace {

TEST(WireBytes, CountsFramesHeadersAndAcknowledgements) {
    EXPECT_EQ(wire_bytes(1448 - 40), 1448 + 66 + 33);
    EXPECT_EQ(wire_bytes(1448 - 39), 1449 + 2 * (66 + 33));
    EXPECT_EQ(wire_bytes(1), 41 + 66 + 33);
}

TEST(Segmentation, FillsFramesAtHundredMegabit) {
    const Segmentation cut = segment_message(131'072, 100e6);
    EXPECT_EQ(cut.segment_bytes, 4 * 1448 - 40);
    EXPECT_EQ(cut.segments, 23);
    EXPECT_EQ(cut.last_segment_bytes, 131'072 - 22 * 5752);
    EXPECT_DOUBLE_EQ(cut.slot_seconds, 8.0 * 4 * 1547 / 100e6);
    EXPECT_LT(cut.last_slot_seconds, cut.slot_seconds);
}

TEST(Segmentation, KeepsSegmentsWithinLimits) {
    EXPECT_EQ(segment_message(1 << 20, 1e6).segment_bytes, 3 * 1448 - 40);
    EXPECT_EQ(segment_message(1 << 20, 1e12).segment_bytes, 22 * 1448 - 40);
    EXPECT_EQ(segment_message(1 << 20, 1e8, 7).segment_bytes, 7);
    EXPECT_EQ(segment_message(5, 1e8).segments, 1);
    EXPECT_EQ(segment_message(5, 1e8).segment_bytes, 5);
}

TEST(Segmentation, CoversTheMessageAndNeverOverlapsSlots) {
    std::mt19937_64 random(20261121);
    for (int round = 0; round < 20'000; ++round) {
        const auto bytes = static_cast<std::int64_t>(1 + random() % (1ULL << (random() % 40)));
        const double speed = static_cast<double>(1'000'000ULL << (random() % 16));
        const auto forced = random() % 2 == 0 ? 0 : static_cast<std::int64_t>(1 + random() % 100'000);
        const Segmentation cut = segment_message(bytes, speed, forced);
        SCOPED_TRACE("bytes " + std::to_string(bytes) + ", speed " + std::to_string(speed) + ", segment " +
                     std::to_string(forced));
        ASSERT_EQ((cut.segments - 1) * cut.segment_bytes + cut.last_segment_bytes, bytes);
        ASSERT_GT(cut.last_segment_bytes, 0);
        ASSERT_LE(cut.last_segment_bytes, cut.segment_bytes);
        // The wire is never asked for more than its speed.
        ASSERT_GE(cut.last_slot_seconds * speed / 8, static_cast<double>(cut.last_segment_bytes));
        constexpr Phase phases = 17;
        for (const std::int64_t segment : {std::int64_t{0}, cut.segments / 2, cut.segments - 2}) {
            if (segment >= 0 && segment + 1 < cut.segments) {
                const double last_end = cut.start_seconds(segment, phases - 1, phases) + cut.slot_seconds;
                ASSERT_NEAR(last_end, cut.start_seconds(segment + 1, 0, phases), 1e-9 * last_end);
            }
        }
        ASSERT_GE(cut.end_seconds(phases), cut.start_seconds(cut.segments - 1, phases - 1, phases));
    }
}

}  // namespace
}  // namespace aapc
