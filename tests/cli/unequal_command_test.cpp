// Unequal messages on the command line: --demand and --pattern of schedule, explain and predict.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace {

using aapc::test::expect_refusal;
using aapc::test::Outcome;
using aapc::test::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// Two machines on each of two switches; a byte takes 80 ns.
constexpr const char* two_switches = R"([network]
speed = "100Mbit"
[[switch]]
name = "s0"
machines = "n[0-1]"
[[switch]]
name = "s1"
uplink = "s0"
machines = "n[2-3]"
)";

constexpr const char* matrix = "# to n0, n1, n2, n3\n0,0,10000,0\n0,0,0,10Ki\n0,0,0,0\n500,0,0,0\n";

TEST(UnequalCommands, ScheduleHasEveryMessage) {
    const Scratch scratch;
    (void)scratch.file("c.toml", two_switches);
    (void)scratch.file("d.csv", matrix);
    const Outcome run = scratch.run("schedule c.toml --demand d.csv");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out, StartsWith("lattice/formula+timed: 4 participants, 3 messages of 20740 bytes together "
                                    "(d.csv)\nbound 1.619 ms by s0->s1, "));
    EXPECT_THAT(run.out, HasSubstr("every byte once, both ends alike; longest queue: "));
    EXPECT_THAT(run.out, HasSubstr("10240         3  n1->n3\n"));
    expect_refusal(scratch.run("schedule c.toml --demand -"), 2, StartsWith("standard input:1:1: there are 0 rows"));
}

TEST(UnequalCommands, FilesOfOthersAreDemands) {
    const Scratch scratch;
    (void)scratch.file("c.toml", two_switches);
    (void)scratch.file("nccl.csv", "0,0,0.5,0\n0,0,0,1.0\n0,0,0,0\n0.25,0,0,0\n");
    const Outcome fractions = scratch.run("explain c.toml --demand nccl.csv --sizes 20000,40000");
    EXPECT_EQ(fractions.status, 0) << fractions.err;
    EXPECT_THAT(fractions.out, HasSubstr("nccl.csv, 1.0 is 20000"));
    EXPECT_THAT(fractions.out, HasSubstr("nccl.csv, 1.0 is 40000"));
    const Outcome half = scratch.run("schedule c.toml --demand nccl.csv --mean 20000");
    EXPECT_THAT(half.out, HasSubstr("3 messages of 35000 bytes together")) << half.err;
    const std::string one =
        "[collective]\ntype = ALLTOALLV\nteam_size = 4\ndatatype = INT32\ncounts = {\n"
        "0,0,2500,0\n0,0,0,2560\n0,0,0,0\n125,0,0,0\n}\n";
    (void)scratch.file("one.ptini", one);
    const Outcome same = scratch.run("schedule c.toml --demand one.ptini");
    EXPECT_THAT(same.out, HasSubstr("3 messages of 20740 bytes together")) << same.err;
    (void)scratch.file("two.ptini", one + one);
    const Outcome two = scratch.run("explain c.toml --demand two.ptini");
    EXPECT_EQ(two.status, 0) << two.err;
    EXPECT_THAT(two.out, HasSubstr("two.ptini, collective 2"));
    expect_refusal(scratch.run("schedule c.toml --demand two.ptini"), 2,
                   StartsWith("two.ptini: there are 2 demands in it, and a schedule is of one; "));
}

