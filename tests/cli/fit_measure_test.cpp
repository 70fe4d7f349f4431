// `aapc fit` under every MPI: it measures, keeps what it has measured, and fits it. Four ranks of one machine's shared
// memory: what the numbers are does not matter here, only that they are those that were measured.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/offline/contention.hpp"
#include "aapc/offline/network_model.hpp"
#include "cli/under_mpi.hpp"

namespace aapc::test {
namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

const std::string eight = AAPC_SOURCE_DIRECTORY "/tests/interposer/eight.toml";

/// The link where it is not the subject: in shared memory among more ranks than cores, messages of few sizes do not
/// always take longer the longer they are.
const std::string link = " --alpha 1e-5 --beta 1e-9";

class FitMeasuring : public testing::TestWithParam<LaunchedMpi> {
  protected:
    /// `command` (shell syntax) on `ranks` ranks, rank R on machine nR.
    [[nodiscard]] Outcome run(const std::string& command, int ranks = 4) const {
        return run_under_mpi(GetParam().launch, ranks, command, directory_, "", "300");
    }

    [[nodiscard]] Outcome fit(const std::string& options, int ranks = 4, const std::string& topology = eight) const {
        return run("'" AAPC_PROGRAM "' fit --topology '" + topology + "' " + options, ranks);
    }

    [[nodiscard]] std::vector<ContentionSample> samples(const std::string& file) const {
        const auto read = read_contention_samples(contents(directory_.path(file)), file);
        EXPECT_TRUE(read) << to_string(read.error());
        return read.value_or(std::vector<ContentionSample>());
    }

    Scratch directory_;
};

/// How many samples there are of each number of ranks.
std::map<Rank, int> counts(const std::vector<ContentionSample>& samples) {
    std::map<Rank, int> found;
    for (const ContentionSample& sample : samples) {
        ++found[sample.ranks];
    }
    return found;
}

TEST_P(FitMeasuring, WritesTheSamplesThatItFits) {
    const Outcome outcome = fit("--sizes 64,4Ki,2Mi --repeats 5 --csv s.csv --format json -o fit.json");
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(directory_.files(), ElementsAre("fit.json", "s.csv"));
    EXPECT_THAT(contents(directory_.path("s.csv")),
                AllOf(StartsWith("# topology: fnv1a:"), HasSubstr("# placement: n[0-3]\n"),
                      HasSubstr("# method: native\nranks,message_bytes,seconds\n")));
    // 1, 8, 64, ... 2,097,152 bytes between two ranks; three sizes among three and among four.
    EXPECT_THAT(counts(samples("s.csv")), ElementsAre(std::pair(2, 8), std::pair(3, 3), std::pair(4, 3)));
    const auto document = nlohmann::json::parse(contents(directory_.path("fit.json")));
    EXPECT_EQ(document["samples"]["ranks"], (std::vector<int>{3, 4}));
    EXPECT_EQ(document["samples"]["message_bytes"], (std::vector<int>{64, 2097152}));
    EXPECT_EQ(document["method"], "native");
    // Reading the file says the same as measuring did.
    const Outcome again = directory_.run("fit s.csv --format json");
    EXPECT_EQ(again.out, contents(directory_.path("fit.json"))) << again.err;
}

TEST_P(FitMeasuring, TakesTheMeasurementsThatHelpMost) {
    const Outcome outcome = fit("--sizes 64,4Ki --ranks 3,4 --repeats 1 --csv s.csv --next 2 --method linear" + link);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.out, HasSubstr("samples of linear"));
    const auto measured = samples("s.csv");
    ASSERT_EQ(measured.size(), 7U + 4U + 2U);
    // What helps most depends on what was measured; it is said before it is done.
    for (const std::size_t sample : {std::size_t{11}, std::size_t{12}}) {
        EXPECT_THAT(outcome.err, HasSubstr(fmt::format("next: {} ranks at {} bytes. ", measured[sample].ranks,
                                                       measured[sample].message_bytes)));
        EXPECT_FALSE(std::any_of(measured.begin(), measured.begin() + static_cast<std::ptrdiff_t>(sample),
                                 [&](const ContentionSample& earlier) {
                                     return earlier.ranks == measured[sample].ranks &&
                                            earlier.message_bytes == measured[sample].message_bytes;
                                 }));
    }
}

TEST_P(FitMeasuring, GoesOnWhereItWasInterrupted) {
    const std::string options = "--sizes 64,4Ki,4Mi --repeats 1000 --csv s.csv -o fit.txt";
    const Outcome interrupted = run(interrupted_when("grep -q ^2,8, s.csv 2>/dev/null",
                                                     "'" AAPC_PROGRAM "' fit --topology '" + eight + "' " + options));
    EXPECT_NE(interrupted.status, 0);
    EXPECT_THAT(interrupted.err, HasSubstr("goes on from there"));
    EXPECT_THAT(directory_.files(), ElementsAre("s.csv"));
    const auto earlier = samples("s.csv");
    EXPECT_FALSE(earlier.empty());

    EXPECT_EQ(fit("--sizes 64 --csv s.csv --method ring").status, 2) << "samples of another method";
    EXPECT_EQ(samples("s.csv"), earlier);

    const Outcome resumed = fit("--sizes 64,4Ki,256Ki --repeats 1 --csv s.csv -o fit.txt" + link);
    ASSERT_EQ(resumed.status, 0) << resumed.err;
    EXPECT_THAT(resumed.err, HasSubstr("goes on from " + std::to_string(earlier.size()) + " samples in s.csv"));
    const auto all = samples("s.csv");
    ASSERT_GT(all.size(), earlier.size());
    EXPECT_TRUE(std::equal(earlier.begin(), earlier.end(), all.begin())) << "what was measured is kept";
    EXPECT_THAT(directory_.files(), ElementsAre("fit.txt", "s.csv"));
}

