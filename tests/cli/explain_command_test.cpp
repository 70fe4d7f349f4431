#include <fmt/format.h>
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <string>
#include <tuple>
#include <utility>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/topology_file.hpp"
#include "archive/learned.hpp"
#include "cli/program.hpp"
#include "selection/rule.hpp"
#include "selection/tunings.hpp"

namespace aapc::test {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

constexpr const char* eight =
    "[network]\nspeed = \"100Mbit\"\n"
    "[[switch]]\nname = \"s0\"\nmachines = \"n[0-3]\"\n"
    "[[switch]]\nname = \"s1\"\nuplink = \"s0\"\nmachines = \"n[4-7]\"\n";

/// The example tuning, made for the eight machines and this version.
Tuning tuning_of_eight() {
    const Network network = read_topology(eight, "eight.toml").value();
    Tuning tuning = example_tuning();
    tuning.fingerprint = make_fingerprint(network, full_placement(network), "openmpi", "Open MPI v4.1.4", "eight.toml");
    return tuning;
}

nlohmann::json parsed(const Outcome& run) {
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    return nlohmann::json::parse(run.out);
}

TEST(ExplainCommand, SaysTheRuleTheBoundAndWhatOnlyMeasuringTells) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    const Outcome run = scratch.run("explain " + file + " --sizes 1,16Ki");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, AllOf(StartsWith("communicator of 8 ranks on 8 machines (n[0-7])\n"
                                          "decided by rule: bound 16 messages on s1-s0 at 100 Mbit/s\n"),
                               HasSubstr("16384  lattice/settled+timed "), HasSubstr("only aapc tune can tell")));
}

TEST(ExplainCommand, TheWinnerOfEarlierJobsBeginsAmongTheCandidatesOfTheRule) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    Tuning learned = tuning_of_eight();
    learned.conditions.calls = 40;
    const Method lattice = parse_method("lattice/settled+timed", NetworkKind::tree).value();
    learned.ranges = selection::learned_ranges({{lattice, {16384, 0.05, 0.02, {2.5, 2.4, 2.6}, 0.1, 9, std::nullopt}}});
    const std::string options = "explain " + file + " --format json --sizes 16Ki,1Mi";
    const auto alone = parsed(scratch.run(options))["sizes"];
    const auto sizes =
        parsed(scratch.run(options + " --learned " + scratch.file("learned.toml", tuning_text(learned))))["sizes"];
    const auto& begun = sizes[0]["why"];
    EXPECT_EQ(begun["state"], "watch");
    ASSERT_EQ(begun["candidates"].size(), alone[0]["why"]["candidates"].size());
    for (std::size_t index = 0; index < begun["candidates"].size(); ++index) {
        const auto& one = begun["candidates"][index];
        EXPECT_EQ(one["method"], alone[0]["why"]["candidates"][index]["method"]);
        EXPECT_EQ(one["standing"] == "serves", one["method"] == "lattice/settled+timed") << one;
    }
    // Nothing is known of sizes so far away.
    EXPECT_EQ(sizes[1]["why"], alone[1]["why"]);
}

TEST(ExplainCommand, SaysWhereSchedulesBeginToPayAndPredictsWithTheStart) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    const Outcome run = scratch.run("explain " + file);
    EXPECT_THAT(run.out,
                HasSubstr("\nscheduled from 9666 bytes on, where the bound is 12.4 ms: a start is taken to cost "
                          "1.95 ms, and the ports hold 2.62 ms of the exchange\n"));
    const auto usual = parsed(scratch.run("explain eight.toml --format json --sizes 1Mi"));
    const auto measured = parsed(scratch.run("explain eight.toml --format json --sizes 1Mi --start 8ms"));
    EXPECT_EQ(usual["crossover"]["block_bytes"], 9666);
    EXPECT_EQ(usual["ranges"][1]["from_bytes"], 9666);
    EXPECT_DOUBLE_EQ(measured["start_seconds"].get<double>(), 8e-3);
    EXPECT_NEAR(measured["crossover"]["bound_seconds"].get<double>(), 40e-3 + 32768 * 8e-8, 1e-9);
    EXPECT_EQ(measured["ranges"][1]["from_bytes"], measured["crossover"]["block_bytes"]);
    EXPECT_NEAR(
        measured["sizes"][0]["predicted_seconds"].get<double>() - usual["sizes"][0]["predicted_seconds"].get<double>(),
        8e-3 - 1.95e-3, 1e-9);
    expect_refusal(scratch.run("explain eight.toml --start soon"), 2, HasSubstr("--start: "));
}

