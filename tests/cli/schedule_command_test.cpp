#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace {

using aapc::test::contents;
using aapc::test::expect_refusal;
using aapc::test::Outcome;
using aapc::test::Scratch;
using nlohmann::json;
using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

constexpr const char* chain = R"([network]
speed = "1Gbit"
[[switch]]
name = "s0"
machines = "n[0-2]"
[[switch]]
name = "s1"
uplink = "s0"
machines = "n[3-5]"
)";

TEST(ScheduleCommand, PrintsATable) {
    const Scratch scratch;
    (void)scratch.file("c.toml", chain);
    const Outcome run = scratch.run("schedule c.toml");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_THAT(run.out, StartsWith("tree merged: 6 participants, 30 messages, 9 phases = the bound\n"));
    EXPECT_THAT(run.out, HasSubstr("\nphase  "));
    EXPECT_THAT(run.out, HasSubstr("n0->n3"));
    EXPECT_THAT(run.out, testing::EndsWith("\nsynchronisation none\n"));
}

TEST(ScheduleCommand, SaysInOneLineThatPhasesTakeMuchLongerThanTheBound) {
    const Scratch scratch;
    (void)scratch.file("fast.toml",
                       "[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"s0\"\nmachines = \"n[0-3]\"\n"
                       "[[switch]]\nname = \"s1\"\nuplink = \"s0\"\nspeed = \"40Gbit\"\nmachines = \"n[4-7]\"\n");
    for (const std::string command : {"schedule", "generate"}) {
        const Outcome run = scratch.run(command + " fast.toml");
        EXPECT_EQ(run.status, 0);
        EXPECT_EQ(run.err,
                  "aapc: phases of equal length take 2.3 times the bound here, since they last as long as the slowest "
                  "link needs; algorithm 'lattice' stays near the bound at any speeds\n");
        EXPECT_EQ(scratch.run(command + " fast.toml --algorithm ring").err, "");
    }
    EXPECT_EQ(scratch.run("schedule fast.toml --algorithm lattice").err, "");
}

TEST(ScheduleCommand, SearchesThoroughlyForAScheduleThatJobsFollow) {
    const Scratch scratch;
    (void)scratch.file("fast.toml",
                       "[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"s0\"\nmachines = \"n[0-7]\"\n"
                       "[[switch]]\nname = \"s1\"\nuplink = \"s0\"\nspeed = \"4Gbit\"\nmachines = \"n[8-15]\"\n");
    const Outcome made = scratch.run(
        "schedule fast.toml --algorithm lattice --thorough --synchronisation timed --format json -o s.json");
    EXPECT_EQ(made.status, 0) << made.err;
    EXPECT_THAT(scratch.run("check s.json --topology fast.toml").out, HasSubstr("cycle 1 of the bound; no queue"));
    const Outcome explained = scratch.run("explain fast.toml --schedule s.json");
    EXPECT_EQ(explained.status, 0) << explained.err;
    EXPECT_THAT(explained.out, HasSubstr("lattice/settled+timed: its times are those of a schedule file\n"));
    EXPECT_THAT(scratch.run("explain fast.toml").out, testing::Not(HasSubstr("schedule file")));
    const Outcome wrong = scratch.run("explain fast.toml --schedule fast.toml");
    EXPECT_EQ(wrong.status, 2);
    EXPECT_THAT(wrong.err, HasSubstr("fast.toml:1:"));
}

TEST(ScheduleCommand, SaysThatAThoroughSearchFoundNothing) {
    const Scratch scratch;
    (void)scratch.file("t.toml",
                       "[network]\nkind = \"torus\"\nspeed = \"1Gbit\"\nsides = [6, 6]\nmachines = \"t[0-35]\"\n");
    const Outcome run = scratch.run("schedule t.toml --algorithm lattice --thorough");
    EXPECT_NE(run.status, 0);
    EXPECT_THAT(run.err, HasSubstr("no slots were found for all messages"));
}

