#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace {

using aapc::test::contents;
using aapc::test::Outcome;
using aapc::test::Scratch;
using nlohmann::json;
using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

/// A schedule made by the program, as JSON to change, and its check.
class CheckCommand : public testing::Test {
  protected:
    void SetUp() override {
        (void)scratch.file("c.toml",
                           "[network]\nspeed = \"1Gbit\"\n[[switch]]\nname = \"s0\"\nmachines = "
                           "\"n[0-2]\"\n[[switch]]\nname = \"s1\"\nuplink = \"s0\"\n"
                           "machines = \"n[3-5]\"\n");
        const Outcome run =
            scratch.run("schedule c.toml --synchronisation sender --reduction exact --format json -o schedule.json");
        ASSERT_EQ(run.status, 0) << run.err;
        document = json::parse(contents(scratch.path("schedule.json")));
    }

    Outcome check(const json& changed) const {
        (void)scratch.file("changed.json", changed.dump());
        return scratch.run("check changed.json --topology c.toml");
    }

    void expect_violation(const json& changed, const testing::Matcher<std::string>& message) const {
        const Outcome run = check(changed);
        EXPECT_EQ(run.status, 1) << run.out;
        EXPECT_EQ(run.out, "");
        EXPECT_THAT(run.err, AllOf(StartsWith("changed.json: "), message));
    }

    void expect_refusal(const std::string& arguments, const testing::Matcher<std::string>& message) const {
        const Outcome run = scratch.run(arguments);
        EXPECT_EQ(run.status, 2) << arguments;
        EXPECT_EQ(run.out, "") << arguments;
        EXPECT_THAT(run.err, message) << arguments;
    }

    Scratch scratch;
    json document;
};

TEST_F(CheckCommand, Certifies) {
    const Outcome run = scratch.run("check schedule.json --topology c.toml");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.out,
              "certified: 6 participants, 30 messages, 9 phases = the bound; every pair once; no directed link "
              "twice in a phase; no queue; sender: " +
                  std::to_string(document["synchronisation"]["edges"].size()) +
                  " synchronisations order every conflicting pair\n");
}

TEST_F(CheckCommand, CertifiesEverySynchronisationAndVariant) {
    const std::pair<std::string, std::string> claims[] = {
        {"none", "none: no order of phases to prove"},
        {"dummy", "dummy: 24 dummies in nobody's way, no order of phases to prove"},
        {"sender", "sender: @ synchronisations order every conflicting pair"},
        {"sender-partial:3",
         "sender-partial:3: @ synchronisations order every conflicting pair of different blocks if those of each block "
         "keep apart"},
        {"receiver", "receiver: @ synchronisations order every conflicting pair"},
        {"receiver-partial:3",
         "receiver-partial:3: @ synchronisations order every conflicting pair of different blocks if those of each "
         "block keep apart"},
        {"barrier", "barrier: barriers order every two phases"},
        {"barrier-partial-none:3", "barrier-partial-none:3: barriers order every two blocks"},
        {"barrier-partial-sender:3",
         "barrier-partial-sender:3: barriers order every two blocks, @ synchronisations every conflicting pair inside "
         "one"},
        {"barrier-partial-receiver:3",
         "barrier-partial-receiver:3: barriers order every two blocks, @ synchronisations every conflicting pair "
         "inside "
         "one"},
        {"window:3", "window:3: no order of phases to prove"},
        {"timed", "timed: no order of phases to prove"},
    };
    for (const std::string variant : {"paper", "merged"}) {
        for (const auto& [synchronisation, claim] : claims) {
            const Outcome made = scratch.run("schedule c.toml --format json --variant " + variant +
                                             " --synchronisation " + synchronisation + " -o other.json");
            ASSERT_EQ(made.status, 0) << made.err;
            const Outcome run = scratch.run("check other.json --topology c.toml");
            EXPECT_EQ(run.status, 0) << run.err;
            const json other = json::parse(contents(scratch.path("other.json")));
            std::string expected = claim;
            if (const std::size_t at = expected.find('@'); at != std::string::npos) {
                expected.replace(at, 1, std::to_string(other["synchronisation"]["edges"].size()));
            }
            EXPECT_EQ(run.out,
                      "certified: 6 participants, 30 messages, 9 phases = the bound; every pair once; no directed link "
                      "twice in a phase; no queue; " +
                          expected + "\n");
        }
    }
}