TEST(ExplainCommand, SaysWhyAMethodServesBeforeTheFirstCall) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    const Outcome run = scratch.run("explain " + file + " --sizes 1,64Ki");
    EXPECT_THAT(run.out,
                HasSubstr("\n       bytes  why, before a program's first call\n"
                          "       65536  native serves: no sample, at least 83.9 ms; lattice/settled+timed: no "
                          "sample, prior "));
    EXPECT_THAT(run.out,
                HasSubstr("waits until native calls are measured; state: opening after 0 calls; bound 83.9 ms"));
    // Blocks of one byte have no candidate, and a tuning leaves nothing to learn.
    const auto sizes = parsed(scratch.run("explain eight.toml --format json --sizes 1,64Ki"))["sizes"];
    EXPECT_TRUE(sizes[0]["why"].is_null());
    EXPECT_EQ(sizes[1]["why"]["state"], "opening");
    EXPECT_EQ(sizes[1]["why"]["candidates"][1]["standing"], "waits_for_evidence");
    EXPECT_GT(sizes[1]["why"]["candidates"][1]["most_seconds"], sizes[1]["why"]["candidates"][1]["least_seconds"]);
    std::ignore = scratch.file("tuning.toml", tuning_text(tuning_of_eight()));
    const Outcome tuned = scratch.run("explain eight.toml --tuning tuning.toml --sizes 64Ki");
    EXPECT_EQ(tuned.status, 0) << tuned.err;
    EXPECT_THAT(tuned.out, testing::Not(HasSubstr("before a program's first call")));
}

TEST(ExplainCommand, AsksWhatTheInterposerAsks) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    const auto tuning_file = scratch.file("tuning.toml", tuning_text(tuning_of_eight()));
    const Network network = read_topology(eight, "eight.toml").value();
    const Tuning tuning = tuning_of_eight();
    for (const std::string options : {"", "--tuning tuning.toml"}) {
        for (Rank ranks = 1; ranks <= 8; ++ranks) {
            Placement placement = full_placement(network);
            placement.machine_of.resize(static_cast<std::size_t>(ranks));
            const auto expected = selection::decide(network, placement, tree_bound(network, placement), {},
                                                    options.empty() ? nullptr : &tuning);
            const auto json = parsed(
                scratch.run("explain eight.toml --format json " + options + " --ranks " + std::to_string(ranks)));
            EXPECT_EQ(json["ranks"], ranks);
            EXPECT_EQ(json["reason"], expected.reason());
            ASSERT_EQ(json["ranges"].size(), expected.ranges().size());
            for (std::size_t range = 0; range < expected.ranges().size(); ++range) {
                EXPECT_EQ(json["ranges"][range]["from_bytes"], expected.ranges()[range].from_bytes);
                EXPECT_EQ(json["ranges"][range]["method"], to_string(expected.ranges()[range].method));
            }
        }
    }
}

TEST(ExplainCommand, ShowsTheEvidenceOfATuning) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    const auto tuning_file = scratch.file("tuning.toml", tuning_text(tuning_of_eight()));
    const Outcome text = scratch.run("explain eight.toml --tuning tuning.toml");
    EXPECT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, AllOf(HasSubstr("decided by tuning: tuned 2026-11-21T07:15:00Z; bound 16 messages"),
                                HasSubstr("1.50 to 1.62 times as fast as native at 4096 to 16384 bytes"),
                                HasSubstr("1.50 (1.38 to 1.62); native 3.000 ms"),
                                HasSubstr("a job that differs rejects the whole file")));
    const auto json = parsed(scratch.run("explain eight.toml --tuning tuning.toml --format json"));
    EXPECT_EQ(json["basis"], "tuning");
    EXPECT_EQ(json["tuning_rejected"], nullptr);
    ASSERT_EQ(json["sizes"].size(), 4U) << "the measured sizes are the default";
    EXPECT_EQ(json["sizes"][1]["bytes"], 4096);
    EXPECT_EQ(json["sizes"][1]["method"], "tree/paper+sender-partial:8");
    EXPECT_EQ(json["sizes"][1]["measured"]["seconds"], 0.002);
    EXPECT_EQ(json["sizes"][1]["measured"]["runner_up"]["method"], "native");
    EXPECT_EQ(json["sizes"][2]["measured"]["runner_up"], nullptr);
    EXPECT_EQ(json["sizes"][1]["predicted_seconds"], nullptr) << "only timed promises a time";
    EXPECT_GT(json["sizes"][3]["predicted_seconds"], json["sizes"][3]["bound_seconds"]);
}

