// Forwarded blocks: every rank's plan carried out, on buffers that say whose block lies where.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/plan.hpp"
#include "support/interpreter.hpp"
#include "support/networks.hpp"

namespace aapc {
namespace {

Network one_switch(Rank ranks) { return test::chain_of({ranks}).build(); }

std::unique_ptr<Timetable> bruck(const Network& network, std::int64_t radix) {
    auto timetable =
        build_timetable(**find_algorithm("bruck"), fmt::format("radix-{}", radix), network, full_placement(network));
    return std::move(*timetable);
}

std::vector<Plan> plans_of(const Timetable& timetable) {
    std::vector<Plan> plans;
    for (Rank rank = 0; rank < timetable.participants(); ++rank) {
        plans.push_back(make_plan(timetable, rank, Synchronisation::with_blocks(Synchronisation::Kind::window, 1)));
    }
    return plans;
}

/// How many blocks are in transit at a rank at once, counted phase by phase from sets.
std::int32_t most_in_transit(const Timetable& timetable, const Plan& plan) {
    std::set<Block> held;
    std::size_t most = 0;
    std::vector<Block> blocks;
    for (Phase phase = 0; phase < plan.phases; ++phase) {
        for (const bool sending : {true, false}) {
            for (const Transfer& transfer : sending ? plan.sends : plan.receives) {
                if (transfer.phase != phase) {
                    continue;
                }
                blocks.clear();
                timetable.append_blocks(transfer, blocks);
                for (const Block& block : blocks) {
                    if (sending) {
                        held.erase(block);
                    } else if (block.destination != plan.rank) {
                        held.insert(block);
                    }
                }
            }
        }
        most = std::max(most, held.size());
    }
    EXPECT_TRUE(held.empty());
    return static_cast<std::int32_t>(most);
}

std::int32_t length(const std::vector<BlockRun>& runs) {
    std::int32_t sum = 0;
    for (const BlockRun& run : runs) {
        sum += run.blocks;
    }
    return sum;
}

/// Runs that follow each other in a buffer must be one run.
bool is_merged(const std::vector<BlockRun>& runs) {
    return std::adjacent_find(runs.begin(), runs.end(), [](const BlockRun& left, const BlockRun& right) {
               return left.buffer == right.buffer && left.first + left.blocks == right.first;
           }) == runs.end();
}

/// Digits of `number` other than zero.
int digits_set(std::int64_t number, std::int64_t radix) {
    int count = 0;
    for (; number > 0; number /= radix) {
        count += number % radix != 0 ? 1 : 0;
    }
    return count;
}

class Bruck : public testing::TestWithParam<Rank> {
  protected:
    /// Calls `visit` for every radix from 2 to one more than there are ranks.
    template <class Visit>
    void for_each_radix(Visit visit) const {
        for (std::int64_t radix = 2; radix <= ranks + 1; ++radix) {
            SCOPED_TRACE(fmt::format("{} ranks, radix-{}", ranks, radix));
            const auto timetable = bruck(network, radix);
            visit(*timetable, radix);
        }
    }