TEST(UnequalCommands, ScheduleAsJson) {
    const Scratch scratch;
    (void)scratch.file("c.toml", two_switches);
    (void)scratch.file("d.csv", matrix);
    const Outcome run =
        scratch.run("schedule c.toml --demand d.csv --format json --algorithm lattice --variant formula -o out.json");
    EXPECT_EQ(run.status, 0) << run.err;
    const json document = json::parse(aapc::test::contents(scratch.path("out.json")));
    EXPECT_EQ(document["format"], "aapc-unequal/1");
    EXPECT_EQ(document["variant"], "formula");
    EXPECT_EQ(document["participants"].size(), 4U);
    EXPECT_NEAR(document["bound_seconds"].get<double>(), 20240 * 80e-9, 1e-9);
    EXPECT_GT(document["cycle_seconds"].get<double>(), 1.02 * 20240 * 80e-9);
    ASSERT_EQ(document["messages"].size(), 3U);
    std::int64_t bytes = 0;
    for (const json& message : document["messages"]) {
        bytes += message["bytes"].get<std::int64_t>();
        EXPECT_GE(message["at"].get<double>(), 0);
        EXPECT_LT(message["at"].get<double>() * message["segments"].get<double>(), 1);
    }
    EXPECT_EQ(bytes, 20740);
}

TEST(UnequalCommands, CheckCertifiesADocumentOrSaysWhatIsWrong) {
    const Scratch scratch;
    (void)scratch.file("c.toml", two_switches);
    (void)scratch.file("d.csv", matrix);
    const Outcome made = scratch.run("schedule c.toml --demand d.csv --format json");
    (void)scratch.file("good.json", made.out);
    const Outcome good = scratch.run("check good.json --topology c.toml");
    EXPECT_EQ(good.status, 0) << good.err;
    EXPECT_THAT(good.out, StartsWith("certified: 4 participants, 3 messages in "));
    const auto refused = [&](const char* key, const json& value, int status, const char* why) {
        nlohmann::ordered_json document = nlohmann::ordered_json::parse(made.out);
        (std::string_view(key) == "from" ? document["messages"][0] : document)[key] = value;
        (void)scratch.file("bad.json", document.dump());
        const Outcome run = scratch.run("check bad.json --topology c.toml");
        EXPECT_EQ(run.status, status);
        EXPECT_THAT(run.err, HasSubstr(why));
    };
    refused("bound_seconds", 0.5, 1, "the busiest link needs 1.6192 ms");
    refused("cycle_seconds", 0.0016, 1, "asks a link for more than it carries");
    refused("from", 4, 2, "message 0 has no two ranks");
    refused("participants", 7, 2, "'participants' is missing");
}

TEST(UnequalCommands, PhasesServeAndForwardingDoesNot) {
    const Scratch scratch;
    (void)scratch.file("c.toml", two_switches);
    const Outcome tree =
        scratch.run("schedule c.toml --pattern zipf --mean 4Ki --algorithm tree --synchronisation timed");
    EXPECT_EQ(tree.status, 0) << tree.err;
    EXPECT_THAT(tree.out, StartsWith("tree/merged+timed: 4 participants, 12 messages"));
    expect_refusal(scratch.run("schedule c.toml --pattern zipf --algorithm bruck"), 2,
                   StartsWith("bruck/radix-2+window:1: it does not go by the clock"));
}

TEST(UnequalCommands, ExplainShowsBoundAndQueue) {
    const Scratch scratch;
    (void)scratch.file("c.toml", two_switches);
    const Outcome run = scratch.run("explain c.toml --pattern equal --sizes 1Ki,64Ki");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(run.out,
                StartsWith("lattice/formula+timed, unequal messages; one reduction finds the bound: 2 sums and "
                           "1 maximum\n"));
    EXPECT_THAT(run.out, HasSubstr("equal, 1 KiB on average"));
    EXPECT_THAT(run.out, HasSubstr("equal, 64 KiB on average"));
    EXPECT_THAT(run.out, HasSubstr("20.97 ms"));  // 4 messages of 64 KiB
    EXPECT_THAT(run.out, HasSubstr("by the clock where the bound with headers is "));
    // A start that costs an hour is worth it for nothing, one that costs nothing for whatever ports do not hold.
    const json never =
        json::parse(scratch.run("explain c.toml --pattern equal --sizes 1Mi --start 3600s --format json").out);
    EXPECT_EQ(never[0]["demands"][0]["exchanged"], false);
    const json always =
        json::parse(scratch.run("explain c.toml --pattern equal --sizes 1Mi --start 1us --format json").out);
    EXPECT_EQ(always[0]["demands"][0]["exchanged"], true);
    EXPECT_GT(never[0]["crossover_seconds"], always[0]["crossover_seconds"]);
    const json document = json::parse(scratch.run("explain c.toml --pattern hot --seed 3 --format json").out);
    ASSERT_EQ(document.size(), 1U);
    EXPECT_EQ(document[0]["reduction"], (json{{"sums", 2}, {"maxima", 1}}));
    EXPECT_EQ(document[0]["demands"][0]["messages"], 12);
    EXPECT_TRUE(document[0]["demands"][0]["native"].is_null());
}

