#include "learning/learner.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "learning/policy.hpp"

namespace aapc::learning {
namespace {

Beginning two_prospects(double least_seconds = 1, std::int64_t size = 65536) {
    Beginning beginning;
    beginning.prospects = {{0, 0}, {7, 0}};
    beginning.least_seconds = least_seconds;
    beginning.size = size;
    return beginning;
}

/// A program whose calls cost what the method that serves them takes.
class Calls {
  public:
    explicit Calls(Trials& trials) : trials_(trials) {}

    /// The next call that is not one of a rest.
    Trial take(double native, double other) {
        while (trials_.resting()) {
            trials_.skip();
        }
        if (std::exchange(is_in_flight_, false)) {
            trials_.learn(flight_);
        }
        if (trials_.has_full_block()) {
            flight_ = std::exchange(block_, {});
            trials_.publish();
            is_in_flight_ = !trials_.awaits_result();
            if (!is_in_flight_) {
                trials_.learn(flight_);
            }
        }
        const Trial trial = trials_.next({});
        if (trial.measured) {
            block_.seconds[block_.calls++] = trial.candidate == 0 ? native : other;
        }
        return trial;
    }
    void take(int trials, double native, double other) {
        for (int taken = 0; taken < trials; ++taken) {
            take(native, other);
        }
    }

    /// The latest call was withdrawn.
    void forget_block() { block_ = {}; }

