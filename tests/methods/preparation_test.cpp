// What can be run and what cannot, and what takes its place within a limit of buffers.
#include "aapc/methods/preparation.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/topology/detection.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// Two machines of two ranks each; 0: nobody knows how fast they are connected.
DetectedNetwork two_machines(double bits_per_second) {
    std::vector<RankPlace> places;
    for (int rank = 0; rank < 4; ++rank) {
        places.push_back({rank < 2 ? 0 : 2, rank < 2 ? "h0" : "h1"});
    }
    return detect_network(places, bits_per_second);
}

Expected<Prepared> prepared(const DetectedNetwork& found, std::string_view method) {
    return prepare(found.network, found.placement, network_bound(found.network, found.placement),
                   *parse_method(method, found.network.kind()));
}

TEST(Preparation, HasTheTimetableAndWhatTheNetworkIsKnownToBear) {
    const DetectedNetwork known = two_machines(1e9);
    const auto tree = prepared(known, "tree/paper+sender");
    ASSERT_TRUE(tree) << to_string(tree.error());
    EXPECT_EQ(to_string(tree->method), "tree/paper+sender");
    EXPECT_EQ(tree->timetable->participants(), 4);
    EXPECT_EQ(tree->bound_messages, 4);
    EXPECT_FALSE(tree->cadence.known()) << "no clock is asked for";
    const auto by_the_clock = prepared(known, "tree/paper+timed");
    ASSERT_TRUE(by_the_clock) << to_string(by_the_clock.error());
    EXPECT_EQ(by_the_clock->cadence.slowest_bits_per_second, 1e9);
    EXPECT_FALSE(tree->buffer_blocks) << "nobody has asked";
}

TEST(Preparation, SaysWhyThereIsNone) {
    const DetectedNetwork known = two_machines(1e9);
    const auto unsuited = prepared(known, "bruck+sender");
    ASSERT_FALSE(unsuited);
    EXPECT_EQ(to_string(said_of(*parse_method("bruck+sender", NetworkKind::detected), unsuited.error())),
              "bruck/radix-2+sender: " + to_string(unsuited.error()));
    const Method other{*find_algorithm("torus-direct"), "plain", Synchronisation::timed};
    const auto elsewhere =
        prepare(known.network, known.placement, network_bound(known.network, known.placement), other);
    ASSERT_FALSE(elsewhere);
    EXPECT_THAT(elsewhere.error().problem, HasSubstr("torus"));
}

TEST(Preparation, TimedNeedsASpeed) {
    const DetectedNetwork unknown = two_machines(0);
    for (const char* const method : {"tree+timed", "tree/paper+timed:1448@0.9"}) {
        const auto without = prepared(unknown, method);
        ASSERT_FALSE(without) << method;
        EXPECT_THAT(to_string(without.error()), AllOf(HasSubstr("no speed is known"), HasSubstr("detect:10Gbit")));
        EXPECT_TRUE(prepared(two_machines(1e9), method)) << method;
    }
    EXPECT_TRUE(prepared(unknown, "tree+sender"));
    EXPECT_TRUE(prepared(unknown, "factor"));
}

TEST(Preparation, ARankByItselfKeepsTimeWithNobody) {
    const Network alone = test::chain_of({1}).build();
    const Placement placement = full_placement(alone);
    const auto timed =
        prepare(alone, placement, network_bound(alone, placement), *parse_method("tree+timed", NetworkKind::tree));
    ASSERT_TRUE(timed) << to_string(timed.error());
    EXPECT_EQ(timed->timetable->participants(), 1);
}

