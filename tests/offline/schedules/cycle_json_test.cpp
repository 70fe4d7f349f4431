// Documents of schedules that have a cycle instead of phases.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "aapc/methods/read_given_schedule.hpp"
#include "aapc/methods/schedule_file.hpp"
#include "aapc/offline/schedule_text.hpp"
#include "check/cycles.hpp"
#include "methods/cycle_times.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

using testing::HasSubstr;

/// Written, read, checked and written again: the same bytes, and for up to 2^52 ticks, and 2^53, the same ticks.
TEST(CycleJson, RoundTrips) {
    for (std::uint64_t seed = 0; seed < 60; ++seed) {
        const Network network = test::random_tree(seed, 1, 9).build();
        const Placement placement = test::random_part(full_placement(network), seed);
        constexpr Phase counts[] = {
            1, 7, 1000, 999'999'937, Phase{1} << 40U, (Phase{1} << 52U) - 1, Phase{1} << 53U, (Phase{1} << 61U) - 1};
        const Phase ticks = counts[seed % std::size(counts)];
        const ScheduleDraft draft =
            test::random_cycle(network, placement, ticks, 1 + static_cast<double>(seed) / 97, seed);
        const auto schedule = check_schedule(draft, network, placement);
        ASSERT_TRUE(schedule) << schedule.error().what;
        const Synchronisation synchronisation = seed % 2 == 0 ? Synchronisation::none : Synchronisation::timed;
        const std::string text = schedule_json(*schedule, synchronisation, {});
        const auto document = read_schedule_document(text, "f");
        ASSERT_TRUE(document) << to_string(document.error());
        EXPECT_EQ(document->draft.cycle, draft.cycle);
        EXPECT_EQ(document->draft.ticks, ticks);
        EXPECT_EQ(document->draft.guarantee, Guarantee::within_capacity);
        if (ticks <= Phase{1} << 53U) {
            EXPECT_EQ(document->draft.transfers, draft.transfers) << "seed " << seed;
        }
        ASSERT_TRUE(document->queue);
        const auto again = check_schedule(document->draft, network, placement);
        ASSERT_TRUE(again) << again.error().what;
        EXPECT_EQ(schedule_json(*again, document->synchronisation, {}), text) << "seed " << seed;
        const auto certificate = certify_queues(*schedule);
        ASSERT_TRUE(certificate);
        EXPECT_FALSE(check_queue_claim(*certificate, network, *document->queue));
        // An independent parser sees the same numbers.
        const nlohmann::json json = nlohmann::json::parse(text);
        EXPECT_FALSE(json.contains("phases"));
        ASSERT_EQ(json["transfers"].size(), draft.transfers.size());
        for (std::size_t index = 0; index < draft.transfers.size() && ticks <= Phase{1} << 53U; ++index) {
            EXPECT_EQ(json["transfers"][index]["at"].get<double>(),
                      static_cast<double>(draft.transfers[index].phase) / static_cast<double>(ticks));
        }
    }
}

TEST(GivenSchedules, AreReadFromADocumentAndChecked) {
    const Network network = test::random_tree(4, 4, 9).build();
    const Placement placement = test::random_part(full_placement(network), 4);
    const ScheduleDraft draft = test::random_cycle(network, placement, 1000, 1.02, 4);
    const std::string text = schedule_json(*check_schedule(draft, network, placement), Synchronisation::timed, {});
    const auto given = read_given_schedule(text, "f.json", network, "c.toml");
    ASSERT_TRUE(given) << to_string(given.error());
    EXPECT_EQ(given->machine_of, placement.machine_of);
    EXPECT_EQ(given->timetable->cycle(), *draft.cycle);
    EXPECT_EQ(given->timetable->phases(), 1000);
    for (const Transfer& message : draft.transfers) {
        EXPECT_EQ(given->timetable->start_tick(message.from, message.to), message.phase);
    }
}

