// `aapc tune` as a user runs it, under every MPI: a search of a few seconds, interrupted, resumed, and obeyed.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/methods/method.hpp"
#include "cli/under_mpi.hpp"

namespace aapc::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

const std::string topology = AAPC_SOURCE_DIRECTORY "/tests/interposer/eight.toml";

class TuneCommand : public testing::TestWithParam<LaunchedMpi> {
  protected:
    /// `command` (shell syntax) on four ranks, rank R on machine nR; `variables`: NAME=VALUE words for all ranks.
    [[nodiscard]] Outcome run(const std::string& command, const std::string& variables = "") const {
        return run_under_mpi(GetParam().launch, 4, command, directory_, variables, "300");
    }

    [[nodiscard]] Outcome tune(const std::string& options) const {
        return run("'" AAPC_PROGRAM "' tune --topology '" + topology + "' " + options);
    }

    Scratch directory_;
};

const Method& method_for(const Tuning& tuning, std::int64_t bytes) {
    const auto behind = std::find_if(tuning.ranges.begin(), tuning.ranges.end(),
                                     [&](const TunedRange& range) { return range.from_bytes > bytes; });
    return std::prev(behind)->method;
}

TEST_P(TuneCommand, WritesATuningThatTheInterposerObeys) {
    const Outcome outcome = tune("--sizes 8,512,16Ki --minutes 0.1 -o tuned.toml");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(directory_.files(), ElementsAre("tuned.toml")) << "the state goes away with the end";
    EXPECT_THAT(outcome.out, AllOf(HasSubstr("native/chosen"), HasSubstr("tuned.toml written"),
                                   HasSubstr("ns longer on 1 rank "), HasSubstr("ns longer on 2 ranks ")));
    const auto tuning = read_tuning_file(directory_.path("tuned.toml"), NetworkKind::tree);
    ASSERT_TRUE(tuning) << to_string(tuning.error());
    EXPECT_EQ(tuning->fingerprint.mpi, GetParam().name);
    EXPECT_THAT(tuning->fingerprint.machine_of, ElementsAre("n0", "n1", "n2", "n3"));
    EXPECT_EQ(tuning->fingerprint.topology_file, "eight.toml");
    // One exchange may take longer than what is left, on a machine that is busy with other things.
    EXPECT_LT(tuning->conditions.duration_seconds, 20) << "asked for 6 seconds";
    std::vector<std::int64_t> sizes;
    for (const TunedRange& range : tuning->ranges) {
        for (const MeasuredSize& size : range.measured) {
            sizes.push_back(size.bytes);
            EXPECT_GT(size.native_seconds, 0);
            // How sure the lead has to be depends on size and pairs: that is search's, and tested there with made-up
            // times.
            EXPECT_TRUE(range.method.native() || size.lead.ratio > 1) << size.bytes;
        }
    }
    EXPECT_THAT(sizes, testing::IsSupersetOf({8, 512, 16384}));

    // The interposer takes it: nothing is said, the data are right, and what ran is what the file says.
    const Outcome interposed = run("'" AAPC_PROGRAM "' bench --topology '" + topology +
                                       "' --sizes 8,512,16Ki --candidates native,interposed --repeats 6 --format json",
                                   "AAPC_TUNING=" + directory_.path("tuned.toml"));
    ASSERT_EQ(interposed.status, 0) << interposed.err;
    EXPECT_THAT(interposed.err, Not(HasSubstr("aapc")));
    for (const auto& size : nlohmann::json::parse(interposed.out)["sizes"]) {
        const std::int64_t bytes = size["message_bytes"];
        for (const auto& sample : size["candidates"][1]["samples"]) {
            EXPECT_EQ(sample["by_aapc"], !method_for(*tuning, bytes).native()) << bytes << " bytes";
        }
    }
}

TEST_P(TuneCommand, GoesOnWhereItWasInterrupted) {
    // Signals the ranks rather than the launcher, which may treat a signal in its own way. The signal comes early,
    // because a search that has found every method but native hopeless at two sizes ends in less than two seconds.
    const std::string options = "--sizes 64Ki:1Mi:x2 --minutes 0.1 -o tuned.toml";
    const Outcome interrupted =
        run(interrupted_when("sleep 0.3", "'" AAPC_PROGRAM "' tune --topology '" + topology + "' " + options));
    EXPECT_NE(interrupted.status, 0);
    EXPECT_THAT(interrupted.err, HasSubstr("goes on from there"));
    EXPECT_THAT(directory_.files(), ElementsAre("tuned.toml.state"));

    const Outcome other = tune("--sizes 8 --minutes 0.1 -o tuned.toml");
    EXPECT_EQ(other.status, 2);
    EXPECT_THAT(other.err, AllOf(HasSubstr("tuned.toml.state: "), HasSubstr("other sizes"), HasSubstr("--restart")));
    EXPECT_THAT(directory_.files(), ElementsAre("tuned.toml.state"));

    const Outcome resumed = tune(options);
    EXPECT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("goes on from tuned.toml.state"));
    EXPECT_THAT(directory_.files(), ElementsAre("tuned.toml"));
    EXPECT_TRUE(read_tuning_file(directory_.path("tuned.toml"), NetworkKind::tree));
}

TEST_P(TuneCommand, DoesNotTouchAStateThatIsNone) {
    const std::string options = "--sizes 8 --minutes 0.02 -o tuned.toml --state mine";
    const std::string state = directory_.file("mine", "my letters\n");
    const Outcome refused = tune(options);
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("mine: "), HasSubstr("no state of aapc tune")));
    EXPECT_EQ(contents(state), "my letters\n");
    EXPECT_THAT(directory_.files(), ElementsAre("mine"));
    const Outcome anew = tune(options + " --restart");
    EXPECT_EQ(anew.status, 0) << anew.err;
    EXPECT_THAT(directory_.files(), ElementsAre("tuned.toml"));
}

