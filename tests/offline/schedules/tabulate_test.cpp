#include "aapc/offline/tabulate.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace aapc {
namespace {

/// Answers what the test says.
class SpokenTimetable : public Timetable {
  public:
    SpokenTimetable(Rank participants, Phase phases, std::vector<Transfer> messages,
                    Guarantee guarantee = Guarantee::shortest)
        : participants_(participants), phases_(phases), messages_(std::move(messages)), guarantee_(guarantee) {}

    Rank participants() const override { return participants_; }
    Phase phases() const override { return phases_; }
    std::vector<Transfer> sends_of(Rank rank) const override {
        std::vector<Transfer> sends;
        for (const Transfer& message : messages_) {
            if (message.from == rank) {
                sends.push_back(message);
            }
        }
        return sends;
    }
    std::vector<Transfer> receives_of(Rank) const override { return {}; }
    Guarantee guarantee() const override { return guarantee_; }

  private:
    Rank participants_;
    Phase phases_;
    std::vector<Transfer> messages_;
    Guarantee guarantee_;
};

TEST(Tabulate, WritesDownEveryAnswerBySender) {
    const SpokenTimetable timetable(3, 3, {{2, 1, 0}, {0, 2, 0}, {0, 0, 1}, {2, 0, 2}});
    const ScheduleDraft draft = tabulate(timetable, "some", "kind", 7);
    EXPECT_EQ(draft.algorithm, "some");
    EXPECT_EQ(draft.variant, "kind");
    EXPECT_EQ(draft.bound, 7);
    EXPECT_EQ(draft.phases, (std::vector<std::vector<Transfer>>{{{0, 0, 1}, {0, 2, 0}}, {}, {{2, 0, 2}, {2, 1, 0}}}));
}

TEST(Tabulate, TakesOverTheGuarantee) {
    EXPECT_EQ(tabulate(SpokenTimetable(1, 0, {}, Guarantee::one_port), "", "", std::nullopt).guarantee,
              Guarantee::one_port);
    EXPECT_FALSE(tabulate(SpokenTimetable(2, 1, {{0, 0, 1}}), "", "", std::nullopt).forwards());
}

/// Passes rank 0's block for 2 on through 1.
class PassingTimetable final : public SpokenTimetable {
  public:
    PassingTimetable() : SpokenTimetable(3, 2, {{1, 1, 2}, {0, 0, 1}}) {}
    bool forwards() const override { return true; }
    void append_blocks(const Transfer& transfer, std::vector<Block>& out) const override {
        if (transfer.phase == 0) {
            out.push_back({0, 1});
        }
        out.push_back({0, 2});
    }
};

TEST(Tabulate, WritesDownBlocksInTheOrderOfTheMessages) {
    const ScheduleDraft draft = tabulate(PassingTimetable(), "", "", std::nullopt);
    EXPECT_TRUE(draft.forwards());
    EXPECT_EQ(draft.phases, (std::vector<std::vector<Transfer>>{{{0, 0, 1}}, {{1, 1, 2}}}));
    EXPECT_EQ(draft.blocks, (std::vector<std::vector<std::vector<Block>>>{{{{0, 1}, {0, 2}}}, {{{0, 2}}}}));
}

/// A timetable that is wrong about its own phases must reach the checker, not the end of a vector.
TEST(Tabulate, WrongPhasesAreLeftToTheChecker) {
    const Network network = test::chain_of({2}).build();
    for (const Phase phase :
         {Phase{-1}, Phase{1}, std::numeric_limits<Phase>::max(), std::numeric_limits<Phase>::min()}) {
        for (const Phase phases : {0, 1}) {
            const SpokenTimetable timetable(2, phases, {{0, 0, 1}, {phase, 1, 0}});
            const auto schedule =
                schedule_of_timetable(timetable, "", "", std::nullopt, network, full_placement(network));
            ASSERT_FALSE(schedule);
            EXPECT_EQ(schedule.error().what,
                      "Message n1->n0 is listed in phase 0 but says that its phase is " + std::to_string(phase) + ".");
        }
    }
}

}  // namespace
}  // namespace aapc