TEST(ScheduleCommand, PrintsJson) {
    const Scratch scratch;
    (void)scratch.file("c.toml", chain);
    const Outcome run =
        scratch.run("schedule c.toml --format json --algorithm tree --variant paper --synchronisation sender");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    const auto document = nlohmann::json::parse(run.out);
    EXPECT_EQ(document["format"], "aapc-schedule/1");
    EXPECT_EQ(document["algorithm"], "tree");
    EXPECT_EQ(document["variant"], "paper");
    EXPECT_EQ(document["bound"], 9);
    EXPECT_EQ(document["phases"].size(), 9U);
    EXPECT_EQ(document["participants"].size(), 6U);
    EXPECT_EQ(document["participants"][5], (nlohmann::json{{"name", "n5"}, {"machine", "n5"}}));
    EXPECT_EQ(document["synchronisation"]["name"], "sender");
    EXPECT_GT(document["synchronisation"]["edges"].size(), 5U);
}

TEST(ScheduleCommand, DummiesAreInBothFormats) {
    const Scratch scratch;
    (void)scratch.file("c.toml", chain);
    const Outcome as_json = scratch.run("schedule c.toml --synchronisation dummy --format json");
    ASSERT_EQ(as_json.status, 0) << as_json.err;
    const auto document = nlohmann::json::parse(as_json.out);
    const auto& dummies = document["synchronisation"]["dummies"];
    // 9 phases of 6 ranks with 30 messages leave 24 gaps.
    ASSERT_EQ(dummies.size(), 24U);
    const Outcome as_table = scratch.run("schedule c.toml --synchronisation dummy");
    ASSERT_EQ(as_table.status, 0) << as_table.err;
    for (const auto& dummy : dummies) {
        EXPECT_EQ(dummy["from"].get<int>() / 3, dummy["to"].get<int>() / 3) << dummy;
        EXPECT_THAT(as_table.out, HasSubstr("n" + std::to_string(dummy["from"].get<int>()) + "->n" +
                                            std::to_string(dummy["to"].get<int>())));
    }
    EXPECT_THAT(as_table.out, HasSubstr("dumm"));
}

/// Every algorithm of the table that is for trees, run as it is by default.
TEST(ScheduleCommand, EveryAlgorithmAndSynchronisation) {
    const Scratch scratch;
    (void)scratch.file("c.toml", chain);
    for (const std::string algorithm : {"tree", "factor", "ring", "pairwise", "scattered", "linear", "bruck"}) {
        for (const std::string synchronisation :
             {"none", "window:2", "window:all", "barrier", "barrier-partial-none:4", "dummy", "sender",
              "sender-partial:4", "receiver", "receiver-partial:4", "barrier-partial-sender:4",
              "barrier-partial-receiver:4", "timed"}) {
            const Outcome run = scratch.run("schedule c.toml --format json -o s.json --algorithm " + algorithm +
                                            " --synchronisation " + synchronisation);
            const bool needs_nothing = synchronisation == "none" || synchronisation.starts_with("window") ||
                                       synchronisation == "barrier" || synchronisation == "barrier-partial-none:4";
            if (algorithm != "tree" && !needs_nothing) {
                expect_refusal(
                    run, 2, AllOf(HasSubstr("keeps contention-free phases apart"), HasSubstr("choose none, window:W")));
                continue;
            }
            ASSERT_EQ(run.status, 0) << run.err;
            const auto document = nlohmann::json::parse(contents(scratch.path("s.json")));
            EXPECT_EQ(document["algorithm"], algorithm);
            EXPECT_EQ(document["bound"], 9) << algorithm;
            EXPECT_EQ(document["synchronisation"]["name"], synchronisation);
            const Outcome check = scratch.run("check s.json --topology c.toml");
            EXPECT_EQ(check.status, 0) << check.err;
            EXPECT_THAT(check.out,
                        AllOf(StartsWith("certified: 6 participants, "), HasSubstr("; " + synchronisation + ": ")));
        }
    }
}

TEST(ScheduleCommand, ReductionsAreOrdered) {
    const Scratch scratch;
    (void)scratch.file("c.toml", chain);
    std::vector<std::size_t> counts;
    for (const std::string reduction : {"exact", "pair", "none"}) {
        const Outcome run =
            scratch.run("schedule c.toml --format json --synchronisation receiver --reduction " + reduction);
        ASSERT_EQ(run.status, 0) << run.err;
        counts.push_back(nlohmann::json::parse(run.out)["synchronisation"]["edges"].size());
    }
    EXPECT_LE(counts[0], counts[1]);
    EXPECT_LT(counts[1], counts[2]);
}