TEST(GivenSchedules, AreRefusedWhereTheyDoNotHold) {
    const auto refusal = [](const std::string& text, const Network& network) {
        const auto given = read_given_schedule(text, "f.json", network, "c.toml");
        return given ? std::string("read") : to_string(given.error());
    };
    const Network network = test::star_of({2, 2}).build();
    const Placement placement = full_placement(network);
    const ScheduleDraft draft = test::random_cycle(network, placement, 1000, 1.02, 4);
    const std::string text = schedule_json(*check_schedule(draft, network, placement), Synchronisation::timed, {});
    EXPECT_EQ(refusal(text, network), "read");
    EXPECT_THAT(refusal(text, test::chain_of({4}).build()), HasSubstr("f.json: "));
    EXPECT_THAT(refusal("{}", network), HasSubstr("f.json:"));
    std::string twice = text;
    const std::size_t place = twice.find("\"to\": 3");
    twice.replace(place, 7, "\"to\": 2");
    EXPECT_THAT(refusal(twice, network), HasSubstr("f.json: "));
    const test::Built phases = test::build_tree_schedule(network, placement, "merged");
    EXPECT_THAT(refusal(schedule_json(*phases.schedule, Synchronisation::none, {}), network), HasSubstr("no cycle"));
}

TEST(CycleJson, EveryTickHasItsFraction) {
    std::mt19937_64 random(1);
    for (const Phase ticks :
         {Phase{1}, Phase{3}, Phase{10}, Phase{997}, (Phase{1} << 40U) + 1, Phase{1} << 52U, Phase{1} << 53U}) {
        for (int round = 0; round < 20'000; ++round) {
            const auto tick = static_cast<Phase>(random() % static_cast<std::uint64_t>(ticks));
            const double fraction = documents::fraction_of(tick, ticks);
            ASSERT_LT(fraction, 1);
            ASSERT_EQ(documents::tick_at(fraction, ticks), tick) << ticks;
        }
    }
    // Of more ticks several share a fraction; the fraction stays.
    for (const Phase ticks :
         {(Phase{1} << 53U) - 1, (Phase{1} << 58U) - 27, Phase{1} << 62U, std::numeric_limits<Phase>::max()}) {
        for (int round = 0; round < 20'000; ++round) {
            const auto tick = static_cast<Phase>(random() % static_cast<std::uint64_t>(ticks));
            const double fraction = documents::fraction_of(tick, ticks);
            ASSERT_LT(fraction, 1);
            ASSERT_EQ(documents::fraction_of(documents::tick_at(fraction, ticks), ticks), fraction) << ticks;
        }
    }
    EXPECT_EQ(documents::tick_at(std::nextafter(1.0, 0.0), 3), 2) << "never behind the cycle";
}

const std::string good_cycle =
    R"({"format":"aapc-schedule/1","participants":[{"name":"n0","machine":"n0"},{"name":"n1","machine":"n1"}],)"
    R"("transfers":[{"from":1,"to":0,"at":0.5},{"at":0,"to":1,"from":0}],)"
    R"("cycle":{"bound_seconds_per_byte":8e-8,"seconds_per_byte":1},"queue":{"messages":0}})";

std::string answer_with(const std::string& from = "", const std::string& to = "") {
    std::string text = good_cycle;
    text.replace(text.find(from), from.size(), to);
    const auto document = read_schedule_document(text, "f");
    return document ? "" : to_string(document.error());
}

TEST(CycleJson, TicksMayBeLeftOutAndOrderDoesNotMatter) {
    const auto document = read_schedule_document(good_cycle, "f");
    ASSERT_TRUE(document) << to_string(document.error());
    EXPECT_EQ(document->draft.ticks, Phase{1} << 53U);
    EXPECT_EQ(document->draft.transfers, (std::vector<Transfer>{{0, 0, 1}, {Phase{1} << 52U, 1, 0}}));
    EXPECT_EQ(document->draft.guarantee, Guarantee::within_capacity);
    EXPECT_EQ(document->queue->messages, 0);
    const Network network = test::chain_of({2}).build();
    EXPECT_TRUE(check_schedule(document->draft, network, full_placement(network)));
}