/// With every limit from nothing to plenty, the choice is the largest number of divisions that fits.
/// What the algorithm finds, but a tick later.
GivenSchedule a_tick_later(const Network& network, const Placement& placement) {
    const auto timetable = build_timetable(**find_algorithm("lattice"), "settled", network, placement);
    const auto participants = static_cast<std::size_t>((*timetable)->participants());
    const Phase ticks = (*timetable)->phases();
    std::vector<Phase> start_ticks(participants * participants, 0);
    for (Rank rank = 0; rank < (*timetable)->participants(); ++rank) {
        for (const Transfer& send : (*timetable)->sends_of(rank)) {
            start_ticks[static_cast<std::size_t>(rank) * participants + static_cast<std::size_t>(send.to)] =
                (send.phase + 1) % ticks;
        }
    }
    return make_given_schedule("lattice", "settled", placement.machine_of, ticks, *(*timetable)->cycle(),
                               std::move(start_ticks));
}

TEST(GivenSchedules, HaveThePlaceOfWhatTheAlgorithmFindsForTheSameMachines) {
    const Network network = test::random_tree(3, 6, 9).build();
    const Placement placement = full_placement(network);
    const GivenSchedule given = a_tick_later(network, placement);
    const Method lattice = *parse_method("lattice/settled+timed", network.kind());
    const auto followed = prepare(network, placement, network_bound(network, placement), lattice, {.given = &given});
    ASSERT_TRUE(followed) << to_string(followed.error());
    EXPECT_THAT(followed->timetable->remark(), HasSubstr("schedule file"));
    EXPECT_EQ(followed->timetable, given.timetable) << "the times are kept once";
    const Rank participants = placement.participants();
    for (Rank rank = 0; rank < participants; ++rank) {
        const auto sends = followed->timetable->sends_of(rank);
        const auto receives = followed->timetable->receives_of(rank);
        ASSERT_EQ(sends.size(), static_cast<std::size_t>(participants - 1));
        ASSERT_EQ(receives.size(), sends.size());
        EXPECT_TRUE(std::is_sorted(sends.begin(), sends.end()));
        EXPECT_TRUE(std::is_sorted(receives.begin(), receives.end()));
        for (const std::vector<Transfer>& transfers : {sends, receives}) {
            for (const Transfer& one : transfers) {
                EXPECT_EQ(one.phase, given.timetable->start_tick(one.from, one.to));
            }
        }
    }
}

TEST(GivenSchedules, AreLeftWhereTheyAreForSomethingElse) {
    const Network network = test::random_tree(3, 6, 9).build();
    const Placement all = full_placement(network);
    const GivenSchedule given = a_tick_later(network, all);
    Placement reversed = all;
    std::reverse(reversed.machine_of.begin(), reversed.machine_of.end());
    Placement fewer = all;
    fewer.machine_of.pop_back();
    EXPECT_TRUE(given.is_for("lattice", "settled", all));
    EXPECT_FALSE(given.is_for("lattice", "formula", all));
    EXPECT_FALSE(given.is_for("tree", "settled", all));
    EXPECT_FALSE(given.is_for("lattice", "settled", reversed));
    EXPECT_FALSE(given.is_for("lattice", "settled", fewer));
    const Method lattice = *parse_method("lattice/settled+timed", network.kind());
    const auto own = prepare(network, fewer, network_bound(network, fewer), lattice, {.given = &given});
    ASSERT_TRUE(own) << to_string(own.error());
    EXPECT_EQ(own->timetable->participants(), fewer.participants());
    EXPECT_THAT(own->timetable->remark(), Not(HasSubstr("schedule file")));
}

TEST(GivenSchedules, TravelAsBytes) {
    const Network network = test::random_tree(5, 2, 6).build();
    const GivenSchedule given = a_tick_later(network, full_placement(network));
    const GivenSchedule come = unpack_given_schedule(pack(given));
    EXPECT_EQ(come.algorithm, given.algorithm);
    EXPECT_EQ(come.variant, given.variant);
    EXPECT_EQ(come.machine_of, given.machine_of);
    EXPECT_EQ(come.timetable->phases(), given.timetable->phases());
    EXPECT_EQ(come.timetable->cycle(), given.timetable->cycle());
    EXPECT_EQ(come.timetable->start_ticks(), given.timetable->start_ticks());
}

