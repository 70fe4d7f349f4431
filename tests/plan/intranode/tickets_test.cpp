// Tickets against a scheduler that wants them to fail: it decides which rank does what next, whether a message is slow,
// and whom it starves. Nobody may wait in a circle, and no machine may have more than K messages in progress.
#include "plan/intranode/tickets.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>
#include <memory>
#include <random>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/offline/tabulate.hpp"
#include "plan/intranode/wire_plan.hpp"
#include "plan/intranode/worlds.hpp"

namespace aapc {
namespace {

struct MachineQueues {
    machine::PortQueue out;
    machine::PortQueue in;
    int sending = 0;
    int receiving = 0;
};

/// A message between machines, at both ends.
struct Message {
    bool token_given = false;
    bool sending = false;
    bool receive_complete = false;
};

/// What one rank does in one call; the rules are those of the executor (src/mpi/ported.cpp).
class SimulatedRank {
  public:
    SimulatedRank(const Plan& plan, MachineQueues& queues, std::uint64_t sends_before, std::uint64_t receives_before)
        : plan_(plan),
          queues_(queues),
          out_(queues.out, plan.tickets->of_send, sends_before, plan.synchronisation.block_phases),
          in_(queues.in, plan.tickets->of_receive, receives_before, plan.synchronisation.block_phases) {
        for (const Transfer& send : plan.sends) {
            if (!machine::is_on_machine(plan, send.to)) {
                sends_.push_back(send);
            }
        }
        for (const Transfer& receive : plan.receives) {
            if (!machine::is_on_machine(plan, receive.from)) {
                receives_.push_back(receive);
            }
        }
    }

    [[nodiscard]] bool done() const { return out_.all_complete() && in_.all_complete(); }

    /// Does one thing if there is any that it may do: of `choices` kinds the first possible one from `first` on.
    bool step(std::map<Transfer, Message>& messages, std::uint64_t first) {
        constexpr std::uint64_t kinds = 4;
        for (std::uint64_t offset = 0; offset < kinds; ++offset) {
            switch ((first + offset) % kinds) {
                case 0:
                    if (in_.next_may_start()) {
                        messages[receives_[in_.started()]].token_given = true;
                        in_.start_next();
                        most_receiving = std::max(most_receiving, ++queues_.receiving);
                        return true;
                    }
                    break;
                case 1:
                    if (out_.next_may_start() && messages[sends_[out_.started()]].token_given) {
                        messages[sends_[out_.started()]].sending = true;
                        out_.start_next();
                        most_sending = std::max(most_sending, ++queues_.sending);
                        return true;
                    }
                    break;
                case 2:
                    if (in_.completed() < in_.started() && messages[receives_[in_.completed()]].sending) {
                        messages[receives_[in_.completed()]].receive_complete = true;
                        in_.complete_oldest();
                        --queues_.receiving;
                        return true;
                    }
                    break;
                default:
                    // A long message is complete at its sender when it is received, the hardest case.
                    if (out_.completed() < out_.started() && messages[sends_[out_.completed()]].receive_complete) {
                        out_.complete_oldest();
                        --queues_.sending;
                        return true;
                    }
            }
        }
        return false;
    }

    int most_sending = 0;
    int most_receiving = 0;

  private:
    const Plan& plan_;
    MachineQueues& queues_;
    machine::Turns out_;
    machine::Turns in_;
    std::vector<Transfer> sends_;
    std::vector<Transfer> receives_;
};

/// One rank at a time in an order that the seed chooses; some ranks are starved for as long as anybody else can move.
class Adversary {
  public:
    Adversary(std::size_t ranks, std::uint64_t seed) : random_(seed), starved_(ranks) {
        const auto of_so_many = 1 + random_() % 4;
        for (std::size_t rank = 0; rank < ranks; ++rank) {
            starved_[rank] = random_() % (of_so_many + 1) == 0;
        }
    }

    /// Whether anybody could do anything.
    bool step(std::vector<SimulatedRank>& ranks, std::map<Transfer, Message>& messages) {
        for (const bool starved : {false, true}) {
            const std::uint64_t start = random_();
            for (std::size_t offset = 0; offset < ranks.size(); ++offset) {
                const std::size_t rank = (start + offset) % ranks.size();
                if (starved_[rank] == starved && ranks[rank].step(messages, random_())) {
                    return true;
                }
            }
        }
        return false;
    }

