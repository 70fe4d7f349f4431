// Generated routines at work, on this machine: every byte where it belongs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "offline/codegen/with_every_mpi.hpp"

namespace aapc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

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

/// Two switches, a trunk between the speed of one port and that of two.
TreeBuilder unequal_links() {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_switch(0, 1.5e9);
    tree.add_machine(0, 2, 1e9);
    tree.add_machine(0, 1, 1e9);
    tree.add_machine(1, 1, 1e9);
    tree.add_machine(1, 1, 5e8);
    return tree;
}

/// By the clock in a cycle, and in its order alone.
const std::vector<std::string> lattice_methods = {"lattice/settled+timed", "lattice/formula+timed", "lattice+none",
                                                  "lattice/formula+window:1", "lattice+window:2"};

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
    for (const Mpi& mpi : found) {
        for (const std::string& method : lattice_methods) {
            result.push_back({"unequal_links", unequal_links(), method, mpi});
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

}  // namespace
}  // namespace aapc::test