TEST(ExplainCommand, PredictsTheLengthOfTheTimedSchedule) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    const auto json = parsed(scratch.run("explain eight.toml --format json --sizes 1MB"));
    const double bound = json["sizes"][0]["bound_seconds"];
    EXPECT_DOUBLE_EQ(bound, 16 * 1e6 * 8 / 100e6);
    // 1448 bytes of a frame's 1514, 33 of acknowledgements against it, at a pace of 0.99.
    const double headers = (1514.0 + 33) / 1448 / 0.99;
    EXPECT_NEAR(json["sizes"][0]["predicted_seconds"].get<double>() / bound, headers, 0.02);
}

TEST(ExplainCommand, ATuningOfSomethingElseIsRejectedAsTheInterposerDoes) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    Tuning other = tuning_of_eight();
    other.fingerprint.aapc_version = "0.0.1";
    const auto old = scratch.file("old.toml", tuning_text(other));
    Tuning misplaced = tuning_of_eight();
    misplaced.fingerprint.machine_of[2] = "x2";
    const auto elsewhere = scratch.file("elsewhere.toml", tuning_text(misplaced));
    std::string text = tuning_text(tuning_of_eight());
    const auto cut = scratch.file("cut.toml", text.substr(0, text.size() / 2));
    const auto good = scratch.file("good.toml", text);
    struct Case {
        std::string options;
        std::string why;
    };
    for (const auto& [options, why] :
         {Case{"--tuning old.toml", "old.toml: it was made for aapc 0.0.1"}, Case{"--tuning cut.toml", "cut.toml:"},
          Case{"--tuning elsewhere.toml", "elsewhere.toml: rank 2 is placed on 'x2'"},
          Case{"--tuning missing.toml", "missing.toml: cannot be opened"},
          Case{"--tuning good.toml --mpi mpich",
               "made for the MPI 'openmpi', and here it "
               "is 'mpich'"}}) {
        const Outcome run = scratch.run("explain eight.toml " + options);
        EXPECT_EQ(run.status, 0) << run.err;
        EXPECT_THAT(run.out, AllOf(HasSubstr("decided by rule"), HasSubstr("tuning rejected: "), HasSubstr(why),
                                   HasSubstr("; deciding without it\n")));
    }
}

TEST(ExplainCommand, SaysWhatATuningOfUnequalMessagesDecides) {
    const Scratch scratch;
    (void)scratch.file("eight.toml", eight);
    Tuning tuning = tuning_of_eight();
    tuning.fingerprint.unequal = true;
    const Method clock = parse_method("lattice/formula+timed", NetworkKind::tree).value();
    tuning.ranges = {{0, Method{}, {{1024, 2e-3, 2e-3, {1, 1, 1}, 0.1, 9, std::nullopt}}},
                     {20000, clock, {{65536, 0.2, 0.1, {2, 1.9, 2.1}, 0.1, 9, std::nullopt}}}};
    (void)scratch.file("unequal.toml", tuning_text(tuning));
    // A byte of equal messages takes 16 on a link of 100 Mbit/s: 1.28 us.
    const Outcome alone = scratch.run("explain eight.toml --tuning unequal.toml");
    EXPECT_EQ(alone.status, 0) << alone.err;
    EXPECT_THAT(alone.out, AllOf(HasSubstr("decided by tuning for openmpi (Open MPI v4.1.4), placement n[0-7]"),
                                 HasSubstr("from a bound of 0 µs: by the MPI\nfrom a bound of 25.6 ms: by the clock\n"),
                                 HasSubstr("83.89 ms      200 ms      100 ms  by the clock  2.00 (1.90 to 2.10)\n")));
    const auto json = parsed(
        scratch.run("explain eight.toml --tuning unequal.toml --pattern equal --sizes 19Ki,21Ki --format json"))[0];
    EXPECT_NEAR(json["tuning"]["ranges"][1]["from_bound_seconds"].get<double>(), 25.6e-3, 1e-9);
    EXPECT_EQ(json["demands"][0]["exchanged"], false);
    EXPECT_EQ(json["demands"][1]["exchanged"], true);
    const auto elsewhere = parsed(scratch.run(
        "explain eight.toml --tuning unequal.toml --machines 'n[1-6]' --pattern equal --sizes 19Ki --format json"))[0];
    EXPECT_EQ(elsewhere["tuning"], nullptr);
    EXPECT_EQ(elsewhere["tuning_rejected"], "it is for ranks placed otherwise");
}

