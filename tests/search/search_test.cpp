// The search on simulated clusters: what each method takes is known, and noise comes from a seed, so that what the
// search finds can be held against the truth.
#include "aapc/search/search.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "aapc/models/method_model.hpp"
#include "aapc/models/network_model.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/search/expected_by_model.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/detection.hpp"
#include "aapc/topology/topology_file.hpp"
#include "support/clusters.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

using testing::HasSubstr;

Network chain() { return *read_topology_file(AAPC_SOURCE_DIRECTORY "/examples/chain-4x4.toml"); }

/// Uniform in [0, 1), the same with every standard library.
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

double normal(std::mt19937_64& random) {
    double sum = -6;
    for (int term = 0; term < 12; ++term) {
        sum += uniform(random);
    }
    return sum;
}

/// What a method takes: so long for a message of no size, and so long for each byte.
struct Cost {
    double seconds = 0;
    double seconds_per_byte = 0;

    [[nodiscard]] double at(std::int64_t bytes) const {
        return seconds + seconds_per_byte * static_cast<double>(bytes);
    }
};

struct Noise {
    double relative = 0.02;         ///< standard deviation of the logarithm
    double accident_share = 0.02;   ///< of calls that meet one
    double accident_seconds = 0.2;  ///< up to so much longer: TCP's time-out
    double slow_first_calls = 1.3;  ///< of a method that finds its pace, for three calls at a size
};

/// A cluster that is not there.
class Cluster {
  public:
    Cluster(const std::vector<Method>& candidates, Noise noise, std::uint64_t seed) : noise_(noise), random_(seed) {
        for (const Method& method : candidates) {
            names_.push_back(to_string(method));
            costs_[names_.back()] = {};
        }
    }

    /// Every method's cost at random around what real ones take on the chain of examples/.
    void draw_costs(double native_efficiency_low, double native_efficiency_high) {
        constexpr double bound = 64 * 8 / 1e8;
        for (const std::string& name : names_) {
            const bool native = name == "native";
            const double low = native ? native_efficiency_low : 0.2;
            const double high = native ? native_efficiency_high : 0.95;
            costs_[name] = {0.002 * std::exp(2.0 * uniform(random_)), bound / (low + (high - low) * uniform(random_))};
        }
    }
    void set_cost(const std::string& name, Cost cost) { costs_[name] = cost; }
    void set_all_costs(Cost cost) {
        for (const std::string& name : names_) {
            costs_[name] = cost;
        }
    }

    [[nodiscard]] double truth(const Method& method, std::int64_t bytes) const {
        return costs_.at(to_string(method)).at(bytes);
    }
    [[nodiscard]] double best(std::int64_t bytes) const {
        double least = costs_.begin()->second.at(bytes);
        for (const auto& [name, cost] : costs_) {
            least = std::min(least, cost.at(bytes));
        }
        return least;
    }

    Search::Measurement run(const Search::Trial& trial) {
        const std::string name = to_string(trial.method);
        double seconds = costs_.at(name).at(trial.block_bytes) * std::exp(noise_.relative * normal(random_));
        if (uniform(random_) < noise_.accident_share) {
            seconds += noise_.accident_seconds * uniform(random_);
        }
        const bool finds_its_pace =
            trial.method.synchronisation.kind == Synchronisation::Kind::timed && trial.method.synchronisation.pace <= 0;
        if (calls_[{name, trial.block_bytes}]++ < 3 && finds_its_pace) {
            seconds *= noise_.slow_first_calls;
        }
        return {seconds, seconds * 1.1 + 0.001};
    }

    [[nodiscard]] const std::map<std::pair<std::string, std::int64_t>, int>& calls() const { return calls_; }
    [[nodiscard]] int calls(const std::string& name, std::int64_t bytes) const {
        const auto found = calls_.find({name, bytes});
        return found == calls_.end() ? 0 : found->second;
    }

  private:
    Noise noise_;
    std::mt19937_64 random_;
    std::vector<std::string> names_;
    std::map<std::string, Cost> costs_;
    std::map<std::pair<std::string, std::int64_t>, int> calls_;
};

SearchSettings settings_of_chain() {
    const Network network = chain();
    const Bound bound = tree_bound(network, full_placement(network));
    SearchSettings settings;
    settings.bound_seconds_per_byte = bound.seconds_per_byte;
    settings.slowest_bits_per_second = bound.slowest_bits_per_second;
    return settings;
}