TEST(CycleJson, Mistakes) {
    EXPECT_EQ(answer_with(), "");
    EXPECT_THAT(answer_with("0.5", "1"), HasSubstr("transfers[0].at is 1; it must be at least 0 and less than 1"));
    EXPECT_THAT(answer_with("0.5", "-0.25"), HasSubstr("transfers[0].at is -0.25; it must be at least 0"));
    EXPECT_THAT(answer_with("0.5", "\"0.5\""), HasSubstr("transfers[0].at is a string; it must be a number"));
    EXPECT_THAT(answer_with("0.5", "1e999"), HasSubstr("f:1:"));
    EXPECT_THAT(answer_with(",\"at\":0.5", ""), HasSubstr("transfers[0] has no member 'at'"));
    EXPECT_THAT(answer_with("\"from\":1,", "\"from\":1.5,"), HasSubstr("must be a whole number"));
    EXPECT_THAT(answer_with("\"seconds_per_byte\":1", "\"seconds_per_byte\":-1"),
                HasSubstr("cycle.seconds_per_byte is -1; it must be at least 0"));
    EXPECT_THAT(answer_with(",\"seconds_per_byte\":1", ""), HasSubstr("cycle has no member 'seconds_per_byte'"));
    EXPECT_THAT(answer_with("\"seconds_per_byte\":1}", "\"seconds_per_byte\":1,\"ticks\":0}"),
                HasSubstr("cycle.ticks is 0; it must be from 1 to"));
    EXPECT_THAT(answer_with("\"seconds_per_byte\":1}", "\"seconds_per_byte\":1,\"ticks\":1.5}"),
                HasSubstr("it must be a whole number"));
    EXPECT_THAT(answer_with("\"cycle\"", "\"phases\":[],\"cycle\""), HasSubstr("'phases' and times of a cycle"));
    EXPECT_THAT(answer_with("\"cycle\":{\"bound_seconds_per_byte\":8e-8,\"seconds_per_byte\":1},", ""),
                HasSubstr("the document has no member 'cycle'"));
    EXPECT_THAT(answer_with(R"("transfers":[{"from":1,"to":0,"at":0.5},{"at":0,"to":1,"from":0}],)", ""),
                HasSubstr("the document has no member 'transfers'"));
    EXPECT_THAT(answer_with("\"messages\":0", "\"messages\":1"), HasSubstr("queue has no member 'from'"));
    EXPECT_THAT(answer_with("\"messages\":0", "\"messages\":1,\"from\":\"a\""), HasSubstr("queue has no member 'to'"));
    EXPECT_THAT(answer_with("\"messages\":0", "\"from\":\"a\""), HasSubstr("queue has no member 'messages'"));
    EXPECT_THAT(answer_with("\"messages\":0", "\"messages\":0,\"bytes\":0"), HasSubstr("unknown member 'bytes'"));
    EXPECT_THAT(answer_with("\"messages\":0", "\"messages\":-1"), HasSubstr("queue.messages is -1"));
}

TEST(CycleTable, ARowForEachTime) {
    const auto document = read_schedule_document(good_cycle, "f");
    ASSERT_TRUE(document);
    const Network network = test::chain_of({2}).build();
    const auto schedule = check_schedule(document->draft, network, full_placement(network));
    ASSERT_TRUE(schedule) << schedule.error().what;
    EXPECT_EQ(
        schedule_table(*schedule, Synchronisation::timed, {}),
        ": 2 participants, 2 messages, a cycle of 1e+06 s for each MB of message size; guarantee: within-capacity\n"
        "cycle 1.25e+07 of the bound; no queue; all links\n"
        "\n"
        "      at  messages\n"
        "0.000000  n0->n1\n"
        "0.500000  n1->n0\n"
        "\n"
        "synchronisation timed\n");
}

}  // namespace
}  // namespace aapc
