// Unequal messages by the clock: what all ranks do together, on the lattice and on phases.
#include "aapc/plan/unequal.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/demand.hpp"
#include "aapc/topology/link_loads.hpp"
#include "algorithms/lattice/lattice_timetable.hpp"
#include "algorithms/lattice/worlds.hpp"

namespace aapc {
namespace {

Demand random_demand(Rank participants, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Demand demand(participants);
    for (Rank from = 0; from < participants; ++from) {
        for (Rank to = 0; to < participants; ++to) {
            demand.set(from, to, random() % 3 == 0 ? 0 : static_cast<std::int64_t>(random() % 60'000));
        }
    }
    return demand;
}

struct Exchange {
    Network network;
    Placement placement;
    Demand demand;
    std::unique_ptr<Timetable> timetable;
    Cadence cadence;
    double bound_seconds = 0;

    Exchange(Network given, std::uint64_t seed)
        : network(std::move(given)),
          placement(full_placement(network)),
          demand(random_demand(placement.participants(), seed)) {
        auto lattice = lattice::build_formula(network, placement);
        EXPECT_TRUE(lattice);
        timetable = std::move(*lattice);
        const Bound bound = network_bound(network, placement);
        cadence = cadence_of_cycle(*timetable->cycle(), timetable->phases(), bound.slowest_bits_per_second, 8000);
        const Expected<LinkLoads> loads = LinkLoads::find(network, placement);
        EXPECT_TRUE(loads);
        std::vector<std::int64_t> all(loads->size(), 0);
        for (Rank rank = 0; rank < demand.participants(); ++rank) {
            std::vector<std::int64_t> share(loads->size());
            const WireCounts counts = wire_counts(cadence, 0, demand.row(rank), demand.column(rank));
            loads->write_share(rank, counts.to, counts.from, share);
            loads->combine(share, all);
        }
        bound_seconds = loads->bound(all).seconds();
    }

    [[nodiscard]] UnequalPlan plan_of(Rank rank) const {
        const Plan plan = make_plan(*timetable, rank, Synchronisation::none);
        return make_unequal_plan(plan, cadence, 0, bound_seconds, demand.row(rank), demand.column(rank));
    }
};

TEST(UnequalPlan, BothEndsCutEveryMessageAlikeAndMoveEveryByteOnce) {
    for (std::uint64_t seed = 0; seed < 40; ++seed) {
        SCOPED_TRACE(seed);
        const Exchange exchange(test::random_speeds(seed, 10).build(), seed);
        std::map<std::pair<Rank, Rank>, std::vector<TimedSegment>> sent;
        std::map<std::pair<Rank, Rank>, std::vector<TimedSegment>> received;
        for (Rank rank = 0; rank < exchange.demand.participants(); ++rank) {
            const UnequalPlan plan = exchange.plan_of(rank);
            for (TimedSegment segment : plan.sends) {
                EXPECT_GE(segment.start_seconds, 0);
                EXPECT_TRUE(segment.start_seconds < plan.cycle_seconds || plan.cycle_seconds == 0);
                sent[{rank, std::exchange(segment.peer, 0)}].push_back(segment);
            }
            for (TimedSegment segment : plan.receives) {
                received[{std::exchange(segment.peer, 0), rank}].push_back(segment);
            }
            EXPECT_NEAR(plan.cycle_seconds, 1.02 * exchange.bound_seconds, 1e-6 * plan.cycle_seconds);
        }
        EXPECT_EQ(sent, received);
        for (Rank from = 0; from < exchange.demand.participants(); ++from) {
            for (Rank to = 0; to < exchange.demand.participants(); ++to) {
                std::int64_t next = 0;
                for (const TimedSegment& segment : sent[{from, to}]) {
                    EXPECT_EQ(segment.offset, next);
                    EXPECT_GT(segment.bytes, 0);
                    next += segment.bytes;
                }
                EXPECT_EQ(next, from == to ? 0 : exchange.demand.bytes(from, to));
            }
        }
    }
}

TEST(UnequalPlan, SegmentsOfAMessageStartEvenlyFromItsTickOn) {
    Plan plan;
    plan.participants = 3;
    plan.phases = 4;
    plan.sends = {{1, 0, 2}, {3, 0, 1}};
    const Cadence cadence = cadence_of_phases(1e8);
    const std::vector<std::int64_t> sent{7, 500, 2000};
    const UnequalPlan unequal = make_unequal_plan(plan, cadence, 1000, 0.8, sent, std::vector<std::int64_t>(3, 0));
    const std::vector<TimedSegment> expected{{0.1, 2, 0, 1000}, {0.5, 2, 1000, 1000}, {0.6, 1, 0, 500}};
    ASSERT_EQ(unequal.sends.size(), expected.size());
    for (std::size_t segment = 0; segment < expected.size(); ++segment) {
        EXPECT_NEAR(unequal.sends[segment].start_seconds, expected[segment].start_seconds, 1e-12);
        EXPECT_EQ(unequal.sends[segment].peer, expected[segment].peer);
        EXPECT_EQ(unequal.sends[segment].offset, expected[segment].offset);
        EXPECT_EQ(unequal.sends[segment].bytes, expected[segment].bytes);
    }
    EXPECT_TRUE(unequal.receives.empty());
    EXPECT_DOUBLE_EQ(unequal.cycle_seconds, 0.8);
    EXPECT_DOUBLE_EQ(unequal.drain_seconds, 8e-8 * static_cast<double>(wire_bytes(1000)));
}

TEST(UnequalPlan, NothingToSendIsNothingToDo) {
    Plan plan;
    plan.participants = 2;
    plan.phases = 1;
    plan.sends = {{0, 0, 1}};
    plan.receives = {{0, 1, 0}};
    const std::vector<std::int64_t> nothing(2, 0);
    const UnequalPlan unequal = make_unequal_plan(plan, cadence_of_phases(1e8), 0, 0, nothing, nothing);
    EXPECT_TRUE(unequal.sends.empty() && unequal.receives.empty());
    EXPECT_EQ(unequal.end_seconds(), 0);
}

TEST(WireCounts, AcknowledgementsBelongToTheReceiver) {
    const Cadence cadence = cadence_of_phases(1e8);
    const std::vector<std::int64_t> sent{0, 1000, 0};
    const std::vector<std::int64_t> received{0, 0, 3000};
    const WireCounts counts = wire_counts(cadence, 0, sent, received);
    EXPECT_EQ(counts.to, (std::vector<std::int64_t>{0, 1000 + 40 + 66, 3 * 33}));
    EXPECT_EQ(counts.from, (std::vector<std::int64_t>{0, 33, 3000 + 40 + 3 * 66}));
    // In segments of 1,000 bytes each has a frame of its own.
    EXPECT_EQ(wire_counts(cadence, 1000, sent, received).from[2], 3 * (1000 + 40 + 66));
}

}  // namespace
}  // namespace aapc