TEST_F(CheckCommand, WithoutABoundOrSynchronisation) {
    document.erase("synchronisation");
    document.erase("guarantee");
    document["bound"] = nullptr;
    const Outcome run = check(document);
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out,
              "certified: 6 participants, 30 messages, 9 phases; every pair once; no directed link twice in a phase; "
              "no queue; "
              "none: no order of phases to prove\n");
}

TEST_F(CheckCommand, ClaimsNoMoreThanTheScheduleDoes) {
    document.erase("synchronisation");
    const std::pair<std::string, std::string> claims[] = {
        {"shortest", "9 phases = the bound; every pair once; no directed link twice in a phase"},
        {"contention-free", "9 phases (bound 9); every pair once; no directed link twice in a phase"},
        {"one-port", "9 phases (bound 9); every pair once; no rank sends or receives twice in a phase"},
        {"nothing", "9 phases (bound 9); every pair once; nothing promised of phases"},
    };
    for (const auto& [guarantee, claim] : claims) {
        document["guarantee"] = guarantee;
        const Outcome run = check(document);
        EXPECT_EQ(run.status, 0) << run.err;
        EXPECT_EQ(run.out, "certified: 6 participants, 30 messages, " + claim +
                               "; no queue; none: no order of phases to prove\n");
    }
}

TEST_F(CheckCommand, ForwardedBlocksAreFollowed) {
    const Outcome made = scratch.run(
        "schedule c.toml --algorithm bruck --synchronisation barrier --format json "
        "-o bruck.json");
    ASSERT_EQ(made.status, 0) << made.err;
    const Outcome run = scratch.run("check bruck.json --topology c.toml");
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out,
              "certified: 6 participants, 18 messages, 3 phases (bound 9); 30 blocks followed from origin to "
              "destination; no rank sends or receives twice in a phase; barrier: barriers order every two "
              "phases\n");
    json changed = json::parse(contents(scratch.path("bruck.json")));
    changed["phases"][2][0]["blocks"].erase(0);
    const Outcome wrong = check(changed);
    EXPECT_EQ(wrong.status, 1) << wrong.out;
}

TEST_F(CheckCommand, RejectsWrongDummies) {
    const Outcome made = scratch.run("schedule c.toml --synchronisation dummy --format json -o dummy.json");
    ASSERT_EQ(made.status, 0) << made.err;
    const json dummy = json::parse(contents(scratch.path("dummy.json")));
    for (std::size_t lost = 0; lost < dummy["synchronisation"]["dummies"].size(); ++lost) {
        json changed = dummy;
        changed["synchronisation"]["dummies"].erase(lost);
        expect_violation(changed, HasSubstr("In phase "));
    }
    json changed = dummy;
    json& first = changed["synchronisation"]["dummies"][0];
    first["to"] = (first["from"].get<int>() + 3) % 6;
    expect_violation(changed, HasSubstr("leaves its switch"));
}

TEST_F(CheckCommand, RejectsEdgesInTheWrongBlock) {
    json changed = document;
    changed["synchronisation"]["name"] = "sender-partial:1000";
    expect_violation(changed, HasSubstr("has synchronisation messages between blocks only"));
    changed["synchronisation"]["name"] = "barrier-partial-sender:1";
    expect_violation(changed, HasSubstr("has synchronisation messages inside a block only"));
    changed["synchronisation"]["name"] = "barrier-partial-sender:1000";
    EXPECT_EQ(check(changed).status, 0);
    changed["synchronisation"]["name"] = "sender";
    changed["guarantee"] = "one-port";
    expect_violation(changed, HasSubstr("Synchronisation 'sender' is for contention-free phases"));
}

