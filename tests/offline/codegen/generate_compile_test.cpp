// Generated routines under compilers that treat every warning as an error, with topologies that try to become code.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "offline/codegen/routine_support.hpp"

namespace aapc::test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

/// Compiles the routines in one go, with every MPI and every compiler.
void expect_to_compile(const std::vector<std::string>& routines, std::string_view options = "-O1") {
    const TemporaryDirectory directory;
    std::string files;
    for (std::size_t index = 0; index < routines.size(); ++index) {
        files += fmt::format(" alltoall{}.c", index);
        write_file(directory.file(fmt::format("alltoall{}.c", index)), routines[index]);
    }
    for (const Mpi& mpi : mpis()) {
        for (const std::string& compiler : compilers()) {
            const CommandResult result =
                run_command(fmt::format("sh -c 'cd {} && {} {} {} -c {}'", directory.file(""),
                                        with_compiler(mpi, compiler), options, very_strict, files));
            EXPECT_EQ(result.status, 0) << mpi.name << ", " << compiler << ":\n" << result.output;
        }
    }
}

/// Each template, in each of its forms.
std::vector<std::string> methods() {
    return {"tree+none",
            "tree+dummy",
            "tree+sender",
            "tree+receiver",
            "tree+timed",
            "tree+barrier",
            "tree+barrier-partial-sender:3",
            "bruck+none",
            "tree+barrier-partial-receiver:3",
            "tree+window:3",
            "linear+none",
            "bruck/radix-3+barrier"};
}

class EveryMethod : public ::testing::TestWithParam<std::string> {
    void SetUp() override {
        if (mpis().empty()) {
            GTEST_SKIP() << "no MPI was found when this was configured";
        }
    }
};

INSTANTIATE_TEST_SUITE_P(Compile, EveryMethod, ::testing::ValuesIn(methods()),
                         [](const auto& param_info) { return test_name(param_info.param); });

/// What must not become code. Each contains `broke_out`, so that a test can look for it outside comments and strings.
const std::vector<std::string> hostile_names{
    "*/ int broke_out; /*",
    "\"; int broke_out; \"",
    "\"}; int broke_out; //",
    "\n#define broke_out\nint broke_out;",
    "\r\nint broke_out;",
    "?\?/\nint broke_out;",
    "*?\?/\n/ int broke_out;",
    "*\\\n/ int broke_out; /*",
    "broke_out\\",
    "broke_out?\?/",
    "/*broke_out*",
    "/broke_out",
    std::string("broke_out\0*/", 12),
    "\xe2\x80\xae broke_out \xff",
    "%s%n TEMPLATE_STAMP\n#if TEMPLATE_TOKENS\n#include \"head.h\"\n#endif broke_out",
    "broke_out" + std::string(100'000, '?'),
    "broke_out" + std::string(5'000, '"') + "*/",
};

Network network_with(const std::vector<std::string>& names) {
    std::vector<NetworkVertex> vertices{{"switch " + names.front(), true}, {names.back(), true}};
    std::vector<Link> links{{1, 0, 1e8}};
    std::vector<NetworkMachine> machines;
    for (const std::string& name : names) {
        const auto vertex = static_cast<Vertex>(vertices.size());
        vertices.push_back({name, false});
        links.push_back({vertex, vertex % 2, 1e8});
        machines.push_back({vertex, 1});
    }
    return {NetworkKind::tree, std::move(vertices), std::move(links), std::move(machines)};
}

TEST_P(EveryMethod, CompilesWithoutWarnings) {
    expect_to_compile({routine_for(chain_of({4, 4, 4, 4}).build(), GetParam()),
                       routine_for(chain_of({1, 1}).build(), GetParam()),
                       routine_for(network_with(hostile_names), GetParam())});
}

// More than 256 phases, and tables of tens of thousands of entries.
TEST(GenerateLarge, CompilesFor128Ranks) {
    const Network network = chain_of({32, 32, 32, 32}).build();
    for (const std::string method : {"tree+dummy", "tree+barrier-partial-receiver:3", "tree+timed", "bruck+none"}) {
        expect_to_compile({routine_for(network, method)}, "-fsyntax-only");
    }
}

// One at a time, so that no name hides another one's escape. The names stand in the same places in every routine.
TEST(GenerateHostile, CompilesWithEachHostileName) {
    std::vector<std::string> routines;
    for (const std::string& name : hostile_names) {
        routines.push_back(routine_for(network_with({name, "n1", "n2", name}), Synchronisation::timed, name));
    }
    expect_to_compile(routines, "-fsyntax-only");
}

// What the preprocessor leaves of the file, strings aside, knows nothing of the names.
TEST_P(EveryMethod, LeavesNoHostileNameOutsideCommentsAndStrings) {
    const TemporaryDirectory directory;
    write_file(directory.file("alltoall.c"),
               routine_for(network_with(hostile_names), GetParam(), "aapc generate '*/ int broke_out; /*' \"\n?\?/"));
    const Mpi mpi = mpis().front();
    const CommandResult result =
        run_command(fmt::format("{} -std=c11 -trigraphs -E -P {}", mpi.compiler, directory.file("alltoall.c")));
    ASSERT_EQ(result.status, 0) << result.output;
    std::string code;
    bool in_string = false;
    for (std::size_t index = 0; index < result.output.size(); ++index) {
        const char character = result.output[index];
        if (in_string && character == '\\') {
            ++index;
        } else if (character == '"') {
            in_string = !in_string;
        } else if (!in_string) {
            code += character;
        }
    }
    EXPECT_THAT(code, Not(HasSubstr("broke_out")));
    EXPECT_THAT(code, HasSubstr("aapc_machine["));
}

TEST(GenerateAlone, CompilesForASingleParticipant) {
    TreeBuilder tree;
    tree.add_switch(-1);
    tree.add_machine(0);
    expect_to_compile({routine_for(tree.build(), Synchronisation::timed)});
}

}  // namespace
}  // namespace aapc::test