TEST(ExplainCommand, TakesEveryKindOfNetwork) {
    const Scratch scratch;
    for (const auto& [file, from, method] : {std::tuple{"clusters-3+7.toml", 1, "local-group/balanced+window:1"},
                                             {"torus-8x8.toml", 37403, "torus-direct/plain+timed"},
                                             {"chain-4x4.toml", 3052, "lattice/settled+timed"}}) {
        const auto json =
            parsed(scratch.run(std::string("explain '" AAPC_SOURCE_DIRECTORY "/examples/") + file + "' --format json"));
        EXPECT_EQ(json["basis"], "rule") << file;
        EXPECT_EQ(json["ranges"][1]["from_bytes"], from) << file;
        EXPECT_EQ(json["ranges"][1]["method"], method) << file;
        EXPECT_EQ(json["ranges"][1]["phases"].is_null(), std::string_view(method).starts_with("lattice")) << file;
    }
}

/// 52 blocks of buffers for one division of a 4 x 4 torus and 25 for none, as the table of `aapc schedule` has it.
TEST(ExplainCommand, SaysTheBuffersAndKeepsWithinALimitOfThem) {
    const Scratch scratch;
    const std::string text = "[network]\nkind = \"torus\"\nspeed = \"1Gbit\"\nsides = [4, 4]\nmachines = \"t[0-15]\"\n";
    const auto topology = scratch.file("torus.toml", text);
    const Network network = read_topology(text, "torus.toml").value();
    const Method divided = parse_method("torus/divisions-1", NetworkKind::torus).value();
    Tuning tuning = example_tuning();
    tuning.fingerprint = make_fingerprint(network, full_placement(network), "openmpi", "Open MPI v4.1.4", "torus.toml");
    tuning.ranges = {{0, Method{}, {}},
                     {64,
                      divided,
                      {{100, 0.003, 0.002, {1.5, 1.375, 1.625}, 0.03125, 21, {}},
                       {1000, 0.003, 0.002, {1.5, 1.375, 1.625}, 0.03125, 21, {}}}},
                     {5000, parse_method("torus-direct", NetworkKind::torus).value(), {}}};
    const auto file = scratch.file("tuning.toml", tuning_text(tuning));
    const std::string command = "explain torus.toml --tuning tuning.toml --sizes 8,100,1000,5000";
    const auto free = parsed(scratch.run(command + " --format json"));
    ASSERT_EQ(free["ranges"].size(), 4U);
    EXPECT_EQ(free["ranges"][1]["buffer_blocks"], 52);
    EXPECT_EQ(free["ranges"][2]["buffer_blocks"], 0);
    EXPECT_EQ(free["sizes"][0]["buffer_bytes"], 0);
    EXPECT_EQ(free["sizes"][1]["buffer_bytes"], 5200);
    EXPECT_EQ(free["sizes"][2]["buffer_bytes"], 52000);
    EXPECT_EQ(free["sizes"][3]["buffer_bytes"], 0);

    const auto limited = parsed(scratch.run(command + " --format json --buffer-limit 26000"));
    ASSERT_EQ(limited["ranges"].size(), 6U);
    EXPECT_EQ(limited["sizes"][1]["buffer_bytes"], 5200);
    EXPECT_EQ(limited["sizes"][1]["measured"]["seconds"], 0.002);
    EXPECT_EQ(limited["sizes"][2]["method"], "torus/divisions-0+window:1");
    EXPECT_EQ(limited["sizes"][2]["buffer_bytes"], 25000);
    EXPECT_EQ(limited["sizes"][2]["measured"], nullptr) << "that was another method";
    EXPECT_EQ(limited["ranges"][2]["from_bytes"], 501);
    EXPECT_EQ(limited["ranges"][3]["from_bytes"], 1041);
    EXPECT_EQ(limited["ranges"][3]["method"], "native") << "the rule's choice for so small a torus";
    EXPECT_EQ(limited["sizes"][3]["method"], "torus-direct/plain+timed");
    const Outcome shown = scratch.run(command + " --buffer-limit 26000");
    EXPECT_EQ(shown.status, 0) << shown.err;
    EXPECT_THAT(shown.out, AllOf(HasSubstr("; buffers of at most 26000 bytes\n"),
                                 HasSubstr("501  torus/divisions-0+window:1              4              25  -\n"),
                                 HasSubstr("1000  torus/divisions-0+window:1               25000  ")));
    expect_refusal(scratch.run(command + " --buffer-limit much"), 2, HasSubstr("--buffer-limit: "));
}

