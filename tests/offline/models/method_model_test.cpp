// What methods should take, against sums worked out by hand, and against the bound on random trees.
#include "aapc/offline/method_model.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <string>
#include <vector>

#include "aapc/offline/expected_by_model.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/topology/bound.hpp"
#include "support/clusters.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

using test::chain_of;
using test::clusters_of;
using test::star_of;
using test::TreeBuilder;
using testing::HasSubstr;

constexpr double alpha = 60e-6;
constexpr double beta = 8.6e-8;  // of 100 Mbit/s with headers
constexpr std::int64_t block_bytes = 65536;

/// Delta of 5 ms from 8 KiB on.
ContentionFit signature(double gamma) {
    ContentionFit fit;
    fit.link = {alpha, beta};
    fit.gamma = {gamma, {0.95 * gamma, 1.05 * gamma, usual_confidence}};
    fit.delta.value = 5e-3;
    fit.threshold = ThresholdInterval{8191, 8192};
    fit.relative_deviation = 0.04;
    fit.quantile = 2;
    fit.fewest_ranks = 4;
    fit.most_ranks = 16;
    fit.smallest_bytes = 1;
    fit.largest_bytes = 1 << 20;
    fit.method = "native";
    return fit;
}

NetworkModel model_of(double gamma) { return {{{"", signature(gamma)}}, std::nullopt}; }

MethodModel model_for(const std::string& method, const Network& network, double gamma) {
    auto model =
        MethodModel::create(network, full_placement(network), *parse_method(method, network.kind()), model_of(gamma));
    EXPECT_TRUE(model) << method << ": " << to_string(model.error());
    return std::move(*model);
}

double seconds(const std::string& method, const Network& network, double gamma = 1.5) {
    return model_for(method, network, gamma).seconds(block_bytes).value;
}

TEST(MethodModel, NativeIsWhatTheSignatureSays) {
    const Network network = chain_of({4, 4, 4, 4}).build();
    const MethodModel model = model_for("native", network, 6);
    for (const std::int64_t size : {1, 8191, 8192, 1 << 20}) {
        EXPECT_EQ(model.seconds(size), predict_seconds(signature(6), 16, size)) << size;
    }
    EXPECT_THAT(model.basis(), HasSubstr("equations 4 and 5"));
    EXPECT_EQ(model.extrapolation_remark(1024), "");
    EXPECT_THAT(model.extrapolation_remark(1 << 21), HasSubstr("outside the sizes"));
}

TEST(MethodModel, PhasesWithTheirStartUpsAndWhatKeepsThemApart) {
    const Network network = star_of({1, 1, 1, 1, 1, 1, 1, 1}).build();  // 8 machines, 7 phases
    const double phase = alpha + block_bytes * beta;
    EXPECT_NEAR(seconds("tree+none", network), 7 * phase, 1e-9);
    EXPECT_NEAR(seconds("tree+sender", network), 7 * phase + 6 * alpha, 1e-9);
    EXPECT_NEAR(seconds("tree+barrier", network), 7 * phase + 6 * 3 * alpha, 1e-9);
    EXPECT_NEAR(seconds("tree+sender-partial:2", network), 7 * phase + 3 * alpha, 1e-9);
    EXPECT_NEAR(seconds("tree+barrier-partial-none:4", network), 7 * phase + 3 * alpha, 1e-9);
    EXPECT_NEAR(seconds("tree+barrier-partial-sender:4", network), 7 * phase + (3 + 5) * alpha, 1e-9);
    EXPECT_NEAR(seconds("ring+window:1", network), 7 * phase, 1e-9);
    EXPECT_NEAR(seconds("bruck/radix-2", network), 3 * (alpha + 4 * block_bytes * beta), 1e-9);
}

TEST(MethodModel, MessagesThatMeetPayWhatContentionCosts) {
    const Network network = chain_of({4, 4, 4, 4}).build();
    // 64 messages cross the middle; gamma 6.4 for 15 messages is 1.5 times what the wires need.
    constexpr double gamma = 6.4;
    EXPECT_NEAR(seconds("tree+none", network, gamma), 64 * (alpha + block_bytes * beta), 1e-9);
    EXPECT_NEAR(seconds("linear+window:all", network, gamma), 15 * alpha + 1.5 * 64 * block_bytes * beta + 15 * 5e-3,
                1e-9);
    // A signature below the bound was not measured at saturation: the wires still need their time.
    EXPECT_NEAR(seconds("linear+window:all", network, 2), 15 * alpha + 64 * block_bytes * beta + 15 * 5e-3, 1e-9);
    // Below the threshold no delta.
    EXPECT_NEAR(model_for("linear+window:all", network, gamma).seconds(1024).value, 15 * alpha + 1.5 * 64 * 1024 * beta,
                1e-9);
    // What nothing keeps apart may take as long as if everybody sent at once.
    const Estimate loose = model_for("tree+none", network, gamma).seconds(block_bytes);
    const Estimate tight = model_for("tree+sender", network, gamma).seconds(block_bytes);
    EXPECT_EQ(loose.interval.high, predict_seconds(signature(gamma), 16, block_bytes).interval.high);
    EXPECT_LT(tight.interval.high, 1.1 * tight.value);
}