TEST(ScheduleCommand, WritesAFileAndNothingElse) {
    const Scratch scratch;
    (void)scratch.file("c.toml", chain);
    const Outcome to_output = scratch.run("schedule c.toml");
    const Outcome to_file = scratch.run("schedule c.toml -o table.txt");
    EXPECT_EQ(to_file.status, 0) << to_file.err;
    EXPECT_EQ(to_file.out, "");
    EXPECT_EQ(contents(scratch.path("table.txt")), to_output.out);
    EXPECT_THAT(scratch.files(), ElementsAre("c.toml", "table.txt"));
}

TEST(ScheduleCommand, UnknownNamesListWhatThereIs) {
    const Scratch scratch;
    (void)scratch.file("c.toml", chain);
    expect_refusal(scratch.run("schedule c.toml --algorithm treee"), 2,
                   AllOf(HasSubstr("'treee'"), HasSubstr(", tree")));
    expect_refusal(scratch.run("schedule c.toml --variant papyrus"), 2,
                   AllOf(HasSubstr("'papyrus'"), HasSubstr("paper"), HasSubstr("merged")));
    expect_refusal(
        scratch.run("schedule c.toml --synchronisation loose"), 2,
        AllOf(HasSubstr("'loose'"), HasSubstr("none"), HasSubstr("sender"), HasSubstr("receiver"), HasSubstr("timed")));
    for (const char* const option : {"--format yaml", "--reduction most"}) {
        const Outcome run = scratch.run(std::string("schedule c.toml ") + option);
        EXPECT_EQ(run.status, 2);
        EXPECT_EQ(run.out, "");
        EXPECT_THAT(run.err, AnyOf(HasSubstr("table"), HasSubstr("pair")));
    }
}

TEST(ScheduleCommand, MistakesInTheTopologyHaveAPosition) {
    const Scratch scratch;
    (void)scratch.file("c.toml", "[[switch]]\nname = \"s0\"\nmachines = \"n[0-2]\"\nuplink = \"s9\"\n");
    expect_refusal(scratch.run("schedule c.toml"), 2, AllOf(StartsWith("c.toml:4:"), HasSubstr("s9")));
    expect_refusal(scratch.run("schedule missing.toml"), 2, StartsWith("missing.toml"));
    expect_refusal(scratch.run("schedule ."), 2, StartsWith("."));
}

TEST(ScheduleCommand, AFailureLeavesTheOutputFileAlone) {
    const Scratch scratch;
    (void)scratch.file("good.toml", chain);
    (void)scratch.file("bad.toml", "[[switch]\n");
    (void)scratch.file("old.json", "precious");
    for (const char* const arguments : {"schedule bad.toml -o old.json", "schedule missing.toml -o old.json",
                                        "schedule good.toml --variant x -o old.json",
                                        "schedule good.toml --format xml -o old.json", "schedule -o old.json"}) {
        const Outcome run = scratch.run(arguments);
        EXPECT_EQ(run.status, 2) << arguments;
        EXPECT_EQ(run.out, "") << arguments;
        EXPECT_EQ(contents(scratch.path("old.json")), "precious") << arguments;
        EXPECT_THAT(scratch.files(), ElementsAre("bad.toml", "good.toml", "old.json")) << arguments;
    }
    expect_refusal(scratch.run("schedule good.toml -o nowhere/new.json"), 2, StartsWith("nowhere/new.json"));
    EXPECT_THAT(scratch.files(), ElementsAre("bad.toml", "good.toml", "old.json"));
}

/// The address space that programs may have that are started from now on.
class AddressSpace {
  public:
    explicit AddressSpace(rlim_t mebibytes) {
        getrlimit(RLIMIT_AS, &before_);
        const rlimit less{mebibytes << 20, before_.rlim_max};
        setrlimit(RLIMIT_AS, &less);
    }
    AddressSpace(const AddressSpace&) = delete;
    AddressSpace& operator=(const AddressSpace&) = delete;
    ~AddressSpace() { setrlimit(RLIMIT_AS, &before_); }

  private:
    rlimit before_{};
};

TEST(ScheduleCommand, ALargeOneIsWrittenInPiecesOrRefusedWithTheNumber) {
    const Scratch scratch;
    (void)scratch.file("n.toml", "[network]\nspeed = '1Gbit'\n[[switch]]\nname = 's'\nmachines = 'n[0-4095]'\n");
    const std::string schedule = "schedule n.toml --algorithm ring --format json -o /dev/null";
    {
        const AddressSpace limit(500);
        const Outcome run = scratch.run(schedule);
        EXPECT_EQ(run.status, 0) << run.err;
    }
    const AddressSpace limit(300);
    expect_refusal(scratch.run(schedule), 2,
                   HasSubstr("16773120 messages of 4096 ranks take 384 MiB of memory at least, and"));
}

