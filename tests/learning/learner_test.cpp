#include "learning/learner.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

namespace aapc::learning {
namespace {

Beginning two_prospects(double least_seconds = 1, std::int64_t size = 65536) {
    Beginning beginning;
    beginning.prospects = {{0, 0}, {7, 0}};
    beginning.least_seconds = least_seconds;
    beginning.size = size;
    return beginning;
}

/// A program whose calls take a time that depends on who serves them.
class Calls {
  public:
    explicit Calls(SizeClass& size_class) : class_(size_class) {}

    /// The next call that is not one of a rest.
    Turn take(double own, double other) {
        while (class_.resting()) {
            class_.skip();
        }
        std::vector<Measured> told;
        if (class_.awaits_times()) {
            told.swap(times_);
        }
        const Turn turn = class_.next(told, {});
        if (turn.measured) {
            times_.push_back(Measured{turn.candidate == 0 ? own : other, 0, 0});
        }
        return turn;
    }
    void take(int turns, double own, double other) {
        for (int taken = 0; taken < turns; ++taken) {
            take(own, other);
        }
    }

  private:
    SizeClass& class_;
    std::vector<Measured> times_;
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

TEST(SizeClass, ACandidateThatIsMuchFasterStaysFromItsFirstTurnOn) {
    SizeClass one(two_prospects());
    Calls calls(one);
    std::vector<std::size_t> turns;
    while (turns.size() < 8) {
        turns.push_back(calls.take(3, 2).candidate);
    }
    EXPECT_THAT(turns, testing::ElementsAre(0, 0, 0, 1, 1, 1, 1, 1));
}

// Ranks that begin together run into time-outs that they do not have by themselves.
TEST(SizeClass, NoLongCallOfTheMpisOwnThatIsMeasuredBeginsWithAnAgreement) {
    for (const double other : {0.9, 1.1, 4.0}) {
        SizeClass one(two_prospects(0.5));
        Calls calls(one);
        int measured = 0;
        for (int call = 0; call < 400; ++call) {
            const bool agrees = !one.resting() && one.awaits_times();
            const Turn turn = calls.take(call % 7 == 0 ? 1.5 : 1, other);
            EXPECT_EQ(turn.apart, turn.measured && turn.candidate == 0) << call;
            EXPECT_FALSE(agrees && turn.apart) << call;
            measured += turn.apart ? 1 : 0;
        }
        EXPECT_GE(measured, 8) << other;
    }
}

// 16 ranks that each begin when they are through with the call before: 0.25, 0.14 and 0.083 s, where links need 0.088
// s, and connections are cold.
TEST(SizeClass, ACallThatBeganBeforeItsLastRankCameIsNoReasonToStayWithTheMpisOwn) {
    SizeClass one(two_prospects(0.088));
    for (std::int64_t call = 0; call < opening_calls; ++call) {
        static_cast<void>(one.next({}, {}));
    }
    EXPECT_EQ(one.next(std::vector<Measured>{{0.25, 0, 0}, {0.14, 0, 0}, {0.083, 0, 0}}, {}).candidate, 1U);
    static_cast<void>(one.next(std::vector<Measured>{{0.094, 0, 0}}, {}));
    EXPECT_EQ(one.winner(), 1U);
    EXPECT_DOUBLE_EQ(*one.typical_seconds(0), (0.25 - 0.05 + 0.14 + 0.083) / 3);
}

// As with blocks of 8 KB, where every second call waits for a time-out: nobody knows that by three calls, and those
// that did not seem to be at the bound.
TEST(SizeClass, OneSlowCallOfTheFirstThreeIsNoAccident) {
    SizeClass one(two_prospects(0.044));
    for (std::int64_t call = 0; call < opening_calls; ++call) {
        static_cast<void>(one.next({}, {}));
    }
    EXPECT_EQ(one.next(std::vector<Measured>{{0.082, 0, 0}, {0.212, 0, 0}, {0.0094, 0, 0}}, {}).candidate, 1U);
}

TEST(SizeClass, ShortCallsBeginTogetherWhenTheyAreMeasured) {
    SizeClass one(two_prospects(0.9 * shortest_seconds_apart));
    Calls calls(one);
    for (int call = 0; call < 50; ++call) {
        EXPECT_FALSE(calls.take(0.04, 0.03).apart);
    }
}

TEST(SizeClass, LongerCallsAreMeasuredApart) {
    for (const double least : {0.9 * shortest_seconds_apart, 1.1 * shortest_seconds_apart}) {
        SizeClass one(two_prospects(least));
        EXPECT_EQ(one.measures_apart(), least > shortest_seconds_apart);
        while (one.resting()) {
            one.skip();
        }
        const Turn turn = one.next({}, {});
        EXPECT_TRUE(turn.measured);
        EXPECT_EQ(turn.apart, least > shortest_seconds_apart);
    }
}

TEST(SizeClass, TimesThatNobodyCouldTellAreLeftOut) {
    SizeClass one(two_prospects());
    for (std::int64_t call = 0; call < opening_calls; ++call) {
        EXPECT_FALSE(one.awaits_times());
        EXPECT_TRUE(one.next({}, {}).apart);
    }
    ASSERT_TRUE(one.awaits_times());
    const Turn after = one.next({}, {});
    EXPECT_TRUE(after.own_next) << "it begins with the agreement that told nothing";
    EXPECT_FALSE(one.typical_seconds(0));
    EXPECT_TRUE(one.next({}, {}).apart);
    EXPECT_EQ(one.account().calls, 0) << "of none it is known what it took";
    static_cast<void>(one.next(std::vector{Measured{3, 0, 0}}, {}));
    EXPECT_EQ(one.account().calls, 5);
    EXPECT_DOUBLE_EQ(one.account().seconds, 15);
}

TEST(SizeClass, OneThatCannotBeHadIsNeverTriedAgain) {
    for (const double least : {0.006, 0.06}) {
        SizeClass one(two_prospects(least));
        int tries = 0;
        std::vector<Measured> told;
        for (int call = 0; call < 500; ++call) {
            if (one.resting()) {
                one.skip();
                continue;
            }
            const Turn turn = one.next(one.awaits_times() ? std::exchange(told, {}) : std::vector<Measured>(), {});
            if (turn.candidate == 1) {
                ++tries;
                one.withdraw(1);
            } else if (turn.measured) {
                told.push_back(Measured{2 * least, 0, 0});
            }
        }
        EXPECT_EQ(tries, 1);
        EXPECT_EQ(one.winner(), 0U);
    }
}

TEST(SizeClass, WhereTheMpisOwnIsAtTheBoundNobodyElseIsTried) {
    SizeClass one(two_prospects(1));
    Calls calls(one);
    for (int call = 0; call < 60; ++call) {
        EXPECT_EQ(calls.take(1.01, 1).candidate, 0U);
    }
}

TEST(SizeClass, ADifferenceBelowTheNoiseIsTheMpisOwn) {
    SizeClass one(two_prospects());
    Calls one_calls(one);
    one_calls.take(60, 1.2, 1.19);
    EXPECT_EQ(one.winner(), 0U);
}

TEST(SizeClass, ALeadIsNotLostToOneAccident) {
    SizeClass one(two_prospects());
    Calls one_calls(one);
    one_calls.take(20, 3, 2);
    ASSERT_EQ(one.winner(), 1U);
    one_calls.take(1, 3, 40);
    EXPECT_EQ(one.winner(), 1U);
}

TEST(Learner, AClassBeginsWithTheWinnerOfItsNeighbour) {
    Learner learner;
    SizeClass& first = learner.begin(two_prospects());
    Calls first_calls(first);
    first_calls.take(30, 3, 2);
    ASSERT_EQ(first.winner(), 1U);
    EXPECT_EQ(learner.begin(two_prospects(1, 90000)).winner(), 1U);
    EXPECT_EQ(learner.begin(two_prospects(1, 1 << 20)).winner(), 0U);
}

TEST(Learner, NearSizesShareAClassWhereverTheyAre) {
    Learner learner;
    EXPECT_EQ(learner.find_near(1 << 20), nullptr);
    SizeClass& first = learner.begin(two_prospects(1, (1 << 20) - 1));
    EXPECT_EQ(learner.find_near((1 << 20) + 1), &first);
    EXPECT_NE(class_of((1 << 20) + 1), class_of((1 << 20) - 1));
    EXPECT_EQ(learner.find_near(900000), &first);
    EXPECT_EQ(learner.find_near(700000), nullptr);
    SizeClass& second = learner.begin(two_prospects(1, 1350000));
    EXPECT_EQ(learner.find_near(1250000), &second);
    EXPECT_EQ(learner.find_near(1100000), &first);
}

TEST(SizeClass, TimesAreThoseOfTheSizeThatItBeganWith) {
    Beginning beginning = two_prospects(1e-3);
    beginning.agrees_anyway = true;
    SizeClass one(beginning);
    static_cast<void>(one.next({}, {}));
    static_cast<void>(one.next(std::vector{Measured{3, 0, 0, 0.8}}, {}));
    EXPECT_DOUBLE_EQ(*one.typical_seconds(0), 2.4);
    EXPECT_DOUBLE_EQ(one.account().seconds, 3);
}

// Unequal messages: whoever is asked begins with an agreement, so the MPI's own is measured in calls that nobody is
// asked about.
TEST(SizeClass, WhereEveryCallAgreesTheMpisOwnHasTheNextOnes) {
    Beginning beginning = two_prospects();
    beginning.agrees_anyway = true;
    SizeClass one(beginning);
    one.take_own_apart(3);
    const Turn first = one.next(std::vector(3, Measured{1.5, 0, 0}), {});
    EXPECT_EQ(first.candidate, 1U) << "it is so much faster at best that it is tried";
    // The candidate is no better, so the MPI's own has the calls from there on.
    Turn turn = one.next(std::vector{Measured{1.6, 0, 0}}, {});
    int asked = 0;
    for (int call = 0; call < 40; ++call) {
        if (one.resting()) {
            one.skip();
            continue;
        }
        ASSERT_FALSE(turn.candidate == 0 && turn.measured) << "an agreement stood before it";
        std::vector<Measured> told;
        if (turn.own_next) {
            const std::size_t turns = one.own_turns_wanted();
            ASSERT_TRUE(turns >= 1 && turns <= most_pending);
            one.take_own_apart(turns);
            told.assign(turns, Measured{1.5, 0, 0});
        } else if (turn.measured) {
            told.push_back(Measured{1.6, 0, 0});
        }
        turn = one.next(told, {});
        ++asked;
    }
    EXPECT_EQ(one.winner(), 0U);
    EXPECT_LE(asked, 20);
    EXPECT_GE(one.seen(0).calls, 6);
}

TEST(Learner, OnePurseForAllClasses) {
    Learner learner;
    SizeClass& spender = learner.begin(two_prospects(0.5));
    Calls spender_calls(spender);
    spender_calls.take(12, 1, 1.9);
    const Account account = learner.account();
    EXPECT_GT(account.spent_seconds, 0);
    EXPECT_NEAR(account.seconds, static_cast<double>(account.calls) + account.spent_seconds, 1e-9);
}

/// A learner whose communicator has had so many calls, of one size and these times.
Learner after_calls(int count, double own, double other, double set_up_seconds = 0) {
    Learner learner;
    Beginning beginning = two_prospects(0.5);
    beginning.prospects[1].set_up_seconds = set_up_seconds;
    SizeClass& one = learner.begin(beginning);
    Calls calls(one);
    while (learner.account().calls < count) {
        calls.take(own, other);
    }
    return learner;
}

TEST(Continued, BeginsWithTheWinner) {
    Learner next = after_calls(40, 3, 2).continued(0);
    SizeClass& one = *next.find(class_of(65536));
    EXPECT_EQ(one.winner(), 1U);
    EXPECT_FALSE(one.resting()) << "somebody watches whether it is as good here";
}

TEST(Continued, WhereTheMpisOwnHasWonNobodyIsAsked) {
    for (const int count : {20, 60}) {
        Learner next = after_calls(count, 1, 3).continued(0);
        SizeClass& one = *next.find(class_of(65536));
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
    for (SizeClass& one = *next.find(class_of(65536)); one.resting(); ++calls) {
        one.skip();
    }
    EXPECT_EQ(calls, 250);
}

// Setting it up on each communicator would take longer than it gains there.
TEST(Continued, AWinnerThatIsTooDearForACommunicatorIsNotUsed) {
    const Learner shown = after_calls(40, 3, 2);
    const std::int64_t calls = shown.account().calls;
    EXPECT_EQ(shown.continued(static_cast<double>(calls) / 2).classes().size(), 1U);
    EXPECT_EQ(shown.continued(static_cast<double>(calls)).classes().size(), 0U);
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
    EXPECT_DOUBLE_EQ(next.account().spent_seconds, shown.account().spent_seconds);
    EXPECT_GE(next.account().calls, shown.account().calls);
    EXPECT_EQ(next.summary().account.calls, 0) << "what others have done is not done here";
    EXPECT_EQ(next.summary().own_seconds, 0);
    SizeClass& one = *next.find(class_of(65536));
    for (int call = 0; call < 5 && one.resting(); ++call) {
        one.skip();
    }
    EXPECT_EQ(next.summary().account.calls, 5);
}

// One turn showed too little for a verdict, and the purse was empty then: the next communicator goes on from there.
TEST(Continued, WhatIsInDoubtIsLookedAtFurther) {
    int turns = 0;
    Learner learner = after_calls(30, 1, 0.88, 1.2);
    EXPECT_EQ(learner.find(class_of(65536))->winner(), 0U);
    for (int communicator = 0; communicator < 4; ++communicator) {
        Learner next = learner.continued(1.2);
        SizeClass& one = *next.find(class_of(65536));
        Calls calls(one);
        const std::int64_t before = next.account().calls;
        while (next.account().calls < before + 40) {
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

TEST(Account, TheShareFalls) {
    EXPECT_EQ(allowance({}), 0);
    EXPECT_DOUBLE_EQ(allowance({5, 5, 0}), calls_spent_before_the_share);
    EXPECT_DOUBLE_EQ(allowance({50, 50, 0}), 50 * first_share);
    EXPECT_LE(allowance({1000, 1000, 0}), 0.02 * 1000);
}

}  // namespace
}  // namespace aapc::learning