TEST(MethodModel, CopiesStandForMessagesInsideMachines) {
    TreeBuilder tree;
    tree.add_switch(-1);
    for (int machine = 0; machine < 3; ++machine) {
        tree.add_machine(0, 4);
    }
    const Network network = tree.build();
    // Two messages of 16 blocks a machine; 11 blocks a rank are put and 11 are taken.
    const double across = 2 * (alpha + 16 * block_bytes * beta);
    const double copies = 2 * 5e-6 + 22 * (50e-9 + block_bytes * 1e-9);
    EXPECT_NEAR(seconds("aggregate/carriers-1+window:1", network), across + copies, 1e-9);
    EXPECT_THAT(model_for("aggregate/carriers-1+window:1", network, 1.5).basis(), HasSubstr("copies inside machines"));
    // As messages, there and back: 3 phases with up to 9 blocks, 2 across, 3 more; links inside machines cost nothing.
    EXPECT_NEAR(seconds("aggregate/carriers-1+none", network), across + 6 * alpha, 1e-9);
    EXPECT_TRUE(model_for("aggregate", network, 1.5).copies_inside_machines());
    EXPECT_FALSE(model_for("bruck", network, 1.5).copies_inside_machines());
    const Network alone = chain_of({4}).build();
    EXPECT_FALSE(model_for("aggregate", alone, 1.5).copies_inside_machines()) << "one rank a machine";
}

TEST(MethodModel, TimedGoesByItsSlots) {
    const Network network = chain_of({4, 4, 4, 4}).build();
    const double slots = segment_message(block_bytes, 1e8).end_seconds(64);
    const double start = alpha * (1 + 2 * 4);
    EXPECT_NEAR(seconds("tree+timed@0.95", network), start + slots / 0.95, 1e-9);
    EXPECT_NEAR(seconds("tree+timed", network), start + slots / PaceController::initial_pace, 1e-9);
    // On a network that is slower than declared, the clock does not help.
    NetworkModel slow = model_of(6);
    slow.clusters.front().fit.link.beta_seconds_per_byte = 3 * beta;
    const auto model =
        MethodModel::create(network, full_placement(network), *parse_method("tree+timed", NetworkKind::tree), slow);
    EXPECT_NEAR(model->seconds(block_bytes).value, start + 64 * block_bytes * 3 * beta, 1e-9);
}

TEST(MethodModel, FasterTrunksCarryMore) {
    TreeBuilder tree;
    const int left = tree.add_switch(-1);
    const int right = tree.add_switch(left, 1e9);
    for (const int at : {left, right}) {
        for (int machine = 0; machine < 4; ++machine) {
            tree.add_machine(at);
        }
    }
    const Network network = tree.build();
    // 16 messages on the trunk take as long as 1.6 on a port, of which every port carries 7.
    EXPECT_NEAR(seconds("linear+window:all", network, 1), 7 * alpha + 7 * block_bytes * beta + 7 * 5e-3, 1e-9);
}

TEST(MethodModel, BetweenClustersMessagesShareTheWideArea) {
    const Network network = clusters_of({3, 3});
    NetworkModel model = model_of(1);
    model.wide_area = WideAreaFit{{5e-3, beta}, 4e-3, {}};
    const auto of = [&](const std::string& method) {
        auto built =
            MethodModel::create(network, full_placement(network), *parse_method(method, NetworkKind::clusters), model);
        EXPECT_TRUE(built) << to_string(built.error());
        return std::move(*built);
    };
    const GridModel grid = grid_model_of(model, network, full_placement(network));
    EXPECT_EQ(of("native").seconds(block_bytes), predict_direct_seconds(grid, block_bytes));
    // Inside two phases of two blocks; across one phase in which three messages of three blocks share the uplink.
    EXPECT_NEAR(of("local-group").seconds(block_bytes).value,
                2 * (alpha + 2 * block_bytes * beta) + 5e-3 + 9 * block_bytes * beta, 1e-9);
}

