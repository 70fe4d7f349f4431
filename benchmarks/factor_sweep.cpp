// The steps of `factor` on very many random clusters, through both checkers: how many of them use the wire, against
// what no schedule can beat. Prints a row for each variant and, for a failure, the command that repeats it.
#include <fmt/core.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <functional>
#include <numeric>
#include <random>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/node_check.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/offline/make_schedule.hpp"
#include "aapc/topology/bound.hpp"
#include "console/command_line.hpp"
#include "support/networks.hpp"

namespace {

using namespace aapc;

using Sizes = std::vector<int>;  // ranks on each machine

/// A variant's steps over all clusters, against one bound.
struct Excess {
    std::int64_t steps = 0;
    std::int64_t bounds = 0;
    double ratios = 0;
    std::int64_t clusters = 0;
    double worst = 0;
    Sizes worst_sizes;

    void add(std::int64_t wire_steps, std::int64_t bound, const Sizes& sizes) {
        if (bound == 0) {
            return;
        }
        const double ratio = static_cast<double>(wire_steps) / static_cast<double>(bound);
        steps += wire_steps;
        bounds += bound;
        ratios += ratio;
        ++clusters;
        if (ratio > worst) {
            worst = ratio;
            worst_sizes = sizes;
        }
    }

    [[nodiscard]] std::string text() const {
        if (clusters == 0) {
            return "nothing crosses the wire";
        }
        return fmt::format("mean {:+.2f} %, sum {:+.2f} %, worst {:+.1f} % ({})",
                           100 * (ratios / static_cast<double>(clusters) - 1),
                           100 * (static_cast<double>(steps) / static_cast<double>(bounds) - 1), 100 * (worst - 1),
                           fmt::join(worst_sizes, ","));
    }
};

struct Row {
    std::string_view variant;
    std::int32_t ports;
    std::int64_t steps = 0;
    std::int64_t wire_steps = 0;
    Excess over_bound;
    Excess over_exchange_bound;
};

Sizes random_sizes(std::uint64_t seed, int most_machines, int most_ranks) {
    std::mt19937_64 random(seed);
    const auto up_to = [&](int limit) { return 1 + static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
    Sizes sizes(static_cast<std::size_t>(up_to(most_machines)));
    std::generate(sizes.begin(), sizes.end(), [&] { return up_to(most_ranks); });
    return sizes;
}

/// What no schedule of exchanges can beat, with one port: of an odd number of machines one is left over in every step,
/// so that 2h+1 machines with E pairs of ranks between them need E/h steps. The largest machines need most.
std::int64_t exchange_bound(Sizes sizes) {
    std::sort(sizes.rbegin(), sizes.rend());
    const std::int64_t ranks = std::accumulate(sizes.begin(), sizes.end(), std::int64_t{0});
    std::int64_t bound = sizes.front() * (ranks - sizes.front());
    std::int64_t seen = 0;
    std::int64_t pairs = 0;
    for (std::size_t machines = 1; machines <= sizes.size(); ++machines) {
        pairs += seen * sizes[machines - 1];
        seen += sizes[machines - 1];
        if (machines % 2 == 1 && machines > 1) {
            const auto exchanges = static_cast<std::int64_t>(machines / 2);
            bound = std::max(bound, (pairs + exchanges - 1) / exchanges);
        }
    }
    return bound;
}

/// Why the schedule is wrong; nothing if it is right.
std::optional<std::string> measure(Row& row, const Sizes& sizes) {
    test::TreeBuilder tree;
    tree.add_switch(-1);
    for (const int size : sizes) {
        tree.add_machine(0, size);
    }
    const Network network = tree.build();
    const Placement placement = full_placement(network);
    const Method method{*find_algorithm("factor"), std::string(row.variant), Synchronisation::none};
    const auto prepared = prepare(network, placement, network_bound(network, placement), method);
    if (!prepared) {
        return to_string(prepared.error());
    }
    const auto made = make_schedule(*prepared, network, placement);
    if (!made) {
        return made.error().what;
    }
    const auto use = check_node_ports(made->schedule, row.ports);
    if (!use) {
        return use.error().what;
    }
    row.steps += prepared->timetable->phases();
    row.wire_steps += use->wire_phases;
    row.over_bound.add(use->wire_phases, use->least_wire_phases, sizes);
    row.over_exchange_bound.add(use->wire_phases, exchange_bound(sizes), sizes);
    return std::nullopt;
}

void print(const Row& row) {
    fmt::print("{:<12} steps {:>10}  on the wire {:>10}\n", row.variant, row.steps, row.wire_steps);
    fmt::print("    above the bound of any schedule: {}\n", row.over_bound.text());
    if (row.ports == 1) {
        fmt::print("    above that of exchanges:         {}\n", row.over_exchange_bound.text());
    }
}

int run(int argc, char** argv) {
    std::uint64_t clusters = 10'000;
    std::uint64_t seed = 1;
    int most_machines = 12;
    int most_ranks = 9;
    cli::CommandLine line("Steps of the factor algorithm on random clusters, against the bound.", "factor_sweep");
    line.option("--clusters", clusters, "how many").show_default();
    line.option("--seed", seed, "seed of the first; the next has the next number").show_default();
    line.option("--most-machines", most_machines, "").show_default().between(1, 4'096);
    line.option("--most-ranks", most_ranks, "on one machine").show_default().between(1, 4'096);
    if (const auto outcome = line.parse(argc, argv); !outcome.parsed) {
        return outcome.status;
    }

    std::vector<Row> rows{{"paper", 1, 0, 0, {}, {}},
                          {"exchange", 1, 0, 0, {}, {}},
                          {"fill", 1, 0, 0, {}, {}},
                          {"permutation", 1, 0, 0, {}, {}},
                          {"ports-2", 2, 0, 0, {}, {}}};
    std::int64_t failures = 0;
    for (std::uint64_t cluster = seed; cluster < seed + clusters; ++cluster) {
        const Sizes sizes = random_sizes(cluster, most_machines, most_ranks);
        for (Row& row : rows) {
            if (const std::optional<std::string> wrong = measure(row, sizes)) {
                ++failures;
                fmt::print(
                    "FAILED {}: {}\n  repeat: factor_sweep --clusters 1 --seed {} --most-machines {} "
                    "--most-ranks {}\n",
                    row.variant, *wrong, cluster, most_machines, most_ranks);
            }
        }
    }
    fmt::print("{} clusters of up to {} machines with up to {} ranks, seeds from {}; {} failures\n", clusters,
               most_machines, most_ranks, seed, failures);
    std::for_each(rows.begin(), rows.end(), print);
    return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {  // no memory, or a terminal that went away
        std::fputs(error.what(), stderr);
        return 1;
    }
}