  private:
    std::mt19937_64 random_;
    std::vector<bool> starved_;
};

/// The greatest number of messages that a machine had in progress in one direction.
int run_calls(const std::vector<Plan>& plans, const Placement& placement, std::uint64_t seed,
              const std::string& repeat) {
    std::map<Machine, MachineQueues> queues;
    int most = 0;
    for (std::uint64_t call = 0; call < 2; ++call) {
        std::vector<SimulatedRank> ranks;
        for (const Plan& plan : plans) {
            ranks.emplace_back(plan, queues[placement.machine_of[static_cast<std::size_t>(plan.rank)]],
                               call * static_cast<std::uint64_t>(plan.tickets->machine_sends),
                               call * static_cast<std::uint64_t>(plan.tickets->machine_receives));
        }
        std::map<Transfer, Message> messages;
        Adversary adversary(ranks.size(), seed + call);
        while (adversary.step(ranks, messages)) {
        }
        for (const SimulatedRank& rank : ranks) {
            most = std::max({most, rank.most_sending, rank.most_receiving});
            if (!rank.done()) {
                ADD_FAILURE() << "somebody waits for ever in call " << call << ", " << repeat;
                return most;
            }
        }
    }
    return most;
}

class Tickets : public ::testing::TestWithParam<const char*> {};

TEST_P(Tickets, NobodyWaitsForEverAndNoMachineHasMoreThanItsPorts) {
    int most_of_all = 0;
    const Method method = *parse_method(GetParam(), NetworkKind::tree);
    for (std::uint64_t seed = 1; seed <= 60; ++seed) {
        const test::MachineWorld world = test::random_machines(seed);
        const auto timetable = build_timetable(*method.algorithm, method.variant, world.network, world.placement);
        ASSERT_TRUE(timetable);
        std::vector<Plan> plans;
        for (Rank rank = 0; rank < world.placement.participants(); ++rank) {
            plans.push_back(make_plan(**timetable, world.placement, rank, method.synchronisation));
        }
        const int most = run_calls(plans, world.placement, seed, world.repeat);
        EXPECT_LE(most, method.synchronisation.block_phases) << world.repeat;
        most_of_all = std::max(most_of_all, most);
        if (HasFailure()) {
            return;
        }
    }
    // The ports there are do get used.
    EXPECT_EQ(most_of_all, method.synchronisation.block_phases);
}

INSTANTIATE_TEST_SUITE_P(Methods, Tickets,
                         ::testing::Values("factor/fill+ports:1", "factor/permutation+ports:1", "factor/paper+ports:2",
                                           "factor/exchange+ports:1", "factor/flat+ports:1", "factor/ports-2+ports:2",
                                           "factor/ports-3+ports:3", "tree/merged+ports:1", "tree/paper+ports:2",
                                           "ring+ports:1", "pairwise+ports:2", "linear+ports:1", "linear+ports:4"));

// Each rank's places, computed by itself, against the whole table.
TEST_P(Tickets, PlacesAreThoseOfTheTable) {
    const Method method = *parse_method(GetParam(), NetworkKind::tree);
    for (std::uint64_t seed = 1; seed <= 30; ++seed) {
        const test::MachineWorld world = test::random_machines(seed);
        const auto timetable = build_timetable(*method.algorithm, method.variant, world.network, world.placement);
        ASSERT_TRUE(timetable);
        const auto schedule = schedule_of_timetable(**timetable, method.algorithm->name.data(), method.variant,
                                                    std::nullopt, world.network, world.placement);
        ASSERT_TRUE(schedule) << schedule.error().what << world.repeat;
        for (Rank rank = 0; rank < world.placement.participants(); ++rank) {
            const Plan local = make_plan(**timetable, world.placement, rank, method.synchronisation);
            const Plan global = plan_from_schedule(*schedule, {}, rank, method.synchronisation);
            ASSERT_EQ(local.ranks_of_machine, global.ranks_of_machine) << world.repeat;
            ASSERT_EQ(local.tickets, global.tickets) << "rank " << rank << ", " << world.repeat;
        }
    }
}

// What one rank sees of its queue, move by move.
TEST(Turns, WaitForAllBeforeThemAndForAPort) {
    machine::PortQueue queue;
    const std::vector<std::int64_t> first_places{0, 3};
    const std::vector<std::int64_t> second_places{1, 2};
    machine::Turns first(queue, first_places, 0, 2);
    machine::Turns second(queue, second_places, 0, 2);
    EXPECT_TRUE(first.next_may_start());
    EXPECT_FALSE(second.next_may_start()) << "before what stands before it";
    first.start_next();
    EXPECT_FALSE(first.next_may_start());
    EXPECT_TRUE(second.next_may_start()) << "there is a second port";
    second.start_next();
    EXPECT_FALSE(second.next_may_start()) << "there is no third port";
    first.complete_oldest();
    EXPECT_TRUE(second.next_may_start());
    second.start_next();
    second.complete_oldest();
    second.complete_oldest();
    EXPECT_TRUE(second.all_complete());
    EXPECT_TRUE(first.next_may_start());
    first.start_next();
    EXPECT_FALSE(first.all_complete());
    first.complete_oldest();
    EXPECT_TRUE(first.all_complete());
    EXPECT_FALSE(first.next_may_start()) << "after the last one";
    machine::Turns next_call(queue, first_places, 4, 2);
    EXPECT_TRUE(next_call.next_may_start()) << "counts go on";
}

TEST(Turns, WithoutALimitOnlyTheOrderCounts) {
    machine::PortQueue queue;
    const std::vector<std::int64_t> places{0, 1, 2};
    machine::Turns turns(queue, places, 0, all_phases);
    for (int message = 0; message < 3; ++message) {
        ASSERT_TRUE(turns.next_may_start());
        turns.start_next();
    }
}

}  // namespace
}  // namespace aapc
