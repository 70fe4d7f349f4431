// Generated routines at work, on this machine: every send in its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <limits>
#include <map>

#include "aapc/offline/plan_from_schedule.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/plan/plan.hpp"
#include "offline/codegen/with_every_mpi.hpp"

namespace aapc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

/// A line of trace.c.
struct Event {
    Rank rank;
    char what;  ///< `s` a send starts, `S` it is locally complete, `r` and `R` likewise for a receive; `c` the call
    Rank peer;
    int tag;
    int bytes;
    double seconds;
};

constexpr int message_tag = 1;
constexpr int dummy_tag = 3;

/// Messages, in the order of each rank; `calls`: when each rank's call began, if that is asked for.
std::vector<Event> read_trace(const std::string& text, std::map<Rank, double>* calls = nullptr) {
    std::vector<Event> events;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        Event event{};
        if (std::sscanf(line.c_str(), "%d %c %d %d %d %lf", &event.rank, &event.what, &event.peer, &event.tag,
                        &event.bytes, &event.seconds) != 6) {
            continue;
        }
        if (event.what != 'c') {
            events.push_back(event);
        } else if (calls != nullptr) {
            (*calls)[event.rank] = event.seconds;
        }
    }
    return events;
}

/// When something happened to the messages (not the dummies), by sender and receiver.
using Times = std::map<std::pair<Rank, Rank>, double>;

Times times_of(const std::vector<Event>& events, char what) {
    Times times;
    for (const Event& event : events) {
        if (event.what == what && event.tag == message_tag) {
            const bool sends = what == 's' || what == 'S';
            times[sends ? std::pair(event.rank, event.peer) : std::pair(event.peer, event.rank)] = event.seconds;
        }
    }
    return times;
}

std::string name_of(const Transfer& transfer) { return fmt::format("{}>{}", transfer.from, transfer.to); }

double at(const Times& times, const Transfer& transfer) {
    const auto found = times.find({transfer.from, transfer.to});
    EXPECT_NE(found, times.end()) << name_of(transfer) << " is missing";
    return found == times.end() ? 0 : found->second;
}

/// Each rank's sends in order of phase.
void expect_order_of_phases(const Schedule& schedule, const std::vector<Event>& events) {
    std::map<Rank, std::vector<Rank>> order;
    for (const Event& event : events) {
        if (event.what == 's' && event.tag == message_tag) {
            order[event.rank].push_back(event.peer);
        }
    }
    std::map<Rank, std::vector<Rank>> scheduled;
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        for (const Transfer& transfer : phase) {
            scheduled[transfer.from].push_back(transfer.to);
        }
    }
    EXPECT_EQ(order, scheduled);
}

/// Edges whose second message starts before its first one is complete: at its sender, as far as that one knows, or
/// received, which only its receiver knows.
std::vector<std::string> broken_edges(const std::vector<Edge>& edges, TokenGiver giver,
                                      const std::vector<Event>& events) {
    const Times starts = times_of(events, 's');
    const Times ends = times_of(events, giver == TokenGiver::receiver ? 'R' : 'S');
    std::vector<std::string> broken;
    for (const Edge& edge : edges) {
        if (at(ends, edge.after) >= at(starts, edge.before)) {
            broken.push_back(fmt::format("{} did not wait for {}", name_of(edge.before), name_of(edge.after)));
        }
    }
    return broken;
}

/// Blocks of phases of which a message starts before every message of the block before has been received.
std::vector<std::string> early_blocks(const Schedule& schedule, Phase block_phases, const std::vector<Event>& events) {
    const Times starts = times_of(events, 's');
    const Times received = times_of(events, 'R');
    std::map<Phase, double> first_start;
    std::map<Phase, double> last_reception;
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        for (const Transfer& transfer : phase) {
            const Phase block = transfer.phase / block_phases;
            const auto start = first_start.try_emplace(block, at(starts, transfer)).first;
            start->second = std::min(start->second, at(starts, transfer));
            last_reception[block] = std::max(last_reception[block], at(received, transfer));
        }
    }
    EXPECT_GT(first_start.size(), 1U);
    std::vector<std::string> early;
    for (const auto& [block, start] : first_start) {
        if (block > 0 && start <= last_reception[block - 1]) {
            early.push_back(fmt::format("block {}", block));
        }
    }
    return early;
}

