// Start-ups, blocks sent, rearranged and held of the algorithms for N x N tori: each schedule through the checker,
// block by block along physical routes, and what was counted in it against the formulas. Prints a table; exit status 1
// if a schedule is wrong or a count differs from what it should be.
#include "support/torus_costs.hpp"

#include <fmt/core.h>
#include <sys/resource.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/methods/buffer_limit.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/offline/make_schedule.hpp"
#include "aapc/topology/bound.hpp"
#include "console/command_line.hpp"
#include "support/torus.hpp"

namespace {

using namespace aapc;

double megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Whether the counts are the formulas' but for blocks that stay at their destination, and no block is held that the
/// formulas do not count.
bool is_right(const TorusWork& counted, const TorusWork& formula, int divisions) {
    const bool as_many_held =
        divisions > 0
            ? counted.rearranged_blocks < formula.rearranged_blocks && counted.buffer_blocks < formula.buffer_blocks
            : counted.rearranged_blocks == formula.rearranged_blocks && counted.buffer_blocks == formula.buffer_blocks;
    return counted.start_ups == formula.start_ups &&
           counted.sent_blocks == formula.sent_blocks - test::staying_blocks(divisions) && as_many_held;
}

/// The schedule of an algorithm, if it can be had and passes the checker.
std::optional<Schedule> checked(const Network& network, const std::string& algorithm, const std::string& variant) {
    const Placement placement = full_placement(network);
    const Method method{*find_algorithm(algorithm), variant, Synchronisation::none};
    const auto prepared = prepare(network, placement, network_bound(network, placement), method);
    if (!prepared) {
        return std::nullopt;
    }
    auto made = make_schedule(*prepared, network, placement);
    if (!made) {
        fmt::print("{}/{}: WRONG: {}\n", algorithm, variant, made.error().what);
        return std::nullopt;
    }
    return std::move(made->schedule);
}

bool show_divided(std::int32_t side, int divisions) {
    const auto start = std::chrono::steady_clock::now();
    const std::string variant = fmt::format("divisions-{}", divisions);
    const Network network = test::torus_of({side, side});
    const auto schedule = checked(network, "torus", variant);
    const TorusGrid grid({side, side});
    const auto formula = divided_work(grid, divisions);
    if (!schedule || !formula) {
        return false;
    }
    const TorusWork counted = test::followed(*schedule, *torus::Division::plan(grid, divisions));
    const auto timetable = build_timetable(**find_algorithm("torus"), variant, network, full_placement(network));
    const bool right = is_right(counted, *formula, divisions);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    fmt::print("{:>3}  {:>2}  {:>9} {:>9}  {:>9} {:>9}  {:>9} {:>9}  {:>9} {:>9} {:>9}  {:>6.1f} {:>6.0f}  {}\n", side,
               divisions, counted.start_ups, formula->start_ups, counted.sent_blocks, formula->sent_blocks,
               counted.rearranged_blocks, formula->rearranged_blocks, counted.buffer_blocks, formula->buffer_blocks,
               largest_buffer_blocks(**timetable, Synchronisation::none), taken.count(), megabytes(),
               right ? "right" : "WRONG");
    return right;
}

bool show_direct(std::int32_t side) {
    const auto start = std::chrono::steady_clock::now();
    const auto schedule = checked(test::torus_of({side, side}), "torus-direct", "plain");
    const std::int64_t phases = schedule ? static_cast<std::int64_t>(schedule->phases().size()) : 0;
    const std::int64_t expected = std::int64_t{side} * side * side / 8;
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
    fmt::print("{:>3}  direct: {} phases, N^3/8 = {}, {:.1f} s, {:.0f} MiB, {}\n", side, phases, expected,
               taken.count(), megabytes(), phases == expected ? "right" : "WRONG");
    return phases == expected;
}

}  // namespace

int main(int argc, char** argv) {
    std::vector<std::int32_t> sides = {8, 16, 32};
    std::vector<std::int32_t> direct = {8, 12, 16};
    cli::CommandLine line("Costs of the algorithms for N x N tori, counted in checked schedules, against the formulas.",
                          "torus_costs");
    line.option("--sides", sides, "multiples of 4, with every number of divisions").separated_by(',');
    line.option("--direct", direct, "multiples of 4 from 8 on, for torus-direct").separated_by(',');
    if (const auto outcome = line.parse(argc, argv); !outcome.parsed) {
        return outcome.status;
    }
    bool right = true;
    fmt::print("{:>3}  {:>2}  {:>19}  {:>19}  {:>19}  {:>29}  {:>6} {:>6}\n", "N", "K", "start-ups, formula",
               "sent, formula", "rearranged, formula", "held, formula, executor's", "s", "MiB");
    for (const std::int32_t side : sides) {
        for (int divisions = 0; divided_work(TorusGrid({side, side}), divisions); ++divisions) {
            right = show_divided(side, divisions) && right;
        }
    }
    for (const std::int32_t side : direct) {
        right = show_direct(side) && right;
    }
    return right ? 0 : 1;
}
