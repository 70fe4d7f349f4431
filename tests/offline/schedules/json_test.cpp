#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <nlohmann/json.hpp>

#include "aapc/methods/schedule_file.hpp"
#include "aapc/offline/schedule_text.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "check/drafts.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

Schedule ring_of_three(const Network& network) {
    return *check_schedule(test::ring_draft(3), network, full_placement(network));
}

TEST(ScheduleJson, IsWrittenAsDocumented) {
    const Network network = test::chain_of({3}).build();
    const std::string expected = R"({
  "format": "aapc-schedule/1",
  "algorithm": "ring",
  "variant": "",
  "participants": [
    {"name": "n0", "machine": "n0"},
    {"name": "n1", "machine": "n1"},
    {"name": "n2", "machine": "n2"}
  ],
  "bound": 2,
  "guarantee": "shortest",
  "phases": [
    [{"from": 0, "to": 1}, {"from": 1, "to": 2}, {"from": 2, "to": 0}],
    [{"from": 0, "to": 2}, {"from": 1, "to": 0}, {"from": 2, "to": 1}]
  ],
  "queue": {"messages": 0},
  "synchronisation": {
    "name": "sender",
    "edges": [
      {"after": [0, 1], "before": [2, 1]}
    ]
  }
}
)";
    EXPECT_EQ(schedule_json(ring_of_three(network), Synchronisation::sender, {{{0, 0, 1}, {1, 2, 1}}}), expected);
}

TEST(ScheduleJson, NoBoundAndNoPhases) {
    const Network network = test::chain_of({2}).build();
    const Schedule schedule = *check_schedule({"a", "b", std::nullopt, {}}, network, Placement{{1}});
    EXPECT_EQ(schedule_json(schedule, Synchronisation::none, {}), R"({
  "format": "aapc-schedule/1",
  "algorithm": "a",
  "variant": "b",
  "participants": [
    {"name": "n1", "machine": "n1"}
  ],
  "bound": null,
  "guarantee": "shortest",
  "phases": [],
  "queue": {"messages": 0},
  "synchronisation": {
    "name": "none",
    "edges": []
  }
}
)");
}

TEST(ScheduleJson, NamesAreEscaped) {
    const std::string name = "a\"\\\n\t\x01</script>\xC3\xA4";
    const Network network(NetworkKind::tree, {{name, false}}, {}, {{0, 1}});
    const Schedule schedule = *check_schedule({name, name, 0, {}}, network, full_placement(network));
    const std::string text = schedule_json(schedule, Synchronisation::none, {});
    const auto document = read_schedule_document(text, "f");
    ASSERT_TRUE(document) << to_string(document.error());
    EXPECT_EQ(document->draft.algorithm, name);
    EXPECT_EQ(document->draft.variant, name);
    EXPECT_EQ(document->participants.at(0).machine, name);
}

/// Written, read, checked and written again: the same bytes. An independent parser sees the same numbers.
TEST(ScheduleJson, RoundTrips) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const test::TreeBuilder tree = test::random_tree(seed, 1, 9);
        const Network network = tree.build();
        const Placement placement = test::random_part(full_placement(network), seed);
        const auto built = test::build_tree_schedule(network, placement, seed % 2 == 0 ? "paper" : "merged");
        ASSERT_TRUE(built.schedule) << built.schedule.error().what;
        const Synchronisation synchronisation = std::array{Synchronisation::none, Synchronisation::sender,
                                                           Synchronisation::receiver, Synchronisation::timed}[seed % 4];
        const std::vector<Edge> edges = synchronisation_edges(*built.schedule, synchronisation, Reduction::pair_rule);
        const std::string text = schedule_json(*built.schedule, synchronisation, edges);

        const auto document = read_schedule_document(text, "f");
        ASSERT_TRUE(document) << "seed " << seed << ": " << to_string(document.error());
        EXPECT_EQ(document->draft.algorithm, built.schedule->algorithm());
        EXPECT_EQ(document->draft.variant, built.schedule->variant());
        EXPECT_EQ(document->draft.bound, built.schedule->bound());
        EXPECT_EQ(document->draft.phases, built.schedule->phases());
        EXPECT_EQ(document->synchronisation, synchronisation);
        EXPECT_EQ(document->edges, edges);
        ASSERT_EQ(document->participants.size(), placement.machine_of.size());
        for (std::size_t rank = 0; rank < placement.machine_of.size(); ++rank) {
            EXPECT_EQ(document->participants[rank].machine, network.machine_name(placement.machine_of[rank]));
            EXPECT_EQ(document->participants[rank].name, participant_names(network, placement)[rank]);
        }
        const auto again = check_schedule(document->draft, network, placement);
        ASSERT_TRUE(again) << again.error().what;
        EXPECT_EQ(schedule_json(*again, document->synchronisation, document->edges), text) << "seed " << seed;

        const nlohmann::json json = nlohmann::json::parse(text);
        EXPECT_EQ(json["bound"], built.schedule->bound().value());
        ASSERT_EQ(json["phases"].size(), built.schedule->phases().size());
        for (std::size_t phase = 0; phase < json["phases"].size(); ++phase) {
            ASSERT_EQ(json["phases"][phase].size(), built.schedule->phases()[phase].size());
            for (std::size_t index = 0; index < json["phases"][phase].size(); ++index) {
                EXPECT_EQ(json["phases"][phase][index]["from"], built.schedule->phases()[phase][index].from);
                EXPECT_EQ(json["phases"][phase][index]["to"], built.schedule->phases()[phase][index].to);
            }
        }
        EXPECT_EQ(json["synchronisation"]["edges"].size(), edges.size());
    }
}

