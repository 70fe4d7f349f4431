// Generated routines at work, on this machine: every byte where it belongs, every send in its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "aapc/plan/pacing.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/schedule/plan_from_schedule.hpp"
#include "codegen/routine_support.hpp"

namespace aapc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr std::string_view on_this_machine = "-DAAPC_SKIP_MACHINE_CHECK -DAAPC_MINIMUM_BYTES=1";

struct Case {
    std::string name;
    TreeBuilder tree;
    std::string method;
    Mpi mpi;
};

void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    return test_name(fmt::format("{}_{}_{}", info.param.name, info.param.method, info.param.mpi.name));
}

TreeBuilder uneven_ranks() {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_switch(0);
    tree.add_machine(0, 3);
    tree.add_machine(1, 1);
    tree.add_machine(1, 2);
    return tree;
}

TreeBuilder machine_of_three() {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0, 3);
    return tree;
}

/// More random trees: AAPC_GENERATE_SEEDS=FIRST-LAST, from the environment.
std::pair<int, int> seeds() {
    std::pair<int, int> range{1, 2};
    if (const char* const text = std::getenv("AAPC_GENERATE_SEEDS"); text != nullptr) {
        std::sscanf(text, "%d-%d", &range.first, &range.second);
    }
    return range;
}

/// Every synchronisation, on a tree of which each link matters.
std::vector<std::string> tree_methods() {
    std::vector<std::string> result;
    for (const Synchronisation& synchronisation : every_synchronisation()) {
        result.push_back("tree/merged+" + to_string(synchronisation));
    }
    return result;
}

struct OnPurpose {
    std::string name;
    TreeBuilder tree;
    std::vector<std::string> methods;
};

std::vector<OnPurpose> on_purpose() {
    return {{"star", star_of({3, 2, 1}), {"tree/paper+sender", "tree/paper+dummy", "tree/paper+timed:1448@0.5"}},
            {"uneven_ranks",
             uneven_ranks(),
             {"tree+barrier-partial-receiver:2", "tree+dummy", "tree+timed", "linear+window:all", "scattered+window:2",
              "pairwise+barrier", "factor+none", "bruck/radix-3+barrier-partial-none:2"}},
            {"seven",
             chain_of({3, 4}),
             {"linear+none", "bruck/radix-4+barrier", "bruck/radix-2+window:1", "scattered+barrier-partial-none:4"}},
            {"pair", chain_of({1, 1}), {"tree+timed", "bruck+none"}},
            {"single_machine", machine_of_three(), {"tree+timed"}}};
}

/// Every synchronisation with every MPI; everything else with the MPIs in turn.
std::vector<Case> cases() {
    std::vector<Case> result;
    const std::vector<Mpi> found = mpis();
    std::size_t turn = 0;
    const auto add_in_turn = [&](const std::string& name, const TreeBuilder& tree, const std::string& method) {
        if (!found.empty()) {
            result.push_back({name, tree, method, found[turn++ % found.size()]});
        }
    };
    for (const Mpi& mpi : found) {
        for (const std::string& method : tree_methods()) {
            result.push_back({"chain", chain_of({2, 2, 1}), method, mpi});
        }
    }
    for (const OnPurpose& purpose : on_purpose()) {
        for (const std::string& method : purpose.methods) {
            add_in_turn(purpose.name, purpose.tree, method);
        }
    }
    const std::vector<std::string> methods = tree_methods();
    const auto [first, last] = seeds();
    for (int seed = first; seed <= last; ++seed) {
        for (auto index = static_cast<std::size_t>(seed) % 4; index < methods.size(); index += 4) {
            add_in_turn(fmt::format("random_tree_{}", seed), random_tree(static_cast<std::uint64_t>(seed), 2, 6),
                        methods[index]);
        }
    }
    return result;
}

class GeneratedRoutine : public ::testing::TestWithParam<Case> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GeneratedRoutine);

INSTANTIATE_TEST_SUITE_P(Run, GeneratedRoutine, ::testing::ValuesIn(cases()), case_name);

TEST_P(GeneratedRoutine, DeliversEveryByte) {
    const Case& value = GetParam();
    const Network network = value.tree.build();
    const int ranks = full_placement(network).participants();
    const TemporaryDirectory directory;
    write_file(directory.file("alltoall.c"), routine_for(network, value.method));
    const CommandResult built = build_program(value.mpi, "validate.c", directory.file("alltoall.c"), on_this_machine,
                                              directory.file("validate"));
    ASSERT_EQ(built.status, 0) << built.output;
    const CommandResult run =
        run_ranks(value.mpi, ranks, directory.file("validate") + (ranks > 1 ? " served" : " passed-on"));
    EXPECT_EQ(run.status, 0) << run.output << "\ntopology file:\n" << value.tree.toml();
    EXPECT_THAT(run.output, HasSubstr(fmt::format("exchanges valid on {} ranks", ranks)));
}

class WithEveryMpi : public ::testing::TestWithParam<Mpi> {
  protected:
    /// Builds `program` with the routine for `network` and runs it.
    CommandResult run(const Network& network, const std::string& method, std::string_view program,
                      std::string_view options, std::string_view arguments) {
        return run_routine(network, routine_for(network, method), program, options, arguments);
    }

    /// The same with a routine that may not be quite what was generated.
    CommandResult run_routine(const Network& network, std::string_view routine, std::string_view program,
                              std::string_view options, std::string_view arguments) {
        write_file(directory_.file("alltoall.c"), routine);
        const CommandResult built =
            build_program(GetParam(), program, directory_.file("alltoall.c"), options, directory_.file("program"));
        if (built.status != 0) {
            return built;
        }
        return run_ranks(GetParam(), full_placement(network).participants(),
                         fmt::format("{} {}", directory_.file("program"), arguments));
    }