std::string trace_arguments() { return "20000 5000"; }

class OrderOfMessages : public WithEveryMpi {
  protected:
    /// One exchange with `routine`, and which orders that `built` asks for did not hold.
    std::vector<std::string> mistakes_of(const Network& network, const BuiltSchedule& built,
                                         const Synchronisation& synchronisation, std::string_view routine) {
        const CommandResult result = run_routine(network, routine, "trace.c", on_this_machine, trace_arguments());
        EXPECT_EQ(result.status, 0) << result.output;
        const std::vector<Event> events = read_trace(result.output);
        expect_order_of_phases(*built.schedule, events);
        std::vector<std::string> mistakes = broken_edges(built.edges, token_giver(synchronisation), events);
        if (const Phase between = phases_between_barriers(synchronisation); between > 0) {
            const std::vector<std::string> early = early_blocks(*built.schedule, between, events);
            mistakes.insert(mistakes.end(), early.begin(), early.end());
        }
        return mistakes;
    }

    /// One exchange with `method` and what has to hold of it.
    void expect_order(const std::string& method) {
        const Network network = chain_of({2, 2, 1}).build();
        SCOPED_TRACE(method);
        const BuiltSchedule built = build_schedule(network, method);
        ASSERT_TRUE(built.schedule);
        const Synchronisation synchronisation = parse_method(method, network.kind())->synchronisation;
        EXPECT_THAT(mistakes_of(network, built, synchronisation, routine_for(network, method)), IsEmpty());
    }