const std::vector<Method>& candidates_of_chain() {
    static const std::vector<Method> candidates = [] {
        const Network network = chain();
        return candidate_methods(network, full_placement(network));
    }();
    return candidates;
}

/// The chain's candidates, which all take the same until something else is said.
Cluster without_accidents(Cost everybody, std::uint64_t seed, double slow_first_calls = Noise{}.slow_first_calls) {
    Noise quiet;
    quiet.accident_share = 0;
    quiet.slow_first_calls = slow_first_calls;
    Cluster cluster(candidates_of_chain(), quiet, seed);
    cluster.set_all_costs(everybody);
    return cluster;
}

Search begin(const SearchSettings& settings, const std::vector<Method>& candidates, Foreknowledge known = {}) {
    auto search = Search::create(settings, candidates, std::move(known));
    EXPECT_TRUE(search) << to_string(search.error());
    return std::move(*search);
}

Search::Result play(Search& search, Cluster& cluster) {
    while (!search.finished()) {
        search.observe(cluster.run(search.next()));
    }
    return search.result();
}

const Method& method_for(const Search::Result& result, std::int64_t bytes) {
    const auto after = std::find_if(result.ranges.begin(), result.ranges.end(),
                                    [&](const TunedRange& range) { return range.from_bytes > bytes; });
    return std::prev(after)->method;
}

std::vector<MeasuredSize> all_measured(const Search::Result& result) {
    std::vector<MeasuredSize> all;
    for (const TunedRange& range : result.ranges) {
        all.insert(all.end(), range.measured.begin(), range.measured.end());
    }
    return all;
}

std::string text_of(const Search::Result& result) {
    std::string text = fmt::format("{} {}\n", result.measurements, result.spent_seconds);
    for (const TunedRange& range : result.ranges) {
        text += fmt::format("from {} {}\n", range.from_bytes, to_string(range.method));
        for (const MeasuredSize& size : range.measured) {
            text += fmt::format("  {} {} {} {} {} {} {} {} {}\n", size.bytes, size.native_seconds, size.chosen_seconds,
                                size.lead.ratio, size.lead.low, size.lead.high, size.spread, size.repeats,
                                size.runner_up ? to_string(size.runner_up->method) : "nobody");
        }
    }
    return text;
}

// ---- Candidates ----

TEST(CandidateMethods, AreDifferentMethodsThatFitAndCanBeReadBack) {
    for (const char* file : {"chain-4x4.toml", "star-4+3x4.toml", "switch-16.toml", "uneven-nodes.toml"}) {
        const Network network = *read_topology_file(std::string(AAPC_SOURCE_DIRECTORY "/examples/") + file);
        for (Rank ranks = 1; ranks <= full_placement(network).participants(); ++ranks) {
            Placement placement = full_placement(network);
            placement.machine_of.resize(static_cast<std::size_t>(ranks));
            const std::vector<Method> candidates = candidate_methods(network, placement);
            ASSERT_TRUE(candidates.front().native());
            std::set<std::string> names;
            for (const Method& method : candidates) {
                const std::string name = to_string(method);
                EXPECT_TRUE(names.insert(name).second) << name << " twice: " << file << ", " << ranks << " ranks";
                const auto read = parse_method(name, network.kind());
                ASSERT_TRUE(read) << to_string(read.error());
                EXPECT_EQ(*read, method) << name;
                if (!method.native()) {
                    const auto timetable = build_timetable(*method.algorithm, method.variant, network, placement);
                    ASSERT_TRUE(timetable) << name;
                    EXPECT_TRUE(check_synchronisation_fits(**timetable, method.synchronisation)) << name;
                }
            }
        }
    }
}