TEST(ScheduleCommand, HelpNamesTheChoices) {
    const Scratch scratch;
    const Outcome run = scratch.run("schedule --help");
    EXPECT_EQ(run.status, 0);
    for (const char* const word : {"tree", "merged", "paper", "sender", "timed", "pair", "exact", "json", "ring",
                                   "radix-N", "sender-partial:BS", "barrier-partial-receiver:BS", "window:W"}) {
        EXPECT_THAT(run.out, HasSubstr(word));
    }
}

TEST(ScheduleCommand, Torus) {
    const Scratch scratch;
    const std::string torus = " " AAPC_SOURCE_DIRECTORY "/examples/torus-8x8.toml ";
    const auto schedule = [&](const std::string& options) {
        const Outcome run = scratch.run("schedule" + torus + "--format json " + options);
        EXPECT_EQ(run.status, 0) << run.err;
        const Outcome check = scratch.run("check " + scratch.file("schedule.json", run.out) + " --topology" + torus);
        EXPECT_EQ(check.status, 0) << check.err;
        return json::parse(run.out);
    };
    const json once = schedule("--divisions 1");
    EXPECT_EQ(once.at("algorithm"), "torus");
    EXPECT_EQ(once.at("variant"), "divisions-1");
    EXPECT_EQ(once.at("phases").size(), 7U);
    const json direct = schedule("--algorithm torus-direct");
    EXPECT_EQ(direct.at("phases").size(), 64U);
    EXPECT_EQ(direct.at("bound"), 64);
    EXPECT_EQ(scratch.run("schedule" + torus + "--divisions 1 --variant divisions-0").status, 2);
    EXPECT_EQ(scratch.run("schedule" + torus + "--divisions -1").status, 2);
    const Outcome often = scratch.run("schedule" + torus + "--divisions 3");
    EXPECT_EQ(often.status, 2);
    EXPECT_THAT(often.err, HasSubstr("a torus of 8 x 8 cannot be divided 3 times"));
    EXPECT_THAT(scratch.run("schedule" + torus + "--algorithm tree").err, HasSubstr("for networks of kind 'tree'"));
}

/// The papers' Table 4, from the two example files. In 2005, t0 = n0 n1 n2, t1 = n3 n4 and t2 = n5; in 2007,
/// T0 = n0 n1, T1 = n3 n4 and T2 = n2.
std::string table_4(const std::string& example) {
    const Scratch scratch;
    const Outcome run = scratch.run("schedule '" AAPC_SOURCE_DIRECTORY "/examples/" + example +
                                    "' --variant paper --synchronisation none");
    EXPECT_EQ(run.status, 0) << run.err;
    const std::size_t begin = run.out.find("    0  ");
    return run.out.substr(begin, run.out.find("\n\n", begin) - begin);
}

TEST(ScheduleCommand, Table4Of2005) {
    EXPECT_EQ(table_4("faraj-yuan-2005-figure-1.toml"), R"(    0  n0->n4  n3->n5  n5->n1  n1->n0
    1  n1->n3  n4->n5  n5->n2  n2->n1
    2  n2->n4          n5->n0  n0->n2
    3  n0->n3  n3->n2          n2->n0
    4  n1->n4  n3->n0          n0->n1  n4->n3
    5  n2->n3  n3->n1          n1->n2
    6  n0->n5  n4->n0
    7  n1->n5  n4->n1  n5->n3          n3->n4
    8  n2->n5  n4->n2  n5->n4)");
}

TEST(ScheduleCommand, Table4Of2007) {
    EXPECT_EQ(table_4("faraj-yuan-2007-figure-1.toml"), R"(    0  n0->n3  n3->n2  n2->n1  n1->n0
    1  n1->n4  n4->n2  n2->n0  n0->n1
    2  n1->n3  n3->n0
    3  n0->n4  n3->n1                  n4->n3
    4  n0->n2  n4->n1  n2->n3          n3->n4
    5  n1->n2  n4->n0  n2->n4)");
}

}  // namespace
