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
    EXPECT_DOUBLE_EQ(cut.tick_seconds, 8.0 * 4 * 1547 / 100e6);
    EXPECT_LT(cut.last_tick_seconds, cut.tick_seconds);
}

TEST(Segmentation, KeepsSegmentsWithinLimits) {
    EXPECT_EQ(segment_message(1 << 20, 1e6).segment_bytes, 3 * 1448 - 40);
    EXPECT_EQ(segment_message(1 << 26, 1e9).segment_bytes, 22 * 1448 - 40);
    EXPECT_EQ(segment_message(1 << 20, 1e8, 7).segment_bytes, 7);
    EXPECT_EQ(segment_message(5, 1e8).segments, 1);
    EXPECT_EQ(segment_message(5, 1e8).segment_bytes, 5);
}

// Slots of 2.7 µs, as 22 frames make them at 100 Gbit/s, nobody can keep.
TEST(Segmentation, GoesByTimeWhereLinksAreFast) {
    for (const double speed : {10e9, 25e9, 100e9, 400e9}) {
        const Segmentation cut = segment_message(std::int64_t{1} << 32, speed);
        EXPECT_GE(cut.tick_seconds, 0.99 * usual_shortest_slot_seconds);  // of even segments
        EXPECT_LE(cut.tick_seconds, 1.1 * usual_shortest_slot_seconds);
    }
    Cadence late = cadence_of_phases(1e9);
    late.shortest_slot_seconds = 0.8e-3;
    EXPECT_NEAR(segment_message(1 << 26, late).tick_seconds, 0.8e-3, 13e-6);
    // Where the links are slow a slot is longer than that anyway.
    EXPECT_EQ(segment_message(1 << 26, 100e6).segment_bytes, 4 * 1448 - 40);
}

