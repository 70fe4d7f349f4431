// Generated routines at work, on this machine: every byte where it belongs, every send in its place.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "aapc/plan.hpp"
#include "aapc/timed.hpp"
#include "generate/routine_support.hpp"

namespace aapc::test {
namespace {

using ::testing::HasSubstr;

constexpr std::string_view on_this_machine = "-DAAPC_SKIP_MACHINE_CHECK -DAAPC_MINIMUM_BYTES=1";

constexpr Synchronisation all_synchronisations[] = {Synchronisation::none, Synchronisation::sender,
                                                    Synchronisation::receiver, Synchronisation::timed};

struct Case {
    std::string name;
    TreeBuilder tree;
    std::string variant;
    Synchronisation synchronisation;
    Mpi mpi;
};

void PrintTo(const Case& value, std::ostream* out) { *out << value.name; }

std::string case_name(const ::testing::TestParamInfo<Case>& info) {
    return fmt::format("{}_{}_{}_{}", info.param.name, info.param.variant, to_string(info.param.synchronisation),
                       info.param.mpi.name);
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
    std::pair<int, int> range{1, 3};
    if (const char* const text = std::getenv("AAPC_GENERATE_SEEDS"); text != nullptr) {
        std::sscanf(text, "%d-%d", &range.first, &range.second);
    }
    return range;
}

/// All combinations for trees made on purpose; each random tree with every synchronisation and the MPIs in turn.
std::vector<Case> cases() {
    std::vector<Case> result;
    const std::vector<Mpi> found = mpis();
    for (const Mpi& mpi : found) {
        for (const Synchronisation synchronisation : all_synchronisations) {
            result.push_back({"chain", chain_of({2, 2, 2, 2}), "merged", synchronisation, mpi});
            result.push_back({"star", star_of({3, 2, 1}), "paper", synchronisation, mpi});
            result.push_back({"uneven_ranks", uneven_ranks(), "merged", synchronisation, mpi});
        }
        result.push_back({"pair", chain_of({1, 1}), "merged", Synchronisation::timed, mpi});
        result.push_back({"single_machine", machine_of_three(), "merged", Synchronisation::timed, mpi});
    }
    const auto [first, last] = seeds();
    for (int seed = first; seed <= last && !found.empty(); ++seed) {
        for (std::size_t index = 0; index < std::size(all_synchronisations); ++index) {
            const Mpi& mpi = found[(static_cast<std::size_t>(seed) + index) % found.size()];
            result.push_back({fmt::format("random_tree_{}", seed), random_tree(static_cast<std::uint64_t>(seed), 2, 6),
                              "merged", all_synchronisations[index], mpi});
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
    const int ranks = full_demand(network).participants();
    const TemporaryDirectory directory;
    write_file(directory.file("alltoall.c"), routine_for(network, value.synchronisation, value.variant));
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
    CommandResult run(const Network& network, Synchronisation synchronisation, std::string_view program,
                      std::string_view options, std::string_view arguments) {
        write_file(directory_.file("alltoall.c"), routine_for(network, synchronisation));
        const CommandResult built =
            build_program(GetParam(), program, directory_.file("alltoall.c"), options, directory_.file("program"));
        if (built.status != 0) {
            return built;
        }
        return run_ranks(GetParam(), full_demand(network).participants(),
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
        const CommandResult result =
            run(network, Synchronisation::sender, "validate.c", "-DAAPC_MINIMUM_BYTES=1", expected);
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
    // validate.c expects messages of less than 2048 bytes to be passed on.
    const CommandResult result =
        run(chain_of({2, 1}).build(), Synchronisation::none, "validate.c", "-DAAPC_SKIP_MACHINE_CHECK", "served");
    EXPECT_EQ(result.status, 0) << result.output;
}

struct Send {
    Rank from, to;
    int bytes;
    double seconds;
};

std::vector<Send> read_trace(const std::string& text) {
    std::vector<Send> sends;
    std::istringstream lines(text);
    for (std::string line; std::getline(lines, line);) {
        Send send{};
        if (std::sscanf(line.c_str(), "%d %d %d %lf", &send.from, &send.to, &send.bytes, &send.seconds) == 4) {
            sends.push_back(send);
        }
    }
    return sends;
}

/// Each rank's sends in order of phase, and no edge whose second message starts before its first.
void expect_order(const Schedule& schedule, const std::vector<Edge>& edges, const std::vector<Send>& sends) {
    std::map<std::pair<Rank, Rank>, double> start;
    std::map<Rank, std::vector<Rank>> order;
    for (const Send& send : sends) {
        start[{send.from, send.to}] = send.seconds;
        order[send.from].push_back(send.to);
    }
    ASSERT_EQ(static_cast<std::int64_t>(start.size()), schedule.messages());
    std::map<Rank, std::vector<Rank>> scheduled;
    for (const std::vector<Transfer>& phase : schedule.phases()) {
        for (const Transfer& transfer : phase) {
            scheduled[transfer.from].push_back(transfer.to);
        }
    }
    EXPECT_EQ(order, scheduled);
    for (const Edge& edge : edges) {
        EXPECT_LT((start[{edge.after.from, edge.after.to}]), (start[{edge.before.from, edge.before.to}]))
            << edge.before.from << ">" << edge.before.to << " did not wait for " << edge.after.from << ">"
            << edge.after.to;
    }
}

// Sends are held up at random, so that a message that does not wait for its tokens is almost sure to be too early.
TEST_P(WithEveryMpi, KeepsTheOrderOfEveryEdge) {
    const Network network = chain_of({2, 2, 2}).build();
    const Built built = build_tree_schedule(network, full_demand(network), "merged");
    ASSERT_TRUE(built.schedule);
    for (const Synchronisation synchronisation :
         {Synchronisation::none, Synchronisation::sender, Synchronisation::receiver}) {
        const CommandResult result = run(network, synchronisation, "trace.c", on_this_machine, "20000 5000");
        ASSERT_EQ(result.status, 0) << result.output;
        expect_order(*built.schedule, synchronisation_edges(*built.schedule, synchronisation, Reduction::none),
                     read_trace(result.output));
    }
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
    const Built built = build_tree_schedule(network, full_demand(network), "merged");
    ASSERT_TRUE(built.schedule);
    const CommandResult result =
        run(network, Synchronisation::timed, "trace.c", on_this_machine, fmt::format("{} 0", bytes));
    ASSERT_EQ(result.status, 0) << result.output;
    const std::vector<Send> sends = read_trace(result.output);
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
                const Send& send = sends[next++];
                EXPECT_EQ(send.from, rank);
                EXPECT_EQ(send.to, transfer.to);
                EXPECT_EQ(send.bytes, segment + 1 < cut.segments ? cut.segment_bytes : cut.last_segment_bytes);
                EXPECT_GE(send.seconds - start, cut.start_seconds(segment, transfer.phase, phases) / pace - tolerance);
            }
        }
    }
}

}  // namespace
}  // namespace aapc::test
