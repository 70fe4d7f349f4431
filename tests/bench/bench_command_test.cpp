// `aapc bench` as a user runs it, under every MPI, ranks on machines of their own names.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "cli/under_mpi.hpp"

namespace aapc::test {
namespace {

using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::Gt;
using testing::HasSubstr;
using testing::IsEmpty;

struct Mpi {
    std::string name;
    std::string launch;   ///< the launcher with its options, up to -n
    std::string program;  ///< aapc-bench-<mpi>
    std::string damage;   ///< the library that damages a byte
    std::string version;  ///< what its version begins with
};

void PrintTo(const Mpi& mpi, std::ostream* out) { *out << mpi.name; }

const std::string topology = AAPC_SOURCE_DIRECTORY "/tests/interposer/eight.toml";

class BenchCommand : public testing::TestWithParam<Mpi> {
  protected:
    /// `command` (shell syntax) on `ranks` ranks, rank R on machine nR; `variables`: NAME=VALUE words for all ranks.
    [[nodiscard]] Outcome run(int ranks, const std::string& command, const std::string& variables = "") const {
        return run_under_mpi(GetParam().launch, ranks, command, directory_, variables, time_limit_);
    }

    [[nodiscard]] Outcome bench(int ranks, const std::string& options, const std::string& variables = "") const {
        return run(ranks, "'" AAPC_PROGRAM "' bench --topology '" + topology + "' " + options, variables);
    }

