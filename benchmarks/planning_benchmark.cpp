// What planning costs: the whole table with its synchronisations, and one rank's own plan.
#include <benchmark/benchmark.h>

#include "aapc/plan/plan.hpp"
#include "aapc/schedule/synchronise.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace {

using namespace aapc;

/// A tree of three levels: groups of 16 machines on switches, four switches on a switch above, those on one root.
test::TreeBuilder three_levels(int machines) {
    test::TreeBuilder tree;
    const int root = tree.add_switch(-1);
    int above = root;
    for (int group = 0; group < machines / 16; ++group) {
        if (group % 4 == 0) {
            above = tree.add_switch(root);
        }
        const int at = tree.add_switch(above);
        for (int machine = 0; machine < 16; ++machine) {
            tree.add_machine(at);
        }
    }
    return tree;
}

void whole_schedule(benchmark::State& state) {
    const Network network = three_levels(static_cast<int>(state.range(0))).build();
    const Placement placement = full_placement(network);
    std::size_t edges = 0;
    for (auto _ : state) {
        const auto built = test::build_tree_schedule(network, placement, "merged");
        edges = synchronisation_edges(*built.schedule, Synchronisation::sender, Reduction::pair_rule).size();
    }
    state.counters["synchronisations"] = static_cast<double>(edges);
}
BENCHMARK(whole_schedule)->Arg(512)->Arg(1024)->Unit(benchmark::kMillisecond)->Iterations(3);

void one_plan(benchmark::State& state, Synchronisation synchronisation) {
    const Network network = three_levels(static_cast<int>(state.range(0))).build();
    const Placement placement = full_placement(network);
    std::size_t bytes = 0;
    Rank rank = 0;
    for (auto _ : state) {
        const auto timetable = build_timetable(**find_algorithm("tree"), "merged", network, placement);
        const Plan plan = make_plan(**timetable, rank, synchronisation);
        bytes = std::max(bytes, plan.bytes());
        rank = (rank + 977) % placement.participants();
    }
    state.counters["plan_bytes"] = static_cast<double>(bytes);
}
BENCHMARK_CAPTURE(one_plan, sender, Synchronisation::sender)->Arg(1024)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_plan, receiver, Synchronisation::receiver)->Arg(4096)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_plan, timed, Synchronisation::timed)->Arg(4096)->Unit(benchmark::kMillisecond);

/// 512 machines on one switch with 4 to 12 ranks each, 4,096 in all.
Network uneven_machines() {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    for (int machine = 0; machine < 512; ++machine) {
        tree.add_machine(0, 4 + (machine * 5) % 8 + (machine % 2));
    }
    return tree.build();
}

void one_factor_plan(benchmark::State& state, std::string_view variant, Synchronisation synchronisation) {
    const Network network = uneven_machines();
    const Placement placement = full_placement(network);
    std::size_t bytes = 0;
    Rank rank = 0;
    for (auto _ : state) {
        const auto timetable = build_timetable(**find_algorithm("factor"), variant, network, placement);
        const Plan plan = make_plan(**timetable, rank, synchronisation);
        bytes = std::max(bytes, plan.bytes());
        rank = (rank + 977) % placement.participants();
    }
    state.counters["ranks"] = static_cast<double>(placement.participants());
    state.counters["plan_bytes"] = static_cast<double>(bytes);
}
BENCHMARK_CAPTURE(one_factor_plan, fill, "fill", Synchronisation::timed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_factor_plan, permutation, "permutation", Synchronisation::timed)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_factor_plan, fill_sender, "fill", Synchronisation::sender)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_factor_plan, paper_receiver, "paper", Synchronisation::receiver)->Unit(benchmark::kMillisecond);

}  // namespace
