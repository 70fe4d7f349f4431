// The executor, unchanged, on simulated networks: data, time and contention.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "cli/program.hpp"

namespace aapc::test {
namespace {

using testing::HasSubstr;

const std::string torus_8x8 = AAPC_SOURCE_DIRECTORY "/examples/torus-8x8.toml";
const std::string chain_4x4 = AAPC_SOURCE_DIRECTORY "/examples/chain-4x4.toml";

constexpr double envelope_bytes = 16;  ///< that SMPI adds to each message

struct Sample {
    std::string method;
    double bytes = 0;
    double seconds = 0;
    double of_bound = 0;
    std::int64_t messages = 0;
    std::int64_t planned_messages = 0;
};

/// What a simulation says; nothing if it failed.
std::vector<Sample> simulate(const Scratch& scratch, const std::string& options) {
    const Outcome run = scratch.run(options + " --format json");
    EXPECT_EQ(run.status, 0) << options << "\n" << run.err;
    if (run.status != 0) {
        return {};
    }
    std::vector<Sample> samples;
    const nlohmann::json document = nlohmann::json::parse(run.out);
    for (const nlohmann::json& sample : document["samples"]) {
        samples.push_back({sample["method"], sample["bytes"], sample["seconds"], sample["of_bound"], sample["messages"],
                           sample["planned_messages"]});
    }
    return samples;
}

/// Simulated seconds by method.
std::map<std::string, double> times(const Scratch& scratch, const std::string& options) {
    std::map<std::string, double> seconds;
    for (const Sample& sample : simulate(scratch, options)) {
        seconds[sample.method] = sample.seconds;
    }
    return seconds;
}

/// A message takes what it must: the sender's time, the latency of its links, its bytes and SMPI's envelope on one link
/// of that speed.
TEST(Simulation, TimesOneMessageExactly) {
    const Scratch scratch;
    const std::string pair =
        scratch.file("pair.toml", "[network]\nspeed = \"100Mbit\"\n[[switch]]\nname = \"s\"\nmachines = \"n[0-1]\"\n");
    const auto samples = simulate(scratch, "--topology " + pair +
                                               " --methods linear,native --native-algorithm basic_linear "
                                               "--sizes 1,100000 --latency 20us --start-up 30us");
    ASSERT_EQ(samples.size(), 4U);
    for (const Sample& sample : samples) {
        EXPECT_NEAR(sample.seconds, 30e-6 + 2 * 20e-6 + (sample.bytes + envelope_bytes) * 8 / 100e6, 1e-8)
            << sample.method << " " << sample.bytes;
        EXPECT_EQ(sample.messages, 2) << sample.method;
    }
}

/// A machine's ranks meet on its one link, and not on it where they talk to each other.
TEST(Simulation, RanksOfOneMachineShareItsLink) {
    const Scratch scratch;
    const std::string pair = scratch.file(
        "pair.toml", "[network]\nspeed = \"100Mbit\"\n[[switch]]\nname = \"s\"\nmachines = \"n[0-1]:2\"\n");
    const auto samples = simulate(scratch, "--topology " + pair + " --methods linear --sizes 1000000");
    ASSERT_EQ(samples.size(), 1U);
    EXPECT_NEAR(samples.front().seconds, 4 * 1e6 * 8 / 100e6, 1e-4);
    EXPECT_EQ(samples.front().messages, 12);
}

/// Every byte of every method is looked at, and the network saw the messages of the plans, no more and no fewer: it was
/// this executor that ran.
TEST(Simulation, RunsEveryPlanOnATorus) {
    const Scratch scratch;
    const auto samples = simulate(scratch, "--topology " + torus_8x8 +
                                               " --sizes 3 --methods torus/divisions-0,torus/divisions-1,"
                                               "torus/divisions-2,torus-direct+none,torus-direct+sender,"
                                               "torus-direct+receiver,ring,pairwise,scattered,linear,bruck,factor");
    ASSERT_EQ(samples.size(), 12U);
    for (const Sample& sample : samples) {
        EXPECT_EQ(sample.messages, sample.planned_messages) << sample.method;
        EXPECT_GT(sample.planned_messages, 0) << sample.method;
    }
}

TEST(Simulation, RunsEverySynchronisationOnATree) {
    const Scratch scratch;
    const auto samples = simulate(
        scratch, "--topology " + chain_4x4 +
                     " --latency 20us --sizes 7,20000 --methods tree+none,tree+dummy,tree+sender,tree+sender-partial:4,"
                     "tree+receiver,tree+receiver-partial:4,tree+barrier,tree+barrier-partial-none:4,"
                     "tree+barrier-partial-sender:4,tree+barrier-partial-receiver:4,tree+window:2,tree+timed");
    ASSERT_EQ(samples.size(), 24U);
    for (const Sample& sample : samples) {
        EXPECT_GT(sample.seconds, 0) << sample.method;
        EXPECT_LT(sample.of_bound, 1) << sample.method << ": faster than the busiest link";
    }
}

/// With a barrier between all phases every one of the 64 takes at least the four hops' latency of its longest message;
/// SMPI's own nonblocking barrier, which holds nobody back, would be seen here.
TEST(Simulation, BarriersHoldEverybodyBack) {
    const Scratch scratch;
    const auto by_method = times(
        scratch, "--topology " + chain_4x4 + " --latency 1ms --sizes 1 --methods tree/paper+none,tree/paper+barrier");
    // Each of the 63 barriers takes four rounds, and a round the latency of two links at least.
    EXPECT_GT(by_method.at("tree/paper+barrier"), 63 * 4 * 2e-3);
    EXPECT_LT(by_method.at("tree/paper+none"), by_method.at("tree/paper+barrier") / 3);
}

/// SimGrid's pair_rma delivers wrong data on 32 ranks; that is noticed.
TEST(Simulation, SeesWrongData) {
    const Scratch scratch;
    const std::string star =
        scratch.file("star.toml", "[network]\nspeed = \"100Mbit\"\n[[switch]]\nname = \"s\"\nmachines = \"n[0-31]\"\n");
    const Outcome run = scratch.run("--topology " + star + " --methods native --native-algorithm pair_rma --sizes 64");
    EXPECT_EQ(run.status, 1);
    EXPECT_EQ(run.out, "");
    EXPECT_THAT(run.err, HasSubstr("native: wrong data"));
}

struct Mistake {
    std::string options;
    std::string message;
};

TEST(Simulation, RefusesWhatItCannotRun) {
    const Scratch scratch;
    const std::vector<Mistake> mistakes = {
        {"--topology missing.toml", "missing.toml: cannot be opened"},
        {"--topology " + torus_8x8 + " --methods tree", "--methods: 'tree' is for a tree"},
        {"--topology " + torus_8x8 + " --sizes 0", "--sizes: "},
        {"--topology " + torus_8x8 + " --start-up soon", "--start-up: "},
        {"--topology " + torus_8x8 + " --latency 2", "--latency: "},
        {"--topology " + torus_8x8 + " --methods torus/divisions-3", "divi"},
        {"--topology " + torus_8x8 + " --methods ring+sender", "sender"},
        {"--topology " + chain_4x4 + " --methods tree,factor+ports:1",
         "factor/fill+ports:1: simulated ranks share no memory; choose a synchronisation by messages or by the clock"},
    };
    for (const Mistake& mistake : mistakes) {
        SCOPED_TRACE(mistake.options);
        expect_refusal(scratch.run(mistake.options), 2, HasSubstr(mistake.message));
    }
}

/// The sharp test of contention-freedom: links that lose capacity with every further flow. What never puts two messages
/// on a link takes the same time, whatever they lose; what does becomes slower.
void expect_invariant(const std::string& network, const std::string& methods, bool invariant) {
    const Scratch scratch;
    const std::string options = network + " --latency 5us --methods " + methods + " --contention-loss ";
    const auto lossless = times(scratch, options + "0");
    const auto lossy = times(scratch, options + "0.5");
    ASSERT_EQ(lossless.size(), static_cast<std::size_t>(1 + std::count(methods.begin(), methods.end(), ',')));
    for (const auto& [method, seconds] : lossless) {
        if (invariant) {
            // Tokens are flows, too, of 16 bytes.
            EXPECT_NEAR(lossy.at(method) / seconds, 1, 0.01) << method;
        } else {
            EXPECT_GT(lossy.at(method) / seconds, 1.1) << method;
        }
    }
}

const std::string chain_and_size = "--topology " + chain_4x4 + " --sizes 64Ki";

const std::string torus_and_size = "--topology " + torus_8x8 + " --sizes 16Ki";

TEST(ContentionLoss, DoesNotTouchSynchronisedTrees) {
    expect_invariant(chain_and_size,
                     "tree/merged+sender,tree/paper+sender,tree/merged+receiver,tree/merged+barrier,"
                     "tree/merged+barrier-partial-sender:8",
                     true);
}

TEST(ContentionLoss, DoesNotTouchSynchronisedDirectTori) {
    expect_invariant(torus_and_size, "torus-direct+barrier,torus-direct+sender,torus-direct+receiver", true);
}

TEST(ContentionLoss, DoesNotTouchDividedTori) {
    expect_invariant(torus_and_size, "torus/divisions-0,torus/divisions-1,torus/divisions-2", true);
}

TEST(ContentionLoss, SlowsDownRivalsOnTrees) {
    expect_invariant(chain_and_size, "ring,pairwise,scattered,linear,bruck,tree/merged+window:all", false);
}

/// What costs the simulation most is bytes: a quarter of them on links of a quarter of the speed take as long.
TEST(ContentionLoss, SlowsDownRivalsOnTori) {
    const Scratch scratch;
    const std::string slow_torus = scratch.file(
        "torus.toml", "[network]\nkind = \"torus\"\nspeed = \"250Mbit\"\nsides = [8, 8]\nmachines = \"t[0-63]\"\n");
    expect_invariant("--topology " + slow_torus + " --sizes 16Ki",
                     "ring,pairwise,scattered,linear,bruck,torus-direct+window:all", false);
}

/// Start-ups and blocks of `torus` as docs/torus.md has them: S start-ups and B blocks take S·ts + B·m·td.
TEST(Model, TorusTakesItsStartUpsAndItsBlocks) {
    const Scratch scratch;
    const double start_up = 30e-6;
    const double byte = 8e-9;
    const std::map<std::string, std::pair<double, double>> expected = {
        {"torus/divisions-0+window:1", {6, 64 * 3.0}},
        {"torus/divisions-1+window:1", {7, 64 * 6.5 - 1}},
        {"torus/divisions-2+window:1", {8, 64 * 11.5 - 6}},
    };
    const auto samples = simulate(scratch, "--topology " + torus_8x8 +
                                               " --methods torus/divisions-0,torus/divisions-1,torus/divisions-2 "
                                               "--sizes 8,512,8Ki --start-up 30us");
    ASSERT_EQ(samples.size(), 9U);
    for (const Sample& sample : samples) {
        const auto [start_ups, blocks] = expected.at(sample.method);
        const double model = start_ups * (start_up + envelope_bytes * byte) + blocks * sample.bytes * byte;
        EXPECT_NEAR(sample.seconds / model, 1, 0.01) << sample.method << " " << sample.bytes;
    }
}

}  // namespace
}  // namespace aapc::test