    Scratch directory_;
    std::string time_limit_ = "300";  ///< as timeout(1) takes it
};

/// Lines that are not the launcher's.
std::vector<std::string> complaints(const Outcome& outcome) {
    std::vector<std::string> found;
    std::istringstream lines(outcome.err);
    for (std::string line; std::getline(lines, line);) {
        if (line.starts_with("aapc") || line.find(".toml") != std::string::npos) {
            found.push_back(line);
        }
    }
    return found;
}

/// Without what Open MPI's launcher says between lines of dashes, as of variables that a version calls deprecated.
std::string without_frames(const std::string& output) {
    std::istringstream lines(output);
    std::string rest;
    bool framed = false;
    for (std::string line; std::getline(lines, line);) {
        const bool edge = line.starts_with("-----");
        framed ^= edge;
        rest += edge || framed ? "" : line + '\n';
    }
    return rest;
}

TEST_P(BenchCommand, WritesEverythingAsJson) {
    const Outcome outcome =
        bench(4,
              "--sizes 1,100:9000:x90 --candidates native,tree+sender,tree/paper --repeats 6 --warm-up 1 --seed 5 "
              "--format json -o result.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(without_frames(outcome.err), IsEmpty()) << "progress is for terminals";
    EXPECT_THAT(directory_.files(), ElementsAre("result.json"));
    const auto json = nlohmann::json::parse(contents(directory_.path("result.json")));
    EXPECT_EQ(json["host_names"], nlohmann::json({"n0", "n1", "n2", "n3"}));
    EXPECT_THAT(json["mpi"].get<std::string>(), testing::StartsWith(GetParam().version));
    EXPECT_THAT(json["topology_digest"].get<std::string>(), testing::MatchesRegex("fnv1a:[0-9a-f]{16}"));
    EXPECT_EQ(json["bound_messages"], 3);
    EXPECT_EQ(json["settings"]["seed"], 5);
    ASSERT_EQ(json["sizes"].size(), 3U);
    EXPECT_EQ(json["sizes"][2]["message_bytes"], 9000);
    for (const auto& size : json["sizes"]) {
        ASSERT_EQ(size["candidates"].size(), 3U);
        for (const auto& candidate : size["candidates"]) {
            EXPECT_EQ(candidate["samples"].size(), 6U);
            EXPECT_THAT(candidate["median_seconds"].get<double>(), AllOf(Gt(0), testing::Lt(10)));
            EXPECT_EQ(candidate["samples"][0]["by_aapc"], candidate["candidate"] != "native");
        }
    }
    EXPECT_TRUE(json["sizes"][0]["candidates"][2]["samples"][0].contains("pace"));
}

TEST_P(BenchCommand, RunsEveryAlgorithmByDefault) {
    const Outcome outcome = bench(3, "--sizes 500 --repeats 2 --warm-up 0 --format csv");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out,
                AllOf(HasSubstr("\n3,500,"), HasSubstr(",native,1,0"), HasSubstr(",tree/merged+timed,2,1")));
    EXPECT_THAT(directory_.files(), IsEmpty());
}

TEST_P(BenchCommand, MeasuresUnequalMessages) {
    const Outcome outcome = bench(4, "--pattern zipf --sizes 3000 --repeats 2 --warm-up 1 --seed 7 --format json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto json = nlohmann::json::parse(outcome.out);
    EXPECT_EQ(json["settings"]["pattern"], "zipf");
    EXPECT_EQ(json["settings"]["candidates"], nlohmann::json({"native", "linear/plain+window:all",
                                                              "pairwise/plain+window:1", "lattice/formula+timed"}));
    const auto& size = json["sizes"][0];
    EXPECT_THAT(size["least_seconds"].get<double>(), AllOf(Gt(0), testing::Lt(1e-3)));
    for (const auto& candidate : size["candidates"]) {
        EXPECT_EQ(candidate["samples"].size(), 2U);
        EXPECT_EQ(candidate["samples"][0]["by_aapc"], candidate["candidate"] != "native");
    }
    EXPECT_GT(size["candidates"][3]["samples"][0]["agreement_seconds"], 0) << "what all ranks have to know takes time";
}

TEST_P(BenchCommand, MeasuresTheInterposerWithUnequalMessages) {
    for (const auto& [use, by_aapc] : {std::pair{"always", true}, {"never", false}}) {
        const Outcome outcome = bench(3,
                                      "--pattern hot --sizes 2000 --candidates native,interposed --repeats 1 "
                                      "--warm-up 0 --format json",
                                      std::string("AAPC_ALLTOALLV=") + use);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        const auto json = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(json["sizes"][0]["candidates"][1]["samples"][0]["by_aapc"], by_aapc) << use;
    }
}

TEST_P(BenchCommand, PrintsATable) {
    const Outcome outcome = bench(4, "--sizes 64,1000 --candidates tree+none,native --repeats 1 --warm-up 0");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("# 4 ranks on 4 hosts, " + GetParam().version));
    EXPECT_EQ(std::count(outcome.out.begin(), outcome.out.end(), '\n'), 4 + 2 * 2) << outcome.out;
}

TEST_P(BenchCommand, MeasuresTheInterposer) {
    // By the rule, large blocks are worth a start that is said to be short.
    const std::string options =
        "--sizes 1Mi --candidates native,interposed --repeats 2 --warm-up 1 --teach 3 --format json";
    for (const auto& [variables, by_aapc] : {std::pair{"AAPC_START=1ms", true},
                                             {"AAPC_START=1s", false},
                                             {"AAPC_ALGORITHM=tree AAPC_SYNCHRONISATION=sender", true},
                                             {"AAPC_ALGORITHM=native", false}}) {
        const Outcome outcome = bench(4, options, std::string(variables) + " AAPC_VERBOSE=2");
        ASSERT_EQ(outcome.status, 0) << variables << outcome.err;
        EXPECT_THAT(outcome.err, HasSubstr(by_aapc ? "24 calls exchanged, 0 passed" : "0 calls exchanged, 24 passed"))
            << "three to teach it, one ahead and two that count, on four ranks";
        const auto json = nlohmann::json::parse(outcome.out);
        EXPECT_FALSE(json["sizes"][0]["candidates"][0]["samples"][0]["by_aapc"]) << "the native one passes it by";
        EXPECT_EQ(json["sizes"][0]["candidates"][1]["samples"][0]["by_aapc"], by_aapc) << variables;
    }
}

TEST_P(BenchCommand, AForcedAlgorithmThatDidNotRunIsAnError) {
    // Two ranks are never scheduled.
    const Outcome outcome = bench(2, "--sizes 20000 --candidates interposed -o result", "AAPC_ALGORITHM=tree");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(complaints(outcome), Contains(HasSubstr("AAPC_ALGORITHM=tree was asked for")));
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(directory_.files(), IsEmpty());
}

TEST_P(BenchCommand, SettingsThatTheInterposerRejectedAreAnError) {
    const std::string tuning = directory_.file("tuning.toml", "format = \"aapc-tuning/1\"\n");
    const Outcome outcome = bench(3, "--sizes 20000 --candidates native,interposed -o result", "AAPC_TUNING=" + tuning);
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(complaints(outcome),
                Contains(AllOf(HasSubstr("interposed: the interposer rejected"), HasSubstr("tuning.toml"))));
    EXPECT_THAT(outcome.out, IsEmpty());
    EXPECT_THAT(directory_.files(), ElementsAre("tuning.toml"));
}

TEST_P(BenchCommand, DetectsMachinesWhereNoTopologyIsGiven) {
    const std::string options =
        " --sizes 20000 --repeats 2 --warm-up 0 --format json --candidates native,factor,tree+sender,interposed";
    const std::string two_each = "AAPC_TEST_PER_MACHINE=2 AAPC_ALGORITHM=factor";
    std::string digest;
    for (const std::string given : {"", " --topology detect"}) {
        const Outcome outcome = run(4, "'" AAPC_PROGRAM "' bench" + given + options, two_each);
        ASSERT_EQ(outcome.status, 0) << outcome.err;
        const auto json = nlohmann::json::parse(outcome.out);
        EXPECT_EQ(json["host_names"], nlohmann::json({"n0", "n0", "n1", "n1"}));
        EXPECT_EQ(json["bound_messages"], 4) << "2 ranks to 2 others";
        EXPECT_EQ(json["topology"], "detect");
        EXPECT_TRUE(json["sizes"][0]["candidates"][3]["samples"][0]["by_aapc"]) << "the interposer detects, too";
        EXPECT_TRUE(digest.empty() || digest == json["topology_digest"].get<std::string>());
        digest = json["topology_digest"].get<std::string>();
    }
    const Outcome faster = run(4, "'" AAPC_PROGRAM "' bench --topology detect:1Gbit" + options + ",tree", two_each);
    ASSERT_EQ(faster.status, 0) << faster.err;
    EXPECT_NE(nlohmann::json::parse(faster.out)["topology_digest"], digest) << "the speed is part of it";
    const Outcome timed = run(4, "'" AAPC_PROGRAM "' bench --candidates tree+timed", two_each);
    EXPECT_EQ(timed.status, 2);
    EXPECT_THAT(complaints(timed), ElementsAre(AllOf(HasSubstr("no speed is known"), HasSubstr("detect:10Gbit"))));
    const Outcome wrong = run(2, "'" AAPC_PROGRAM "' bench --topology detect:fast");
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("detect:fast: "));
}

TEST_P(BenchCommand, TakesTheTopologyFromTheEnvironment) {
    const Outcome outcome =
        run(3, "'" AAPC_PROGRAM "' bench --sizes 8 --candidates native --repeats 1 --warm-up 0 --format json",
            "AAPC_TOPOLOGY='" + topology + "'");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_EQ(nlohmann::json::parse(outcome.out)["bound_messages"], 2);
    EXPECT_THAT(outcome.out, HasSubstr("eight.toml"));
}

TEST_P(BenchCommand, InterposedNeedsTheInterposer) {
    const Outcome outcome =
        run(3, "'" + GetParam().program + "' --topology '" + topology + "' --sizes 8 --candidates interposed");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(complaints(outcome), ElementsAre(HasSubstr("no interposer is preloaded")));
}

TEST_P(BenchCommand, FindsADamagedByte) {
    const std::string preloaded = "AAPC_TEST_INTERPOSER='" + GetParam().damage + "' AAPC_TEST_DAMAGE=";
    for (const auto& [candidates, where] : {std::pair{"tree+sender,native", "alltoall"},
                                            {"native,tree+sender", "send"},
                                            {"native,lattice --pattern equal", "send"},
                                            {"native,linear --pattern equal", "send"}}) {
        const Outcome outcome =
            bench(4, std::string("--sizes 3000 --repeats 2 --format csv -o result --candidates ") + candidates,
                  preloaded + where);
        EXPECT_EQ(outcome.status, 2) << where;
        EXPECT_THAT(complaints(outcome),
                    ElementsAre(AllOf(HasSubstr("wrong data"), HasSubstr("from rank 2 (n2) to rank 1 (n1)"),
                                      HasSubstr("offset 5 "))))
            << where << ": " << outcome.err;
        EXPECT_THAT(directory_.files(), IsEmpty()) << where;
    }
    const Outcome undamaged =
        bench(4, "--sizes 3000 --repeats 1 --candidates native,tree+sender", preloaded + "nowhere");
    EXPECT_EQ(undamaged.status, 0) << "the library by itself does no harm: " << undamaged.err;
}

TEST_P(BenchCommand, RefusesInOneLine) {
    struct Refusal {
        std::string options;
        std::string variables;
        std::string message;
    };
    for (const Refusal& refusal : {
             Refusal{"--candidates wood", "", "there is no algorithm 'wood'"},
             Refusal{"--candidates tree,tree", "", "given twice"},
             Refusal{"--candidates ring+sender", "", "contention-free"},
             Refusal{"--sizes 0", "", "0 bytes"},
             Refusal{"--pattern zipff", "", "zipf"},
             Refusal{"--pattern zipf --candidates bruck", "", "forwards blocks"},
             Refusal{"--pattern zipf --candidates tree+sender", "", "equal messages only"},
             Refusal{"--sizes 8:4:x2", "", "ends before it begins"},
             Refusal{"", "AAPC_TEST_HOST=x", "host 'x0' of rank 0 is not in the topology"},
         }) {
        const Outcome outcome = bench(3, refusal.options + " -o result", refusal.variables);
        EXPECT_EQ(outcome.status, 2) << refusal.message;
        EXPECT_THAT(complaints(outcome), ElementsAre(HasSubstr(refusal.message))) << outcome.err;
        EXPECT_THAT(outcome.out, IsEmpty());
        EXPECT_THAT(directory_.files(), IsEmpty());
    }
    const Outcome missing = run(2, "'" AAPC_PROGRAM "' bench --topology no-such.toml");
    EXPECT_EQ(missing.status, 2);
    EXPECT_THAT(complaints(missing), ElementsAre(HasSubstr("no-such.toml: ")));
    const Outcome usage = run(3, "'" AAPC_PROGRAM "' bench --topology x.toml --repeats 0");
    EXPECT_EQ(usage.status, 2);
    EXPECT_THAT(usage.err, HasSubstr("--repeats"));
    EXPECT_EQ(usage.err.find("--repeats"), usage.err.rfind("--repeats")) << "one rank speaks: " << usage.err;
}

TEST_P(BenchCommand, TheRankThatSpeaksIsHeardWhereItIsTheLast) {
    const Outcome outcome =
        run(3, "sh -c 'test ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} -ne 0 || sleep 0.5; exec \"$@\"' sh '" AAPC_PROGRAM
               "' bench --repeats 0");
    EXPECT_EQ(outcome.status, 2);
    EXPECT_THAT(outcome.err, HasSubstr("--repeats"));
}

/// MPICH's launcher says on standard output that it passes a signal on.
std::string without_launcher(const std::string& output) {
    std::istringstream lines(output);
    std::string rest;
    for (std::string line; std::getline(lines, line);) {
        rest += line.starts_with("[mpiexec@") ? "" : line + '\n';
    }
    return rest;
}

/// Whether the launcher is that of this version of Open MPI (its first number).
bool is_of_open_mpi(const std::string& launcher, const std::string& version) {
    return std::system((launcher + " --version 2>&1 | grep -q '(Open MPI) " + version + "[.]'").c_str()) == 0;
}

TEST_P(BenchCommand, KeepsItsCompleteRoundsWhenInterrupted) {
    if (is_of_open_mpi(GetParam().launch, "6")) {
        GTEST_SKIP() << "Open MPI 6's launcher kills ranks at once, without a signal that they could heed";
    }
    // One signal, to the launcher alone, as a person would send it.
    time_limit_ = "--foreground --signal=INT 6";
    const Outcome outcome = bench(3,
                                  "--sizes 1000 --candidates native,tree+sender --repeats 100000 --most-seconds 60 "
                                  "--format json -o result");
    EXPECT_NE(outcome.status, 0);
    EXPECT_THAT(without_launcher(outcome.out), IsEmpty());
    // Open MPI 5's launcher passes nothing on of ranks that it ends.
    if (!is_of_open_mpi(GetParam().launch, "5")) {
        EXPECT_THAT(outcome.err, HasSubstr("interrupted; what was measured until then is written, of 1000 bytes "));
    }
    ASSERT_THAT(directory_.files(), ElementsAre("result"));
    const auto json = nlohmann::json::parse(contents(directory_.path("result")));
    ASSERT_EQ(json["sizes"].size(), 1U);
    const auto& candidates = json["sizes"][0]["candidates"];
    ASSERT_EQ(candidates.size(), 2U);
    EXPECT_GT(candidates[0]["samples"].size(), 0U);
    EXPECT_EQ(candidates[0]["samples"].size(), candidates[1]["samples"].size());
}

std::vector<Mpi> mpis() {
    return {
#ifdef AAPC_TEST_MPIEXEC_openmpi
        {"openmpi", AAPC_TEST_MPIEXEC_openmpi, AAPC_TEST_BENCH_openmpi, AAPC_TEST_DAMAGE_openmpi, "Open MPI v"},
#endif
#ifdef AAPC_TEST_MPIEXEC_mpich
        {"mpich", AAPC_TEST_MPIEXEC_mpich, AAPC_TEST_BENCH_mpich, AAPC_TEST_DAMAGE_mpich, "MPICH Version"},
#endif
    };
}

INSTANTIATE_TEST_SUITE_P(Mpis, BenchCommand, testing::ValuesIn(mpis()),
                         [](const auto& instance) { return instance.param.name; });

TEST(BenchCommandAlone, SaysHowToStartIt) {
    for (const char* name : {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "PMI_RANK", "PMIX_RANK"}) {
        unsetenv(name);
    }
    const Scratch directory;
    const Outcome outcome = directory.run("bench --topology x.toml");
    expect_refusal(outcome, 2, HasSubstr("mpirun"));
    for (const char* seconds : {"nan", "inf", "-inf", "0", "-1", "soon"}) {
        const Outcome wrong = directory.run(std::string("bench --topology x.toml --most-seconds ") + seconds);
        EXPECT_EQ(wrong.status, 2) << seconds;
        EXPECT_THAT(wrong.err, HasSubstr("--most-seconds")) << seconds;
        EXPECT_THAT(wrong.err, testing::Not(HasSubstr("mpirun"))) << seconds;
    }
    const Outcome help = directory.run("bench --help");
    EXPECT_EQ(help.status, 0);
    EXPECT_THAT(help.out, AllOf(HasSubstr("--candidates"), HasSubstr("--most-seconds")));
    EXPECT_EQ(directory.run("bench --topology x.toml --format wood").status, 2);
}

}  // namespace
}  // namespace aapc::test
