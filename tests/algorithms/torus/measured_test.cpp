// `aapc bench` and `aapc tune` on tori, under every MPI, ranks on machines of their own names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "cli/under_mpi.hpp"

namespace aapc::test {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsSupersetOf;
using testing::Not;

class OnATorus : public testing::TestWithParam<LaunchedMpi> {
  protected:
    /// `command` on a rank of each machine of the torus; `variables`: NAME=VALUE words for all ranks.
    [[nodiscard]] Outcome run(int ranks, const std::string& command, const std::string& variables = "") const {
        return run_under_mpi(GetParam().launch, ranks, command, directory_, "AAPC_TEST_HOST=t " + variables, "300");
    }

    [[nodiscard]] static std::string topology(const std::string& name) {
        return " --topology '" AAPC_SOURCE_DIRECTORY "/tests/algorithms/torus/" + name + ".toml' ";
    }
    [[nodiscard]] static std::string bench(const std::string& torus) {
        return "'" AAPC_PROGRAM "' bench" + topology(torus) + "--warm-up 0 --format json ";
    }

    Scratch directory_;
};

/// The names of a size's candidates, all of which must have been measured by the right side and come out right.
std::vector<std::string> measured(const nlohmann::json& size, std::size_t repeats) {
    std::vector<std::string> names;
    for (const auto& candidate : size["candidates"]) {
        names.push_back(candidate["candidate"]);
        EXPECT_EQ(candidate["samples"].size(), repeats) << names.back();
        for (const auto& sample : candidate["samples"]) {
            EXPECT_EQ(sample["by_aapc"], names.back() != "native") << names.back();
        }
    }
    return names;
}

TEST_P(OnATorus, BenchMeasuresEveryAlgorithmByDefault) {
    const Outcome outcome = run(8, bench("2x4") + "--sizes 8,9000 --repeats 2");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["bound_messages"], 7) << "each rank has seven to send";
    ASSERT_EQ(json["sizes"].size(), 2U);
    for (const auto& size : json["sizes"]) {
        EXPECT_THAT(measured(size, 2), IsSupersetOf({"native", "torus/divisions-0+window:1", "torus-direct/plain+timed",
                                                     "ring/plain+window:1"}));
    }
}

TEST_P(OnATorus, BenchMeasuresDivisionsAndWhatALimitLeavesOfThem) {
    const std::string command =
        bench("4x4") + "--sizes 64 --repeats 2 --candidates torus/divisions-1,torus,torus-direct+sender,interposed";
    for (const auto& [limit, by_aapc] : {std::pair{"1Mi", true}, {"1Ki", false}}) {
        const Outcome outcome =
            run(16, command, std::string("AAPC_ALGORITHM=torus/divisions-1 AAPC_BUFFER_LIMIT=") + limit);
        if (!by_aapc) {
            EXPECT_EQ(outcome.status, 2) << "what was asked for does not run";
            EXPECT_THAT(outcome.err, HasSubstr("AAPC_ALGORITHM=torus/divisions-1 was asked for"));
            continue;
        }
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        EXPECT_THAT(measured(nlohmann::json::parse(outcome.out)["sizes"][0], 2),
                    ElementsAre("torus/divisions-1+window:1", "torus/divisions-0+window:1", "torus-direct/plain+sender",
                                "interposed"));
    }
}

const Method& method_for(const Tuning& tuning, std::int64_t bytes) {
    const auto behind = std::find_if(tuning.ranges.begin(), tuning.ranges.end(),
                                     [&](const TunedRange& range) { return range.from_bytes > bytes; });
    return std::prev(behind)->method;
}

TEST_P(OnATorus, TuneWritesATuningThatTheInterposerObeys) {
    const Outcome outcome =
        run(8, "'" AAPC_PROGRAM "' tune" + topology("2x4") + "--sizes 8,16Ki --minutes 0.15 -o tuned.toml");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto tuning = read_tuning_file(directory_.path("tuned.toml"), NetworkKind::torus);
    ASSERT_TRUE(tuning) << to_string(tuning.error());
    EXPECT_EQ(tuning->fingerprint.mpi, GetParam().name);
    EXPECT_EQ(tuning->fingerprint.topology_file, "2x4.toml");
    EXPECT_THAT(tuning->fingerprint.machine_of, ElementsAre("t0", "t1", "t2", "t3", "t4", "t5", "t6", "t7"));
    const Outcome interposed = run(8, bench("2x4") + "--sizes 8,16Ki --repeats 2 --candidates native,interposed",
                                   "AAPC_TUNING=" + directory_.path("tuned.toml"));
    ASSERT_EQ(interposed.status, 0) << interposed.err;
    EXPECT_THAT(interposed.err, Not(HasSubstr("aapc")));
    for (const auto& size : nlohmann::json::parse(interposed.out)["sizes"]) {
        EXPECT_EQ(size["candidates"][1]["samples"][0]["by_aapc"], !method_for(*tuning, size["message_bytes"]).native());
    }
}

/// The methods that a search had measured when it was interrupted: its state lists the candidates, then the
/// measurements by their indices.
std::set<std::string> measured_by(const std::string& state) {
    std::istringstream text(state.substr(std::min(state.find("\ncandidates "), state.size())));
    std::string word;
    std::size_t count = 0;
    text >> word >> count;
    std::vector<std::string> candidates(count);
    for (std::string& candidate : candidates) {
        text >> candidate;
    }
    text >> word >> count;
    std::set<std::string> names;
    std::size_t index = 0;
    for (std::string line; count > 0 && text >> index && std::getline(text, line); --count) {
        names.insert(candidates.at(index));
    }
    return names;
}

TEST_P(OnATorus, TuneTriesTheAlgorithmsForTori) {
    const std::string tune =
        "'" AAPC_PROGRAM "' tune" + topology("2x4") + "--sizes 8:256Ki:x2 --minutes 2 -o tuned.toml";
    const std::set<std::string> wanted{"native", "torus/divisions-0+window:1", "torus-direct/plain+timed"};
    // On a busy machine a candidate takes its time: interrupted, and resumed until they have had their turn.
    std::set<std::string> tried;
    for (int turn = 0; turn < 15 && !std::includes(tried.begin(), tried.end(), wanted.begin(), wanted.end()); ++turn) {
        const Outcome outcome = run(8, interrupted_when("sleep 2", tune));
        ASSERT_NE(outcome.status, 0);
        tried = measured_by(contents(directory_.path("tuned.toml.state")));
    }
    EXPECT_THAT(tried, IsSupersetOf(wanted));
}

INSTANTIATE_TEST_SUITE_P(Mpis, OnATorus, testing::ValuesIn(LaunchedMpi::all()), LaunchedMpi::name_of);

}  // namespace
}  // namespace aapc::test
