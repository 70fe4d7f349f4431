// Stopping and resuming a search, its progress, and clocks that go wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "offline/search/simulated_cluster.hpp"

namespace aapc {
namespace {

using namespace test;
using testing::HasSubstr;

// ---- Stopping and resuming ----

TEST(Search, ResumedAtAnyPointItGoesOnAsIfNothingHadHappened) {
    SimulatedCluster uninterrupted_cluster(candidates_of_chain(), {}, 12);
    uninterrupted_cluster.draw_costs(0.2, 0.8);
    SimulatedCluster interrupted_cluster = uninterrupted_cluster;
    SearchSettings settings = settings_of_chain();
    settings.sizes = {64, 4096, 65536};
    settings.budget_seconds = 60;
    Search uninterrupted = begin(settings, candidates_of_chain());
    const Search::Result expected = play(uninterrupted, uninterrupted_cluster);

    Search search = begin(settings, candidates_of_chain());
    std::mt19937_64 random(1);
    int interruptions = 0;
    while (!search.finished()) {
        if (random() % 20 == 0) {
            const std::string text = search.state_text();
            auto resumed = Search::resume(text, NetworkKind::tree);
            ASSERT_TRUE(resumed) << to_string(resumed.error());
            EXPECT_EQ(resumed->state_text(), text);
            EXPECT_EQ(resumed->settings(), settings);
            EXPECT_EQ(resumed->candidates(), candidates_of_chain());
            EXPECT_EQ(resumed->progress().done, search.progress().done);
            search = std::move(*resumed);
            ++interruptions;
        }
        search.observe(interrupted_cluster.run(search.next()));
    }
    EXPECT_GT(interruptions, 20);
    EXPECT_EQ(text_of(search.result()), text_of(expected));
    EXPECT_EQ(search.state_text(), uninterrupted.state_text());
    const auto finished = Search::resume(search.state_text(), NetworkKind::tree);
    ASSERT_TRUE(finished);
    EXPECT_TRUE(finished->finished());
    EXPECT_EQ(text_of(finished->result()), text_of(expected));
}

TEST(Search, RefusesDamagedStates) {
    SimulatedCluster cluster(candidates_of_chain(), {}, 13);
    cluster.draw_costs(0.2, 0.8);
    SearchSettings settings = settings_of_chain();
    settings.sizes = {64, 4096};
    settings.budget_seconds = 10;
    Search search = begin(settings, candidates_of_chain());
    for (int trial = 0; trial < 100; ++trial) {
        search.observe(cluster.run(search.next()));
    }
    const std::string text = search.state_text();
    for (std::size_t length = 0; length < text.size(); ++length) {
        ASSERT_FALSE(Search::resume(text.substr(0, length), NetworkKind::tree)) << "cut after " << length;
    }
    EXPECT_FALSE(Search::resume(text + "more\n", NetworkKind::tree));
    std::mt19937_64 random(99);
    int refused = 0;
    for (int copy = 0; copy < 3000; ++copy) {
        std::string damaged = text;
        damaged[random() % damaged.size()] = static_cast<char>(random() % 256);
        const auto resumed = Search::resume(damaged, NetworkKind::tree);
        // A changed digit of a time is a time, too; everything else is noticed.
        if (resumed) {
            EXPECT_EQ(std::count(damaged.begin(), damaged.end(), '\n'), std::count(text.begin(), text.end(), '\n'));
        } else {
            EXPECT_THAT(to_string(resumed.error()), HasSubstr("begin"));
            ++refused;
        }
    }
    EXPECT_GT(refused, 1500);
}

TEST(Search, RefusesSettingsThatMakeNoSense) {
    const auto refused = [](const std::function<void(SearchSettings&, std::vector<Method>&)>& spoil) {
        SearchSettings settings;
        std::vector<Method> candidates = {Method{}, *parse_method("tree", NetworkKind::tree)};
        spoil(settings, candidates);
        return !Search::create(settings, candidates);
    };
    EXPECT_FALSE(refused([](SearchSettings&, std::vector<Method>&) {}));
    EXPECT_TRUE(refused([](SearchSettings& settings, std::vector<Method>&) { settings.sizes = {}; }));
    EXPECT_TRUE(refused([](SearchSettings& settings, std::vector<Method>&) { settings.sizes = {0, 1}; }));
    EXPECT_TRUE(refused([](SearchSettings& settings, std::vector<Method>&) { settings.sizes = {4, 4}; }));
    EXPECT_TRUE(refused([](SearchSettings& settings, std::vector<Method>&) { settings.sizes = {4, 1}; }));
    EXPECT_TRUE(refused([](SearchSettings& settings, std::vector<Method>&) { settings.budget_seconds = 0; }));
    EXPECT_TRUE(refused([](SearchSettings& settings, std::vector<Method>&) {
        settings.budget_seconds = std::numeric_limits<double>::quiet_NaN();
    }));
    EXPECT_TRUE(refused([](SearchSettings& settings, std::vector<Method>&) { settings.bound_seconds_per_byte = -1; }));
    EXPECT_TRUE(refused([](SearchSettings&, std::vector<Method>& candidates) { candidates.clear(); }));
    EXPECT_TRUE(
        refused([](SearchSettings&, std::vector<Method>& candidates) { std::swap(candidates[0], candidates[1]); }));
    EXPECT_TRUE(refused([](SearchSettings&, std::vector<Method>& candidates) { candidates.push_back(candidates[1]); }));
}

// ---- Progress, and odd clocks ----

TEST(Search, ProgressGoesForwardToTheEnd) {
    constexpr int seeds = 10;
    double done_before_the_end = 0;
    for (std::uint64_t seed = 10; seed < 10 + seeds; ++seed) {
        SimulatedCluster cluster(candidates_of_chain(), {}, seed);
        cluster.draw_costs(0.2, 0.8);
        SearchSettings settings = settings_of_chain();
        settings.budget_seconds = 320;
        Search search = begin(settings, candidates_of_chain());
        double done = 0;
        while (!search.finished()) {
            const Search::Progress progress = search.progress();
            ASSERT_GE(progress.done, done);
            ASSERT_LE(progress.done, 1);
            ASSERT_GE(progress.seconds_left, 0);
            ASSERT_LE(progress.seconds_left, settings.budget_seconds);
            ASSERT_EQ(progress.block_bytes, search.next().block_bytes);
            ASSERT_GE(progress.in_the_race, 1U);
            ASSERT_LE(progress.in_the_race, candidates_of_chain().size());
            done = progress.done;
            search.observe(cluster.run(search.next()));
        }
        EXPECT_GT(done, 0.8) << "seed " << seed;
        done_before_the_end += done / seeds;
        EXPECT_EQ(search.progress().done, 1);
        EXPECT_EQ(search.progress().seconds_left, 0);
    }
    EXPECT_GT(done_before_the_end, 0.9);
}

TEST(Search, EndsWhateverTheClockSays) {
    const double nonsense[] = {0, -1, std::numeric_limits<double>::quiet_NaN(),
                               std::numeric_limits<double>::infinity()};
    for (const double seconds : nonsense) {
        SearchSettings settings;
        settings.sizes = {1, 1024};
        Search search = begin(settings, candidates_of_chain());
        int measurements = 0;
        while (!search.finished() && measurements < 100000) {
            search.observe({seconds, seconds});
            ++measurements;
        }
        EXPECT_TRUE(search.finished()) << seconds;
        EXPECT_TRUE(method_for(search.result(), 1).native()) << seconds;
    }
}

TEST(Search, NativeAloneIsASearchToo) {
    SearchSettings settings;
    settings.sizes = {8};
    Search search = begin(settings, {Method{}});
    while (!search.finished()) {
        EXPECT_TRUE(search.next().method.native());
        search.observe({0.001, 0.001});
    }
    EXPECT_TRUE(search.result().ranges.front().method.native());
}

}  // namespace
}  // namespace aapc