  private:
    Trials& trials_;
    Block block_;
    Block flight_;
    bool is_in_flight_ = false;
};

TEST(Classes, AreFourAnOctaveAndAscend) {
    EXPECT_EQ(class_of(65536), class_of(65536 + 16383));
    EXPECT_EQ(class_of(65536) + 1, class_of(65536 + 16384));
    EXPECT_EQ(class_of(65536) + 4, class_of(131072));
    for (std::int64_t size = 1; size < 5000; ++size) {
        EXPECT_LE(class_of(size), class_of(size + 1));
        EXPECT_LE(first_of(class_of(size)), size);
        EXPECT_EQ(class_of(first_of(class_of(size))), class_of(size));
    }
    EXPECT_LT(class_of(INT64_MAX / 2), class_of(INT64_MAX));
}

TEST(Trials, ACandidateThatIsMuchFasterServesFromTheFourthCallOn) {
    Trials one(two_prospects());
    Calls calls(one);
    std::vector<std::size_t> served;
    while (served.size() < 8) {
        served.push_back(calls.take(3, 1.1).candidate);
    }
    EXPECT_THAT(served, testing::ElementsAre(0, 0, 0, 1, 1, 1, 1, 1));
}

/// Of calls with a bound of 1 s: the candidate takes 1.05 s at least, as is known, and its exchange is set up in so
/// many seconds.
Beginning modelled_prospects(double set_up_seconds = 0.2) {
    Beginning beginning = two_prospects();
    beginning.prospects.back().set_up_seconds = set_up_seconds;
    beginning.prospects.back().least_seconds = 1.05;
    beginning.agreement_seconds = 0.01;
    beginning.opens_early = true;
    return beginning;
}

TEST(Trials, ACandidateWhoseModelIsKnownServesTheSecondCall) {
    for (const double first : {0.9, 1.0, 1.3, 30.0}) {  // data still on its way, cold connections, time-outs
        Trials one(modelled_prospects());
        Calls calls(one);
        std::vector<std::size_t> served{calls.take(first, 1.1).candidate};
        while (served.size() < 9) {
            served.push_back(calls.take(2, 1.1).candidate);
        }
        EXPECT_THAT(served, testing::ElementsAre(0, 1, 1, 1, 1, 1, 1, 1, 1)) << first;
        EXPECT_EQ(one.winner(), 1U) << first;
        // Its first call says little of the native routine: it is measured once more.
        for (int call = 0; call < 60 && one.evidence(0).measured == 1; ++call) {
            calls.take(1, 1.1);
        }
        EXPECT_EQ(one.evidence(0).measured, 2) << first;
        EXPECT_GE(one.budget().calls, policy::first_calls) << first;
    }
}

TEST(Trials, ANativeCallThatIsTooFastForTheBoundKeepsTheSecondCall) {
    Trials one(modelled_prospects());
    Calls calls(one);
    for (int call = 0; call < 10; ++call) {
        EXPECT_EQ(calls.take(0.01, 1.1).candidate, 0U) << "links are not as described: " << call;
    }
}

TEST(Trials, WhoCannotPayForItsSetUpAtTwiceTheBoundWaitsForThreeNativeCalls) {
    const Beginning late = [] {
        Beginning beginning = modelled_prospects();
        beginning.opens_early = false;
        return beginning;
    }();
    Beginning short_calls = modelled_prospects(0);
    short_calls.agreement_seconds = 0.21;  // beside a bound of 1 s
    for (const Beginning& beginning : {modelled_prospects(1), short_calls, late}) {
        Trials one(beginning);
        for (int call = 0; call < 2; ++call) {
            EXPECT_EQ(one.next({}).candidate, 0U);
            EXPECT_FALSE(one.awaits_result());
        }
        EXPECT_EQ(one.filled(), 2U);
    }
}

TEST(Trials, WithoutTheResultOfTheFirstCallTheNativeRoutineIsMeasuredAgain) {
    Trials one(modelled_prospects());
    static_cast<void>(one.next({}));
    one.publish();
    ASSERT_TRUE(one.awaits_result());
    one.lose();
    const Trial second = one.next({});
    EXPECT_EQ(second.candidate, 0U);
    EXPECT_TRUE(second.measured);
}

TEST(Trials, ShortCallsPublishThreeCallsWithTheFourth) {
    Beginning beginning = two_prospects(0.0045);
    beginning.agreement_seconds = 1e-3;
    Trials one(beginning);
    Calls calls(one);
    calls.take(3, 0.05, 0.005);
    EXPECT_TRUE(one.has_full_block());
    EXPECT_EQ(one.filled(), 3U);
    EXPECT_EQ(calls.take(0.05, 0.005).candidate, 0U);
    EXPECT_EQ(calls.take(0.05, 0.005).candidate, 1U);
}

// Connections are cold in the first call.
TEST(Trials, TheFirstCallOfAllIsForgivenWhatColdConnectionsCost) {
    Trials one(two_prospects(0.088));
    Calls calls(one);
    calls.take(0.25, 0);
    calls.take(0.14, 0);
    calls.take(0.14, 0);
    EXPECT_EQ(calls.take(0.14, 0.1).candidate, 1U);
    EXPECT_DOUBLE_EQ(*one.typical_seconds(0), (0.25 - 0.05 + 0.14) / 2);
}

// A bad moment is evidence, and no verdict.
TEST(Trials, OneSlowCallDoesNotRuleOutACandidateThatTheModelPromises) {
    Trials one(two_prospects(0.5));
    Calls calls(one);
    calls.take(3, 1, 1);
    ASSERT_EQ(calls.take(1, 1.3).candidate, 1U);
    int later = 0;
    for (int call = 0; call < 8; ++call) {
        later += calls.take(1, 0.55).candidate == 1 ? 1 : 0;
    }
    EXPECT_GE(later, 1);
    calls.take(20, 1, 0.55);
    EXPECT_EQ(one.winner(), 1U);
}

TEST(Trials, ResultsThatAreLostAreNoEvidence) {
    Trials one(two_prospects());
    static_cast<void>(one.next({}));
    static_cast<void>(one.next({}));
    ASSERT_TRUE(one.has_full_block());
    one.publish();
    EXPECT_FALSE(one.next({}).measured);
    one.lose();
    EXPECT_FALSE(one.typical_seconds(0));
    EXPECT_EQ(one.budget().calls, 0) << "of no call it is known what it cost";
    EXPECT_TRUE(one.next({}).measured);
}

TEST(Trials, OneThatCannotBeSetUpIsNeverTriedAgain) {
    for (const double least : {0.004, 0.06}) {
        Trials one(two_prospects(least));
        Calls calls(one);
        int tries = 0;
        for (int call = 0; call < 500; ++call) {
            if (calls.take(2 * least, 0).candidate == 1) {
                ++tries;
                one.withdraw(1);
                calls.forget_block();
            }
        }
        EXPECT_EQ(tries, 1);
        EXPECT_EQ(one.winner(), 0U);
    }
}

TEST(Trials, CostsAreThoseOfTheSizeOfTheClass) {
    Trials one(two_prospects());
    static_cast<void>(one.next({}));
    static_cast<void>(one.next({}));
    one.publish();
    Block block;
    block.calls = 2;
    block.seconds = {3, 3};
    block.to_class_size = 0.8;
    one.learn(block);
    EXPECT_DOUBLE_EQ(*one.typical_seconds(0), 2.4);
    EXPECT_DOUBLE_EQ(one.budget().seconds, 6);
}

TEST(Trials, WhereTheMpisOwnIsAtTheBoundNobodyElseIsTried) {
    Trials one(two_prospects(1));
    Calls calls(one);
    for (int call = 0; call < 60; ++call) {
        EXPECT_EQ(calls.take(1.01, 1).candidate, 0U);
    }
}

TEST(Trials, ADifferenceBelowTheNoiseIsTheMpisOwn) {
    Trials one(two_prospects());
    Calls one_calls(one);
    one_calls.take(60, 1.2, 1.19);
    EXPECT_EQ(one.winner(), 0U);
}

TEST(Trials, ALeadIsNotLostToOneAccident) {
    Trials one(two_prospects());
    Calls one_calls(one);
    one_calls.take(20, 3, 2);
    ASSERT_EQ(one.winner(), 1U);
    one_calls.take(1, 3, 40);
    EXPECT_EQ(one.winner(), 1U);
}

TEST(Learner, AClassBeginsWithTheWinnerOfItsNeighbour) {
    Learner learner;
    Trials& first = learner.begin(two_prospects());
    Calls first_calls(first);
    first_calls.take(30, 3, 2);
    ASSERT_EQ(first.winner(), 1U);
    EXPECT_EQ(learner.begin(two_prospects(1, 90000)).winner(), 1U);
    EXPECT_EQ(learner.begin(two_prospects(1, 1 << 20)).winner(), 0U);
}

TEST(Learner, NearSizesShareAClassWhereverTheyAre) {
    Learner learner;
    EXPECT_EQ(learner.find_near(1 << 20), nullptr);
    Trials& first = learner.begin(two_prospects(1, (1 << 20) - 1));
    EXPECT_EQ(learner.find_near((1 << 20) + 1), &first);
    EXPECT_NE(class_of((1 << 20) + 1), class_of((1 << 20) - 1));
    EXPECT_EQ(learner.find_near(900000), &first);
    EXPECT_EQ(learner.find_near(700000), nullptr);
    Trials& second = learner.begin(two_prospects(1, 1350000));
    EXPECT_EQ(learner.find_near(1250000), &second);
    EXPECT_EQ(learner.find_near(1100000), &first);
}

TEST(Learner, OnePurseForAllClasses) {
    Learner learner;
    Trials& spender = learner.begin(two_prospects(0.5));
    Calls spender_calls(spender);
    spender_calls.take(12, 1, 1.9);
    const Budget budget = learner.budget();
    EXPECT_GT(budget.spent_seconds, 0);
    EXPECT_NEAR(budget.seconds, static_cast<double>(budget.calls) + budget.spent_seconds, 1e-9);
}

/// A learner whose communicator has had so many calls, of one size and these times.
Learner after_calls(int count, double own, double other, double set_up_seconds = 0) {
    Learner learner;
    Beginning beginning = two_prospects(0.5);
    beginning.prospects[1].set_up_seconds = set_up_seconds;
    Trials& one = learner.begin(beginning);
    Calls calls(one);
    while (learner.budget().calls < count) {
        calls.take(own, other);
    }
    return learner;
}

TEST(Continued, BeginsWithTheWinner) {
    Learner next = after_calls(40, 3, 2).continued(0);
    Trials& one = *next.find(class_of(65536));
    EXPECT_EQ(one.winner(), 1U);
    EXPECT_FALSE(one.resting()) << "somebody watches whether it is as good here";
}

TEST(Continued, WhereTheMpisOwnHasWonNobodyIsAsked) {
    for (const int count : {20, 60}) {
        Learner next = after_calls(count, 1, 3).continued(0);
        Trials& one = *next.find(class_of(65536));
        EXPECT_EQ(one.winner(), 0U);
        int calls = 0;
        for (; one.resting(); ++calls) {
            one.skip();
        }
        EXPECT_GE(calls, std::min(count, 30) / 2) << count;
        EXPECT_LE(calls, 250);
    }
    // Nobody could gain anything, but it is looked at now and then.
    Learner next = after_calls(1000, 0.501, 3).continued(0);
    int calls = 0;
    for (Trials& one = *next.find(class_of(65536)); one.resting(); ++calls) {
        one.skip();
    }
    EXPECT_EQ(calls, 250);
}

// Setting it up on each communicator would take longer than it gains there.
TEST(Continued, AWinnerThatIsTooDearForACommunicatorIsNotUsed) {
    const Learner shown = after_calls(40, 3, 2);
    const std::int64_t calls = shown.budget().calls;
    EXPECT_EQ(shown.continued(static_cast<double>(calls) / 2).classes().size(), 1U);
    EXPECT_EQ(shown.continued(static_cast<double>(calls)).classes().size(), 0U);
}

// The native routine's first call said nothing against the winner, and nothing for it.
TEST(Continued, AWinnerBehindOneNativeCallIsTriedOnTheNextCommunicator) {
    Learner shown;
    Calls calls(shown.begin(modelled_prospects()));
    calls.take(5, 1.1, 1.1);
    Learner next = shown.continued(0.2);
    Trials* const of = next.find_near(65536);
    ASSERT_NE(of, nullptr);
    EXPECT_EQ(of->winner(), 1U);
    EXPECT_EQ(next.next(*of).candidate, 1U);
    // What is learned of the native routine stays learned on later ones.
    Calls later(*of);
    for (int call = 0; call < 60; ++call) {
        later.take(1.0, 1.1);
    }
    EXPECT_GE(of->evidence(0).measured, 2);
    EXPECT_EQ(shown.continued(10).find_near(65536), nullptr) << "setting it up takes longer than it gains";
}

TEST(Continued, NothingComesOfNothing) {
    EXPECT_TRUE(Learner().continued(1).classes().empty());
    Learner learner;
    learner.begin(two_prospects());
    EXPECT_TRUE(learner.continued(1).classes().empty());
    EXPECT_EQ(Learner().digest(), 0U);
}

// A program of many communicators spends no more than one that has all its calls on one.
TEST(Continued, ThePurseIsShared) {
    const Learner shown = after_calls(40, 1, 1.4, 0.3);
    Learner next = shown.continued(0.3);
    EXPECT_DOUBLE_EQ(next.budget().spent_seconds, shown.budget().spent_seconds);
    EXPECT_GE(next.budget().calls, shown.budget().calls);
    EXPECT_EQ(next.summary().budget.calls, 0) << "what others have done is not done here";
    EXPECT_EQ(next.summary().own_seconds, 0);
    Trials& one = *next.find(class_of(65536));
    for (int call = 0; call < 5 && one.resting(); ++call) {
        one.skip();
    }
    EXPECT_EQ(next.summary().budget.calls, 5);
}

// One turn showed too little for a verdict, and the purse was empty then: the next communicator goes on from there.
TEST(Continued, WhatIsInDoubtIsLookedAtFurther) {
    int turns = 0;
    Learner learner = after_calls(30, 1, 0.88, 1.2);
    EXPECT_EQ(learner.find(class_of(65536))->winner(), 0U);
    for (int communicator = 0; communicator < 4; ++communicator) {
        Learner next = learner.continued(1.2);
        Trials& one = *next.find(class_of(65536));
        Calls calls(one);
        const std::int64_t before = next.budget().calls;
        while (next.budget().calls < before + 40) {
            turns += calls.take(1, 0.88).candidate == 1 ? 1 : 0;
        }
        learner = std::move(next);
    }
    EXPECT_EQ(learner.find(class_of(65536))->winner(), 1U) << turns;
}

TEST(Continued, RanksThatKnowOtherThingsSeeIt) {
    const Learner some = after_calls(40, 3, 2).continued(0);
    const Learner more = after_calls(43, 3, 2).continued(0);
    const Learner others = after_calls(40, 3, 2.01).continued(0);
    EXPECT_EQ(some.digest(), after_calls(40, 3, 2).continued(0).digest());
    EXPECT_NE(some.digest(), more.digest());
    EXPECT_NE(some.digest(), others.digest());
    EXPECT_NE(some.digest(), after_calls(40, 3, 2).continued(0.1).digest());
}

TEST(Budget, TheShareFalls) {
    EXPECT_EQ(allowance({}), 0);
    EXPECT_DOUBLE_EQ(allowance({5, 5, 0}), policy::first_allowance);
    EXPECT_DOUBLE_EQ(allowance({50, 50, 0}), 50 * policy::early_share);
    EXPECT_LE(allowance({1000, 1000, 0}), 0.02 * 1000);
}

}  // namespace
}  // namespace aapc::learning