TEST(Timetables, AreBuiltOnceAndKnownByTheirPhasesAfterThat) {
    const Network network = test::random_tree(3, 6, 9).build();
    const Placement placement = full_placement(network);
    Timetables timetables(network, placement);
    const Algorithm& tree = **find_algorithm("tree");
    const auto phases = timetables.phases(tree, "");
    const auto found = timetables.find(tree, tree.variants.front());
    ASSERT_TRUE(phases && found);
    EXPECT_EQ(*phases, (*found)->phases());
    const auto prepared = prepare(timetables, *parse_method("tree+sender", network.kind()));
    ASSERT_TRUE(prepared) << to_string(prepared.error());
    EXPECT_EQ(prepared->timetable, *found);
    EXPECT_NE(*timetables.find(tree, "paper"), *found);
    timetables.release(tree, tree.variants.front());
    EXPECT_EQ(*timetables.phases(tree, ""), *phases);
    EXPECT_NE(*timetables.find(tree, ""), *found) << "what was handed on is built again for others";
    const Algorithm& torus = **find_algorithm("torus-direct");
    const auto refused = timetables.find(torus, "");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().problem, build_timetable(torus, "", network, placement).error().problem);
    EXPECT_EQ(timetables.phases(torus, "").error().problem, refused.error().problem);
}

TEST(BufferLimit, TakesTheLargestNumberOfDivisionsThatFits) {
    const Network network = test::torus_of({8, 8});
    const Placement placement = full_placement(network);
    const Bound bound = network_bound(network, placement);
    std::vector<std::int64_t> needs;
    for (const int divisions : {0, 1, 2}) {
        needs.push_back(largest_buffer_blocks(
            **build_timetable(**find_algorithm("torus"), fmt::format("divisions-{}", divisions), network, placement),
            Synchronisation::none));
    }
    ASSERT_TRUE(needs[0] < needs[1] && needs[1] < needs[2]);
    for (int wanted = 0; wanted <= 2; ++wanted) {
        const Method method = *parse_method(fmt::format("torus/divisions-{}", wanted), NetworkKind::torus);
        for (int fitting = -1; fitting <= 2; ++fitting) {
            const std::int64_t limit = fitting < 0 ? needs[0] - 1 : needs[static_cast<std::size_t>(fitting)];
            const auto fitted = prepare(network, placement, bound, method, {.most_buffer_blocks = limit});
            ASSERT_EQ(fitted.has_value(), fitting >= 0);
            if (fitted) {
                const int expected = std::min(wanted, fitting);
                EXPECT_EQ(fitted->method.variant, fmt::format("divisions-{}", expected));
                EXPECT_EQ(fitted->method.synchronisation, method.synchronisation);
                EXPECT_EQ(fitted->buffer_blocks, needs[static_cast<std::size_t>(expected)]);
                EXPECT_EQ(fitted->too_large.size(), static_cast<std::size_t>(wanted - expected));
            }
        }
    }
    const auto refused =
        prepare(network, placement, bound, *parse_method("torus", NetworkKind::torus), {.most_buffer_blocks = 5});
    ASSERT_FALSE(refused);
    EXPECT_EQ(to_string(refused.error()),
              fmt::format("torus/divisions-0 needs buffers of {} blocks, and the limit is 5; allow more, or choose an "
                          "algorithm that forwards nothing",
                          needs[0]));
    EXPECT_TRUE(prepare(network, placement, bound, *parse_method("torus-direct", NetworkKind::torus),
                        {.most_buffer_blocks = 0}));
    EXPECT_FALSE(with_smaller_buffers(*parse_method("bruck", NetworkKind::torus)));
    EXPECT_FALSE(with_smaller_buffers(Method{}));
}

}  // namespace
}  // namespace aapc
