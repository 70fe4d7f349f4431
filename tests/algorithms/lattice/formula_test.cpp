// The lattice as a timetable: every pair once, one rank's answers against another's, on networks of every kind.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/detection.hpp"
#include "algorithms/lattice/choice.hpp"
#include "algorithms/lattice/lattice_timetable.hpp"
#include "algorithms/lattice/worlds.hpp"
#include "support/clusters.hpp"

namespace aapc {
namespace {

using lattice::LatticeFormula;
using lattice::LatticeTimetable;
using lattice::Multipliers;

std::unique_ptr<LatticeTimetable> build_lattice(const Network& network, const Placement& placement) {
    auto timetable = lattice::build_formula(network, placement);
    EXPECT_TRUE(timetable) << to_string(timetable.error());
    return timetable ? std::move(*timetable) : nullptr;
}

/// Each ordered pair once; senders, receivers and the query agree; in order of tick; every rank once a slot.
void expect_consistent(const Network& network, const Placement& placement, const std::string& repeat) {
    SCOPED_TRACE(repeat);
    const auto timetable = build_lattice(network, placement);
    ASSERT_NE(timetable, nullptr);
    const Rank ranks = placement.participants();
    ASSERT_EQ(timetable->participants(), ranks);
    EXPECT_EQ(timetable->guarantee(), Guarantee::within_capacity);
    std::set<std::pair<Rank, Rank>> sent;
    std::vector<Transfer> received;
    std::vector<Transfer> all;
    for (Rank rank = 0; rank < ranks; ++rank) {
        const std::vector<Transfer> sends = timetable->sends_of(rank);
        const std::vector<Transfer> receives = timetable->receives_of(rank);
        EXPECT_TRUE(std::is_sorted(sends.begin(), sends.end()));
        EXPECT_TRUE(std::is_sorted(receives.begin(), receives.end()));
        ASSERT_EQ(sends.size(), static_cast<std::size_t>(ranks) - 1);
        for (const Transfer& send : sends) {
            ASSERT_EQ(send.from, rank);
            ASSERT_NE(send.to, rank);
            ASSERT_TRUE(send.phase >= 0 && send.phase < timetable->phases());
            ASSERT_EQ(send.phase, timetable->tick(send.from, send.to));
            EXPECT_TRUE(sent.emplace(send.from, send.to).second);
        }
        std::set<Phase> slots;
        for (const Transfer& receive : receives) {
            ASSERT_EQ(receive.to, rank);
            EXPECT_TRUE(slots.insert(receive.phase / lattice::ticks_in_slot).second);
        }
        all.insert(all.end(), sends.begin(), sends.end());
        received.insert(received.end(), receives.begin(), receives.end());
    }
    std::sort(all.begin(), all.end());
    std::sort(received.begin(), received.end());
    EXPECT_EQ(all, received);
}

TEST(LatticeFormula, EveryRowAndEveryColumnHasOneMessageInEachSlot) {
    for (std::int64_t positions = 1; positions <= 24; ++positions) {
        for (std::int64_t sender = 1; sender <= std::max<std::int64_t>(positions - 1, 1); ++sender) {
            for (std::int64_t receiver = 1; receiver <= std::max<std::int64_t>(positions - 1, 1); ++receiver) {
                if (std::gcd(sender, positions) != 1 || std::gcd(receiver, positions) != 1) {
                    continue;
                }
                const LatticeFormula formula(positions, {sender, receiver, true});
                for (lattice::Position own = 0; own < positions; ++own) {
                    std::set<std::int64_t> row;
                    std::set<std::int64_t> column;
                    for (lattice::Position other = 0; other < positions; ++other) {
                        row.insert(formula.slot(own, other));
                        column.insert(formula.slot(other, own));
                    }
                    ASSERT_EQ(row.size(), static_cast<std::size_t>(positions));
                    ASSERT_EQ(column.size(), static_cast<std::size_t>(positions));
                }
            }
        }
    }
}

/// Whatever the steps: all messages between two full switches are equidistant, and those of one receiver are.
TEST(LatticeFormula, BySwitchIsEvenBetweenSwitches) {
    using lattice::Position;
    using lattice::Tick;
    constexpr Tick ticks = 12 * lattice::ticks_in_slot;
    lattice::Seats seats;
    for (std::int32_t at = 0; at < 3; ++at) {
        seats.ranks_at.push_back(4);
        for (std::int32_t rank = 0; rank < 4; ++rank) {
            seats.by_position.push_back({at, rank});
        }
    }
    for (const lattice::SwitchSteps steps : {lattice::SwitchSteps{0, 0}, {ticks / 7, ticks - 1}, {ticks - 1, 5}}) {
        const LatticeFormula formula(seats, steps);
        ASSERT_EQ(formula.ticks(), ticks);
        std::vector<Tick> all;
        std::vector<Tick> of_one_receiver;
        for (Position from = 4; from < 8; ++from) {
            for (Position to = 8; to < 12; ++to) {
                all.push_back(formula.tick(from, to));
                ASSERT_TRUE(all.back() >= 0 && all.back() < ticks);
            }
            of_one_receiver.push_back(formula.tick(from, 9));
        }
        for (auto* starts : {&all, &of_one_receiver}) {
            std::sort(starts->begin(), starts->end());
            const auto count = static_cast<Tick>(starts->size());
            for (std::size_t index = 1; index < starts->size(); ++index) {
                EXPECT_EQ((*starts)[index] - (*starts)[index - 1], ticks / count);
            }
        }
    }
}

TEST(LatticeFormula, SortsByTick) {
    std::mt19937 random(1);
    std::vector<lattice::Tick> sorted;
    std::vector<std::uint32_t> begin;
    for (const lattice::Tick ticks : {1, 7, 1000, 1 << 30}) {
        for (const std::size_t count : {0U, 1U, 2U, 100U, 1000U}) {
            std::vector<lattice::Tick> items;
            for (std::size_t index = 0; index < count; ++index) {
                items.push_back(static_cast<lattice::Tick>(random() % static_cast<unsigned>(ticks)));
            }
            std::vector<lattice::Tick> expected = items;
            std::sort(expected.begin(), expected.end());
            lattice::sort_by_tick(
                items, ticks, [](lattice::Tick tick) { return tick; }, sorted, begin);
            EXPECT_EQ(items, expected) << ticks << " ticks, " << count << " items";
        }
    }
}

TEST(LatticeFormula, TheoryFindsMultipliersForEveryNumberOfPositions) {
    for (std::int64_t positions = 1; positions <= 3000; ++positions) {
        const Multipliers multipliers = lattice::theoretical_multipliers(positions, 4);
        ASSERT_EQ(std::gcd(multipliers.sender, positions), 1) << positions;
        ASSERT_EQ(std::gcd(multipliers.receiver, positions), 1) << positions;
        ASSERT_TRUE(multipliers.sender >= 1 && multipliers.sender <= std::max<std::int64_t>(positions - 1, 1));
        ASSERT_TRUE(multipliers.receiver >= 1 && multipliers.receiver <= std::max<std::int64_t>(positions - 1, 1));
    }
}

TEST(LatticeFormula, UnevennessIsThatOfItsDefinition) {
    // 5 positions: waves 1 and 2; 1/(1·1·2) + 1/(2·2·1).
    EXPECT_EQ(lattice::unevenness(5, {1, 2, true}, 100), (std::int64_t{3} << 40U) / 4);
    EXPECT_EQ(lattice::unevenness(5, {1, 2, true}, 1), std::int64_t{1} << 39U);
    EXPECT_EQ(lattice::unevenness(1, {1, 1, true}, 100), 0);
}

TEST(LatticeFormula, TheTheoreticalPairIsMoreEvenThanMost) {
    for (const std::int64_t positions : {101, 360, 1024, 4097}) {
        const std::int64_t theory =
            lattice::unevenness(positions, lattice::theoretical_multipliers(positions, 64), positions);
        int worse = 0;
        int tried = 0;
        for (std::int64_t number = 1; number <= 200; ++number) {
            const Multipliers pair{number * 7919 % positions, number * 104729 % positions, true};
            if (std::gcd(pair.sender, positions) == 1 && std::gcd(pair.receiver, positions) == 1) {
                ++tried;
                worse += lattice::unevenness(positions, pair, positions) > theory ? 1 : 0;
            }
        }
        EXPECT_GE(10 * worse, 9 * tried) << positions << ": " << worse << " of " << tried;
    }
}

TEST(Lattice, EverySmallTree) {
    int trees = 0;
    test::for_each_small_tree([&](const Network& network) {
        expect_consistent(network, full_placement(network), "small tree " + std::to_string(trees++));
    });
    EXPECT_GT(trees, 3000);
}

TEST(Lattice, RandomTreesAndPartsOfThem) {
    for (std::uint64_t seed = 0; seed < 300; ++seed) {
        const Network network = test::random_speeds(seed, 24).build();
        const Placement placement =
            seed % 2 == 0 ? full_placement(network) : test::random_part(full_placement(network), seed);
        expect_consistent(network, placement, "seed " + std::to_string(seed));
    }
}

TEST(Lattice, ToriOfAnySidesAndDimensions) {
    for (const auto& sides : std::vector<std::vector<std::int32_t>>{
             {1}, {2}, {5}, {2, 2}, {3, 4}, {5, 7}, {4, 4}, {2, 3, 5}, {4, 4, 4}, {3, 3, 3}}) {
        for (const int ranks : {1, 3}) {
            const Network network = test::small_torus(sides, ranks);
            const std::string name = TorusGrid(sides).text() + ", ranks " + std::to_string(ranks);
            expect_consistent(network, full_placement(network), name);
            expect_consistent(network, test::random_part(full_placement(network), 5), name + ", a part");
        }
    }
}

TEST(Lattice, ClustersAndDetectedMachines) {
    const Network clusters = test::random_clusters(3, 4, 6);
    expect_consistent(clusters, full_placement(clusters), "clusters");
    const DetectedNetwork found = detect_network({{0, "a"}, {0, "a"}, {2, "b"}, {3, "c"}, {2, "b"}}, 0);
    expect_consistent(found.network, found.placement, "detected");
    const auto timetable = build_lattice(found.network, found.placement);
    EXPECT_EQ(timetable->cycle(), (Cycle{0, 0})) << "nobody said how fast it is";
}

TEST(Lattice, TheCycleIsTheBoundAndALittleMore) {
    const Network tree = test::chain_of({4, 4, 4, 4}).build();
    const double bound = tree_bound(tree, full_placement(tree)).seconds_per_byte;
    const auto timetable = build_lattice(tree, full_placement(tree));
    EXPECT_DOUBLE_EQ(timetable->cycle()->bound_seconds_per_byte, bound);
    EXPECT_NEAR(timetable->cycle()->seconds_per_byte, 1.02 * bound, 1e-15);
    EXPECT_EQ(timetable->phases(), 16 * lattice::ticks_in_slot);
    const Network torus = test::small_torus({4, 6});
    const auto on_torus = build_lattice(torus, full_placement(torus));
    EXPECT_NEAR(on_torus->cycle()->seconds_per_byte / on_torus->cycle()->bound_seconds_per_byte, 1.03, 1e-12);
}

/// Nothing but the network and the placement decides; not the names, nor in which order it is asked.
TEST(Lattice, IsTheSameEveryTime) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Network network = test::random_speeds(seed, 16).build();
        const Placement placement = full_placement(network);
        const auto first = build_lattice(network, placement);
        const auto second = build_lattice(network, placement);
        EXPECT_EQ(first->formula(), second->formula());
    }
}

TEST(Lattice, SaysWhatItCannotDo) {
    const Network broken(NetworkKind::tree, {{"n0", false}, {"s0", true}, {"n1", false}}, {{0, 1, 1e8}},
                         {{0, 1}, {2, 1}});
    const auto apart = lattice::build_formula(broken, full_placement(broken));
    ASSERT_FALSE(apart);
    EXPECT_EQ(apart.error().problem, "machine 'n1' is connected to nothing");
    const Network path(NetworkKind::torus, {{"t0", false}, {"t1", false}, {"t2", false}}, {{0, 1, 1e8}, {1, 2, 1e8}},
                       {{0, 1}, {1, 1}, {2, 1}});
    const auto torus = lattice::build_formula(path, full_placement(path));
    ASSERT_FALSE(torus);
    EXPECT_EQ(torus.error().problem, "the links of this network are not those of a torus");
}

}  // namespace
}  // namespace aapc