TEST(ExplainCommand, AnotherCommunicatorThanTheTunedOneIsDecidedByRule) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    const auto tuning_file = scratch.file("tuning.toml", tuning_text(tuning_of_eight()));
    const auto json =
        parsed(scratch.run("explain eight.toml --tuning tuning.toml --format json --machines 'n[4-7]:2,n0'"));
    EXPECT_EQ(json["basis"], "rule");
    EXPECT_EQ(json["ranks"], 9);
    EXPECT_EQ(json["placement"], "n[4-7]:2,n0");
    EXPECT_THAT(json["reason"], HasSubstr("the tuning is for 8 ranks placed otherwise"));
}

TEST(ExplainCommand, SaysWhatIsTooLargeForAnAlgorithm) {
    const Scratch scratch;
    const std::string ring = scratch.file(
        "ring.toml", "[network]\nkind = \"torus\"\nspeed = \"1Gbit\"\nsides = [1, 65536]\nmachines = \"t[0-65535]\"\n");
    const Outcome run = scratch.run("explain " + ring);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, HasSubstr("algorithm 'torus' would keep what 65536 machines do in 32768 steps, 2147483648 "
                                   "entries, and more than 134217728 are not kept"));
}

/// A job on those eight machines whose ranks are a grid of 4 x 2: columns exchange, of which `together` at the same
/// time, and rank 0 calls once on MPI_COMM_WORLD.
std::string record_of_columns(bool together) {
    std::string text =
        R"({"format":"aapc-record/1","aapc":"0.1.0","mpi":"openmpi","library":"x","program":"app","seconds":20.0,)"
        R"("dropped_calls":0,"dropped_segments":0,"topology_file":"eight.toml","topology_text":"",)"
        R"("hosts":["n0","n1","n2","n3","n4","n5","n6","n7"]})"
        "\n"
        R"({"communicator":"0.0","ranks":8,"members":[0,1,2,3,4,5,6,7]})"
        "\n"
        R"({"communicator":"0.1","ranks":4,"members":[0,2,4,6]})"
        "\n"
        R"({"communicator":"1.0","ranks":4,"members":[1,3,5,7]})"
        "\n"
        R"({"call":"MPI_Alltoall","on":"0.0","at":0.5,"seconds":0.1,"bytes":80000,"by":"native"})"
        "\n";
    for (int call = 1; call < 9; ++call) {
        for (const auto& [name, at] : {std::pair("0.1", call + 0.0), std::pair("1.0", call + (together ? 0.0 : 0.5))}) {
            text +=
                fmt::format(R"({{"call":"MPI_Alltoall","on":"{}","at":{},"seconds":0.3,"bytes":40000,"by":"native"}})"
                            "\n",
                            name, at);
        }
    }
    return text;
}