  private:
    TemporaryDirectory directory_;
};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(WithEveryMpi);

INSTANTIATE_TEST_SUITE_P(Run, WithEveryMpi, ::testing::ValuesIn(mpis()),
                         [](const auto& param_info) { return param_info.param.name; });

Network two_machines_named(const std::string& first, const std::string& second) {
    return {NetworkKind::tree,
            {{"s0", true}, {first, false}, {second, false}},
            {{1, 0, 1e8}, {2, 0, 1e8}},
            {{1, 1}, {2, 1}}};
}

Network one_machine_named(const std::string& name) {
    return {NetworkKind::tree, {{"s0", true}, {name, false}}, {{1, 0, 1e8}}, {{1, 2}}};
}

TEST_P(WithEveryMpi, ServesOnlyRanksOnTheirMachines) {
    char buffer[256] = "";
    ASSERT_EQ(gethostname(buffer, sizeof buffer - 1), 0);
    const std::string host = buffer;
    const std::string label = host.substr(0, host.find('.'));
    const std::string full = host == label ? host + ".cluster.example" : label;
    const auto outcome = [&](const Network& network, std::string_view expected) {
        const CommandResult result = run(network, "tree+sender", "validate.c", "-DAAPC_MINIMUM_BYTES=1", expected);
        EXPECT_EQ(result.status, 0) << result.output;
    };
    outcome(one_machine_named(host), "served");
    outcome(one_machine_named(full), "served");
    outcome(one_machine_named("elsewhere"), "passed-on");
    outcome(one_machine_named(label + "x"), "passed-on");
    outcome(two_machines_named(host, "elsewhere"), "passed-on");
    // The short name could be either machine's.
    outcome(two_machines_named(label + ".one.example", label + ".two.example"), "passed-on");
}

TEST_P(WithEveryMpi, LeavesSmallMessagesToTheMpi) {
    // validate.c expects messages of less than 8192 bytes to be passed on.
    const CommandResult result =
        run(chain_of({2, 1}).build(), "tree+none", "validate.c", "-DAAPC_SKIP_MACHINE_CHECK", "served");
    EXPECT_EQ(result.status, 0) << result.output;
}

/// A line of trace.c.
struct Event {
    Rank rank;
    char what;  ///< `s` a send starts, `S` it is locally complete, `r` and `R` likewise for a receive
    Rank peer;
    int tag;
    int bytes;
    double seconds;
};

constexpr int message_tag = 1;
constexpr int dummy_tag = 3;

/// In the order of each rank.
std::vector<Event> read_trace(const std::string& text) {
    std::vector<Event> events;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        Event event{};
        if (std::sscanf(line.c_str(), "%d %c %d %d %d %lf", &event.rank, &event.what, &event.peer, &event.tag,
                        &event.bytes, &event.seconds) == 6) {
            events.push_back(event);
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
        // Chance may put everything in order once.
        std::vector<std::string> mistakes;
        for (int exchange = 0; exchange < 5 && mistakes.empty(); ++exchange) {
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

TEST_P(WithEveryMpi, SendsEverySegmentByTheClock) {
    constexpr double speed = 2e6;
    constexpr int bytes = 30'000;
    TreeBuilder tree;
    tree.add_switch(-1);
    for (int machine = 0; machine < 4; ++machine) {
        tree.add_machine(0, 1, speed);
    }
    const Network network = tree.build();
    const BuiltSchedule built = build_schedule(network, "tree+timed");
    ASSERT_TRUE(built.schedule);
    const CommandResult result = run(network, "tree+timed", "trace.c", on_this_machine, fmt::format("{} 0", bytes));
    ASSERT_EQ(result.status, 0) << result.output;
    std::vector<Event> sends = read_trace(result.output);
    std::erase_if(sends, [](const Event& event) { return event.what != 's'; });
    const Segmentation cut = segment_message(bytes, speed);
    ASSERT_GT(cut.segments, 3);
    ASSERT_NE(cut.last_segment_bytes, cut.segment_bytes);
    ASSERT_EQ(static_cast<std::int64_t>(sends.size()), cut.segments * built.schedule->messages());

    constexpr double pace = 0.96;
    const auto phases = static_cast<Phase>(built.schedule->phases().size());
    for (Rank rank = 0; rank < 4; ++rank) {
        const Plan plan = plan_from_schedule(*built.schedule, {}, rank, Synchronisation::timed);
        std::size_t next = static_cast<std::size_t>(rank) * static_cast<std::size_t>(cut.segments) * plan.sends.size();
        const double start = sends[next].seconds - cut.start_seconds(0, plan.sends.front().phase, phases) / pace;
        // A first send that came late by so much (a busy machine) is no fault.
        constexpr double tolerance = 0.05;
        for (std::int64_t segment = 0; segment < cut.segments; ++segment) {
            for (const Transfer& transfer : plan.sends) {
                const Event& send = sends[next++];
                EXPECT_EQ(send.rank, rank);
                EXPECT_EQ(send.peer, transfer.to);
                EXPECT_EQ(send.bytes, segment + 1 < cut.segments ? cut.segment_bytes : cut.last_segment_bytes);
                EXPECT_GE(send.seconds - start, cut.start_seconds(segment, transfer.phase, phases) / pace - tolerance);
            }
        }
    }
}

}  // namespace
}  // namespace aapc::test
