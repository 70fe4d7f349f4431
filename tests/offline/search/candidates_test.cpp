// Which methods the search may try on a network.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "aapc/plan/pacing.hpp"
#include "aapc/topology/detection.hpp"
#include "offline/search/simulated_cluster.hpp"
#include "support/clusters.hpp"
#include "support/networks.hpp"
#include "support/torus.hpp"

namespace aapc {
namespace {

using namespace test;

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
            // One rank a machine: nothing to put together.
            EXPECT_EQ(algorithms_seen.contains(algorithm.name), algorithm.name != "aggregate") << algorithm.name;
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
    EXPECT_TRUE(shared.contains("aggregate/carriers-all+window:all"));
    EXPECT_TRUE(shared.contains("aggregate/carriers-1+window:all"));
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

}  // namespace
}  // namespace aapc
