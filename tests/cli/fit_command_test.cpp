#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>
#include <string>

#include "cli/program.hpp"

namespace {

using aapc::test::contents;
using aapc::test::expect_refusal;
using aapc::test::Outcome;
using aapc::test::Scratch;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

std::string seconds_text(double seconds) { return fmt::format("{:.12g}", seconds); }

// gamma 2, alpha 50 us, beta 10 ns a byte, delta 3 ms from 8 KB on; exact.
std::string exact_samples(bool with_pairs) {
    std::string text = "ranks,message_bytes,seconds\n";
    for (const int bytes : {1024, 4096, 8192, 65536, 1048576}) {
        for (const int ranks : {8, 16}) {
            const double one = 50e-6 + bytes * 10e-9 * 2 + (bytes >= 8192 ? 3e-3 : 0);
            text += std::to_string(ranks) + ',' + std::to_string(bytes) + ',' + seconds_text((ranks - 1) * one) + '\n';
        }
        if (with_pairs) {
            text += "2," + std::to_string(bytes) + ',' + seconds_text(50e-6 + bytes * 10e-9) + '\n';
        }
    }
    return text;
}

TEST(FitCommand, WritesTheDocumentOfTheContract) {
    const Scratch scratch;
    (void)scratch.file("s.csv", exact_samples(false));
    const Outcome run = scratch.run("fit s.csv --alpha 50e-6 --beta 10e-9 --format json");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto document = nlohmann::json::parse(run.out);
    EXPECT_NEAR(document["gamma"]["value"].get<double>(), 2, 0.01);
    EXPECT_NEAR(document["delta"]["value"].get<double>(), 3e-3, 3e-5);
    EXPECT_EQ(document["threshold"]["interval"], (std::vector<int>{4096, 8192}));
    EXPECT_LE(document["gamma"]["interval"][0].get<double>(), document["gamma"]["value"].get<double>());
    EXPECT_LE(document["gamma"]["value"].get<double>(), document["gamma"]["interval"][1].get<double>());
}

TEST(FitCommand, TakesAlphaAndBetaFromTwoRanks) {
    const Scratch scratch;
    (void)scratch.file("s.csv", exact_samples(true));
    const Outcome run = scratch.run("fit s.csv -o fit.txt");
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(
        contents(scratch.path("fit.txt")),
        AllOf(HasSubstr("beta   10 ns"), HasSubstr("M      above 4096, not above 8192 bytes"), HasSubstr("next ")));
}

TEST(FitCommand, TwoRanksDoNotContend) {
    const Scratch scratch;
    (void)scratch.file("all.csv", exact_samples(true));
    (void)scratch.file("contending.csv", exact_samples(false));
    const std::string given = " --alpha 50e-6 --beta 10e-9 --format json";
    const Outcome run = scratch.run("fit all.csv" + given);
    EXPECT_EQ(run.out, scratch.run("fit contending.csv" + given).out) << run.err;
    EXPECT_EQ(run.status, 0);
}

TEST(FitCommand, PredictionsComeBackFromTheDocument) {
    const Scratch scratch;
    (void)scratch.file("s.csv", exact_samples(false));
    ASSERT_EQ(scratch.run("fit s.csv --alpha 50e-6 --beta 10e-9 --format json -o fit.json").status, 0);
    const Outcome run = scratch.run("predict fit.json --ranks 12,100 --sizes 1Ki,64Ki --format json");
    ASSERT_EQ(run.status, 0) << run.err;
    const auto document = nlohmann::json::parse(run.out);
    ASSERT_EQ(document.size(), 4U);
    EXPECT_NEAR(document[1]["seconds"].get<double>(), 11 * (50e-6 + 65536 * 20e-9 + 3e-3), 1e-4);
    EXPECT_EQ(document[1]["remark"], "");
    EXPECT_THAT(document[3]["remark"].get<std::string>(), HasSubstr("100 ranks are more than the 16"));
    const Outcome text = scratch.run("predict fit.json --ranks 100 --sizes 64Ki");
    EXPECT_THAT(text.out, HasSubstr("* 100 ranks are more than the 16"));
    expect_refusal(scratch.run("predict fit.json --ranks 4 --sizes 1Ki,many"), 2,
                   HasSubstr("--sizes: 'many' is not a size"));
}

TEST(FitCommand, RefusesBadInputWithItsPlace) {
    const Scratch scratch;
    (void)scratch.file("s.csv", "ranks,message_bytes,seconds\n16,1k,0.5\n");
    (void)scratch.file("few.csv", "ranks,message_bytes,seconds\n16,1024,0.5\n");
    (void)scratch.file("other.json", R"({"format": "aapc-schedule/1"})");
    (void)scratch.file("part.json", R"({"format": "aapc-fit/1", "alpha_seconds": 1})");
    expect_refusal(scratch.run("fit s.csv -o f.json"), 2, HasSubstr("s.csv:2:4: '1k' is no value for message_bytes"));
    expect_refusal(scratch.run("fit few.csv"), 2, HasSubstr("give --alpha and --beta"));
    expect_refusal(scratch.run("fit few.csv --alpha 0 --beta 1e-9"), 2, HasSubstr("few.csv: 1 of 1 samples"));
    expect_refusal(scratch.run("fit none.csv"), 2, HasSubstr("none.csv: cannot be opened"));
    expect_refusal(scratch.run("predict other.json --ranks 4 --sizes 1"), 2, HasSubstr("no document of format"));
    expect_refusal(scratch.run("fit"), 2, HasSubstr("neither samples nor a cluster"));
    expect_refusal(scratch.run("fit few.csv --next 3"), 2, HasSubstr("--next"));
    expect_refusal(scratch.run("fit few.csv --topology t.toml"), 2, HasSubstr("to be read and to be measured"));
    expect_refusal(scratch.run("fit --topology t.toml"), 2, HasSubstr("mpirun -n 16"));
    expect_refusal(scratch.run("predict part.json --ranks 4 --sizes 1"), 2,
                   HasSubstr("beta_seconds_per_byte is missing"));
    EXPECT_THAT(scratch.files(), testing::ElementsAre("few.csv", "other.json", "part.json", "s.csv"));
}

TEST(FitCommand, DrawsAPicture) {
    const Scratch scratch;
    (void)scratch.file("s.csv", exact_samples(true));
    const Outcome run = scratch.run("fit s.csv --plot plot.svg -o fit.txt");
    if (run.status == 2) {
        EXPECT_THAT(run.err, HasSubstr("gnuplot-nox"));
        EXPECT_THAT(scratch.files(), ElementsAre("s.csv")) << "no half of it";
        GTEST_SKIP() << "no gnuplot here (Debian's package gnuplot-nox)";
    }
    ASSERT_EQ(run.status, 0) << run.err;
    EXPECT_THAT(scratch.files(), ElementsAre("fit.txt", "plot.svg", "s.csv"));
    EXPECT_THAT(contents(scratch.path("plot.svg")), AllOf(HasSubstr("8 ranks"), HasSubstr("16 ranks")));
}

TEST(FitCommand, NamesTheMethodThatWasMeasured) {
    const Scratch scratch;
    (void)scratch.file("s.csv", exact_samples(true));
    const Outcome run = scratch.run("fit s.csv --method linear --format json");
    EXPECT_EQ(nlohmann::json::parse(run.out)["method"], "linear/plain+window:all") << run.err;
    expect_refusal(scratch.run("fit s.csv --method quick"), 2, HasSubstr("--method: "));
}

const std::string chain_file = "'" AAPC_SOURCE_DIRECTORY "/examples/chain-4x4.toml'";
const std::string grid = "'" AAPC_SOURCE_DIRECTORY "/examples/clusters-3+7.toml'";

/// A directory with fit.json.
void write_fit(const Scratch& scratch) {
    (void)scratch.file("s.csv", exact_samples(true));
    ASSERT_EQ(scratch.run("fit s.csv --format json -o fit.json").status, 0);
}

constexpr const char* crowded_machines =
    "[network]\nspeed = '100Mbit'\n[[switch]]\nname = 's'\nmachines = ['a:4', 'b:4', 'c:4']\n";

TEST(PredictCommand, EveryMethodOfATopology) {
    const Scratch scratch;
    write_fit(scratch);
    const Outcome run = scratch.run("predict " + chain_file + " --model fit.json --sizes 1Ki,64Ki --format json");
    ASSERT_EQ(run.status, 0) << run.err;
    std::set<std::string> methods;
    for (const auto& line : nlohmann::json::parse(run.out)) {
        methods.insert(line["method"]);
        EXPECT_EQ(line["ranks"], 16);
        EXPECT_GT(line["seconds"], 0);
        EXPECT_LE(line["interval"][0], line["seconds"]);
        EXPECT_GE(line["interval"][1], line["seconds"]);
        EXPECT_NE(line["basis"], "");
    }
    EXPECT_THAT(methods, testing::IsSupersetOf({"native", "tree/merged+timed", "bruck/radix-2+window:1"}));
    const Outcome some = scratch.run("predict " + chain_file +
                                     " --model fit.json --sizes 64Ki --ranks 8,16 --methods native,tree+sender");
    EXPECT_EQ(some.status, 0) << some.err;
    EXPECT_THAT(some.out, AllOf(HasSubstr("method"), HasSubstr("64 phases, tokens"), HasSubstr("equations 4 and 5")));
    EXPECT_EQ(std::count(some.out.begin(), some.out.end(), '\n'), 5) << some.out;
    const Outcome nodes = scratch.run("predict " + scratch.file("nodes.toml", crowded_machines) +
                                      " --model fit.json --sizes 1Ki --methods native,aggregate");
    EXPECT_EQ(nodes.status, 0) << nodes.err;
    EXPECT_THAT(nodes.out, AllOf(HasSubstr("copies inside machines"), HasSubstr("is ahead of native below ")));
}

TEST(PredictCommand, ClustersByTheEquationsAndByTheirPhases) {
    const Scratch scratch;
    write_fit(scratch);
    const Outcome run = scratch.run("predict " + grid +
                                    " --model nancy=fit.json,rennes=fit.json --wide-area 5e-3,1e-9 --sizes 1Ki,64Ki "
                                    "--format json");
    ASSERT_EQ(run.status, 0) << run.err;
    std::set<std::string> bases;
    for (const auto& line : nlohmann::json::parse(run.out)) {
        bases.insert(line["basis"]);
    }
    EXPECT_THAT(bases, testing::IsSupersetOf({"equation 6", "equation 6, links shared", "equation 7 as printed",
                                              "equation 7'", "equation 7', links shared"}));
    EXPECT_THAT(bases, testing::Contains(HasSubstr("phases")));
    // One signature for both does as well, and one that is missing is named.
    EXPECT_EQ(scratch.run("predict " + grid + " --model fit.json --wide-area 5e-3,1e-9 --sizes 1Ki").status, 0);
    expect_refusal(scratch.run("predict " + grid + " --model nancy=fit.json --wide-area 5e-3,1e-9 --sizes 1Ki"), 2,
                   HasSubstr("no signature of the cluster 'rennes'"));
    expect_refusal(scratch.run("predict " + grid + " --model fit.json --sizes 1Ki"), 2, HasSubstr("--wide-area"));
}

TEST(PredictCommand, RefusesWhatItCannotPredict) {
    const Scratch scratch;
    write_fit(scratch);
    expect_refusal(scratch.run("predict"), 2, HasSubstr("nothing is given"));
    expect_refusal(scratch.run("predict " + chain_file + " --sizes 1"), 2, HasSubstr("--model"));
    expect_refusal(scratch.run("predict fit.json --sizes 1"), 2, HasSubstr("--ranks"));
    expect_refusal(scratch.run("predict fit.json --ranks 4"), 2, HasSubstr("--sizes"));
    expect_refusal(scratch.run("predict fit.json --ranks 4 --sizes 0"), 2, HasSubstr("at least 1 byte"));
    expect_refusal(scratch.run("predict " + chain_file + " --model fit.json --sizes 1 --ranks 17"), 2,
                   HasSubstr("places for 16"));
    expect_refusal(scratch.run("predict " + chain_file + " --model none.json --sizes 1"), 2, HasSubstr("none.json"));
    expect_refusal(scratch.run("predict " + chain_file + " --model fit.json,fit.json --sizes 1"), 2,
                   HasSubstr("two signatures"));
    expect_refusal(scratch.run("predict " + chain_file + " --model fit.json --sizes 1 --methods tree+window:x"), 2,
                   HasSubstr("--methods"));
    expect_refusal(scratch.run("predict " + chain_file + " --model fit.json --sizes 1 --methods ring+timed"), 2,
                   HasSubstr("ring"));
}

}  // namespace