TEST(Segmentation, KeepsTheLongestQueueWithinTheBuffers) {
    const Cycle cycle{1.02e-6, 1e-6};
    for (const std::int64_t most : {100, 1547, 5000, 10'000, 50'000, 1'000'000}) {
        const Cadence cadence = cadence_of_cycle(cycle, 1 << 20, 10e9, most);
        const Segmentation cut = segment_message(1 << 26, cadence);
        EXPECT_LE(wire_bytes(cut.segment_bytes), std::max<std::int64_t>(most, 1547)) << most;
        EXPECT_GT(cut.segment_bytes, 0);
    }
    EXPECT_EQ(segment_message(1 << 26, cadence_of_cycle(cycle, 8, 10e9, 5000), 60'000).segment_bytes, 60'000);
}

TEST(Segmentation, FillsJumboFrames) {
    const WireFormat jumbo = wire_format(9000);
    EXPECT_EQ(jumbo.payload_per_frame, 8948);
    EXPECT_EQ(wire_format(usual_mtu_bytes).payload_per_frame, WireFormat().payload_per_frame);
    EXPECT_EQ(segment_message(1 << 26, 100e6, 0, jumbo).segment_bytes, 8948 - 40);
    EXPECT_EQ(segment_message(1 << 26, 1e9, 0, jumbo).segment_bytes, 3 * 8948 - 40);
    const Segmentation fast = segment_message(1 << 26, 10e9, 0, jumbo);
    EXPECT_EQ((fast.segment_bytes + 40) % 8948, 0);
    EXPECT_GE(fast.tick_seconds, usual_shortest_slot_seconds);
}

// A cycle is as long for a byte on the wire as the timetable says, however many ticks it has, and phases are a cycle.
TEST(Segmentation, HasOneArithmeticForCyclesAndPhases) {
    const Phase ticks = Phase{1} << 44;
    const double bound = 64 * 8 / 100e6;
    const Cadence cadence = cadence_of_cycle({1.02 * bound, bound}, ticks, 25e6, 30'000);
    EXPECT_EQ(cadence.initial_pace(), 1);
    EXPECT_DOUBLE_EQ(cadence_of_cycle({1.005 * bound, bound}, ticks, 25e6, 30'000).initial_pace(), 0.99 * 1.005);
    const Segmentation cut = segment_message(100'000, cadence);
    EXPECT_NEAR(cut.start_seconds(1, 0, ticks), 1.02 * bound * static_cast<double>(wire_bytes(cut.segment_bytes)),
                1e-12);
    EXPECT_NEAR(cut.start_seconds(1, ticks / 2, ticks), 1.5 * cut.start_seconds(1, 0, ticks), 1e-12);
    // The last message needs its slot on the slowest link, and that may begin at the very end of the cycle.
    EXPECT_NEAR(cut.end_seconds(ticks) - cut.start_seconds(cut.segments - 1, ticks, ticks),
                8 * static_cast<double>(wire_bytes(cut.last_segment_bytes)) / 25e6, 1e-12);

    const Segmentation phases = segment_message(100'000, 100e6);
    const Cadence as_cycle = cadence_of_cycle({64 * 8 / 100e6, 64 * 8 / 100e6}, 64, 100e6, 0);
    const Segmentation same = segment_message(100'000, as_cycle);
    EXPECT_EQ(same.segment_bytes, phases.segment_bytes);
    EXPECT_DOUBLE_EQ(same.start_seconds(3, 17, 64), phases.start_seconds(3, 17, 64));
    EXPECT_DOUBLE_EQ(as_cycle.initial_pace(), PaceController::initial_pace);
}

TEST(Segmentation, IsCloseToTheBoundWherePathsAreLearned) {
    const double bound = 4e-6;
    const Cadence hashed = cadence_of_cycle({1.33 * bound, bound}, 16, 25e6, 30'000);
    const Cadence learned = with_learned_paths(hashed);
    EXPECT_DOUBLE_EQ(learned.tick_seconds_per_byte, learned_over_bound * bound / 16);
    EXPECT_DOUBLE_EQ(learned.cycle_over_bound, learned_over_bound);
    EXPECT_EQ(learned.most_wire_bytes, hashed.most_wire_bytes);
    const Cadence full = cadence_of_cycle({1.01 * bound, bound}, 16, 25e6, 30'000);
    EXPECT_DOUBLE_EQ(with_learned_paths(full).tick_seconds_per_byte, full.tick_seconds_per_byte);
    const Cadence phases = cadence_of_phases(1e9);
    EXPECT_DOUBLE_EQ(with_learned_paths(phases).tick_seconds_per_byte, phases.tick_seconds_per_byte);
}

TEST(Segmentation, CutsMessagesEvenly) {
    for (const std::int64_t bytes : {32'768, 65'536, 131'072, 1'000'000}) {
        const Segmentation cut = segment_message(bytes, 1e9);
        if (cut.segments > 1) {
            EXPECT_GT(cut.last_segment_bytes, cut.segment_bytes - cut.segments * 1448) << bytes;
        }
    }
    EXPECT_EQ(segment_message(32'768, 1e9).segments, 2);
    EXPECT_EQ(segment_message(32'768, 1e9).segment_bytes, 12 * 1448 - 40);
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
        ASSERT_GE(cut.last_tick_seconds * speed / 8, static_cast<double>(cut.last_segment_bytes));
        constexpr Phase phases = 17;
        for (const std::int64_t segment : {std::int64_t{0}, cut.segments / 2, cut.segments - 2}) {
            if (segment >= 0 && segment + 1 < cut.segments) {
                const double last_end = cut.start_seconds(segment, phases - 1, phases) + cut.tick_seconds;
                ASSERT_NEAR(last_end, cut.start_seconds(segment + 1, 0, phases), 1e-9 * last_end);
            }
        }
        ASSERT_GE(cut.end_seconds(phases), cut.start_seconds(cut.segments - 1, phases - 1, phases));
    }
}

}  // namespace
}  // namespace aapc
