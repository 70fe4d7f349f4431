// Drafts with a cycle: what the checker takes and what it refuses.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/detection.hpp"
#include "check/cycles.hpp"
#include "check/drafts.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

using testing::HasSubstr;

struct ACycle : testing::Test {
    Network network = test::chain_of({2, 2}).build();
    Placement placement = full_placement(network);
    ScheduleDraft draft = test::random_cycle(network, placement, 100, 1.02, 1);

    [[nodiscard]] std::string complaint() const {
        const auto schedule = check_schedule(draft, network, placement);
        return schedule ? "" : schedule.error().what;
    }
    void sort() { std::sort(draft.transfers.begin(), draft.transfers.end()); }
};

TEST_F(ACycle, IsASchedule) {
    const auto schedule = check_schedule(draft, network, placement);
    ASSERT_TRUE(schedule) << schedule.error().what;
    EXPECT_EQ(schedule->messages(), 12);
    EXPECT_EQ(schedule->cycle(), draft.cycle);
    EXPECT_EQ(schedule->ticks(), 100);
    EXPECT_EQ(schedule->transfers(), draft.transfers);
    EXPECT_TRUE(schedule->phases().empty());
    EXPECT_EQ(schedule->guarantee(), Guarantee::within_capacity);
    draft.bound = 4;
    EXPECT_EQ(complaint(), "");
}

TEST_F(ACycle, DroppedMessage) {
    draft.transfers.erase(draft.transfers.begin() + 5);
    EXPECT_THAT(complaint(), HasSubstr("is missing: nothing sends it."));
}

TEST_F(ACycle, MessageTwice) {
    draft.transfers = {{0, 0, 1}};
    draft.transfers.insert(draft.transfers.end(), 2, {50, 0, 1});
    EXPECT_EQ(complaint(), "Message n0->n1 is sent twice, at 0 of the cycle and at 0.5 of the cycle.");
}

TEST_F(ACycle, MovedMessageIsAScheduleYet) {
    draft.transfers[3].phase = 99;
    sort();
    EXPECT_EQ(complaint(), "");
}

TEST_F(ACycle, MessageBeyondTheCycle) {
    for (const Phase tick :
         {Phase{-1}, Phase{100}, std::numeric_limits<Phase>::max(), std::numeric_limits<Phase>::min()}) {
        draft = test::random_cycle(network, placement, 100, 1.02, 1);
        draft.transfers[3].phase = tick;
        sort();
        EXPECT_THAT(complaint(), HasSubstr("starts at tick " + std::to_string(tick) + " of a cycle of 100."));
    }
}

TEST_F(ACycle, MessageToNobody) {
    for (const Rank rank : {-1, 4}) {
        draft = test::random_cycle(network, placement, 100, 1.02, 1);
        draft.transfers.front().to = rank;
        EXPECT_THAT(complaint(), HasSubstr("but there are 4 participants."));
    }
    draft.transfers.front().to = draft.transfers.front().from;
    EXPECT_THAT(complaint(), HasSubstr("There is a message to its own sender"));
}

TEST_F(ACycle, MessagesOutOfOrder) {
    std::swap(draft.transfers.front(), draft.transfers.back());
    EXPECT_THAT(complaint(), HasSubstr("which starts later."));
}

TEST_F(ACycle, WrongBound) {
    draft.cycle->bound_seconds_per_byte *= 0.99;
    EXPECT_EQ(complaint(),
              "The bound of the cycle is said to be 3.168e-07 s for messages of a byte, but the busiest channel, the "
              "link s1->s0, needs 3.2e-07 s for messages of a byte.");
    draft.cycle->bound_seconds_per_byte = std::numeric_limits<double>::quiet_NaN();
    EXPECT_THAT(complaint(), HasSubstr("The bound of the cycle is said to be"));
    draft = test::random_cycle(network, placement, 100, 1.02, 1);
    draft.bound = 5;
    EXPECT_THAT(complaint(), HasSubstr("The bound is said to be 5"));
}