TEST_P(FitMeasuring, DoesNotTouchWhatIsNotItsOwn) {
    const std::string file = directory_.file("mine.csv", "my letters\n");
    const Outcome refused = fit("--sizes 64 --repeats 1 --csv mine.csv");
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, AllOf(HasSubstr("mine.csv: "), HasSubstr("--restart")));
    EXPECT_EQ(contents(file), "my letters\n");
    EXPECT_EQ(fit("--sizes 64,4Ki,64Ki --repeats 1 --csv mine.csv --restart" + link).status, 0);
    EXPECT_THAT(contents(file), StartsWith("# topology"));
}

TEST_P(FitMeasuring, RefusesWhatItCannotMeasure) {
    for (const char* options : {"--sizes 0", "--method nothing", "--ranks 5", "--ranks 2", "--minutes 0",
                                "--topology missing.toml", "--repeats 0", "s.csv"}) {
        const Outcome outcome = fit(std::string(options) + " --csv s.csv");
        EXPECT_EQ(outcome.status, 2) << options;
        EXPECT_EQ(outcome.out, "") << options;
        EXPECT_THAT(directory_.files(), IsEmpty()) << options;
    }
    const Outcome two = fit("--csv s.csv", 2);
    EXPECT_EQ(two.status, 2);
    EXPECT_THAT(two.err, HasSubstr("too few to contend"));
}

TEST_P(FitMeasuring, EndsInTime) {
    const Outcome outcome =
        fit("--sizes 64:16Mi:x2 --repeats 1000 --minutes 0.05 --csv s.csv --alpha 1e-6 --beta 1e-9");
    // Enough was measured for a fit, or not; but there is an end, a word about it and a file.
    EXPECT_THAT(outcome.err, HasSubstr("minutes are over"));
    EXPECT_THAT(directory_.files(), ElementsAre("s.csv"));
}

TEST_P(FitMeasuring, MeasuresClustersAndWhatIsBetweenThem) {
    const std::string topology = directory_.file(
        "grid.toml",
        "[network]\nkind = \"clusters\"\nspeed = \"1Gbit\"\n[[cluster]]\nname = \"large\"\nmachines = \"n[0-2]\"\n"
        "[[cluster]]\nname = \"small\"\nmachines = \"n3\"\n[wide_area]\nlatency = \"1ms\"\n");
    // Nothing gives the wide area's link, and 2 MiB take longer than a byte even in shared memory on a busy machine.
    const Outcome outcome =
        fit("--sizes 64,4Ki,2Mi --repeats 2 --csv s.csv --format json -o fit.json" + link, 4, topology);
    ASSERT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("cluster small has too few ranks to contend"));
    EXPECT_THAT(directory_.files(), ElementsAre("fit.json", "grid.toml", "s-large.csv", "s-wide-area.csv"));
    EXPECT_THAT(counts(samples("s-large.csv")), ElementsAre(std::pair(2, 8), std::pair(3, 3)));
    EXPECT_THAT(counts(samples("s-wide-area.csv")), ElementsAre(std::pair(2, 8)));
    const auto model = read_network_model(contents(directory_.path("fit.json")), "fit.json");
    ASSERT_TRUE(model) << to_string(model.error());
    ASSERT_EQ(model->clusters.size(), 1U);
    EXPECT_EQ(model->clusters[0].name, "large");
    ASSERT_TRUE(model->wide_area);
    EXPECT_EQ(model->wide_area->gaps.size(), 8U);
    for (const GapMeasurement& gap : model->wide_area->gaps) {
        EXPECT_GE(gap.gap_seconds, 0);
        EXPECT_GT(gap.send_overhead_seconds, 0);
        EXPECT_GT(gap.receive_overhead_seconds, 0);
    }
    EXPECT_EQ(directory_.run("predict grid.toml --model fit.json --sizes 1Ki").status, 0);
}

TEST_P(FitMeasuring, TheTunerTakesWhatWasFitted) {
    ASSERT_EQ(fit("--sizes 64,4Ki,64Ki --repeats 1 --csv s.csv --format json -o fit.json" + link).status, 0);
    const std::string tune = "'" AAPC_PROGRAM "' tune --topology '" + eight + "' --sizes 8,4Ki --minutes 0.05 ";
    const Outcome tuned = run(tune + "--model fit.json -o tuned.toml");
    ASSERT_EQ(tuned.status, 0) << tuned.err;
    EXPECT_TRUE(read_tuning_file(directory_.path("tuned.toml"), NetworkKind::tree));
    const Outcome explained = directory_.run("explain '" + eight + "' --tuning tuned.toml --model fit.json");
    EXPECT_EQ(explained.status, 0) << explained.err;
    // What won is a matter of this machine's shared memory, and with it what its prediction rests on.
    EXPECT_THAT(explained.out, AllOf(HasSubstr("predicted by the model"), HasSubstr("rests on")));
    const Outcome refused = run(tune + "--model tuned.toml -o other.toml");
    EXPECT_EQ(refused.status, 2);
    EXPECT_THAT(refused.err, HasSubstr("tuned.toml: is no document of format"));
    EXPECT_THAT(directory_.files(), ElementsAre("fit.json", "s.csv", "tuned.toml"));
}

INSTANTIATE_TEST_SUITE_P(Mpis, FitMeasuring, testing::ValuesIn(LaunchedMpi::all()), LaunchedMpi::name_of);

}  // namespace
}  // namespace aapc::test