    /// The routine for `method` in which `wait` is no longer waited for does not keep the order, and it is seen.
    void expect_to_see_the_lack_of(const std::string& wait, const std::string& instead, const std::string& method) {
        const Network network = chain_of({2, 2, 1}).build();
        SCOPED_TRACE(method);
        const BuiltSchedule built = build_schedule(network, method);
        ASSERT_TRUE(built.schedule);
        std::string routine = routine_for(network, method);
        const std::size_t place = routine.find(wait);
        ASSERT_NE(place, std::string::npos) << "the routine no longer waits by: " << wait;
        routine.replace(place, wait.size(), instead);
        const Synchronisation synchronisation = parse_method(method, network.kind())->synchronisation;
        // Chance may put everything in order, a busy machine more often than an idle one.
        std::vector<std::string> mistakes;
        for (int exchange = 0; exchange < 25 && mistakes.empty(); ++exchange) {
            mistakes = mistakes_of(network, built, synchronisation, routine);
        }
        EXPECT_THAT(mistakes, Not(IsEmpty()));
    }
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(OrderOfMessages);

INSTANTIATE_TEST_SUITE_P(Run, OrderOfMessages, ::testing::ValuesIn(mpis()),
                         [](const auto& param_info) { return param_info.param.name; });

// Sends are held up at random, so that a message that does not wait for its tokens is almost sure to be too early.
TEST_P(OrderOfMessages, FollowsTheEdges) {
    for (const std::string method :
         {"tree+none", "tree+sender", "tree+sender-partial:2", "tree+receiver", "tree+receiver-partial:2"}) {
        expect_order(method);
    }
}

TEST_P(OrderOfMessages, FollowsTheBlocksBetweenBarriers) {
    for (const std::string method : {"tree+barrier", "linear+barrier-partial-none:2", "tree+barrier-partial-sender:2",
                                     "tree+barrier-partial-receiver:3"}) {
        expect_order(method);
    }
}

// What the tests above would say if the routine forgot to wait.
TEST_P(OrderOfMessages, IsSeenToBeBrokenWithoutTheTokens) {
    const std::string wait = "error = aapc_complete(c, AAPC_WAITS + tokens->waited, AAPC_WAITS + tokens->waited + 1);";
    for (const std::string method : {"tree+sender", "tree+receiver", "tree+sender-partial:2"}) {
        expect_to_see_the_lack_of(wait, "error = MPI_SUCCESS;", method);
    }
}

TEST_P(OrderOfMessages, IsSeenToBeBrokenWithoutTheBarriers) {
    for (const std::string method : {"tree+barrier", "linear+barrier-partial-none:2"}) {
        // Called by nobody, but not unused, which the compiler would complain of.
        expect_to_see_the_lack_of("error = aapc_meet(c);", "error = c->rank < 0 ? aapc_meet(c) : MPI_SUCCESS;", method);
    }
}

// A rank starts all messages of a window before it knows of the end of any, and none of the next window before it knows
// of the end of all.
TEST_P(WithEveryMpi, StartsAWindowAtOnceAndTheNextOneAfterIt) {
    constexpr Phase window = 2;
    const Network network = chain_of({2, 2, 2}).build();
    const BuiltSchedule built = build_schedule(network, "scattered+window:2");
    ASSERT_TRUE(built.schedule);
    const CommandResult result = run(network, "scattered+window:2", "trace.c", on_this_machine, trace_arguments());
    ASSERT_EQ(result.status, 0) << result.output;
    const std::vector<Event> events = read_trace(result.output);
    expect_order_of_phases(*built.schedule, events);
    std::map<std::pair<Rank, Rank>, Phase> block_of;
    for (const std::vector<Transfer>& phase : built.schedule->phases()) {
        for (const Transfer& transfer : phase) {
            block_of[{transfer.from, transfer.to}] = transfer.phase / window;
        }
    }
    std::map<Rank, std::map<Phase, std::pair<std::size_t, std::size_t>>> counts;
    for (const Event& event : events) {
        const bool sends = event.what == 's' || event.what == 'S';
        const Phase block = block_of.at(sends ? std::pair(event.rank, event.peer) : std::pair(event.peer, event.rank));
        auto& [started, ended] = counts[event.rank][block];
        if (event.what == 's' || event.what == 'r') {
            EXPECT_EQ(ended, 0U) << "rank " << event.rank << " was late with a message of window " << block;
            ++started;
            for (Phase earlier = 0; earlier < block; ++earlier) {
                const auto& before = counts[event.rank][earlier];
                EXPECT_EQ(before.first, before.second) << "rank " << event.rank << ", window " << block;
            }
        } else {
            ++ended;
        }
    }
    for (const auto& [rank, windows] : counts) {
        EXPECT_EQ(windows.at(0), std::pair(2 * std::size_t{window}, 2 * std::size_t{window})) << "rank " << rank;
    }
}

// A rank sends its messages and its dummies one after the other, in the order of their phases, and gets the dummies
// that are meant for it.
TEST_P(WithEveryMpi, SendsDummiesInTheirPhases) {
    const Network network = chain_of({3, 2, 1}).build();
    const BuiltSchedule built = build_schedule(network, "tree+dummy");
    ASSERT_TRUE(built.schedule);
    const CommandResult result = run(network, "tree+dummy", "trace.c", on_this_machine, trace_arguments());
    ASSERT_EQ(result.status, 0) << result.output;
    const std::vector<Event> events = read_trace(result.output);
    std::size_t dummies = 0;
    for (Rank rank = 0; rank < 6; ++rank) {
        const Plan plan = plan_from_schedule(*built.schedule, {}, rank, Synchronisation::dummy);
        std::vector<Transfer> expected = plan.sends;
        expected.insert(expected.end(), plan.dummy_sends.begin(), plan.dummy_sends.end());
        std::sort(expected.begin(), expected.end());
        std::vector<Rank> expected_peers;
        for (const Transfer& transfer : expected) {
            expected_peers.push_back(transfer.to);
        }
        std::vector<Rank> expected_dummies;
        for (const Transfer& transfer : plan.dummy_receives) {
            expected_dummies.push_back(transfer.from);
        }
        std::vector<Rank> peers;
        std::vector<Rank> received_dummies;
        bool sending = false;
        for (const Event& event : events) {
            if (event.rank != rank) {
                continue;
            }
            EXPECT_EQ(event.bytes, 20'000);
            if (event.what == 's') {
                EXPECT_FALSE(sending) << "rank " << rank << " sends two messages at once";
                peers.push_back(event.peer);
            }
            sending = event.what == 's' || (sending && event.what != 'S');
            if (event.what == 'R' && event.tag == dummy_tag) {
                received_dummies.push_back(event.peer);
            }
        }
        EXPECT_EQ(peers, expected_peers) << "rank " << rank;
        EXPECT_EQ(received_dummies, expected_dummies) << "rank " << rank;
        dummies += expected_dummies.size();
    }
    EXPECT_GT(dummies, 0U);
}

/// A cluster, and with what it is served by the clock.
struct ByTheClock {
    Network network;
    std::string method;
    double pace;  ///< that a routine for it has
};

std::vector<ByTheClock> by_the_clock() {
    TreeBuilder one_switch;
    one_switch.add_switch(-1);
    TreeBuilder fast_trunk;
    fast_trunk.add_switch(-1);
    fast_trunk.add_switch(0, 4e6);
    for (int machine = 0; machine < 4; ++machine) {
        one_switch.add_machine(0, 1, 2e6);
        fast_trunk.add_machine(machine % 2, 1, 2e6);
    }
    return {{one_switch.build(), "tree+timed", 0.96},
            {fast_trunk.build(), "lattice/settled+timed", 0.96},
            {fast_trunk.build(), "lattice/formula+timed", 0.9792}};
}

TEST_P(WithEveryMpi, SendsEverySegmentByTheClock) {
    constexpr int bytes = 30'000;
    for (const auto& [network, method, pace] : by_the_clock()) {
        SCOPED_TRACE(method);
        const BuiltSchedule built = build_schedule(network, method);
        ASSERT_TRUE(built.schedule);
        const CommandResult result = run(network, method, "trace.c", on_this_machine, fmt::format("{} 0", bytes));
        ASSERT_EQ(result.status, 0) << result.output;
        std::map<Rank, double> calls;
        std::vector<Event> sends = read_trace(result.output, &calls);
        std::erase_if(sends, [](const Event& event) { return event.what != 's'; });
        // A routine cuts all messages into segments of one size.
        const std::int64_t segment_bytes =
            segment_message(std::numeric_limits<int>::max(), built.cadence).segment_bytes;
        const Segmentation cut = segment_message(bytes, built.cadence, segment_bytes);
        ASSERT_GT(cut.segments, 3);
        ASSERT_NE(cut.last_segment_bytes, cut.segment_bytes);
        ASSERT_EQ(static_cast<std::int64_t>(sends.size()), cut.segments * built.schedule->messages());

        for (Rank rank = 0; rank < 4; ++rank) {
            const Plan plan = plan_from_schedule(*built.schedule, {}, rank, Synchronisation::timed);
            std::size_t next =
                static_cast<std::size_t>(rank) * static_cast<std::size_t>(cut.segments) * plan.sends.size();
            for (std::int64_t segment = 0; segment < cut.segments; ++segment) {
                for (const Transfer& transfer : plan.sends) {
                    const Event& send = sends[next++];
                    EXPECT_EQ(send.rank, rank);
                    EXPECT_EQ(send.peer, transfer.to);
                    EXPECT_EQ(send.bytes, segment + 1 < cut.segments ? cut.segment_bytes : cut.last_segment_bytes);
                    // The clock starts in the call. A busy machine is late, and never early.
                    EXPECT_GE(send.seconds - calls.at(rank),
                              cut.start_seconds(segment, transfer.phase, plan.phases) / pace);
                }
            }
        }
    }
}

}  // namespace
}  // namespace aapc::test
