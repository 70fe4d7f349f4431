// `aapc check` of documents that have a cycle instead of phases, and of what documents say of queues.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "cli/program.hpp"

namespace {

using aapc::test::Outcome;
using aapc::test::Scratch;
using nlohmann::json;
using testing::HasSubstr;
using testing::StartsWith;

/// Two machines on each of two switches at 100 Mbit/s, and three slots of a message each, two on the trunk of twice the
/// speed; a fourth slot is empty.
class CycleCommand : public testing::Test {
  protected:
    void SetUp() override {
        (void)scratch.file("c.toml",
                           "[network]\nspeed = '100Mbit'\n[[switch]]\nname = 's0'\nmachines = 'n[0-1]'\n[[switch]]\n"
                           "name = 's1'\nuplink = 's0'\nspeed = '200Mbit'\nmachines = 'n[2-3]'\nbuffer = '64KiB'\n");
        for (int rank = 0; rank < 4; ++rank) {
            const std::string name = "n" + std::to_string(rank);
            document["participants"].push_back({{"name", name}, {"machine", name}});
        }
        document["format"] = "aapc-schedule/1";
        document["cycle"] = {{"seconds_per_byte", 3.2e-7}, {"bound_seconds_per_byte", 2.4e-7}};
        const double slots[4][4] = {{0, 0.5, 0, 0.25}, {0.5, 0, 0.25, 0}, {0, 0.25, 0, 0.5}, {0.25, 0, 0.5, 0}};
        for (int from = 0; from < 4; ++from) {
            for (int to = 0; to < 4; ++to) {
                if (from != to) {
                    document["transfers"].push_back({{"from", from}, {"to", to}, {"at", slots[from][to]}});
                }
            }
        }
        document["queue"] = {{"messages", 0}};
        document["synchronisation"] = {{"name", "timed"}};
    }

    Outcome check(const std::string& options = "") const {
        (void)scratch.file("d.json", document.dump());
        return scratch.run("check d.json --topology c.toml" + options);
    }

    void expect_violation(const testing::Matcher<std::string>& message, const std::string& options = "") const {
        const Outcome run = check(options);
        EXPECT_EQ(run.status, 1) << run.out;
        EXPECT_EQ(run.out, "");
        EXPECT_THAT(run.err, message);
    }

    Scratch scratch;
    json document;
};

constexpr const char* start =
    "certified: 4 participants, 12 messages, a cycle; every pair once; no directed link asked for more than it carries "
    "in a cycle; cycle 1.333 of the bound; ";

TEST_F(CycleCommand, Certifies) {
    const Outcome run = check();
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.err, "");
    EXPECT_EQ(run.out, std::string(start) + "no queue; all links; timed: no order of phases to prove\n");
    document.erase("queue");
    EXPECT_EQ(check().out, run.out) << "a cycle has its queues certified, whether the document speaks of them or not";
}

TEST_F(CycleCommand, NamesTheLongestQueue) {
    document["transfers"][0]["at"] = 0.375;  // n0->n1: half through n0->n3 and n0's next
    document["queue"] = {{"messages", 0.5}, {"from", "n0"}, {"to", "s0"}};
    const Outcome run = check();
    EXPECT_EQ(run.status, 0) << run.err;
    EXPECT_EQ(run.out, std::string(start) +
                           "longest queue 0.5 messages on n0->s0, at 0.5 of the cycle; all links; timed: no order of "
                           "phases to prove\n");
}

TEST_F(CycleCommand, AMovedMessageMakesAQueueThatWasNotSaid) {
    document["transfers"][0]["at"] = 0.375;
    expect_violation(
        "d.json: The longest queue is said to be 0 messages, but there is longest queue 0.5 messages on "
        "n0->s0, at 0.5 of the cycle.\n");
}

TEST_F(CycleCommand, WrongClaims) {
    const json good = document;
    document["cycle"]["bound_seconds_per_byte"] = 2.3e-7;
    expect_violation(HasSubstr("The bound of the cycle is said to be 2.3e-07 s"));
    document = good;
    document["cycle"]["seconds_per_byte"] = 2.3e-7;
    expect_violation(HasSubstr("The cycle is said to take 2.3e-07 s"));
    document = good;
    document["queue"] = {{"messages", 0.5}, {"from", "n0"}, {"to", "s0"}};
    expect_violation(HasSubstr("said to be 0.5 messages, but there is no queue"));
    document = good;
    document["transfers"].push_back(document["transfers"][3]);
    expect_violation(HasSubstr("Message n1->n0 is sent twice, at 0.5 of the cycle and at 0.5 of the cycle."));
    document = good;
    document["transfers"].erase(3);
    expect_violation(HasSubstr("Message n1->n0 is missing: nothing sends it."));
    document = good;
    document["guarantee"] = "contention-free";
    expect_violation(HasSubstr("'within-capacity'"));
    document = good;
    document["synchronisation"]["name"] = "barrier";
    expect_violation(HasSubstr("has a cycle instead of phases"));
}

TEST_F(CycleCommand, SegmentsThatFitTheBuffersAndThatDoNot) {
    for (json& message : document["transfers"]) {
        message["at"] = 0;
    }
    document.erase("queue");
    EXPECT_THAT(check().out, HasSubstr("longest queue 2 messages on "));
    EXPECT_THAT(check(" --segment 32KiB").out,
                HasSubstr("; at most 65536 bytes wait in segments of 32768, which fit every known buffer; timed: "));
    expect_violation(HasSubstr("bytes wait, in segments of 40960, but the port holds 65536.\n"), " --segment 40KiB");
    EXPECT_EQ(check(" --segment 0").status, 2);
    EXPECT_EQ(check(" --segment large").status, 2);
    EXPECT_THAT(check(" --segment large").err, StartsWith("--segment: 'large' is not a size"));
}

TEST_F(CycleCommand, PhasesHaveQueuesToo) {
    (void)scratch.run("schedule c.toml --format json -o p.json");
    json phases = json::parse(aapc::test::contents(scratch.path("p.json")));
    EXPECT_EQ(phases["queue"], (json{{"messages", 0.0}}));
    EXPECT_THAT(scratch.run("check p.json --topology c.toml").out,
                HasSubstr("; no directed link twice in a phase; no queue; none: "));
    phases["queue"] = {{"messages", 1}, {"from", "n0"}, {"to", "s0"}};
    document = phases;
    expect_violation(HasSubstr("The longest queue is said to be 1 messages, but there is no queue."));
    document.erase("queue");
    EXPECT_THAT(check().out, HasSubstr("; no directed link twice in a phase; none: "));
    EXPECT_THAT(check(" --segment 1KiB").out, HasSubstr("; no queue; at most 0 bytes wait"));
}

}  // namespace