// The signature of equal messages: 3 (50 us + 10 ns · 2 m); of 8 KiB a bound of 2.62 ms.
TEST(UnequalCommands, PredictScalesTheMpisOwnByTheBound) {
    const Scratch scratch;
    (void)scratch.file("c.toml", two_switches);
    std::string samples = "ranks,message_bytes,seconds\n";
    for (const int ranks : {3, 4}) {
        for (const int bytes : {1024, 4096, 16384, 65536}) {
            samples += std::to_string(ranks) + "," + std::to_string(bytes) + "," +
                       std::to_string((ranks - 1) * (50e-6 + 20e-9 * bytes)) + "\n";
        }
    }
    (void)scratch.file("s.csv", samples);
    ASSERT_EQ(scratch.run("fit s.csv --alpha 50e-6 --beta 1e-8 --format json -o fit.json").status, 0);
    const auto native = [&](const std::string& demand) {
        const Outcome run = scratch.run("predict c.toml --model fit.json --format json " + demand);
        EXPECT_EQ(run.status, 0) << run.err;
        return json::parse(run.out)[0]["demands"][0];
    };
    const json equal = native("--pattern equal --sizes 8Ki");
    EXPECT_NEAR(equal["native"]["seconds"].get<double>(), 3 * (50e-6 + 20e-9 * 8192), 2e-5);
    const json block = native("--pattern block --sizes 8Ki");
    // All of it inside the switches: three times the bytes on each port, and no more than those of the trunk before.
    EXPECT_NEAR(block["native"]["seconds"].get<double>() / equal["native"]["seconds"].get<double>(),
                block["bound_seconds"].get<double>() / equal["bound_seconds"].get<double>(), 1e-6);
    EXPECT_NEAR(block["bound_seconds"].get<double>(), 3 * 8192 * 80e-9, 1e-8);
    const Outcome without = scratch.run("predict c.toml --pattern equal --sizes 8Ki");
    EXPECT_EQ(without.status, 0) << without.err;
}

TEST(UnequalCommands, MistakesHaveTheirPlace) {
    const Scratch scratch;
    (void)scratch.file("c.toml", two_switches);
    (void)scratch.file("short.csv", "0,1,2,3\n0,1,2\n");
    expect_refusal(scratch.run("explain c.toml --demand short.csv"), 2,
                   StartsWith("short.csv:2:6: the row has 3 numbers, and there are 4 ranks; "));
    expect_refusal(scratch.run("explain c.toml --demand none.csv"), 2, StartsWith("none.csv: cannot be opened"));
    expect_refusal(scratch.run("predict c.toml --pattern ziff"), 2,
                   StartsWith("--pattern: there is no pattern 'ziff'; did you mean 'zipf'?"));
    expect_refusal(scratch.run("schedule c.toml --pattern zipf --mean much"), 2, StartsWith("--mean: "));
    EXPECT_EQ(scratch.run("schedule c.toml --pattern zipf --demand short.csv").status, 2);
    EXPECT_THAT(scratch.run("generate --help").out, HasSubstr("equal messages alone"));
}

}  // namespace