TEST(CandidateMethods, HoldEveryAlgorithmAndEverySynchronisationOfThePaper) {
    std::set<std::string> names;
    std::set<std::string_view> algorithms_seen;
    for (const Method& method : candidates_of_chain()) {
        names.insert(to_string(method));
        if (!method.native()) {
            algorithms_seen.insert(method.algorithm->name);
        }
    }
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.is_for(NetworkKind::tree)) {
            EXPECT_TRUE(algorithms_seen.contains(algorithm.name)) << algorithm.name;
        }
    }
    for (const char* variant : {"merged", "paper"}) {
        for (const char* synchronisation :
             {"none", "dummy", "sender", "sender-partial:2", "sender-partial:8", "sender-partial:16", "receiver",
              "receiver-partial:8", "barrier", "barrier-partial-none:4", "barrier-partial-sender:16",
              "barrier-partial-receiver:4", "timed"}) {
            EXPECT_TRUE(names.contains(fmt::format("tree/{}+{}", variant, synchronisation)))
                << variant << ' ' << synchronisation;
        }
    }
    for (const char* name :
         {"native", "tree/merged+timed:8688", "tree/merged+timed@0.95", "linear/plain+window:all",
          "scattered/plain+window:4", "scattered/plain+window:all", "ring/plain+window:1", "ring/plain+window:4",
          "pairwise/plain+window:2", "bruck/radix-2+window:1", "bruck/radix-3+window:1", "bruck/radix-16+window:1"}) {
        EXPECT_TRUE(names.contains(name)) << name;
    }
    EXPECT_GE(names.size(), 50U);
    EXPECT_LE(names.size(), 90U);
}

TEST(CandidateMethods, WindowsAndBlocksEndWithThePhases) {
    const Network network = chain();
    Placement placement = full_placement(network);
    placement.machine_of.resize(5);  // four steps in the baselines, five phases in the tree
    for (const Method& method : candidate_methods(network, placement)) {
        const Phase block = method.synchronisation.block_phases;
        if (!method.native() && block > 1 && block != all_phases) {
            const auto timetable = build_timetable(*method.algorithm, method.variant, network, placement);
            EXPECT_LT(block, (*timetable)->phases()) << to_string(method);
        }
    }
}

// Whether a machine's ranks should share its card as they come or by tickets is found out where there are such ranks.
TEST(CandidateMethods, HaveTicketsWhereRanksShareMachines) {
    const Network network =
        read_topology("[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"s0\"\nmachines = \"n[0-2]:3\"\n",
                      "three.toml")
            .value();
    const auto names = [&](const Placement& placement) {
        std::set<std::string> all;
        for (const Method& method : candidate_methods(network, placement)) {
            all.insert(to_string(method));
        }
        return all;
    };
    const std::set<std::string> shared = names(full_placement(network));
    for (const char* name : {"factor/fill+window:1", "factor/fill+ports:1", "factor/fill+ports:2",
                             "tree/merged+ports:1", "ring/plain+ports:1"}) {
        EXPECT_TRUE(shared.contains(name)) << name;
    }
    EXPECT_FALSE(shared.contains("bruck/radix-2+ports:1")) << "which passes blocks on";
    for (const std::string& name : names(Placement{{0, 1, 2}})) {
        EXPECT_EQ(name.find("ports:"), std::string::npos) << name;
    }
}

/// The algorithms and variants among the candidates, each once.
std::set<std::string> variants_among(const std::vector<Method>& candidates) {
    std::set<std::string> variants;
    for (const Method& method : candidates) {
        const std::string name = to_string(method);
        variants.insert(name.substr(0, name.find('+')));
    }
    return variants;
}

TEST(CandidateMethods, HaveEveryVariantOfFactorWhereRanksShareMachines) {
    const DetectedNetwork uneven = detect_network(
        {{0, "a"}, {0, "a"}, {0, "a"}, {3, "b"}, {3, "b"}, {5, "c"}, {5, "c"}, {5, "c"}, {5, "c"}, {9, "d"}}, 1e9);
    const std::set<std::string> variants = variants_among(candidate_methods(uneven.network, uneven.placement));
    for (const char* variant : {"factor/fill", "factor/permutation", "factor/paper", "factor/exchange", "factor/flat",
                                "factor/ports-2", "factor/ports-3", "tree/merged", "tree/paper"}) {
        EXPECT_TRUE(variants.contains(variant)) << variant;
    }
    EXPECT_FALSE(variants.contains("factor/ports-8")) << "no machine has so many ranks: it is as ports-4";
}

TEST(CandidateMethods, HaveEveryDivisionOfATorus) {
    for (const auto& [sides, divisions] : {std::pair{test::Sides{4, 4}, 2}, {test::Sides{8, 8}, 3}}) {
        const Network network = test::torus_of(sides);
        const std::set<std::string> variants = variants_among(candidate_methods(network, full_placement(network)));
        for (int division = 0; division < divisions; ++division) {
            EXPECT_TRUE(variants.contains("torus/divisions-" + std::to_string(division))) << division;
        }
        EXPECT_TRUE(variants.contains("torus-direct/plain"));
        EXPECT_FALSE(variants.contains("tree/merged"));
    }
}