TEST_F(ACycle, CycleShorterThanItsBound) {
    for (const double seconds :
         {0.0, 3.1e-7, -1.0, std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
        draft.cycle->seconds_per_byte = seconds;
        EXPECT_THAT(complaint(), HasSubstr("The cycle is said to take")) << seconds;
    }
    draft.cycle->seconds_per_byte = draft.cycle->bound_seconds_per_byte;
    EXPECT_EQ(complaint(), "");
}

TEST_F(ACycle, OtherGuarantees) {
    for (const Guarantee guarantee :
         {Guarantee::shortest, Guarantee::contention_free, Guarantee::one_port, Guarantee::nothing}) {
        draft.guarantee = guarantee;
        EXPECT_THAT(complaint(), HasSubstr("A timetable with a cycle is 'within-capacity'; this one says '"));
    }
}

TEST_F(ACycle, PhasesBesides) {
    draft.phases.emplace_back();
    EXPECT_EQ(complaint(), "There is a cycle, and so no phases and no blocks; but the draft has some.");
    draft.phases.clear();
    draft.blocks.emplace_back();
    EXPECT_EQ(complaint(), "There is a cycle, and so no phases and no blocks; but the draft has some.");
    draft.blocks.clear();
    draft.ticks = 0;
    EXPECT_EQ(complaint(), "The cycle has 0 ticks, not one at least.");
    ScheduleDraft phases = test::ring_draft(4);
    phases.transfers = {{0, 0, 1}};
    const Network one_switch = test::chain_of({4}).build();
    const auto schedule = check_schedule(phases, one_switch, placement);
    ASSERT_FALSE(schedule);
    EXPECT_EQ(schedule.error().what, "1 messages start at times of a cycle, but there is none.");
}

TEST_F(ACycle, SpeedsThatNobodyKnows) {
    const auto [unknown, ranks] = detect_network({{0, "a"}, {1, "b"}}, 0);
    ScheduleDraft of_two = test::random_cycle(unknown, ranks, 3, 1, 0);
    EXPECT_TRUE(check_schedule(of_two, unknown, ranks));
    of_two.cycle->seconds_per_byte = 1;
    EXPECT_FALSE(check_schedule(of_two, unknown, ranks)) << "nobody can know";
    of_two.cycle->bound_seconds_per_byte = 1;
    const auto schedule = check_schedule(of_two, unknown, ranks);
    ASSERT_FALSE(schedule);
    EXPECT_THAT(schedule.error().what, HasSubstr("no speed is known"));
}

TEST_F(ACycle, SynchronisationsThatFit) {
    const auto schedule = check_schedule(draft, network, placement);
    ASSERT_TRUE(schedule);
    for (const char* text : {"none", "timed", "window:3", "window:all", "sender", "receiver-partial:2", "barrier",
                             "dummy", "barrier-partial-none:2", "ports:1"}) {
        const auto synchronisation = parse_synchronisation(text);
        ASSERT_TRUE(synchronisation) << text;
        const auto violation = check_synchronisation(*schedule, *synchronisation, {});
        EXPECT_EQ(!violation, fits_cycles(*synchronisation)) << text;
        if (violation) {
            EXPECT_THAT(violation->what, HasSubstr("has a cycle instead of phases"));
        }
    }
    EXPECT_TRUE(check_synchronisation(*schedule, Synchronisation::none, {{{0, 0, 1}, {1, 0, 2}}}));
}

TEST_F(ACycle, PlansAreCutOut) {
    const auto schedule = check_schedule(draft, network, placement);
    ASSERT_TRUE(schedule);
    for (Rank rank = 0; rank < 4; ++rank) {
        const Plan plan = plan_from_schedule(*schedule, {}, rank, Synchronisation::none);
        EXPECT_EQ(plan.phases, 100);
        EXPECT_EQ(plan.sends.size(), 3U);
        EXPECT_EQ(plan.receives.size(), 3U);
        EXPECT_TRUE(std::is_sorted(plan.sends.begin(), plan.sends.end()));
        for (const Transfer& message : plan.sends) {
            EXPECT_EQ(message.from, rank);
            EXPECT_EQ(std::count(draft.transfers.begin(), draft.transfers.end(), message), 1);
        }
    }
}

/// Whatever is changed in a draft, only a whole exchange within its bound passes.
TEST_F(ACycle, RandomMutations) {
    std::mt19937_64 random(7);
    int taken = 0;
    for (int round = 0; round < 2000; ++round) {
        ScheduleDraft changed = draft;
        Transfer& message = changed.transfers[random() % changed.transfers.size()];
        const auto number = static_cast<std::int64_t>(random() % 7) - 1;
        switch (random() % 4) {
            case 0:
                message.from = static_cast<Rank>(number);
                break;
            case 1:
                message.to = static_cast<Rank>(number);
                break;
            case 2:
                message.phase = number * 20;
                break;
            default:
                changed.transfers.push_back(message);
        }
        std::sort(changed.transfers.begin(), changed.transfers.end());
        std::set<std::pair<Rank, Rank>> pairs;
        bool good = true;
        for (const Transfer& each : changed.transfers) {
            good = good && each.phase >= 0 && each.phase < 100 && each.from >= 0 && each.from < 4 && each.to >= 0 &&
                   each.to < 4 && each.from != each.to && pairs.insert({each.from, each.to}).second;
        }
        good = good && pairs.size() == 12;
        EXPECT_EQ(check_schedule(changed, network, placement).has_value(), good) << "round " << round;
        taken += good ? 1 : 0;
    }
    EXPECT_GT(taken, 100);
    EXPECT_LT(taken, 1900);
}

TEST(TabulatedCycle, EveryAnswerByTick) {
    const Network network = test::chain_of({3, 2}).build();
    const Placement placement = full_placement(network);
    const ScheduleDraft answers = test::random_cycle(network, placement, Phase{1} << 52U, 1.5, 3);
    const ScheduleDraft draft = tabulate(test::WrittenTimetable(answers, 5), "some", "kind", 7);
    EXPECT_EQ(draft.algorithm, "some");
    EXPECT_EQ(draft.variant, "kind");
    EXPECT_EQ(draft.bound, 7);
    EXPECT_EQ(draft.cycle, answers.cycle);
    EXPECT_EQ(draft.ticks, Phase{1} << 52U);
    EXPECT_EQ(draft.guarantee, Guarantee::within_capacity);
    EXPECT_EQ(draft.transfers, answers.transfers);
    EXPECT_TRUE(draft.phases.empty());
}

}  // namespace
}  // namespace aapc
