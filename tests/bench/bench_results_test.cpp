#include "bench/bench_results.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

namespace aapc::bench {
namespace {

using testing::HasSubstr;

BenchFacts facts() {
    BenchFacts facts;
    facts.aapc_version = "9.8.7";
    facts.mpi_version = "Open\nMPI v4";
    facts.date = "2026-01-31T12:00:00Z";
    facts.topology_digest = "fnv1a:0123456789abcdef";
    facts.bound_messages = 64;
    facts.host_names = {"n0", "n0", "n1"};
    facts.environment = {{"AAPC_VERBOSE", "1"}};
    facts.options.topology = "a \"b\".toml";
    facts.options.seed = 77;
    facts.candidates = {"native", "tree/merged+timed", "interposed"};
    return facts;
}

/// The second candidate takes half as long as the first in every round, the third as long.
SizeResult result() {
    SizeResult result{1000, 0.5, std::vector<std::vector<Sample>>(3)};
    for (int round = 1; round <= 7; ++round) {
        Sample native;
        native.seconds = 2.0 * round;
        Sample timed;
        timed.seconds = 1.0 * round;
        timed.by_aapc = true;
        timed.pace = 0.98;
        timed.late_seconds = 0.25;
        result.samples[0].push_back(native);
        result.samples[1].push_back(timed);
        result.samples[2].push_back(native);
    }
    return result;
}

TEST(BenchTable, HasMediansFractionsAndRatios) {
    const std::string rows = table_rows(facts(), result());
    EXPECT_EQ(std::count(rows.begin(), rows.end(), '\n'), 3);
    EXPECT_THAT(rows, testing::ContainsRegex("1000  native +8000.000 +\\[ +2000.000, *14000.000\\] +0.062 .*first"));
    EXPECT_THAT(rows,
                testing::ContainsRegex("tree/merged\\+timed +4000.000 .* 0.125 +2.000 +\\[ *2.000, *2.000\\] +faster"));
    EXPECT_THAT(rows, HasSubstr("undecided, passed through"));
    const std::string head = table_head(facts());
    EXPECT_THAT(head, HasSubstr("3 ranks on 2 hosts, Open MPI v4, aapc 9.8.7"));
    EXPECT_THAT(head, HasSubstr("fnv1a:0123456789abcdef"));
}

TEST(BenchTable, HasNoFractionWhereThereIsNoBound) {
    SizeResult unbounded = result();
    unbounded.least_seconds = 0;
    EXPECT_THAT(table_rows(facts(), unbounded), testing::ContainsRegex("14000.000\\] +- +1.000 .*first"));
}

TEST(BenchTable, SaysThatTheSpeedsAreTooLow) {
    SizeResult fast = result();
    fast.least_seconds = 12;  // the medians are 8, 4 and 8 s
    const std::string rows = table_rows(facts(), fast);
    EXPECT_THAT(rows, HasSubstr("3.00 times as fast as the wires in a \"b\".toml allow: the speeds there are too low"));
    EXPECT_THAT(table_rows(facts(), result()), testing::Not(HasSubstr("too low")));
}

TEST(BenchJson, HoldsEverySampleAndEverySetting) {
    const auto json = nlohmann::json::parse(json_text(facts(), {result()}));
    EXPECT_EQ(json["format"], "aapc-bench/1");
    EXPECT_EQ(json["aapc"], "9.8.7");
    EXPECT_EQ(json["mpi"], "Open\nMPI v4");
    EXPECT_EQ(json["topology"], "a \"b\".toml");
    EXPECT_EQ(json["host_names"], nlohmann::json({"n0", "n0", "n1"}));
    EXPECT_EQ(json["environment"]["AAPC_VERBOSE"], "1");
    for (const char* setting :
         {"sizes", "candidates", "repeats", "warm_up", "teach", "most_seconds", "seed", "confidence"}) {
        EXPECT_TRUE(json["settings"].contains(setting)) << setting;
    }
    EXPECT_EQ(json["settings"]["seed"], 77);
    const auto& size = json["sizes"][0];
    EXPECT_EQ(size["message_bytes"], 1000);
    EXPECT_EQ(size["least_seconds"], 0.5);
    const auto& timed = size["candidates"][1];
    EXPECT_EQ(timed["candidate"], "tree/merged+timed");
    EXPECT_EQ(timed["median_seconds"], 4);
    EXPECT_EQ(timed["fraction_of_bound"], 0.125);
    EXPECT_EQ(timed["first_over_this"]["median"], 2);
    EXPECT_EQ(timed["verdict"], "faster");
    ASSERT_EQ(timed["samples"].size(), 7U);
    EXPECT_EQ(timed["samples"][6]["seconds"], 7);
    EXPECT_EQ(timed["samples"][6]["late_seconds"], 0.25);
    EXPECT_TRUE(timed["samples"][0]["by_aapc"]);
    EXPECT_FALSE(size["candidates"][0]["samples"][0].contains("pace"));
}

TEST(BenchCsv, HoldsEverySampleBehindItsFacts) {
    std::istringstream lines(csv_text(facts(), {result(), result()}));
    std::string line;
    int facts_seen = 0;
    int rows = 0;
    std::string header;
    while (std::getline(lines, line)) {
        if (line.starts_with("#")) {
            EXPECT_TRUE(header.empty()) << line;
            EXPECT_THAT(line, testing::ContainsRegex("^# [a-z_]+: ")) << "no fact may break its line";
            ++facts_seen;
        } else if (header.empty()) {
            header = line;
        } else {
            EXPECT_EQ(std::count(line.begin(), line.end(), ','), std::count(header.begin(), header.end(), ',')) << line;
            ++rows;
        }
    }
    EXPECT_TRUE(header.starts_with("ranks,message_bytes,seconds,")) << header;
    EXPECT_EQ(rows, 2 * 3 * 7);
    EXPECT_GE(facts_seen, 15);
}

}  // namespace
}  // namespace aapc::bench