TEST(CandidateMethods, HaveLocalGroupOnClusters) {
    const Network network = test::clusters_of({2, 3});
    const std::set<std::string> variants = variants_among(candidate_methods(network, full_placement(network)));
    EXPECT_TRUE(variants.contains("local-group/balanced"));
    EXPECT_TRUE(variants.contains("tree/merged"));
}

TEST(CandidateMethods, HaveNoClockWhereNothingIsKnownOfTheSpeed) {
    const std::vector<RankPlace> places = {{0, "a"}, {0, "a"}, {2, "b"}, {2, "b"}};
    for (const double speed : {0.0, 1e9}) {
        const DetectedNetwork found = detect_network(places, speed);
        const std::vector<Method> candidates = candidate_methods(found.network, found.placement);
        const bool timed = std::any_of(candidates.begin(), candidates.end(), [](const Method& method) {
            return method.synchronisation.kind == Synchronisation::Kind::timed;
        });
        EXPECT_EQ(timed, speed > 0);
    }
}

TEST(CandidateMethods, HaveNoClockWhereNoMessageCrossesALink) {
    const Network network =
        read_topology("[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"s0\"\nmachines = \"n[0-1]:4\"\n", "two.toml")
            .value();
    const auto timed_candidates = [&](const Placement& placement) {
        const std::vector<Method> candidates = candidate_methods(network, placement);
        return std::count_if(candidates.begin(), candidates.end(), [](const Method& method) {
            return method.synchronisation.kind == Synchronisation::Kind::timed;
        });
    };
    EXPECT_EQ(timed_candidates({{0, 0, 0, 0}}), 0);
    EXPECT_GT(timed_candidates({{0, 0, 0, 1}}), 0);
}

// ---- What is found ----

struct Score {
    int sizes = 0;
    int not_the_best = 0;        ///< more than 2 % slower than the best there is
    int slower_than_native = 0;  ///< by more than 2 %
    double worst_against_native = 1;
    double most_over_budget = 0;
};

/// Plays whole searches and holds every measured size against the truth.
Score score(int seeds, Noise noise, double native_low, double native_high) {
    Score total;
    for (int seed = 1; seed <= seeds; ++seed) {
        Cluster cluster(candidates_of_chain(), noise, static_cast<std::uint64_t>(seed));
        cluster.draw_costs(native_low, native_high);
        Search search = begin(settings_of_chain(), candidates_of_chain());
        const Search::Result result = play(search, cluster);
        for (const std::int64_t bytes : search.settings().sizes) {
            const double chosen = cluster.truth(method_for(result, bytes), bytes);
            const double native = cluster.truth(Method{}, bytes);
            ++total.sizes;
            total.not_the_best += static_cast<int>(chosen > 1.02 * cluster.best(bytes));
            total.slower_than_native += static_cast<int>(chosen > 1.02 * native);
            total.worst_against_native = std::max(total.worst_against_native, chosen / native);
        }
        total.most_over_budget =
            std::max(total.most_over_budget, result.spent_seconds - search.settings().budget_seconds);
    }
    return total;
}

TEST(Search, FindsTheBestWithinTwoPercent) {
    const Score total = score(60, {}, 0.2, 0.8);
    RecordProperty("not_the_best", total.not_the_best);
    fmt::print("{} of {} more than 2 % slower than the best\n", total.not_the_best, total.sizes);
    EXPECT_LE(total.not_the_best, total.sizes / 20);
    EXPECT_EQ(total.slower_than_native, 0);
    EXPECT_LE(total.most_over_budget, 0.0);
}

TEST(Search, NeverSlowerThanNativeWhateverTheNoise) {
    int sizes = 0;
    for (const double relative : {0.01, 0.1, 0.3}) {
        Noise noise;
        noise.relative = relative;
        noise.accident_share = 0.1;
        // The MPI's own among the best: little to gain, much to lose.
        const Score total = score(25, noise, 0.85, 0.98);
        sizes += total.sizes;
        EXPECT_EQ(total.slower_than_native, 0)
            << "of " << total.sizes << ", noise " << relative << ", worst " << total.worst_against_native;
        EXPECT_LE(total.most_over_budget, 0.0) << relative;
    }
    EXPECT_EQ(sizes, 825);
}