    Rank ranks = GetParam();
    Network network = one_switch(ranks);
};

TEST_P(Bruck, PlansDeliverEveryBlock) {
    for_each_radix(
        [&](const Timetable& timetable, std::int64_t) { EXPECT_EQ(test::carry_out(plans_of(timetable)), ""); });
}

/// One phase for every digit's place and value that some distance has.
TEST_P(Bruck, RoundsAreAsManyAsDigits) {
    for_each_radix([&](const Timetable& timetable, std::int64_t radix) {
        std::set<std::pair<int, std::int64_t>> digits;
        std::int64_t places = 0;  // ceil(log_radix ranks)
        for (std::int64_t reach = 1; reach < ranks; reach *= radix) {
            ++places;
        }
        for (std::int64_t distance = 1; distance < ranks; ++distance) {
            int place = 0;
            for (std::int64_t rest = distance; rest > 0; rest /= radix, ++place) {
                if (rest % radix != 0) {
                    digits.emplace(place, rest % radix);
                }
            }
        }
        EXPECT_EQ(timetable.phases(), static_cast<Phase>(digits.size()));
        EXPECT_LE(timetable.phases(), places * (radix - 1));
        EXPECT_EQ(timetable.forwards(), radix < ranks);
    });
}

/// Every rank sends and receives each distance's block once for each of its digits other than zero.
TEST_P(Bruck, VolumeIsThatOfTheDigits) {
    for_each_radix([&](const Timetable& timetable, std::int64_t radix) {
        std::int64_t volume = 0;
        for (std::int64_t distance = 1; distance < ranks; ++distance) {
            volume += digits_set(distance, radix);
        }
        std::vector<Block> blocks;
        for (Rank rank = 0; rank < ranks; ++rank) {
            for (const auto& transfers : {timetable.sends_of(rank), timetable.receives_of(rank)}) {
                blocks.clear();
                for (const Transfer& transfer : transfers) {
                    timetable.append_blocks(transfer, blocks);
                }
                ASSERT_EQ(static_cast<std::int64_t>(blocks.size()), volume) << "rank " << rank;
            }
        }
    });
}

TEST_P(Bruck, PlacesAreExact) {
    for_each_radix([&](const Timetable& timetable, std::int64_t) {
        for (const Plan& plan : plans_of(timetable)) {
            ASSERT_EQ(plan.forwarding.has_value(), timetable.forwards());
            if (!plan.forwarding) {
                continue;
            }
            ASSERT_EQ(plan.forwarding->transit_blocks, most_in_transit(timetable, plan)) << "rank " << plan.rank;
            std::int32_t largest = 0;
            for (const auto* messages : {&plan.forwarding->of_send, &plan.forwarding->of_receive}) {
                for (const std::vector<BlockRun>& runs : *messages) {
                    largest = std::max(largest, length(runs));
                    ASSERT_TRUE(is_merged(runs)) << "rank " << plan.rank;
                }
            }
            ASSERT_EQ(plan.forwarding->largest_message_blocks, largest) << "rank " << plan.rank;
        }
    });
}

/// The same from the table: nothing of a plan is known to the timetable only.
TEST_P(Bruck, PlansEqualThoseFromTheSchedule) {
    const Placement placement = full_placement(network);
    for_each_radix([&](const Timetable& timetable, std::int64_t) {
        const auto schedule = schedule_of_timetable(timetable, "bruck", "", std::nullopt, network, placement);
        ASSERT_TRUE(schedule) << schedule.error().what;
        for (const Plan& plan : plans_of(timetable)) {
            const Plan global = plan_from_schedule(*schedule, {}, plan.rank, plan.synchronisation);
            ASSERT_EQ(plan.sends, global.sends);
            ASSERT_EQ(plan.receives, global.receives);
            ASSERT_EQ(plan.forwarding, global.forwarding);
        }
    });
}

INSTANTIATE_TEST_SUITE_P(Ranks, Bruck, testing::Range<Rank>(1, 41),
                         [](const auto& instance) { return std::to_string(instance.param); });

/// Where the radix is a power of two and ranks are, too, what arrives last lies in the receive buffer as it comes: one
/// run, or two where ranks wrap around.
TEST(Forwarding, WhatArrivesLastIsInOrder) {
    const Network network = one_switch(32);
    for (const Plan& plan : plans_of(*bruck(network, 2))) {
        const std::vector<BlockRun>& last = plan.forwarding->of_receive.back();
        ASSERT_LE(last.size(), 2U) << "rank " << plan.rank;
        ASSERT_EQ(length(last), 16);
        for (const BlockRun& run : last) {
            ASSERT_EQ(run.buffer, BlockRun::Buffer::receive);
        }
    }
}

/// Two ranks' blocks take a detour over a third; written out in full.
class Detour : public Timetable {
  public:
    Rank participants() const override { return 3; }
    Phase phases() const override { return 3; }
    Guarantee guarantee() const override { return Guarantee::nothing; }
    bool forwards() const override { return true; }
    std::vector<Transfer> sends_of(Rank rank) const override {
        return pick([&](const Transfer& transfer) { return transfer.from == rank; });
    }
    std::vector<Transfer> receives_of(Rank rank) const override {
        return pick([&](const Transfer& transfer) { return transfer.to == rank; });
    }
    void append_blocks(const Transfer& transfer, std::vector<Block>& out) const override {
        const std::vector<Block>& blocks = messages_.at(transfer);
        out.insert(out.end(), blocks.begin(), blocks.end());
    }