TEST(ScheduleJson, MembersInAnyOrderAndOptionalOnesAbsent) {
    const auto document = read_schedule_document(
        R"( {"phases":[[{"to":1,"from":0}],[]],"synchronisation":{"edges":[{"before":[7,8],"after":[0,1]}],
             "name":"receiver"},"participants":[],"format":"aapc-schedule/1"} )",
        "f");
    ASSERT_TRUE(document) << to_string(document.error());
    EXPECT_EQ(document->draft.phases, (std::vector<std::vector<Transfer>>{{{0, 0, 1}}, {}}));
    EXPECT_EQ(document->draft.bound, std::nullopt);
    EXPECT_EQ(document->draft.algorithm, "");
    EXPECT_EQ(document->synchronisation, Synchronisation::receiver);
    EXPECT_EQ(document->edges, (std::vector<Edge>{{{0, 0, 1}, {-1, 7, 8}}})) << "an unknown message has no phase";
    const auto plain = read_schedule_document(R"({"format":"aapc-schedule/1","participants":[],"phases":[]})", "f");
    ASSERT_TRUE(plain);
    EXPECT_EQ(plain->synchronisation, Synchronisation::none);
    EXPECT_EQ(plain->draft.guarantee, Guarantee::contention_free);
    EXPECT_FALSE(plain->draft.forwards());
    EXPECT_EQ(plain->dummies, std::vector<Transfer>());
    EXPECT_EQ(plain->edges, std::vector<Edge>());
}