TEST(ExplainCommand, SaysWithWhichCommunicatorsLinksAreShared) {
    const Scratch scratch;
    (void)scratch.file("eight.toml", eight);
    constexpr const char* sharing =
        "\nit is taken to share links with another communicator that exchanges at the same "
        "time; so the bound and the threshold are those of all their messages\n";
    const Outcome column = scratch.run("explain eight.toml --members 1-7:2 --sizes 64Ki");
    EXPECT_EQ(column.status, 0) << column.err;
    EXPECT_THAT(column.out, AllOf(StartsWith("communicator of 4 ranks on 4 machines (n1,n3,n5,n7)\n"
                                             "ranks 1-7:2 of MPI_COMM_WORLD\nit is taken to share"),
                                  HasSubstr(sharing)));
    // Eight messages of both columns cross the trunk, four of its own.
    const std::string json = " --sizes 64Ki --format json";
    const auto shared = parsed(scratch.run("explain eight.toml --members 1,3,5,7" + json));
    const auto alone = parsed(scratch.run("explain eight.toml --machines n1,n3,n5,n7" + json));
    EXPECT_EQ(shared["communicators_together"], 2);
    EXPECT_EQ(alone["communicators_together"], 1);
    EXPECT_NEAR(shared["bound"]["seconds_per_byte"].get<double>(), 8 * 8 / 100e6, 1e-12);
    EXPECT_NEAR(alone["bound"]["seconds_per_byte"].get<double>(), 4 * 8 / 100e6, 1e-12);
    // Rows of four ranks are on one switch each.
    EXPECT_EQ(parsed(scratch.run("explain eight.toml --members 0-3" + json))["communicators_together"], 1);
    // What is tuned for these ranks is not corrected by calls, so links are as they are.
    Tuning tuning = tuning_of_eight();
    tuning.fingerprint.machine_of = {"n1", "n3", "n5", "n7"};
    const std::string tuned = " --tuning " + scratch.file("tuning.toml", tuning_text(tuning));
    EXPECT_EQ(parsed(scratch.run("explain eight.toml --machines 'n[0-7]' --members 1-7:2" + tuned +
                                 json))["communicators_together"],
              1);
    // Unequal messages as well.
    const std::string ring = " --pattern zipf --format json";
    EXPECT_EQ(parsed(scratch.run("explain eight.toml --members 1-7:2" + ring))[0]["communicators_together"], 2);
    EXPECT_THAT(scratch.run("explain eight.toml --members 1-7:2 --pattern zipf").out,
                HasSubstr("\nit is taken to share links with another communicator"));
}

TEST(ExplainCommand, TakesACommunicatorFromARecord) {
    const Scratch scratch;
    (void)scratch.file("eight.toml", eight);
    (void)scratch.file("job.jsonl", record_of_columns(true));
    (void)scratch.file("in-turn.jsonl", record_of_columns(false));
    const std::string record = "explain eight.toml --record ";
    EXPECT_THAT(scratch.run(record + "job.jsonl").out,
                StartsWith("communicator of 4 ranks on 4 machines (n0,n2,n4,n6)\n"
                           "communicator 0.1 of job.jsonl; in the record 1 other made calls at the same time\n"
                           "it is taken to share links with another communicator that exchanges at the same time;"));
    EXPECT_THAT(scratch.run(record + "in-turn.jsonl --communicator 1.0").out,
                HasSubstr("\ncommunicator 1.0 of in-turn.jsonl; in the record 0 others made calls at the same time\n"
                          "it is taken to share links with"));
    EXPECT_THAT(scratch.run(record + "job.jsonl --communicator 0.0").out,
                AllOf(StartsWith("communicator of 8 ranks"), Not(HasSubstr("share links"))));
    expect_refusal(scratch.run(record + "job.jsonl --communicator 2.0"), 2,
                   StartsWith("--communicator: there is no communicator '2.0' whose ranks are known; the record has "
                              "0.0, 0.1, 1.0"));
    (void)scratch.file("three.toml", "[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"s\"\nmachines = \"n[0-2]\"\n");
    expect_refusal(scratch.run("explain three.toml --record job.jsonl"), 2,
                   StartsWith("job.jsonl: a rank ran on 'n3', and the topology has no such machine"));
    expect_refusal(scratch.run("explain eight.toml --communicator 0.1"), 2, HasSubstr("--record"));
    expect_refusal(scratch.run(record + "job.jsonl --members 0,1"), 2, HasSubstr("--members"));
}

