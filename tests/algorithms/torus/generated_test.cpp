// Routines that are generated for tori, compiled and run on this machine with every MPI.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <tuple>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/cadence.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/offline/generator.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/topology/bound.hpp"
#include "offline/codegen/routine_support.hpp"
#include "support/torus.hpp"

namespace aapc::test {
namespace {

struct TorusMethod {
    Sides sides;
    std::string method;
};

void PrintTo(const TorusMethod& value, std::ostream* out) { *out << text(value.sides) << ' ' << value.method; }

std::string torus_routine(const Network& network, const std::string& text) {
    const auto method = parse_method(text, network.kind());
    const Placement placement = full_placement(network);
    const auto timetable = build_timetable(*method->algorithm, method->variant, network, placement);
    if (!timetable) {
        ADD_FAILURE() << to_string(timetable.error());
        return {};
    }
    const auto schedule = schedule_of_timetable(**timetable, std::string(method->algorithm->name), method->variant,
                                                network_bound(network, placement).messages, network, placement);
    if (!schedule) {
        ADD_FAILURE() << schedule.error().what;
        return {};
    }
    const std::vector<Edge> edges = synchronisation_edges(*schedule, method->synchronisation, Reduction::pair_rule);
    const auto routine = generate_routine(
        *schedule, method->synchronisation, edges,
        {"aapc generate test", 8192, find_cadence(network, placement, network_bound(network, placement), **timetable)});
    return routine ? *routine : to_string(routine.error());
}

std::string case_name(const ::testing::TestParamInfo<std::tuple<Mpi, TorusMethod>>& info) {
    const Mpi& mpi = std::get<0>(info.param);
    const TorusMethod& torus = std::get<1>(info.param);
    return test_name(fmt::format("{}_{}_{}", mpi.name, text(torus.sides), torus.method));
}

class GeneratedForTorus : public ::testing::TestWithParam<std::tuple<Mpi, TorusMethod>> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(GeneratedForTorus);

INSTANTIATE_TEST_SUITE_P(Run, GeneratedForTorus,
                         ::testing::Combine(::testing::ValuesIn(mpis()),
                                            ::testing::Values(TorusMethod{{4, 4}, "torus/divisions-0"},
                                                              TorusMethod{{4, 4}, "torus/divisions-1+barrier"},
                                                              TorusMethod{{4, 4}, "torus-direct+sender"},
                                                              TorusMethod{{2, 8}, "torus-direct+timed"},
                                                              TorusMethod{{3, 3}, "torus/divisions-0+none"},
                                                              TorusMethod{{2, 2, 2}, "torus/divisions-0"})),
                         case_name);

TEST_P(GeneratedForTorus, DeliversEveryByte) {
    const auto& [mpi, torus] = GetParam();
    const Network network = torus_of(torus.sides);
    const TemporaryDirectory directory;
    write_file(directory.file("alltoall.c"), torus_routine(network, torus.method));
    const CommandResult built =
        build_program(mpi, "validate.c", directory.file("alltoall.c"),
                      "-DAAPC_SKIP_MACHINE_CHECK -DAAPC_MINIMUM_BYTES=1", directory.file("validate"));
    ASSERT_EQ(built.status, 0) << built.output;
    const int ranks = full_placement(network).participants();
    const CommandResult run = run_ranks(mpi, ranks, directory.file("validate") + " served");
    EXPECT_EQ(run.status, 0) << run.output;
    EXPECT_THAT(run.output, ::testing::HasSubstr(fmt::format("exchanges valid on {} ranks", ranks)));
}

}  // namespace
}  // namespace aapc::test
