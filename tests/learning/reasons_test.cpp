// Why a method serves: the standing of each candidate follows from what trials have shown, in every state, and the
// words say it.
#include "learning/reasons.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "learning/learner.hpp"

namespace aapc::learning {
namespace {

using testing::HasSubstr;

std::string name(std::size_t method) { return method == 0 ? "native" : method == 1 ? "tree" : "ring"; }

/// Calls whose bound is 40 ms, with a candidate that has a model and one that has none.
Beginning beginning() {
    Beginning found;
    found.agreement_seconds = 1e-3;
    found.prospects = {{0, 0, 0}, {1, 1e-3, 42e-3}, {2, 1e-3, 0}};
    found.least_seconds = 40e-3;
    found.size = 8192;
    return found;
}

/// Gives the class calls until `calls` are over; a call by a candidate costs what `seconds` has for it.
void run(Trials& trials, int calls, const std::vector<double>& seconds) {
    std::vector<double> block;
    std::size_t of = 0;
    bool in_flight = false;
    Block flying;
    for (int call = 0; call < calls; ++call) {
        if (in_flight) {
            trials.learn(flying);
            in_flight = false;
        }
        if (trials.has_full_block()) {
            flying = {};
            flying.calls = block.size();
            std::copy(block.begin(), block.end(), flying.seconds.begin());
            block.clear();
            trials.publish();
            in_flight = true;
        }
        const Trial trial = trials.next({});
        if (trial.measured) {
            of = trial.candidate;
            block.push_back(seconds[of]);
        }
    }
}

const CandidateReason& of(const Reasons& found, std::size_t method) {
    for (const CandidateReason& one : found.candidates) {
        if (one.method == method) {
            return one;
        }
    }
    throw std::out_of_range("there is no such method");
}

TEST(Reasons, WaitForNativeCallsAtFirst) {
    const Trials trials(beginning());
    const Reasons found = reasons(trials, {});
    EXPECT_EQ(found.state, State::opening);
    EXPECT_EQ(of(found, 0).standing, Standing::serves);
    EXPECT_EQ(of(found, 1).standing, Standing::waits_for_evidence);
    EXPECT_DOUBLE_EQ(of(found, 1).least_seconds, 42e-3);
    EXPECT_GT(of(found, 1).most_seconds, of(found, 1).least_seconds);
    const std::string text = words(found, name);
    EXPECT_THAT(text, HasSubstr("native serves: no sample, at least 40 ms"));
    EXPECT_THAT(text, HasSubstr("tree: no sample, prior 42 ms to "));
    EXPECT_THAT(text, HasSubstr("waits until native calls are measured"));
    EXPECT_THAT(text, HasSubstr("state: opening after 0 calls"));
}

TEST(Reasons, AWinnerHasItsSamplesAndALoserItsNextLook) {
    Trials trials(beginning());
    run(trials, 60, {0.2, 0.045, 0.3});
    const Reasons found = reasons(trials, {});
    EXPECT_EQ(of(found, 1).standing, Standing::serves);
    ASSERT_TRUE(of(found, 1).typical_seconds.has_value());
    EXPECT_DOUBLE_EQ(*of(found, 1).typical_seconds, 0.045);
    EXPECT_GT(of(found, 1).samples, 1U);
    ASSERT_TRUE(of(found, 0).typical_seconds.has_value());
    EXPECT_DOUBLE_EQ(*of(found, 0).typical_seconds, 0.2);
    const std::string text = words(found, name);
    EXPECT_THAT(text, testing::StartsWith("tree serves: 45 ms in "));
    EXPECT_THAT(text, HasSubstr("native: 200 ms in "));
    for (const std::size_t loser : {0U, 2U}) {
        const Standing standing = of(found, loser).standing;
        EXPECT_NE(standing, Standing::serves);
        if (standing == Standing::waits_for_its_look) {
            EXPECT_GT(of(found, loser).calls_until_look, 0);
        }
    }
}

TEST(Reasons, NativeCallsAtTheBoundLeaveNothingToGain) {
    Trials trials(beginning());
    run(trials, 20, {0.0402, 0.05, 0.05});
    const Reasons found = reasons(trials, {});
    EXPECT_EQ(of(found, 0).standing, Standing::serves);
    EXPECT_EQ(of(found, 1).standing, Standing::cannot_gain);
    EXPECT_THAT(words(found, name), HasSubstr("tree: no sample, prior 42 ms to 51.3 ms, cannot be faster"));
}

TEST(Reasons, ACandidateThatCannotBeSetUpIsWithdrawn) {
    Trials trials(beginning());
    trials.withdraw(2);
    EXPECT_EQ(of(reasons(trials, {}), 2).standing, Standing::withdrawn);
    EXPECT_THAT(words(reasons(trials, {}), name),
                HasSubstr("ring: no sample, prior 40 ms to 48.9 ms, could not be set up"));
}

TEST(Reasons, WhatOthersHaveSpentIsSaid) {
    Trials trials(beginning());
    run(trials, 12, {0.2, 0.045, 0.3});
    const Budget others{10, 1, 1};
    const Reasons found = reasons(trials, others);
    EXPECT_LT(found.budget_seconds, 0);
    EXPECT_THAT(words(found, name), HasSubstr("nothing left for trials"));
}

}  // namespace
}  // namespace aapc::learning