  private:
    template <class Wanted>
    std::vector<Transfer> pick(Wanted wanted) const {
        std::vector<Transfer> picked;
        for (const auto& [transfer, blocks] : messages_) {
            if (wanted(transfer)) {
                picked.push_back(transfer);
            }
        }
        return picked;
    }

    const std::map<Transfer, std::vector<Block>> messages_{
        {{0, 0, 1}, {{0, 2}, {0, 1}}},
        {{0, 2, 1}, {{2, 1}, {2, 0}}},
        {{1, 1, 2}, {{1, 2}, {0, 2}}},
        {{2, 1, 0}, {{1, 0}, {2, 0}}},
    };
};

TEST(Forwarding, RunByRun) {
    using Buffer = BlockRun::Buffer;
    const Detour detour;
    const Plan plan = make_plan(detour, 1, Synchronisation::none);
    ASSERT_TRUE(plan.forwarding);
    EXPECT_EQ(plan.forwarding->of_receive,
              (std::vector<std::vector<BlockRun>>{{{Buffer::transit, 0, 1}, {Buffer::receive, 0, 1}},
                                                  {{Buffer::receive, 2, 1}, {Buffer::transit, 1, 1}}}));
    EXPECT_EQ(plan.forwarding->of_send,
              (std::vector<std::vector<BlockRun>>{{{Buffer::send, 2, 1}, {Buffer::transit, 0, 1}},
                                                  {{Buffer::send, 0, 1}, {Buffer::transit, 1, 1}}}));
    EXPECT_EQ(plan.forwarding->transit_blocks, 2);
    EXPECT_EQ(plan.forwarding->largest_message_blocks, 2);
    EXPECT_EQ(test::carry_out(plans_of(detour)), "");
}

TEST(Forwarding, DirectTimetablesHaveNone) {
    const Network network = one_switch(5);
    const auto timetable = build_timetable(**find_algorithm("ring"), "", network, full_placement(network));
    EXPECT_FALSE(make_plan(**timetable, 2, Synchronisation::none).forwarding);
    EXPECT_EQ(test::carry_out(plans_of(**timetable)), "");
}

/// The interpreter must notice plans that are wrong, or it would prove nothing.
TEST(Forwarding, TheInterpreterNoticesMistakes) {
    const std::vector<Plan> good = plans_of(*bruck(one_switch(7), 2));
    std::vector<Plan> plans = good;
    std::swap(plans[3].forwarding->of_send[1].front(), plans[3].forwarding->of_send[1].back());
    EXPECT_NE(test::carry_out(plans), "") << "order within a message";
    plans = good;
    ++plans[2].forwarding->of_receive[0].front().first;
    EXPECT_NE(test::carry_out(plans), "") << "another place";
    plans = good;
    plans[2].forwarding->transit_blocks -= 1;
    EXPECT_NE(test::carry_out(plans), "") << "too few places";
    plans = good;
    plans[5].sends.pop_back();
    plans[5].forwarding->of_send.pop_back();
    EXPECT_NE(test::carry_out(plans), "") << "a message too few";
}

}  // namespace
}  // namespace aapc
