#include "learning/learner.hpp"

#include <gmock/gmock.h>

#include <cstdint>
#include <optional>
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

/// Turns with these times until so many have been taken; the last one is still under way.
Turn feed(SizeClass& size_class, int turns, double own, double other) {
    Turn turn;
    for (int taken = 0; taken < turns; ++taken) {
        while (size_class.resting()) {
            size_class.skip();
        }
        std::optional<Measured> last;
        if (size_class.awaits_time()) {
            last = Measured{turn.candidate == 0 ? own : other, 0, 0};
        }
        turn = size_class.next(last, {});
    }
    return turn;
}

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
    std::vector<std::size_t> turns;
    std::optional<Measured> last;
    while (turns.size() < 8) {
        turns.push_back(one.next(last, {}).candidate);
        last = Measured{turns.back() == 0 ? 3.0 : 2.0, 0, 0};
    }
    // The first call took so much more than the links need that it is not waited for two others.
    EXPECT_THAT(turns, testing::ElementsAre(0, 1, 1, 1, 1, 1, 1, 1));
}

TEST(SizeClass, OneThatCannotBeHadIsNeverTriedAgain) {
    SizeClass one(two_prospects(0.006));
    int tries = 0;
    std::optional<Measured> last;
    for (int call = 0; call < 500; ++call) {
        if (one.resting()) {
            one.skip();
            continue;
        }
        const Turn turn = one.next(last, {});
        last = std::nullopt;
        if (turn.candidate == 1) {
            ++tries;
            one.withdraw(1);
        } else if (turn.measured) {
            last = Measured{0.01, 0, 0};
        }
    }
    EXPECT_EQ(tries, 1);
    EXPECT_EQ(one.winner(), 0U);
}

TEST(SizeClass, WhereTheMpisOwnIsAtTheBoundNobodyElseIsTried) {
    SizeClass one(two_prospects(1));
    std::optional<Measured> last;
    for (int call = 0; call < 300; ++call) {
        if (one.resting()) {
            one.skip();
            continue;
        }
        const Turn turn = one.next(last, {});
        EXPECT_EQ(turn.candidate, 0U);
        last = turn.measured ? std::optional(Measured{1.01, 0, 0}) : std::nullopt;
    }
}

TEST(SizeClass, ADifferenceBelowTheNoiseIsTheMpisOwn) {
    SizeClass one(two_prospects());
    feed(one, 60, 1.2, 1.19);
    EXPECT_EQ(one.winner(), 0U);
}

TEST(SizeClass, ALeadIsNotLostToOneAccident) {
    SizeClass one(two_prospects());
    feed(one, 20, 3, 2);
    ASSERT_EQ(one.winner(), 1U);
    feed(one, 1, 3, 40);
    EXPECT_EQ(one.winner(), 1U);
}

TEST(Learner, AClassBeginsWithTheWinnerOfItsNeighbour) {
    Learner learner;
    SizeClass& first = learner.begin(two_prospects());
    feed(first, 30, 3, 2);
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
    SizeClass one(two_prospects());
    static_cast<void>(one.next(std::nullopt, {}));
    static_cast<void>(one.next(Measured{3, 0, 0, 0.8}, {}));
    EXPECT_DOUBLE_EQ(*one.typical_seconds(0), 2.4);
    EXPECT_DOUBLE_EQ(one.account().seconds, 3);
}

TEST(Learner, OnePurseForAllClasses) {
    Learner learner;
    SizeClass& spender = learner.begin(two_prospects(0.5));
    feed(spender, 12, 1, 1.9);
    const Account account = learner.account();
    EXPECT_GT(account.spent_seconds, 0);
    EXPECT_NEAR(account.seconds, static_cast<double>(account.calls) + account.spent_seconds, 1e-9);
}

TEST(Account, TheShareFalls) {
    EXPECT_EQ(allowance({}), 0);
    EXPECT_DOUBLE_EQ(allowance({5, 5, 0}), calls_spent_before_the_share);
    EXPECT_DOUBLE_EQ(allowance({50, 50, 0}), 50 * first_share);
    EXPECT_LE(allowance({1000, 1000, 0}), 0.02 * 1000);
}

}  // namespace
}  // namespace aapc::learning
