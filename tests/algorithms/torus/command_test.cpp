// `aapc predict` for tori, and `aapc schedule` within a limit of buffers, as a user runs them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <string>

#include "cli/program.hpp"

namespace {

using aapc::test::expect_refusal;
using aapc::test::Outcome;
using aapc::test::Scratch;
using testing::HasSubstr;

const std::string torus_16 =
    "[network]\nkind = \"torus\"\nspeed = \"1Gbit\"\nsides = [16, 16]\nmachines = \"t[0-255]\"\n";
const std::string torus_8 = "[network]\nkind = \"torus\"\nspeed = \"1Gbit\"\nsides = [8, 8]\nmachines = \"t[0-63]\"\n";

TEST(PredictTorus, SaysWorkChoiceAndTimes) {
    const Scratch scratch;
    const std::string topology = scratch.file("torus.toml", torus_16);
    const Outcome outcome = scratch.run("predict " + topology +
                                        " --start-up 30e-6 --per-byte 10e-9 --copy 0 --sizes 1,1Ki,64Ki --format json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["format"], "aapc-torus-prediction/1");
    EXPECT_EQ(document["sides"], nlohmann::json({16, 16}));
    ASSERT_EQ(document["methods"].size(), 5U);
    EXPECT_EQ(document["methods"][1], nlohmann::json({{"method", "torus/divisions-1"},
                                                      {"start_ups", 9},
                                                      {"sent_blocks", 2176},
                                                      {"rearranged_blocks", 2560},
                                                      {"buffer_blocks", 512}}));
    ASSERT_EQ(document["fastest"].size(), 3U);
    EXPECT_EQ(document["fastest"][0]["method"], "torus/divisions-1");
    EXPECT_EQ(document["fastest"][1]["method"], "torus/divisions-0");
    EXPECT_NEAR(document["fastest"][1]["from_bytes"].get<double>(), 3.3, 0.1);
    EXPECT_EQ(document["fastest"][2]["method"], "torus-direct/plain");
    EXPECT_NEAR(document["fastest"][2]["from_bytes"].get<double>(), 1961, 1);
    ASSERT_EQ(document["predictions"].size(), 15U);
    EXPECT_NEAR(document["predictions"][6]["seconds"].get<double>(), 9 * 30e-6 + 1024 * 2176 * 10e-9, 1e-9);
    EXPECT_EQ(document["predictions"][6]["buffer_bytes"], 512 * 1024);

    const Outcome text = scratch.run("predict " + topology + " --start-up 30e-6 --per-byte 10e-9 --copy 0 --sizes 1Ki");
    ASSERT_EQ(text.status, 0) << text.err;
    EXPECT_THAT(text.out, HasSubstr("torus of 16 x 16, 256 machines with one rank each\n"));
    EXPECT_THAT(text.out, HasSubstr("torus/divisions-1             9         2176         2560            512\n"));
    EXPECT_THAT(text.out, HasSubstr("torus/divisions-0 is faster than torus/divisions-1 from 3.35 B on\n"));
}

TEST(PredictTorus, TakesTheTopologysSpeedAndMeasuresCopies) {
    const Scratch scratch;
    const std::string topology = scratch.file("torus.toml", torus_8);
    const Outcome outcome = scratch.run("predict " + topology + " --start-up 1e-5 --format json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto costs = nlohmann::json::parse(outcome.out)["costs"];
    EXPECT_DOUBLE_EQ(costs["seconds_per_byte"].get<double>(), 8e-9);
    EXPECT_EQ(costs["seconds_per_byte_from"], "the topology's speed");
    EXPECT_EQ(costs["copy_seconds_per_byte_from"], "measured on this computer");
    EXPECT_GT(costs["copy_seconds_per_byte"].get<double>(), 1e-12);
    EXPECT_LT(costs["copy_seconds_per_byte"].get<double>(), 1e-7);
}

TEST(PredictTorus, PrintsTheTableOfThePaperCorrected) {
    const Scratch scratch;
    const Outcome outcome = scratch.run("predict --torus-table --format json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto document = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(document["format"], "aapc-torus-table/1");
    ASSERT_EQ(document["rows"].size(), 3U + 4 + 5 + 6 + 2 * 4) << "each K, the baseline and the direct exchange";
    const auto row = [&](int side, const std::string& algorithm) {
        for (const auto& entry : document["rows"]) {
            if (entry["side"] == side && entry["algorithm"] == algorithm) {
                return entry;
            }
        }
        return nlohmann::json();
    };
    EXPECT_EQ(row(16, "A_1")["printed"]["sent_blocks"], 1664);
    EXPECT_EQ(row(16, "A_1")["corrected"]["sent_blocks"], 2176);
    EXPECT_EQ(row(32, "A_4 (A_{n-1})")["printed"]["sent_blocks"], 63488);
    EXPECT_EQ(row(32, "A_4 (A_{n-1})")["corrected"]["sent_blocks"], 54784);
    EXPECT_EQ(row(64, "direct")["corrected"]["start_ups"], 64 * 64 * 64 / 8);
    EXPECT_TRUE(row(64, "Tseng et al.")["corrected"].is_null());
    EXPECT_THAT(scratch.run("predict --torus-table").out,
                HasSubstr(" 16  A_1                    9         9       1664       2176       2560       2560        "
                          "512\n"));
}

TEST(PredictTorus, RefusesInOneLine) {
    const Scratch scratch;
    const std::string topology = scratch.file("torus.toml", torus_8);
    const std::string crowded = scratch.file(
        "two.toml", "[network]\nkind = \"torus\"\nspeed = \"1Gbit\"\nsides = [4, 4]\nmachines = \"t[0-15]:2\"\n");
    expect_refusal(scratch.run("predict " + topology), 2, HasSubstr("--start-up: "));
    expect_refusal(scratch.run("predict " + topology + " --start-up 1e-5 --sizes big"), 2, HasSubstr("--sizes: "));
    expect_refusal(scratch.run("predict " + topology + " --start-up 1e-5 --ranks 8"), 2, HasSubstr("--ranks: "));
    expect_refusal(scratch.run("predict " + crowded + " --start-up 1e-5"), 2, HasSubstr("two.toml: "));
}

TEST(BufferLimit, DividesLessOftenAndSaysSo) {
    const Scratch scratch;
    const std::string topology = scratch.file("torus.toml", torus_8);
    const std::string command =
        "schedule " + topology + " --algorithm torus --divisions 2 --message-size 1Ki --buffer-limit ";
    const Outcome enough = scratch.run(command + "1Mi");
    ASSERT_EQ(enough.status, 0) << enough.err;
    EXPECT_THAT(enough.out, HasSubstr("torus divisions-2: 64 participants"));
    EXPECT_THAT(enough.out, HasSubstr("\nbuffers for "));
    EXPECT_EQ(enough.err, "");

    const Outcome less = scratch.run(command + "250Ki");
    ASSERT_EQ(less.status, 0) << less.err;
    EXPECT_THAT(less.out, HasSubstr("torus divisions-1: 64 participants"));
    EXPECT_THAT(less.err, HasSubstr("aapc: divisions-2 would need "));
    EXPECT_THAT(less.err, HasSubstr("aapc: using divisions-1, which needs "));

    expect_refusal(scratch.run(command + "10Ki"), 2, HasSubstr("needs buffers of "));
    expect_refusal(scratch.run(command + "much"), 2, HasSubstr("--buffer-limit: "));
    EXPECT_EQ(scratch.run("schedule " + topology + " --buffer-limit 1Mi").status, 2) << "a limit is of bytes";
}

}  // namespace
