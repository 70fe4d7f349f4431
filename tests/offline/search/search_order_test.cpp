// In which order the search tries methods: models and the rule put some first, and measuring decides.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "aapc/offline/expected_by_model.hpp"
#include "aapc/offline/method_model.hpp"
#include "aapc/offline/network_model.hpp"
#include "offline/search/simulated_cluster.hpp"

namespace aapc {
namespace {

using namespace test;

TEST(Search, AModelOrdersCandidatesButSkipsNoCloseRace) {
    // The model praises one method and thinks nothing of the one that is really close to the best.
    const ExpectedSeconds model = [](const Method& method, std::int64_t) {
        const std::string name = to_string(method);
        return name == "tree/paper+barrier-partial-none:16" ? 0.1 : name == "tree/merged+receiver" ? 100 : 1.0;
    };
    const auto play_with = [](const ExpectedSeconds& expected) {
        SimulatedCluster cluster(candidates_of_chain(), {}, 8);
        cluster.set_all_costs({0.03, 1e-5});
        cluster.set_cost("native", {0.03, 1.1e-5});
        cluster.set_cost("tree/paper+barrier-partial-none:16", {0.03, 1.09e-5});
        cluster.set_cost("tree/merged+timed", {0.01, 0.6e-5});
        cluster.set_cost("tree/merged+receiver", {0.011, 0.55e-5});
        SearchSettings settings = settings_of_chain();
        settings.sizes = {65536, 1 << 20};
        settings.budget_seconds = 1100;
        Search search = begin(settings, candidates_of_chain(), {expected, nullptr});
        play(search, cluster);
        return cluster;
    };
    const SimulatedCluster without = play_with(nullptr);
    const SimulatedCluster with = play_with(model);
    EXPECT_GT(with.calls("tree/paper+barrier-partial-none:16", 1 << 20), 0);
    EXPECT_EQ(without.calls("tree/paper+barrier-partial-none:16", 1 << 20), 0);
    EXPECT_GT(without.calls("tree/merged+receiver", 1 << 20), 5);
    EXPECT_GT(with.calls("tree/merged+receiver", 65536), 0);
    EXPECT_GT(with.calls("tree/merged+receiver", 1 << 20), 5) << "a close race at 64 KB was skipped";
}

/// What `timed` is to an MPI that loses packets: behind where messages are small, far ahead where calls take seconds.
SimulatedCluster losing_packets() {
    SimulatedCluster cluster = without_accidents({0.02, 1e-5}, 12);
    cluster.set_cost("native", {0.02, 3.3e-5});
    cluster.set_cost("factor/fill+sender-partial:2", {0.02, 0.9e-5});
    cluster.set_cost("tree/merged+timed", {0.15, 0.5e-5});
    return cluster;
}

TEST(Search, WhatRunsWithoutATuningIsMeasuredWhereTimeIsShort) {
    SearchSettings settings = settings_of_chain();
    settings.sizes = {4096, 16384, 65536};
    settings.budget_seconds = 100;
    SimulatedCluster left_out = losing_packets();
    Search unaware = begin(settings, candidates_of_chain());
    play(unaware, left_out);
    EXPECT_EQ(left_out.calls("tree/merged+timed", 65536), 0) << "the case does not show anything";

    SimulatedCluster cluster = losing_packets();
    const UntunedMethod rule = [](std::int64_t bytes) {
        return *parse_method(bytes < 16384 ? "native" : "tree/merged+timed", NetworkKind::tree);
    };
    Search search = begin(settings, candidates_of_chain(), {nullptr, rule});
    const Search::Result result = play(search, cluster);
    EXPECT_EQ(to_string(method_for(result, 65536)), "tree/merged+timed") << text_of(result);
    EXPECT_LE(result.spent_seconds, settings.budget_seconds);
}

// An MPI whose ranks spin took 69 ms for a byte where they outnumbered the cores, and Bruck's algorithm 2.
TEST(Search, AnMpiThatIsSlowWithSmallMessagesLeavesTimeForOthers) {
    SimulatedCluster cluster = without_accidents({0.005, 1e-5}, 14);
    cluster.set_cost("native", {0.069, 1.3e-5});
    cluster.set_cost("bruck/radix-2+window:1", {0.0017, 4e-5});
    SearchSettings settings = settings_of_chain();
    settings.budget_seconds = 120;
    Search search = begin(settings, candidates_of_chain());
    const Search::Result result = play(search, cluster);
    EXPECT_EQ(to_string(method_for(result, 1)), "bruck/radix-2+window:1") << text_of(result);
    EXPECT_LE(result.spent_seconds, settings.budget_seconds);
}

// Three pairs of exchanges are all that fits: enough to tell a lead of that size, if nothing is spent on a screening.
TEST(Search, WhatRunsWithoutATuningNeedsNoScreening) {
    SearchSettings settings = settings_of_chain();
    settings.sizes = {1 << 20};
    settings.budget_seconds = 220;
    SimulatedCluster cluster = losing_packets();
    const UntunedMethod rule = [](std::int64_t) { return *parse_method("tree/merged+timed", NetworkKind::tree); };
    Search search = begin(settings, candidates_of_chain(), {nullptr, rule});
    const Search::Result result = play(search, cluster);
    EXPECT_EQ(to_string(method_for(result, 1 << 20)), "tree/merged+timed") << text_of(result);
    EXPECT_TRUE(result.unmet.empty());
    EXPECT_LE(result.spent_seconds, settings.budget_seconds);
}

// TCP's congestion control finds the bandwidth of connections that were idle in a call or two, which then take four
// times as long as the later ones: 26 % were lost to that at 16 KB once, and two thirds at 64 KB.
TEST(Search, AColdStartDoesNotDropWhatRunsWithoutATuning) {
    const auto play_with = [](const UntunedMethod& rule) {
        SimulatedCluster cluster = without_accidents({0.02, 1e-5}, 3, 4);
        cluster.set_cost("native", {0.02, 1.1e-5});
        cluster.set_cost("tree/merged+timed", {0.02, 0.7e-5});
        SearchSettings settings = settings_of_chain();
        settings.sizes = {65536};
        settings.budget_seconds = 60;
        Search search = begin(settings, candidates_of_chain(), {nullptr, rule});
        const Search::Result result = play(search, cluster);
        EXPECT_LE(result.spent_seconds, settings.budget_seconds);
        return to_string(method_for(result, 65536));
    };
    EXPECT_NE(play_with(nullptr), "tree/merged+timed") << "the case does not show anything";
    const UntunedMethod rule = [](std::int64_t) { return *parse_method("tree/merged+timed", NetworkKind::tree); };
    EXPECT_EQ(play_with(rule), "tree/merged+timed");
}

/// A signature for the chain.
NetworkModel model_of_chain(double gamma, PointToPoint link) {
    ContentionFit fit;
    fit.link = link;
    fit.gamma.value = gamma;
    return {{{"", fit}}, std::nullopt};
}

ExpectedSeconds expected_on_chain(const NetworkModel& model) {
    const Network network = chain();
    return expected_by_model(network, full_placement(network), candidates_of_chain(), model);
}

/// The candidates in the order in which they are first measured at the first size.
std::vector<std::string> order_of_entry(const ExpectedSeconds& expected, SimulatedCluster cluster,
                                        Search::Result& result) {
    SearchSettings settings = settings_of_chain();
    settings.sizes = {65536};
    settings.budget_seconds = 2000;
    Search search = begin(settings, candidates_of_chain(), {expected, nullptr});
    std::vector<std::string> order;
    while (!search.finished()) {
        const Search::Trial trial = search.next();
        const std::string name = to_string(trial.method);
        if (std::find(order.begin(), order.end(), name) == order.end()) {
            order.push_back(name);
        }
        search.observe(cluster.run(trial));
    }
    result = search.result();
    return order;
}

TEST(Search, AFittedModelChangesTheOrderAndNotTheWinner) {
    const ExpectedSeconds right = expected_on_chain(model_of_chain(7, {60e-6, 8.6e-8}));
    // Contention costs nothing and a start-up a second: few, large messages are praised, and the fastest are not.
    const ExpectedSeconds wrong = expected_on_chain(model_of_chain(1, {1, 1e-12}));
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        SimulatedCluster cluster(candidates_of_chain(), {}, seed);
        cluster.draw_costs(0.2, 0.8);
        cluster.set_cost("tree/merged+timed@0.97", {0.001, 64 * 8 / 1e8 / 0.99});
        Search::Result without_result;
        Search::Result right_result;
        Search::Result wrong_result;
        const auto without = order_of_entry(nullptr, cluster, without_result);
        const auto with_right = order_of_entry(right, cluster, right_result);
        const auto with_wrong = order_of_entry(wrong, cluster, wrong_result);
        EXPECT_NE(without, with_right) << "seed " << seed;
        EXPECT_NE(with_right, with_wrong) << "seed " << seed;
        EXPECT_EQ(with_wrong[1].substr(0, 6), "bruck/") << "seed " << seed << ": " << with_wrong[1];
        EXPECT_EQ(with_right[1].substr(0, 5), "tree/") << "seed " << seed << ": " << with_right[1];
        for (const auto* result : {&without_result, &right_result, &wrong_result}) {
            EXPECT_EQ(to_string(method_for(*result, 65536)), "tree/merged+timed@0.97") << "seed " << seed;
        }
    }
}

}  // namespace
}  // namespace aapc