TEST(Search, KeepsNativeWhereAllAreAlike) {
    int replaced = 0;
    int sizes = 0;
    for (std::uint64_t seed = 1; seed <= 25; ++seed) {
        Noise noise;
        noise.relative = 0.1;
        Cluster cluster(candidates_of_chain(), noise, seed);
        cluster.set_all_costs({0.004, 64 * 8 / 1e8});
        Search search = begin(settings_of_chain(), candidates_of_chain());
        const Search::Result result = play(search, cluster);
        for (const std::int64_t bytes : search.settings().sizes) {
            ++sizes;
            replaced += static_cast<int>(!method_for(result, bytes).native());
        }
    }
    EXPECT_LE(replaced, sizes / 50) << "of " << sizes;
}

TEST(Search, ReplacesNativeWhereTheLeadIsClearAndSaysHowMuch) {
    Cluster cluster(candidates_of_chain(), {}, 3);
    cluster.set_all_costs({0.01, 64 * 8 / 1e8 / 0.4});
    cluster.set_cost("tree/merged+timed", {0.005, 64 * 8 / 1e8 / 0.94});
    Search search = begin(settings_of_chain(), candidates_of_chain());
    const Search::Result result = play(search, cluster);
    ASSERT_EQ(result.ranges.size(), 1U) << text_of(result);
    EXPECT_EQ(to_string(result.ranges.front().method), "tree/merged+timed");
    EXPECT_EQ(result.ranges.front().from_bytes, 0);
    EXPECT_THAT(result.unmet, testing::IsEmpty());
    for (const MeasuredSize& size : all_measured(result)) {
        const double lead = cluster.truth(Method{}, size.bytes) / cluster.truth(result.ranges[0].method, size.bytes);
        EXPECT_NEAR(size.lead.ratio, lead, 0.1 * lead) << size.bytes;
        EXPECT_GT(size.lead.low, 1.02);
        EXPECT_LE(size.lead.low, size.lead.ratio);
        EXPECT_GE(size.lead.high, size.lead.ratio);
        EXPECT_GE(size.repeats, 6);
        EXPECT_GT(size.spread, 0);
        EXPECT_LT(size.spread, 0.5);
        ASSERT_TRUE(size.runner_up);
        EXPECT_GT(size.runner_up->seconds, size.chosen_seconds);
    }
}

TEST(Search, AMethodThatFindsItsPaceIsNotJudgedByItsFirstCalls) {
    Noise noise;
    noise.slow_first_calls = 4;
    Cluster cluster(candidates_of_chain(), noise, 5);
    cluster.set_all_costs({0.01, 64 * 8 / 1e8 / 0.5});
    cluster.set_cost("tree/merged+timed", {0.005, 64 * 8 / 1e8 / 0.94});
    SearchSettings settings = settings_of_chain();
    settings.sizes = {1024, 4096, 16384, 65536};
    Search search = begin(settings, candidates_of_chain());
    const Search::Result result = play(search, cluster);
    for (const std::int64_t bytes : settings.sizes) {
        EXPECT_EQ(to_string(method_for(result, bytes)), "tree/merged+timed") << bytes;
    }
}

// ---- Borders ----

TEST(Search, MeasuresTheBorderBetweenTwoWinners) {
    // Bruck is better below 9 KB, timed above; both beat the MPI's own by far.
    const auto crossing_at = [](double bytes) {
        Cluster cluster(candidates_of_chain(), {}, 9);
        cluster.set_all_costs({0.05, 64 * 8 / 1e8 / 0.3});
        const double slope = 64 * 8 / 1e8 / 0.95;
        cluster.set_cost("bruck/radix-2+window:1", {0.002, 2 * slope});
        cluster.set_cost("tree/merged+timed", {0.002 + slope * bytes, slope});
        SearchSettings settings = settings_of_chain();
        settings.sizes = {1024, 4096, 16384, 65536};
        Search search = begin(settings, candidates_of_chain());
        return play(search, cluster);
    };
    const Search::Result below_the_middle = crossing_at(5000);
    ASSERT_EQ(below_the_middle.ranges.size(), 2U) << text_of(below_the_middle);
    EXPECT_EQ(below_the_middle.ranges[1].measured.front().bytes, 8192);
    EXPECT_EQ(below_the_middle.ranges[1].from_bytes, 5793);  // the geometric middle of 4096 and 8192

    const Search::Result above_the_middle = crossing_at(13000);
    ASSERT_EQ(above_the_middle.ranges.size(), 2U) << text_of(above_the_middle);
    EXPECT_EQ(above_the_middle.ranges[0].measured.back().bytes, 8192);
    EXPECT_EQ(above_the_middle.ranges[1].from_bytes, 11586);
}

