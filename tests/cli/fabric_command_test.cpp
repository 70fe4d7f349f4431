// Commands on fabrics: which bound they name, and what they say of hashed paths.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"

namespace {

using aapc::test::Outcome;
using aapc::test::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using testing::Not;

class FabricCommand : public testing::Test {
  protected:
    void SetUp() override {
        for (const char* paths : {"hashed", "static", "sprayed"}) {
            std::string text = std::string("[network]\nkind = 'fabric'\nspeed = '100Mbit'\npaths = '") + paths + "'\n";
            for (int leaf = 0; leaf < 2; ++leaf) {
                const std::string first = std::to_string(4 * leaf);
                text += "[[switch]]\nname = 'leaf" + std::to_string(leaf) +
                        "'\nuplinks = 'spine[0-1]'\nmachines = 'n[" + first + "-" + std::to_string(4 * leaf + 3) +
                        "]'\n";
            }
            (void)scratch.file(std::string(paths) + ".toml",
                               text + "[[switch]]\nname = 'spine0'\n[[switch]]\nname = 'spine1'\n");
        }
    }

    [[nodiscard]] std::string output(const std::string& command) const {
        const Outcome run = scratch.run(command);
        EXPECT_EQ(run.status, 0) << command << ": " << run.err;
        return run.out;
    }

    Scratch scratch;
};

TEST_F(FabricCommand, TopologyNamesTheBound) {
    const std::string hashed = output("topology hashed.toml");
    EXPECT_THAT(hashed, HasSubstr("fabric    4 switches, 8 machines, 8 ranks, paths hashed\n"));
    EXPECT_THAT(hashed, HasSubstr("bound     8 messages on the busiest directed link, even: as if cables shared"));
    EXPECT_THAT(hashed, HasSubstr("), by formula\n"));
    EXPECT_THAT(hashed, HasSubstr("), by 200 draws\n"));
    const std::string tables = output("topology static.toml");
    EXPECT_THAT(tables, HasSubstr("exact under the static tables"));
    EXPECT_THAT(tables, Not(HasSubstr("expected under a hash")));
    EXPECT_THAT(output("topology sprayed.toml"), Not(HasSubstr("expected under a hash")));
}

TEST_F(FabricCommand, TopologyAsJsonHasCablesAndBounds) {
    const json document = json::parse(output("topology hashed.toml --format json"));
    EXPECT_EQ(document["paths"], "hashed");
    EXPECT_EQ(document["switches"][0]["uplinks"].size(), 2);
    EXPECT_EQ(document["switches"][0]["uplinks"][1]["switch"], "spine1");
    EXPECT_EQ(document["machines"][5]["switch"], "leaf1");
    EXPECT_EQ(document["bound"]["kind"], "even");
    const double even = document["bound"]["seconds_per_byte"];
    EXPECT_DOUBLE_EQ(even, 8 * 8 / 100e6);
    EXPECT_GT(document["bound"]["expected_by_formula"]["mean_seconds_per_byte"], even);
    EXPECT_NEAR(document["bound"]["expected_by_formula"]["mean_seconds_per_byte"],
                document["bound"]["expected_by_draws"]["mean_seconds_per_byte"], 0.05 * even);
    EXPECT_EQ(document["bound"]["draws"], 200);
}

TEST_F(FabricCommand, ExplainAndPredictUseTheSameWords) {
    const std::string explained = output("explain hashed.toml --sizes 64Ki");
    EXPECT_THAT(explained, HasSubstr("decided by rule: even bound 8 messages on leaf0-spine0"));
    EXPECT_THAT(explained, HasSubstr("even bound for each MB of message size: 640.000 ms\n"));
    EXPECT_THAT(explained, HasSubstr("expected under a hash: mean "));
    EXPECT_THAT(explained, HasSubstr("lattice/settled+timed"));
    EXPECT_THAT(explained,
                HasSubstr("algorithm 'tree' is for networks of kind 'tree', and this one is of kind 'fabric'"));
    const std::string predicted = output("predict hashed.toml --sizes 1Mi");
    EXPECT_THAT(predicted, HasSubstr("even bound        expected mean      worst of twenty\n"));
    EXPECT_THAT(predicted, HasSubstr("671.089 ms"));
    EXPECT_THAT(output("predict static.toml --sizes 1Mi"), HasSubstr("exact bound\n"));
    const json document = json::parse(output("predict hashed.toml --sizes 1Ki,1Mi --ranks 4,8 --format json"));
    EXPECT_EQ(document.size(), 2);
    EXPECT_EQ(document[1]["bound"]["kind"], "even");
    EXPECT_EQ(document[1]["sizes"][1]["message_bytes"], 1 << 20);
    EXPECT_EQ(scratch.run("predict hashed.toml --sizes 1Ki --methods lattice").status, 2);
}

TEST_F(FabricCommand, SchedulesAreCheckedOnTheirPaths) {
    for (const char* paths : {"hashed", "static", "sprayed"}) {
        const std::string file = std::string(paths) + ".toml";
        (void)output("schedule " + file + " --format json -o " + paths + ".json");
        const std::string certificate = output(std::string("check ") + paths + ".json --topology " + file);
        EXPECT_THAT(certificate,
                    HasSubstr("every pair once; no directed link asked for more than it carries in a cycle"));
        const bool is_hashed = std::string(paths) == "hashed";
        EXPECT_EQ(
            certificate.find("in a cycle if cables share evenly; under draw 0 of the hash: ") != std::string::npos,
            is_hashed)
            << certificate;
        EXPECT_EQ(certificate.find("1 of 1000 segments finds more than ") != std::string::npos, is_hashed);
    }
}

TEST_F(FabricCommand, RoutinesAreGeneratedForPhases) {
    EXPECT_THAT(output("generate hashed.toml --algorithm factor"), HasSubstr("MPI_"));
    const Outcome tree = scratch.run("schedule hashed.toml --algorithm tree");
    EXPECT_EQ(tree.status, 2);
    EXPECT_THAT(tree.err,
                HasSubstr("algorithm 'tree' is for networks of kind 'tree', and this one is of kind 'fabric'"));
}

}  // namespace
