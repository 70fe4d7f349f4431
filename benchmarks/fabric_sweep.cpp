// The lattice on fabrics with static tables: cycle, queues and the time of a plan, by the checker's own routes.
//   fabric_sweep [MOST_MACHINES [LEAST_MACHINES]]     (default 1200 and 0; larger ones take minutes)
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <functional>
#include <string>
#include <vector>

#include "aapc/check/queues.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/bound.hpp"
#include "support/fabrics.hpp"

namespace {

using namespace aapc;

struct Fabric {
    std::string name;
    int machines;
    std::function<Network(unsigned seed)> make;
    int seeds = 1;
};

double milliseconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
}

void measure(const Fabric& fabric) {
    double longest_cycle = 0;
    std::vector<double> set_up;
    double plan_milliseconds = 0;
    std::vector<double> queues;
    std::string sample;
    for (int seed = 0; seed < fabric.seeds; ++seed) {
        const Network network = fabric.make(static_cast<unsigned>(seed));
        const Placement placement = full_placement(network);
        const auto start = std::chrono::steady_clock::now();
        const Bound bound = network_bound(network, placement);
        const auto method = parse_method("lattice/formula+timed", NetworkKind::fabric);
        const auto prepared = prepare(network, placement, bound, *method);
        set_up.push_back(milliseconds_since(start));
        const auto planned = std::chrono::steady_clock::now();
        const Plan plan = make_plan(*prepared->timetable, 0, Synchronisation::timed);
        plan_milliseconds = std::max(plan_milliseconds, milliseconds_since(planned));
        const auto certificate = certify_queues(*prepared->timetable, network, placement, {.links_per_level = 64});
        if (!certificate) {
            fmt::print("{}: {}\n", fabric.name, certificate.error().what);
            continue;
        }
        longest_cycle = std::max(longest_cycle, certificate->cycle_over_bound());
        queues.push_back(certificate->segments());
        sample = certificate->sample;
    }
    std::sort(queues.begin(), queues.end());
    std::sort(set_up.begin(), set_up.end());
    if (!queues.empty()) {
        fmt::print("| {} | {} | {} | {:.3f} | {:.2f} | {:.2f} | {:.0f} | {:.1f} | {} |\n", fabric.name, fabric.machines,
                   fabric.seeds, longest_cycle, queues[(queues.size() - 1) / 2],
                   queues[(9 * queues.size() + 9) / 10 - 1], set_up[set_up.size() / 2], plan_milliseconds, sample);
    }
    std::fflush(stdout);
}

Fabric leaf_spines(int leaves, int hosts, int spines, int dead = 0) {
    return {fmt::format("leaf-spine {}x{}x{}{}", leaves, hosts, spines,
                        dead > 0 ? fmt::format(", {} of {} cables dead", dead, leaves * spines) : ""),
            leaves * hosts,
            [=](unsigned seed) { return test::leaf_spine(leaves, hosts, spines, "static", dead, seed); },
            dead == 0              ? 1
            : leaves * hosts > 600 ? 3
                                   : 10};
}

Fabric fat_trees(int k, int dead = 0) {
    return {fmt::format("fat tree, {} ports{}", k,
                        dead > 0 ? fmt::format(", {} of {} cables to cores dead", dead, k * k * k / 4) : ""),
            k * k * k / 4, [=](unsigned seed) { return test::fat_tree(k, "static", dead, seed); },
            dead == 0 ? 1
            : k > 12  ? 3
                      : 10};
}

Fabric dragonflies(int routers, int hosts, int globals = 1) {
    const int groups = routers * globals + 1;
    return {fmt::format("dragonfly, {} groups of {} switches", groups, routers), groups * routers * hosts,
            [=](unsigned) { return test::dragonfly(routers, hosts, "static", globals); }};
}

}  // namespace

int main(int argc, char** argv) {
    const int most = argc > 1 ? std::atoi(argv[1]) : 1200;
    const int least = argc > 2 ? std::atoi(argv[2]) : 0;
    const std::vector<Fabric> all{dragonflies(3, 2),
                                  dragonflies(5, 3),
                                  dragonflies(4, 2, 2),
                                  dragonflies(4, 4, 2),
                                  dragonflies(6, 5),
                                  dragonflies(6, 3, 3),
                                  dragonflies(7, 7),
                                  leaf_spines(8, 16, 8),
                                  leaf_spines(8, 16, 8, 4),
                                  fat_trees(8),
                                  fat_trees(8, 6),
                                  dragonflies(5, 4),
                                  leaf_spines(16, 32, 16),
                                  leaf_spines(16, 32, 16, 12),
                                  fat_trees(12),
                                  fat_trees(12, 12),
                                  dragonflies(8, 8),
                                  leaf_spines(32, 32, 32),
                                  leaf_spines(32, 32, 32, 30),
                                  fat_trees(16),
                                  fat_trees(16, 30),
                                  dragonflies(11, 8),
                                  dragonflies(6, 5, 3),
                                  dragonflies(8, 4, 4),
                                  dragonflies(8, 8, 2),
                                  dragonflies(10, 5, 5),
                                  leaf_spines(64, 64, 32),
                                  leaf_spines(64, 64, 32, 60),
                                  fat_trees(24),
                                  fat_trees(24, 60),
                                  dragonflies(15, 17)};
    fmt::print(
        "| fabric | machines | draws | longest cycle / bound | queue, median | 90th percentile | set-up, ms "
        "| plan, ms | links |\n|---|---|---|---|---|---|---|---|---|\n");
    for (const Fabric& fabric : all) {
        if (fabric.machines >= least && fabric.machines <= most) {
            measure(fabric);
        }
    }
    return 0;
}