TEST_F(CheckCommand, RejectsMutations) {
    json changed = document;
    changed["phases"][3].erase(0);
    expect_violation(changed, HasSubstr("is missing"));

    changed = document;
    changed["phases"][3].push_back(changed["phases"][4][0]);
    expect_violation(changed, HasSubstr("is sent twice, in phase 3 and in phase 4"));

    changed = document;
    json& to = changed["phases"][5][0]["to"];
    to = (to.get<int>() + 1) % 6 == changed["phases"][5][0]["from"] ? (to.get<int>() + 2) % 6 : (to.get<int>() + 1) % 6;
    expect_violation(changed, HasSubstr("is sent twice"));

    changed = document;
    changed["phases"][0][0]["to"] = changed["phases"][0][0]["from"];
    expect_violation(changed, HasSubstr("to its own sender"));

    changed = document;
    changed["phases"][0][0]["to"] = 6;
    expect_violation(changed, HasSubstr("there are 6 participants"));

    changed = document;
    std::swap(changed["phases"][0], changed["phases"][1]);
    expect_violation(changed, HasSubstr("synchronisation"));

    changed = document;
    changed["phases"][0].insert(changed["phases"][0].end(), changed["phases"][1].begin(), changed["phases"][1].end());
    changed["phases"].erase(1);
    expect_violation(changed, HasSubstr("In phase 0, messages "));

    changed = document;
    changed["bound"] = 10;
    expect_violation(changed, HasSubstr("The bound is said to be 10"));

    changed = document;
    changed["phases"].push_back(json::array());
    expect_violation(changed, HasSubstr("There are 10 phases, but the bound is 9."));
}

TEST_F(CheckCommand, RejectsEveryLostAndReversedEdge) {
    for (std::size_t edge = 0; edge < document["synchronisation"]["edges"].size(); ++edge) {
        json changed = document;
        changed["synchronisation"]["edges"].erase(edge);
        expect_violation(changed, HasSubstr("nothing makes the second wait"));
        changed = document;
        json& reversed = changed["synchronisation"]["edges"][edge];
        std::swap(reversed["after"], reversed["before"]);
        expect_violation(changed, HasSubstr("which is not an earlier phase"));
    }
}

TEST_F(CheckCommand, RejectsEdgesOfNoMessageAndOfTheWrongSynchronisation) {
    json changed = document;
    changed["synchronisation"]["edges"][0]["after"] = {2, 2};
    expect_violation(changed, HasSubstr("the schedule has no such message"));
    changed = document;
    changed["synchronisation"]["name"] = "timed";
    expect_violation(changed, HasSubstr("'timed' sends no synchronisation messages"));
    changed = document;
    changed["synchronisation"]["name"] = "receiver";
    expect_violation(changed, HasSubstr("until the first is received"));
}

TEST_F(CheckCommand, AnyPartOfTheClusterInAnyOrder) {
    const json part = {
        {"format", "aapc-schedule/1"},
        {"participants", {{{"name", "a"}, {"machine", "n4"}}, {{"name", "b"}, {"machine", "n1"}}}},
        {"bound", 1},
        {"phases", {{{{"from", 0}, {"to", 1}}, {{"from", 1}, {"to", 0}}}}},
    };
    EXPECT_THAT(check(part).out, StartsWith("certified: 2 participants, 2 messages, 1 phases = the bound; "));
}

TEST_F(CheckCommand, UnknownMachine) {
    document["participants"][4]["machine"] = "m4";
    (void)scratch.file("changed.json", document.dump());
    expect_refusal("check changed.json --topology c.toml",
                   AllOf(StartsWith("changed.json: participants[4].machine is 'm4'"), HasSubstr("c.toml"),
                         HasSubstr("n0, n1, n2, n3, n4, n5")));
}

TEST_F(CheckCommand, BadInput) {
    (void)scratch.file("broken.json", "{\n  \"format\": \n");
    (void)scratch.file("typed.json", "{\"format\": \"aapc-schedule/1\", \"participants\": 3}");
    (void)scratch.file("broken.toml", "[[switch]\n");
    expect_refusal("check broken.json --topology c.toml", StartsWith("broken.json:3:1: "));
    expect_refusal("check typed.json --topology c.toml",
                   StartsWith("typed.json:1:47: participants is a whole number; it must be a list"));
    expect_refusal("check missing.json --topology c.toml", StartsWith("missing.json: "));
    expect_refusal("check . --topology c.toml", StartsWith(".: "));
    expect_refusal("check schedule.json --topology broken.toml", StartsWith("broken.toml:1:"));
    expect_refusal("check schedule.json --topology missing.toml", StartsWith("missing.toml"));
    expect_refusal("check schedule.json", HasSubstr("--topology"));
    expect_refusal("check", HasSubstr("SCHEDULE"));
}

/// One line of diagnostics whatever the names say.
TEST_F(CheckCommand, HostileNamesForgeNoLines) {
    document["participants"][0]["machine"] = "n0\nforged.json: certified";
    const Outcome run = check(document);
    EXPECT_EQ(run.status, 2);
    EXPECT_EQ(std::count(run.err.begin(), run.err.end(), '\n'), 1) << run.err;
}

}  // namespace
