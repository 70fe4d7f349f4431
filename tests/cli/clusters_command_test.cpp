// Clusters joined by a wide area, from the topology file to the certificate and the generated routine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"

namespace {

using aapc::test::contents;
using aapc::test::Outcome;
using aapc::test::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

const std::string clusters_example = "'" AAPC_SOURCE_DIRECTORY "/examples/clusters-3+7.toml'";

TEST(ClustersCommand, TopologySaysWhatIsJoinedAndHow) {
    const Scratch scratch;
    const Outcome run = scratch.run("topology " + clusters_example);
    EXPECT_EQ(run.status, 0);
    EXPECT_EQ(run.err, "");
    EXPECT_THAT(run.out, StartsWith("clusters "));
    EXPECT_THAT(run.out, HasSubstr("3 switches, 10 machines, 10 ranks\n"
                                   "cluster   nancy: 3 machines, 3 ranks, 10Gbit to the wide area\n"
                                   "cluster   rennes: 7 machines, 7 ranks, 10Gbit to the wide area\n"
                                   "latency   5.000 ms from one cluster to another\n"
                                   "bound     21 messages on the busiest directed link"));
    const json document = json::parse(scratch.run("topology --format json " + clusters_example).out);
    EXPECT_EQ(document.at("kind"), "clusters");
    EXPECT_EQ(document.at("clusters"),
              json::parse(R"([{"name": "nancy", "machines": 3, "ranks": 3, "speed": 10000000000},
                              {"name": "rennes", "machines": 7, "ranks": 7, "speed": 10000000000}])"));
    EXPECT_EQ(document.at("wide_area").at("switch"), "wide-area");
    EXPECT_DOUBLE_EQ(document.at("wide_area").at("latency_seconds").get<double>(), 5e-3);
    EXPECT_EQ(document.at("switches").at(0), (json{{"name", "wide-area"}, {"uplink", nullptr}, {"speed", nullptr}}));
    EXPECT_THAT(scratch.run("topology --format dot " + clusters_example).out, HasSubstr(R"("wide-area" -- "nancy")"));
}

TEST(ClustersCommand, ScheduleIsThatOfLocalGroupAndPassesTheCheck) {
    const Scratch scratch;
    const Outcome run = scratch.run("schedule " + clusters_example + " --format json -o s.json");
    ASSERT_EQ(run.status, 0) << run.err;
    const json document = json::parse(contents(scratch.path("s.json")));
    EXPECT_EQ(document.at("algorithm"), "local-group");
    EXPECT_EQ(document.at("phases").size(), 6U + 3U) << "six inside the larger cluster, three across";
    std::size_t across = 0;
    for (const json& phase : document.at("phases")) {
        for (const json& message : phase) {
            across += (message.at("from") < 3) != (message.at("to") < 3) ? 1U : 0U;
        }
    }
    EXPECT_EQ(across, 14U);
    const Outcome check = scratch.run("check s.json --topology " + clusters_example);
    EXPECT_EQ(check.status, 0) << check.err;
    EXPECT_THAT(scratch.run("schedule " + clusters_example).out, StartsWith("local-group balanced: 10 participants"));
}

TEST(ClustersCommand, OtherAlgorithmsAndTheGeneratorTakeThem) {
    const Scratch scratch;
    for (const char* algorithm : {"tree", "factor", "ring", "bruck"}) {
        const Outcome run = scratch.run("schedule " + clusters_example + " --algorithm " + algorithm);
        EXPECT_EQ(run.status, 0) << run.err;
        EXPECT_THAT(run.out, StartsWith(algorithm));
    }
    const Outcome generated = scratch.run("generate " + clusters_example + " --synchronisation window:1 -o alltoall.c");
    EXPECT_EQ(generated.status, 0) << generated.err;
    EXPECT_THAT(contents(scratch.path("alltoall.c")), HasSubstr("MPI_Alltoall"));
    expect_refusal(scratch.run("schedule " + clusters_example + " --synchronisation sender"), 2,
                   HasSubstr("contention-free"));
    expect_refusal(scratch.run("schedule '" AAPC_SOURCE_DIRECTORY "/examples/switch-16.toml' --algorithm local-group"),
                   2, HasSubstr("'clusters'"));
}

}  // namespace