TEST(ScheduleJson, BlocksOfForwardedMessages) {
    const Network network = test::chain_of({3}).build();
    const ScheduleDraft draft{"a",
                              "b",
                              std::nullopt,
                              {{{0, 0, 1}, {0, 2, 1}}, {{1, 1, 2}}, {{2, 1, 0}}},
                              Guarantee::nothing,
                              {{{{0, 2}, {0, 1}}, {{2, 1}, {2, 0}}}, {{{1, 2}, {0, 2}}}, {{{1, 0}, {2, 0}}}}};
    const auto schedule = check_schedule(draft, network, full_placement(network));
    ASSERT_TRUE(schedule) << schedule.error().what;
    const std::string text = schedule_json(*schedule, Synchronisation::none, {});
    EXPECT_THAT(text, testing::HasSubstr(R"(
  "bound": null,
  "guarantee": "nothing",
  "phases": [
    [{"from": 0, "to": 1, "blocks": [[0, 2], [0, 1]]}, {"from": 2, "to": 1, "blocks": [[2, 1], [2, 0]]}],
    [{"from": 1, "to": 2, "blocks": [[1, 2], [0, 2]]}],
    [{"from": 1, "to": 0, "blocks": [[1, 0], [2, 0]]}]
  ],
)"));
    const auto document = read_schedule_document(text, "f");
    ASSERT_TRUE(document) << to_string(document.error());
    EXPECT_EQ(document->draft.phases, draft.phases);
    EXPECT_EQ(document->draft.blocks, draft.blocks);
    EXPECT_EQ(document->draft.guarantee, Guarantee::nothing);
}

/// Phases without messages keep blocks and phases side by side.
TEST(ScheduleJson, BlocksAndEmptyPhases) {
    const auto document = read_schedule_document(
        R"({"format":"aapc-schedule/1","participants":[],"phases":[[],[{"blocks":[[4,5]],"to":1,"from":0}],[],[]]})",
        "f");
    ASSERT_TRUE(document) << to_string(document.error());
    EXPECT_EQ(document->draft.blocks, (std::vector<std::vector<std::vector<Block>>>{{}, {{{4, 5}}}, {}, {}}));
}

TEST(ScheduleJson, DummiesAreWrittenAsDocumented) {
    const Network network = test::chain_of({1, 2}).build();
    const auto built = test::build_tree_schedule(network, full_placement(network), "merged");
    const std::vector<Transfer> dummies = dummy_transfers(*built.schedule, Synchronisation::dummy);
    const std::string text = schedule_json(*built.schedule, Synchronisation::dummy, {});
    const nlohmann::json json = nlohmann::json::parse(text);
    ASSERT_EQ(json["synchronisation"]["dummies"].size(), dummies.size());
    for (std::size_t index = 0; index < dummies.size(); ++index) {
        EXPECT_EQ(json["synchronisation"]["dummies"][index],
                  (nlohmann::json{
                      {"phase", dummies[index].phase}, {"from", dummies[index].from}, {"to", dummies[index].to}}));
    }
    const auto document = read_schedule_document(text, "f");
    ASSERT_TRUE(document) << to_string(document.error());
    EXPECT_EQ(document->dummies, dummies);
    const Schedule alone = *check_schedule({"a", "b", 0, {}}, network, Placement{{1}});
    EXPECT_THAT(schedule_json(alone, Synchronisation::dummy, {}), testing::EndsWith(R"(
  "synchronisation": {
    "name": "dummy",
    "edges": [],
    "dummies": []
  }
}
)"));
}

TEST(ScheduleJson, AMissingGuaranteeIsThatOfTheBound) {
    const auto guarantee = [](std::string_view members) {
        const auto document = read_schedule_document(
            fmt::format(R"({{{} "format":"aapc-schedule/1","participants":[],"phases":[]}})", members), "f");
        EXPECT_TRUE(document) << to_string(document.error());
        return document->draft.guarantee;
    };
    EXPECT_EQ(guarantee(R"("bound": 3,)"), Guarantee::shortest);
    EXPECT_EQ(guarantee(R"("bound": null,)"), Guarantee::contention_free);
    EXPECT_EQ(guarantee(""), Guarantee::contention_free);
    EXPECT_EQ(guarantee(R"("bound": 3, "guarantee": "one-port",)"), Guarantee::one_port);
    EXPECT_EQ(guarantee(R"("guarantee": "shortest",)"), Guarantee::shortest);
    EXPECT_EQ(guarantee(R"("guarantee": "nothing", "bound": 0,)"), Guarantee::nothing);
    EXPECT_EQ(guarantee(R"("guarantee": "contention-free", "bound": 0,)"), Guarantee::contention_free);
}

/// Whatever the table of algorithms makes, in each of its variants, with its own synchronisation and with `dummy`.
TEST(ScheduleJson, EveryAlgorithmRoundTrips) {
    for (std::uint64_t seed = 0; seed < 20; ++seed) {
        const Network network = test::random_tree(seed, 1, 9).build();
        const Placement placement = test::random_part(full_placement(network), seed);
        for (const Algorithm& algorithm : algorithms()) {
            for (const std::string_view variant : algorithm.variants) {
                if (!algorithm.is_for(network.kind())) {
                    continue;
                }
                SCOPED_TRACE(fmt::format("seed {}, {} {}", seed, algorithm.name, variant));
                const auto timetable = build_timetable(algorithm, variant, network, placement);
                ASSERT_TRUE(timetable) << to_string(timetable.error());
                const ScheduleDraft draft = tabulate(**timetable, std::string(algorithm.name), std::string(variant),
                                                     tree_bound(network, placement).messages);
                const auto schedule = check_schedule(draft, network, placement);
                ASSERT_TRUE(schedule) << schedule.error().what;
                for (const Synchronisation& synchronisation : {algorithm.synchronisation, Synchronisation::dummy}) {
                    const std::string text = schedule_json(*schedule, synchronisation, {});
                    const auto document = read_schedule_document(text, "f");
                    ASSERT_TRUE(document) << to_string(document.error());
                    EXPECT_EQ(document->draft.phases, draft.phases);
                    if (draft.forwards() && schedule->messages() > 0) {
                        EXPECT_EQ(document->draft.blocks, draft.blocks);
                    }
                    EXPECT_EQ(document->draft.guarantee, draft.guarantee);
                    EXPECT_EQ(document->draft.bound, draft.bound);
                    EXPECT_EQ(document->synchronisation, synchronisation);
                    EXPECT_EQ(document->dummies, dummy_transfers(*schedule, synchronisation));
                    const auto again = check_schedule(document->draft, network, placement);
                    ASSERT_TRUE(again) << again.error().what;
                    EXPECT_EQ(schedule_json(*again, document->synchronisation, {}), text);
                }
            }
        }
    }
}

TEST(ScheduleJson, AnEdgeOfAMessageThatIsThereTwiceMeansTheFirst) {
    const auto document = read_schedule_document(
        R"({"format":"aapc-schedule/1","participants":[],"phases":[[],[{"from":0,"to":1}],[{"from":0,"to":1}]],
            "synchronisation":{"name":"sender","edges":[{"after":[0,1],"before":[0,1]}]}})",
        "f");
    ASSERT_TRUE(document);
    EXPECT_EQ(document->edges, (std::vector<Edge>{{{1, 0, 1}, {1, 0, 1}}}));
}

}  // namespace
}  // namespace aapc