TEST(Search, RangesAreAscendingFromZeroAndHoldWhatWasMeasuredInThem) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
        Cluster cluster(candidates_of_chain(), {}, seed);
        cluster.draw_costs(0.3, 0.9);
        Search search = begin(settings_of_chain(), candidates_of_chain());
        const Search::Result result = play(search, cluster);
        ASSERT_EQ(result.ranges.front().from_bytes, 0);
        std::int64_t last = 0;
        for (std::size_t range = 0; range < result.ranges.size(); ++range) {
            for (const MeasuredSize& size : result.ranges[range].measured) {
                EXPECT_GT(size.bytes, last) << "seed " << seed;
                EXPECT_GE(size.bytes, result.ranges[range].from_bytes) << "seed " << seed;
                last = size.bytes;
                if (range + 1 < result.ranges.size()) {
                    EXPECT_LT(size.bytes, result.ranges[range + 1].from_bytes) << "seed " << seed;
                }
            }
            if (range > 0) {
                EXPECT_GT(result.ranges[range].from_bytes, result.ranges[range - 1].from_bytes) << "seed " << seed;
                EXPECT_NE(result.ranges[range].method, result.ranges[range - 1].method) << "seed " << seed;
            }
        }
    }
}

// ---- Budget and pruning ----

TEST(Search, RespectsItsBudget) {
    for (const double budget : {2.0, 20.0, 120.0, 720.0}) {
        for (std::uint64_t seed = 1; seed <= 5; ++seed) {
            Cluster cluster(candidates_of_chain(), {}, seed);
            cluster.draw_costs(0.2, 0.8);
            SearchSettings settings = settings_of_chain();
            settings.budget_seconds = budget;
            Search search = begin(settings, candidates_of_chain());
            const Search::Result result = play(search, cluster);
            // Every size is measured once with the MPI's own, whatever it costs; nothing else may overrun.
            double native_once = 0;
            for (const std::int64_t bytes : settings.sizes) {
                native_once += cluster.truth(Method{}, bytes);
            }
            EXPECT_LE(result.spent_seconds, std::max(budget, 0.0) + 2 * native_once) << "seed " << seed;
            if (budget >= 120) {
                EXPECT_LE(result.spent_seconds, budget) << "seed " << seed;
            }
            EXPECT_EQ(all_measured(result).empty(), false);
            for (const std::int64_t bytes : result.unmet) {
                EXPECT_TRUE(method_for(result, bytes).native()) << bytes << ", seed " << seed;
            }
        }
    }
}

TEST(Search, ABudgetForNothingKeepsNativeAndSaysSo) {
    Cluster cluster(candidates_of_chain(), {}, 1);
    cluster.draw_costs(0.2, 0.3);
    SearchSettings settings = settings_of_chain();
    settings.budget_seconds = 1e-6;
    Search search = begin(settings, candidates_of_chain());
    const Search::Result result = play(search, cluster);
    ASSERT_EQ(result.ranges.size(), 1U);
    EXPECT_TRUE(result.ranges.front().method.native());
    EXPECT_EQ(result.unmet, settings.sizes);
    EXPECT_EQ(result.measurements, static_cast<std::int64_t>(settings.sizes.size()));
}

TEST(Search, StopsEarlyWhereEverythingIsClear) {
    Cluster cluster(candidates_of_chain(), {}, 2);
    cluster.set_all_costs({0.001, 1e-9});
    cluster.set_cost("tree/merged+none", {0.0004, 4e-10});
    SearchSettings settings = settings_of_chain();
    settings.bound_seconds_per_byte = 4e-10;
    Search search = begin(settings, candidates_of_chain());
    const Search::Result result = play(search, cluster);
    EXPECT_LT(result.spent_seconds, 60) << "of " << settings.budget_seconds;
    EXPECT_EQ(to_string(method_for(result, 1024)), "tree/merged+none");
}

