// `local-group` on very many random clusters, through the checker, with the plans of all ranks carried out: what
// crosses the wide area against what must and what everybody sending directly would send. For a failure it prints the
// command that repeats it.
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <exception>
#include <optional>
#include <string>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/schedule.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/offline/make_schedule.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/bound.hpp"
#include "console/command_line.hpp"
#include "support/clusters.hpp"
#include "support/interpreter.hpp"
#include "support/networks.hpp"

namespace {

using namespace aapc;

/// Of all shapes.
struct Totals {
    std::int64_t ranks = 0;
    std::int64_t wide_area_messages = 0;
    std::int64_t wide_area_blocks = 0;  ///< as many messages would go directly
    std::int64_t blocks = 0;            ///< of all messages
    std::int64_t owed_blocks = 0;       ///< as many messages would go directly, inside clusters too
    std::int32_t most_transit_blocks = 0;
};

/// Why the schedule is wrong; nothing if it is right.
std::optional<std::string> measure(const Network& network, const Placement& placement, Totals& totals) {
    const Method method{*find_algorithm("local-group"), "balanced", Synchronisation::none};
    const auto prepared = prepare(network, placement, network_bound(network, placement), method);
    if (!prepared) {
        return to_string(prepared.error());
    }
    const Timetable& timetable = *prepared->timetable;
    const auto made = make_schedule(*prepared, network, placement);
    if (!made) {
        return made.error().what;
    }
    const Schedule& schedule = made->schedule;
    const std::vector<std::int64_t> sizes = test::ranks_of_clusters(network, placement);
    const test::WideAreaUse use = test::count_wide_area_use(timetable, network, placement);
    if (use.messages != test::local_group_messages(sizes) || use.blocks != test::wide_area_blocks(sizes)) {
        return fmt::format("{} messages with {} blocks cross the wide area instead of {} with {}", use.messages,
                           use.blocks, test::local_group_messages(sizes), test::wide_area_blocks(sizes));
    }
    std::vector<Plan> plans;
    plans.reserve(placement.machine_of.size());
    for (Rank rank = 0; rank < placement.participants(); ++rank) {
        plans.push_back(make_plan(timetable, rank, Synchronisation::none));
        if (plans.back().forwarding) {
            totals.most_transit_blocks = std::max(totals.most_transit_blocks, plans.back().forwarding->transit_blocks);
        }
    }
    if (const std::string wrong = test::carry_out(plans); !wrong.empty()) {
        return wrong;
    }
    totals.ranks += placement.participants();
    totals.wide_area_messages += use.messages;
    totals.wide_area_blocks += use.blocks;
    totals.owed_blocks += std::int64_t{placement.participants()} * (placement.participants() - 1);
    for (const auto& phase : schedule.blocks()) {
        for (const std::vector<Block>& message : phase) {
            totals.blocks += static_cast<std::int64_t>(message.size());
        }
    }
    if (!schedule.forwards()) {
        totals.blocks += schedule.messages();
    }
    return std::nullopt;
}

int run(int argc, char** argv) {
    std::uint64_t shapes = 10'000;
    std::uint64_t seed = 1;
    int most_clusters = 6;
    int most_machines = 8;
    cli::CommandLine line(
        "The algorithm local-group on random clusters, each with all its ranks and with a part of them.",
        "local_group_sweep");
    line.option("--shapes", shapes, "how many").show_default();
    line.option("--seed", seed, "seed of the first; the next has the next number").show_default();
    line.option("--most-clusters", most_clusters, "").show_default().between(1, 256);
    line.option("--most-machines", most_machines, "in one cluster").show_default().between(1, 256);
    if (const auto outcome = line.parse(argc, argv); !outcome.parsed) {
        return outcome.status;
    }

    Totals totals;
    std::int64_t failures = 0;
    for (std::uint64_t shape = seed; shape < seed + shapes; ++shape) {
        const Network network = test::random_clusters(shape, most_clusters, most_machines);
        const Placement full = full_placement(network);
        for (const Placement& placement : {full, test::random_part(full, shape)}) {
            if (const std::optional<std::string> wrong = measure(network, placement, totals)) {
                ++failures;
                fmt::print(
                    "FAILED: {}\n  repeat: local_group_sweep --shapes 1 --seed {} --most-clusters {} "
                    "--most-machines {}\n",
                    *wrong, shape, most_clusters, most_machines);
            }
        }
    }
    fmt::print("{} shapes of up to {} clusters with up to {} machines, whole and in part, seeds from {}; {} failures\n",
               shapes, most_clusters, most_machines, seed, failures);
    fmt::print("{} ranks; {} messages across the wide area with {} blocks; {} blocks sent in all, {} owed;\n",
               totals.ranks, totals.wide_area_messages, totals.wide_area_blocks, totals.blocks, totals.owed_blocks);
    fmt::print("at most {} blocks in transit at a rank\n", totals.most_transit_blocks);
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