TEST(MethodModel, SaysWhatIsMissing) {
    const Network tree = star_of({1, 1, 1}).build();
    const Network clusters = clusters_of({3, 3});
    const auto wrong = [](const Network& network, const Placement& placement, const NetworkModel& model) {
        const auto built = MethodModel::create(network, placement, Method{}, model);
        return built ? "nothing" : built.error().problem;
    };
    EXPECT_THAT(wrong(tree, full_placement(tree), {}), HasSubstr("no contention signature"));
    EXPECT_THAT(wrong(tree, {{0}}, model_of(1)), HasSubstr("fewer than two ranks"));
    EXPECT_THAT(wrong(clusters, full_placement(clusters), model_of(1)), HasSubstr("across the wide area"));
    NetworkModel one = model_of(1);
    one.wide_area = WideAreaFit{};
    one.clusters.front().name = "c0s0";
    EXPECT_THAT(wrong(clusters, full_placement(clusters), one), HasSubstr("no signature of the cluster 'c1s0'"));
    EXPECT_EQ(wrong(clusters, {{0, 1, 2, 3}}, one), "nothing") << "one rank does not contend";
    one.clusters.push_back({"c1s0", signature(1)});
    EXPECT_EQ(wrong(clusters, full_placement(clusters), one), "nothing");
    EXPECT_THAT(wrong(tree, full_placement(tree), one), HasSubstr("of 2 clusters"));
}

// Nothing is predicted to beat the wires, and what is contention-free and shortest meets them but for its start-ups.
TEST(MethodModel, NothingBeatsTheBound) {
    int models = 0;
    for (std::uint64_t seed = 1; seed <= 150; ++seed) {
        const Network network = test::random_tree(seed, 2, 10).build();
        Placement placement = full_placement(network);
        std::mt19937_64 random(seed);
        std::shuffle(placement.machine_of.begin(), placement.machine_of.end(), random);
        placement.machine_of.resize(2 + random() % (placement.machine_of.size() - 1));
        const Bound bound = network_bound(network, placement);
        const double least = bound.seconds_per_byte * bound.slowest_bits_per_second / 8 * beta * block_bytes;
        for (const Method& method : candidate_methods(network, placement)) {
            const auto model = MethodModel::create(network, placement, method, model_of(100));
            ASSERT_TRUE(model) << to_string(method) << ", seed " << seed << ": " << to_string(model.error());
            const Estimate estimate = model->seconds(block_bytes);
            EXPECT_GE(estimate.value, least * (1 - 1e-12)) << to_string(method) << ", seed " << seed;
            EXPECT_LE(estimate.interval.low, estimate.value) << to_string(method) << ", seed " << seed;
            EXPECT_GE(estimate.interval.high, estimate.value) << to_string(method) << ", seed " << seed;
            EXPECT_LE(estimate.value, model->seconds(2 * block_bytes).value) << to_string(method) << ", seed " << seed;
            ++models;
            if (to_string(method) == "tree/merged+none") {
                EXPECT_NEAR(estimate.value - alpha * static_cast<double>(bound.messages), least, 1e-9 * least + 1e-12)
                    << "seed " << seed;
            }
        }
    }
    EXPECT_GT(models, 3000);
}

TEST(MethodModel, OrdersCandidates) {
    const Network network = chain_of({4, 4, 4, 4}).build();
    const std::vector<Method> candidates = candidate_methods(network, full_placement(network));
    const ExpectedSeconds expected = expected_by_model(network, full_placement(network), candidates, model_of(10));
    const auto of = [&](const char* name, std::int64_t size) {
        return expected(*parse_method(name, NetworkKind::tree), size);
    };
    for (const Method& method : candidates) {
        EXPECT_GT(expected(method, 1), 0) << to_string(method);
    }
    EXPECT_LT(of("bruck/radix-2", 8), of("tree+timed", 8)) << "few start-ups win where messages are small";
    EXPECT_LT(of("tree+timed", 1 << 20), of("native", 1 << 20)) << "no contention wins where they are large";
    EXPECT_LT(of("tree+timed", 1 << 20), of("bruck/radix-2", 1 << 20));
    // What the model cannot know comes last.
    EXPECT_GE(of("tree/merged+sender-partial:3", 1 << 20), of("native", 1 << 20));
}

}  // namespace
}  // namespace aapc