TEST_P(TuneCommand, DetectsMachinesWhereNoTopologyIsGivenAndTheInterposerObeysThatToo) {
    const std::string two_each = "AAPC_TEST_PER_MACHINE=2 ";
    const Outcome outcome = run("'" AAPC_PROGRAM "' tune --sizes 512,16Ki --minutes 0.1 -o tuned.toml", two_each);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    const auto tuning = read_tuning_file(directory_.path("tuned.toml"), NetworkKind::detected);
    ASSERT_TRUE(tuning) << to_string(tuning.error());
    EXPECT_EQ(tuning->fingerprint.topology_file, "detect");
    EXPECT_THAT(tuning->fingerprint.machine_of, ElementsAre("n0", "n0", "n1", "n1"));
    const std::string bench =
        "'" AAPC_PROGRAM "' bench --sizes 512,16Ki --candidates interposed --repeats 1 --format json";
    const Outcome interposed = run(bench, two_each + "AAPC_TUNING=" + directory_.path("tuned.toml"));
    ASSERT_EQ(interposed.status, 0) << interposed.err;
    for (const auto& size : nlohmann::json::parse(interposed.out)["sizes"]) {
        EXPECT_EQ(size["candidates"][0]["samples"][0]["by_aapc"], !method_for(*tuning, size["message_bytes"]).native());
    }
    const Outcome elsewhere = run(bench, "AAPC_TUNING=" + directory_.path("tuned.toml"));
    EXPECT_EQ(elsewhere.status, 2) << "one rank a machine is something else";
    EXPECT_THAT(elsewhere.err, HasSubstr("it was made for the topology"));
}

TEST_P(TuneCommand, MeasuresAPatternOfUnequalMessagesAndTheInterposerObeysThat) {
    const Outcome outcome = tune("--pattern hot --sizes 256,64Ki --minutes 0.05 -o tuned.toml");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("sizes are those of equal messages whose bound is as long"));
    auto tuning = read_tuning_file(directory_.path("tuned.toml"), NetworkKind::tree);
    ASSERT_TRUE(tuning) << to_string(tuning.error());
    EXPECT_TRUE(tuning->fingerprint.unequal);
    for (const char* method : {"native", "lattice/formula+timed"}) {
        // Half of all bytes go to one receiver, so the bound is longer than that of equal messages.
        tuning->ranges = {{0, *parse_method(method, NetworkKind::tree), {}}, {300, Method{}, {}}};
        const Outcome interposed = run("'" AAPC_PROGRAM "' bench --topology '" + topology +
                                           "' --pattern hot --sizes 32,256 --candidates interposed --repeats 2 "
                                           "--format json",
                                       "AAPC_TUNING=" + directory_.file("told.toml", tuning_text(*tuning)));
        ASSERT_EQ(interposed.status, 0) << interposed.err;
        const auto sizes = nlohmann::json::parse(interposed.out)["sizes"];
        EXPECT_EQ(sizes[0]["candidates"][0]["samples"][0]["by_aapc"], *method != 'n') << method;
        EXPECT_EQ(sizes[1]["candidates"][0]["samples"][0]["by_aapc"], false) << method;
    }
    const Outcome models = tune("--pattern hot --model fit.json --sizes 256 --minutes 0.05 -o other.toml");
    EXPECT_NE(models.status, 0);
}

TEST_P(TuneCommand, TriesCopiesWhereAllRanksShareAMachine) {
    // All ranks are on this host, and here nobody says otherwise.
    const Outcome alone =
        run("env -u AAPC_HOSTNAME '" AAPC_PROGRAM "' tune --sizes 8,16Ki --minutes 0.02 -o tuned.toml");
    ASSERT_EQ(alone.status, 0) << alone.err;
    const auto tuning = read_tuning_file(directory_.path("tuned.toml"), NetworkKind::detected);
    ASSERT_TRUE(tuning) << to_string(tuning.error());
    for (const TunedRange& range : tuning->ranges) {
        EXPECT_TRUE(range.method.native() || range.method.algorithm->on_one_machine);
    }
}

TEST_P(TuneCommand, RefusesWhereNoTuningWouldBeObeyed) {
    const std::string tune = "'" AAPC_PROGRAM "' tune --sizes 8 --minutes 0.02 -o tuned.toml";
    const Outcome two = run_under_mpi(GetParam().launch, 2, tune, directory_, "", "300");
    EXPECT_EQ(two.status, 2);
    EXPECT_THAT(two.err, HasSubstr("fewer than three ranks"));
    EXPECT_THAT(directory_.files(), IsEmpty());
}

TEST_P(TuneCommand, RefusesWhatItCannotMeasure) {
    for (const char* options :
         {"--sizes 0", "--sizes 4:1:x2", "--minutes 0", "--minutes nan", "--minutes inf", "--topology missing.toml"}) {
        const Outcome outcome = tune(std::string(options) + " -o tuned.toml");
        EXPECT_EQ(outcome.status, 2) << options;
        EXPECT_EQ(outcome.out, "") << options;
        EXPECT_THAT(directory_.files(), IsEmpty()) << options;
    }
}

INSTANTIATE_TEST_SUITE_P(Mpis, TuneCommand, testing::ValuesIn(LaunchedMpi::all()), LaunchedMpi::name_of);

}  // namespace
}  // namespace aapc::test
