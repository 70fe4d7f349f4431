// What planning costs: the whole table with its synchronisations, and one rank's own plan.
#include <benchmark/benchmark.h>

#include <string>
#include <utility>
#include <vector>

#include "aapc/methods/preparation.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"
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

/// Three stages: pods of leaves with machines, an uplink from each leaf to each of its pod's switches, from each of
/// these to as many cores. Every link has the same speed.
Network three_stages(int pods, int leaves, int machines, int uppers, FabricPaths paths) {
    std::vector<NetworkVertex> vertices;
    std::vector<Link> links;
    std::vector<NetworkMachine> found;
    const auto add = [&](const std::string& name, bool is_switch) {
        vertices.push_back({name, is_switch});
        return static_cast<Vertex>(vertices.size() - 1);
    };
    const auto join = [&](Vertex lower, Vertex upper) { links.push_back({lower, upper, 100e9, 0, 1, 0, 0}); };
    std::vector<Vertex> cores;
    for (int core = 0; core < uppers * uppers; ++core) {
        cores.push_back(add("c" + std::to_string(core), true));
    }
    for (int pod = 0; pod < pods; ++pod) {
        std::vector<Vertex> above;
        for (int upper = 0; upper < uppers; ++upper) {
            above.push_back(add("a" + std::to_string(pod * uppers + upper), true));
            for (int core = 0; core < uppers; ++core) {
                join(above.back(), cores[static_cast<std::size_t>(upper * uppers + core)]);
            }
        }
        for (int leaf = 0; leaf < leaves; ++leaf) {
            const Vertex at = add("l" + std::to_string(pod * leaves + leaf), true);
            for (const Vertex upper : above) {
                join(at, upper);
            }
            for (int machine = 0; machine < machines; ++machine) {
                const Vertex vertex = add("n" + std::to_string(found.size()), false);
                join(vertex, at);
                found.push_back({vertex, 1});
            }
        }
    }
    return {NetworkKind::fabric, std::move(vertices), std::move(links), std::move(found), usual_mtu_bytes, {paths, {}}};
}

void one_fabric_plan(benchmark::State& state, FabricPaths paths, int pods, int leaves, int machines, int uppers) {
    const Network network = three_stages(pods, leaves, machines, uppers, paths);
    const Placement placement = full_placement(network);
    const auto method = parse_method("lattice/formula+timed", NetworkKind::fabric);
    std::size_t bytes = 0;
    Rank rank = 0;
    for (auto _ : state) {
        const Bound bound = network_bound(network, placement);
        const auto prepared = prepare(network, placement, bound, *method);
        const Plan plan = make_plan(*prepared->timetable, rank, Synchronisation::timed);
        bytes = std::max(bytes, plan.bytes());
        rank = (rank + 977) % placement.participants();
    }
    state.counters["ranks"] = static_cast<double>(placement.participants());
    state.counters["plan_bytes"] = static_cast<double>(bytes);
}
BENCHMARK_CAPTURE(one_fabric_plan, static_4096, FabricPaths::static_, 16, 16, 16, 16)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_fabric_plan, hashed_4096, FabricPaths::hashed, 16, 16, 16, 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_fabric_plan, static_512, FabricPaths::static_, 8, 8, 8, 8)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_fabric_plan, hashed_512, FabricPaths::hashed, 8, 8, 8, 4)->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(one_fabric_plan, static_1048576, FabricPaths::static_, 256, 64, 64, 64)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);
BENCHMARK_CAPTURE(one_fabric_plan, hashed_1048576, FabricPaths::hashed, 256, 64, 64, 64)
    ->Unit(benchmark::kMillisecond)
    ->Iterations(2);

}  // namespace
