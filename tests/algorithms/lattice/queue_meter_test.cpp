// The meter by which lattices are chosen, against examples by hand and a simulation in small steps.
#include "algorithms/lattice/queue_meter.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "algorithms/lattice/choice.hpp"
#include "algorithms/lattice/worlds.hpp"

namespace aapc {
namespace {

using lattice::Position;
using lattice::QueueMeter;
using lattice::Tick;
using lattice::Traffic;

constexpr std::int64_t any_queue = std::int64_t{1} << 60U;

struct Start {
    Tick tick;
    Position from;
    Position to;
};

double measured(const Traffic& traffic, Tick ticks, std::int64_t slack, std::vector<Start> starts) {
    std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.tick < b.tick; });
    QueueMeter meter(traffic, ticks, slack);
    for (const Start& start : starts) {
        meter.add(start.from, start.to, start.tick);
    }
    return static_cast<double>(meter.longest(any_queue)) / lattice::parts_of_message;
}

/// Three cycles in steps of a tick, in floating point.
double simulated(const Traffic& traffic, Tick ticks, std::int64_t slack, const std::vector<Start>& starts) {
    const double message = static_cast<double>(ticks) * static_cast<double>(traffic.busiest().speed) /
                           static_cast<double>(traffic.busiest().messages) * 1000 / static_cast<double>(1000 + slack);
    std::vector<std::vector<double>> inflow(traffic.channels(), std::vector<double>(static_cast<std::size_t>(ticks)));
    for (const Start& start : starts) {
        for (const lattice::Hop& hop : traffic.route(start.from, start.to)) {
            double rest = message;
            for (Tick tick = start.tick; rest > 0; ++tick) {
                const double part = std::min<double>(rest, hop.inflow);
                inflow[static_cast<std::size_t>(hop.channel)][static_cast<std::size_t>(tick % ticks)] += part;
                rest -= part;
            }
        }
    }
    double longest = 0;
    for (std::size_t channel = 0; channel < traffic.channels(); ++channel) {
        double queue = 0;
        for (int cycle = 0; cycle < 3; ++cycle) {
            for (const double part : inflow[channel]) {
                queue = std::max(0.0, queue + part - static_cast<double>(traffic.speed(channel)));
                longest = std::max(longest, queue);
            }
        }
    }
    return longest / message;
}

Traffic traffic_of(const Network& network) {
    const Placement placement = full_placement(network);
    return *Traffic::find(network, placement, *lattice::place_ranks(network, placement), 1 << 20);
}

TEST(QueueMeter, TwoMessagesIntoOnePort) {
    const Traffic traffic = traffic_of(test::star_of({1, 1, 1}).build());
    constexpr Tick slot = 1 << 20;
    constexpr Tick ticks = 2 * slot;
    // The port of position 2 when the messages to it start at these ticks.
    const auto queue = [&](Tick first, Tick second) {
        QueueMeter meter(traffic, ticks, 0);
        meter.add(0, 2, first);
        meter.add(1, 2, second);
        return static_cast<double>(meter.longest(any_queue)) / lattice::parts_of_message;
    };
    EXPECT_EQ(queue(0, slot), 0);
    EXPECT_EQ(queue(0, 0), 1);
    EXPECT_EQ(queue(0, slot / 2), 0.5);
    EXPECT_EQ(queue(slot / 4, slot), 0.25);
    EXPECT_EQ(queue(0, slot + slot / 4), 0.25) << "the one that ends in the next cycle";
    EXPECT_EQ(queue(slot - 1, ticks - 1), 0);
}

TEST(QueueMeter, AgreesWithASimulationInSmallSteps) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Network network = test::random_speeds(seed, 8).build();
        const Traffic traffic = traffic_of(network);
        if (traffic.channels() == 0) {
            continue;
        }
        std::mt19937_64 random(seed);
        const std::int64_t slack = seed % 3 == 0 ? 0 : 25;
        constexpr Tick ticks = 200'000;
        std::vector<Start> starts;
        for (Position from = 0; from < traffic.positions(); ++from) {
            for (Position to = 0; to < traffic.positions(); ++to) {
                if (from != to) {
                    starts.push_back({static_cast<Tick>(random() % ticks), from, to});
                }
            }
        }
        const double expected = simulated(traffic, ticks, slack, starts);
        constexpr Tick finer = 1000;  // whole ticks are too coarse for messages on fast links
        for (Start& start : starts) {
            start.tick *= finer;
        }
        EXPECT_NEAR(measured(traffic, finer * ticks, slack, starts), expected, 0.02 + 0.02 * expected)
            << "seed " << seed;
    }
}

/// A part of the channels has a part of the queues, and the busiest of them is there.
TEST(QueueMeter, PlaysAPartOfTheChannels) {
    test::TreeBuilder tree = test::chain_of({4, 4});
    const Traffic traffic = traffic_of(tree.build());
    const lattice::LatticeFormula formula(8, {3, 5, true});
    std::vector<Start> starts;
    for (Position from = 0; from < 8; ++from) {
        for (Position to = 0; to < 8; ++to) {
            if (from != to) {
                starts.push_back({formula.tick(from, to), from, to});
            }
        }
    }
    std::sort(starts.begin(), starts.end(), [](const Start& a, const Start& b) { return a.tick < b.tick; });
    const auto longest = [&](std::int64_t most_messages, bool complete) {
        QueueMeter meter(traffic, formula.ticks(), 20, most_messages);
        EXPECT_EQ(meter.is_complete(), complete);
        for (const Start& start : starts) {
            meter.add(start.from, start.to, start.tick);
        }
        return meter.longest(any_queue);
    };
    const std::int64_t all = longest(1000, true);
    EXPECT_GT(all, 0);
    EXPECT_EQ(longest(32, false), all) << "both directions of the trunk";
    EXPECT_GT(longest(1, false), 0) << "one direction of the trunk";
}

TEST(QueueMeter, StopsWhereItIsEnough) {
    const Traffic traffic = traffic_of(test::star_of({1, 1, 1}).build());
    QueueMeter meter(traffic, 2 << 20, 0);
    for (const Position from : {0, 1}) {
        meter.add(from, 2, 0);
    }
    EXPECT_EQ(meter.longest(0), lattice::parts_of_message);
    meter.clear();
    EXPECT_EQ(meter.longest(0), 0);
}

/// What the trials report is what playing the chosen lattice gives, and none of them was better.
TEST(LatticeChoice, ReportsTheQueueOfWhatItChose) {
    for (const std::uint64_t seed : {1U, 2U, 3U, 4U, 5U}) {
        const Traffic traffic = traffic_of(test::random_speeds(seed, 20).build());
        if (traffic.channels() == 0) {
            continue;
        }
        const lattice::Choice little = lattice::best_of_trials(traffic, 20, 1);
        const lattice::Choice much = lattice::best_of_trials(traffic, 20, lattice::work_of_trials);
        EXPECT_LE(much.queue, little.queue) << "seed " << seed;
        const lattice::LatticeFormula& formula = much.formula;
        std::vector<Start> starts;
        for (Position from = 0; from < traffic.positions(); ++from) {
            for (Position to = 0; to < traffic.positions(); ++to) {
                if (from != to) {
                    starts.push_back({formula.tick(from, to), from, to});
                }
            }
        }
        EXPECT_EQ(measured(traffic, formula.ticks(), 20, starts),
                  static_cast<double>(much.queue) / lattice::parts_of_message)
            << "seed " << seed;
    }
}

}  // namespace
}  // namespace aapc