TEST(Search, DropsLosersEarlyAndRemembersThem) {
    Cluster cluster = without_accidents({0.2, 1e-4}, 4);  // hopeless everywhere
    cluster.set_cost("native", {0.010, 1e-5});
    cluster.set_cost("tree/merged+sender", {0.009, 0.9e-5});
    cluster.set_cost("tree/merged+timed", {0.005, 5.4e-6});
    const SearchSettings settings = settings_of_chain();
    Search search = begin(settings, candidates_of_chain());
    const Search::Result result = play(search, cluster);
    for (const Method& method : candidates_of_chain()) {
        const std::string name = to_string(method);
        const bool serious = name == "native" || name == "tree/merged+sender" || name == "tree/merged+timed";
        for (const std::int64_t bytes : settings.sizes) {
            if (!serious) {
                EXPECT_LE(cluster.calls(name, bytes), 5) << name << ' ' << bytes;  // calls to find a pace, and one
            }
            // Other segments of timed mean something new from there on, and get a first chance.
            if (!serious && bytes >= 16384 && !name.starts_with("tree/merged+timed:")) {
                EXPECT_EQ(cluster.calls(name, bytes), 0) << name << " was hopeless at " << bytes / 4;
            }
            if (name == "native" || name == "tree/merged+timed") {
                EXPECT_GE(cluster.calls(name, bytes), 6) << name << ' ' << bytes;
            }
        }
    }
    EXPECT_EQ(result.ranges.size(), 1U) << text_of(result);
    EXPECT_LE(result.spent_seconds, settings.budget_seconds);
}

// Where one call takes seconds, time goes into telling a small lead from none and not into another look at losers.
TEST(Search, LongCallsAreForThoseThatWereCloseBefore) {
    Cluster cluster = without_accidents({0.001, 9.6e-6}, 4);
    cluster.set_cost("native", {0.001, 6.6e-6});
    cluster.set_cost("tree/merged+sender", {0.001, 6.7e-6});
    cluster.set_cost("tree/merged+timed@0.99", {0.001, 6e-6});
    SearchSettings settings = settings_of_chain();
    settings.sizes = {16384, 262144, 1048576};
    settings.budget_seconds = 600;
    Search search = begin(settings, candidates_of_chain());
    const Search::Result result = play(search, cluster);
    for (const Method& method : candidates_of_chain()) {
        const std::string name = to_string(method);
        const bool close = name == "native" || name == "tree/merged+sender" || name == "tree/merged+timed@0.99";
        const bool new_beyond = name.starts_with("tree/merged+timed:");  // one segment is one segment at 16 KB
        EXPECT_TRUE(cluster.calls(name, 16384) > 0 || new_beyond) << name;
        if (!close && !new_beyond) {
            EXPECT_EQ(cluster.calls(name, 1048576), 0) << name;
        }
    }
    ASSERT_FALSE(result.ranges.empty());
    EXPECT_EQ(to_string(result.ranges.back().method), "tree/merged+timed@0.99") << text_of(result);
    EXPECT_LE(result.spent_seconds, settings.budget_seconds);
}

TEST(Search, TakesOneOfSeveralSettingsThatMeanTheSameAtASize) {
    Cluster cluster(candidates_of_chain(), {}, 6);
    cluster.draw_costs(0.3, 0.5);
    SearchSettings settings = settings_of_chain();
    settings.sizes = {1024};
    Search search = begin(settings, candidates_of_chain());
    play(search, cluster);
    // One segment holds a message of 1 KB, whatever segments are asked for.
    EXPECT_GT(cluster.calls("tree/merged+timed", 1024), 0);
    EXPECT_EQ(cluster.calls("tree/merged+timed:8688", 1024), 0);
    EXPECT_EQ(cluster.calls("tree/merged+timed:31856", 1024), 0);
}

// ---- The order ----