TEST(ExplainCommand, RefusesMembersThatAreNoRanks) {
    const Scratch scratch;
    (void)scratch.file("eight.toml", eight);
    for (const auto& [list, problem] :
         {std::pair("1,x", "'x' is no rank"), std::pair("4-2", "'4-2' is no rank"),
          std::pair("0-4:0", "'0-4:0' is no rank"), std::pair("-1", "'-1' is no rank"),
          std::pair("0,8", "there is no rank 8 among 8"), std::pair("0-2,2", "rank 2 comes twice"),
          std::pair("1,", "'' is no rank"), std::pair("99999999999", "'99999999999' is no rank")}) {
        expect_refusal(scratch.run(fmt::format("explain eight.toml '--members={}'", list)), 2,
                       StartsWith(fmt::format("--members: {}", problem)));
    }
}

TEST(ExplainCommand, RefusesWrongInput) {
    const Scratch scratch;
    const auto file = scratch.file("eight.toml", eight);
    expect_refusal(scratch.run("explain missing.toml"), 2, StartsWith("missing.toml: cannot be opened"));
    expect_refusal(scratch.run("explain eight.toml --ranks 9"), 2,
                   StartsWith("--ranks: 9 ranks, and there are places"));
    expect_refusal(scratch.run("explain eight.toml --machines n0,x9"), 2,
                   StartsWith("--machines, character 4: there is no machine 'x9'"));
    expect_refusal(scratch.run("explain eight.toml --machines 'n[0-'"), 2, StartsWith("--machines, character "));
    expect_refusal(scratch.run("explain eight.toml --sizes 1,many"), 2, StartsWith("--sizes: 'many' is not a size"));
}

TEST(ExplainCommand, ShowsAModelAgainstWhatWasMeasured) {
    const Scratch scratch;
    (void)scratch.file("eight.toml", eight);
    (void)scratch.file("tuning.toml", tuning_text(tuning_of_eight()));
    std::string samples = "ranks,message_bytes,seconds\n";
    for (const int bytes : {1, 512, 4096, 65536, 1048576}) {
        samples += "8," + std::to_string(bytes) + "," + std::to_string(7 * (1e-4 + bytes * 3e-7)) + "\n";
    }
    (void)scratch.file("s.csv", samples);
    ASSERT_EQ(scratch.run("fit s.csv --alpha 1e-4 --beta 1e-7 --format json -o fit.json").status, 0);
    const auto json = parsed(scratch.run("explain eight.toml --tuning tuning.toml --model fit.json --format json"));
    std::size_t against = 0;
    for (const auto& size : json["sizes"]) {
        const auto& model = size["model"];
        ASSERT_TRUE(model.is_object());
        const double expected = 7 * (1e-4 + size["bytes"].get<double>() * 3e-7);
        EXPECT_NEAR(model["native"]["seconds"].get<double>(), expected, 0.01 * expected);
        if (!size["measured"].is_null()) {
            EXPECT_EQ(model["native"]["measured_seconds"], size["measured"]["native_seconds"]);
            EXPECT_EQ(model["chosen"]["measured_seconds"], size["measured"]["seconds"]);
            EXPECT_NEAR(model["chosen"]["measured_over_predicted"].get<double>(),
                        size["measured"]["seconds"].get<double>() / model["chosen"]["seconds"].get<double>(), 1e-9);
            ++against;
        }
    }
    EXPECT_GE(against, 2U);
    EXPECT_TRUE(parsed(scratch.run("explain eight.toml --format json"))["sizes"][0]["model"].is_null());
    const Outcome text = scratch.run("explain eight.toml --tuning tuning.toml --model fit.json");
    EXPECT_THAT(text.out, AllOf(HasSubstr("predicted by the model"), HasSubstr("equations 4 and 5")));
    expect_refusal(scratch.run("explain eight.toml --model eight.toml"), 2, HasSubstr("eight.toml: is no document"));
}

}  // namespace
}  // namespace aapc::test