TEST(Search, AModelOrdersCandidatesButSkipsNoCloseRace) {
    // The model praises one method and thinks nothing of the one that is really close to the best.
    const ExpectedSeconds model = [](const Method& method, std::int64_t) {
        const std::string name = to_string(method);
        return name == "tree/paper+barrier-partial-none:16" ? 0.1 : name == "tree/merged+receiver" ? 100 : 1.0;
    };
    const auto play_with = [](const ExpectedSeconds& expected) {
        Cluster cluster(candidates_of_chain(), {}, 8);
        cluster.set_all_costs({0.03, 1e-5});
        cluster.set_cost("native", {0.03, 1.1e-5});
        cluster.set_cost("tree/paper+barrier-partial-none:16", {0.03, 1.09e-5});
        cluster.set_cost("tree/merged+timed", {0.01, 0.6e-5});
        cluster.set_cost("tree/merged+receiver", {0.011, 0.55e-5});
        SearchSettings settings = settings_of_chain();
        settings.sizes = {65536, 1 << 20};
        settings.budget_seconds = 1000;
        Search search = begin(settings, candidates_of_chain(), {expected, nullptr});
        play(search, cluster);
        return cluster;
    };
    const Cluster without = play_with(nullptr);
    const Cluster with = play_with(model);
    EXPECT_GT(with.calls("tree/paper+barrier-partial-none:16", 1 << 20), 0);
    EXPECT_EQ(without.calls("tree/paper+barrier-partial-none:16", 1 << 20), 0);
    EXPECT_GT(without.calls("tree/merged+receiver", 1 << 20), 5);
    EXPECT_GT(with.calls("tree/merged+receiver", 65536), 0);
    EXPECT_GT(with.calls("tree/merged+receiver", 1 << 20), 5) << "a close race at 64 KB was skipped";
}

/// What `timed` is to an MPI that loses packets: behind where messages are small, far ahead where calls take seconds.
Cluster losing_packets() {
    Cluster cluster = without_accidents({0.02, 1e-5}, 12);
    cluster.set_cost("native", {0.02, 3.3e-5});
    cluster.set_cost("factor/fill+sender-partial:2", {0.02, 0.9e-5});
    cluster.set_cost("tree/merged+timed", {0.15, 0.5e-5});
    return cluster;
}

TEST(Search, WhatRunsWithoutATuningIsMeasuredWhereTimeIsShort) {
    SearchSettings settings = settings_of_chain();
    settings.sizes = {4096, 16384, 65536};
    settings.budget_seconds = 100;
    Cluster left_out = losing_packets();
    Search unaware = begin(settings, candidates_of_chain());
    play(unaware, left_out);
    EXPECT_EQ(left_out.calls("tree/merged+timed", 65536), 0) << "the case does not show anything";

    Cluster cluster = losing_packets();
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
    Cluster cluster = without_accidents({0.005, 1e-5}, 14);
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
    Cluster cluster = losing_packets();
    const UntunedMethod rule = [](std::int64_t) { return *parse_method("tree/merged+timed", NetworkKind::tree); };
    Search search = begin(settings, candidates_of_chain(), {nullptr, rule});
    const Search::Result result = play(search, cluster);
    EXPECT_EQ(to_string(method_for(result, 1 << 20)), "tree/merged+timed") << text_of(result);
    EXPECT_TRUE(result.unmet.empty());
    EXPECT_LE(result.spent_seconds, settings.budget_seconds);
}

// TCP's congestion control finds the bandwidth of connections that were idle in a call or two, which then take four
// times as long as the later ones: 26 % were lost to that at 16 KB once, and two thirds at 64 KB.
TEST(Search, AColdStartDoesNotSendHomeWhatRunsWithoutATuning) {
    const auto play_with = [](const UntunedMethod& rule) {
        Cluster cluster = without_accidents({0.02, 1e-5}, 3, 4);
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
std::vector<std::string> order_of_entry(const ExpectedSeconds& expected, Cluster cluster, Search::Result& result) {
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
        Cluster cluster(candidates_of_chain(), {}, seed);
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

// ---- Stopping and resuming ----

TEST(Search, ResumedAtAnyPointItGoesOnAsIfNothingHadHappened) {
    Cluster uninterrupted_cluster(candidates_of_chain(), {}, 12);
    uninterrupted_cluster.draw_costs(0.2, 0.8);
    Cluster interrupted_cluster = uninterrupted_cluster;
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
    Cluster cluster(candidates_of_chain(), {}, 13);
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
    Cluster cluster(candidates_of_chain(), {}, 14);
    cluster.draw_costs(0.2, 0.8);
    SearchSettings settings = settings_of_chain();
    settings.budget_seconds = 300;
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
    EXPECT_GT(done, 0.9);
    EXPECT_EQ(search.progress().done, 1);
    EXPECT_EQ(search.progress().seconds_left, 0);
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

TEST(Search, NativeAloneIsATournamentToo) {
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
