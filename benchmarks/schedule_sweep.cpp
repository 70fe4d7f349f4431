// The phases of very many trees against the bound: random trees, and every list of branch sizes up to a sum. Prints the
// ratio and, for a failure, the command that repeats it.
#include <fmt/core.h>
#include <unistd.h>

#include <csignal>
#include <functional>

#include "console/command_line.hpp"
#include "support/networks.hpp"
#include "support/schedules.hpp"

namespace {

using namespace aapc;

volatile std::sig_atomic_t interrupted = 0;

struct Tally {
    std::int64_t schedules = 0;
    std::int64_t failures = 0;
    double lowest = 1e9;
    double highest = 0;
};

void check(const test::TreeBuilder& tree, const Placement* part, const std::string& repeat, Tally& tally) {
    const Network network = tree.build();
    const Placement placement = part != nullptr ? *part : full_placement(network);
    for (const std::string_view variant : {"paper", "merged"}) {
        ++tally.schedules;
        const auto built = test::build_tree_schedule(network, placement, variant);
        if (!built.schedule) {
            ++tally.failures;
            fmt::print("FAILED {}: {}\n  repeat: {}\n", variant, built.schedule.error().what, repeat);
            continue;
        }
        const auto bound = tree_bound(network, placement).messages;
        const double ratio =
            bound == 0 ? 1.0 : static_cast<double>(built.schedule->phases().size()) / static_cast<double>(bound);
        tally.lowest = std::min(tally.lowest, ratio);
        tally.highest = std::max(tally.highest, ratio);
    }
}

void report(const char* what, const Tally& tally) {
    fmt::print("{}: {} schedules checked, {} failures, phases/bound from {:.3f} to {:.3f}\n", what, tally.schedules,
               tally.failures, tally.lowest, tally.highest);
}

}  // namespace

int main(int argc, char** argv) {
    std::int64_t trees = 100'000;
    std::uint64_t seed = 1;
    int most_machines = 60;
    int partitions = 30;
    cli::CommandLine line("Phases of very many trees against the bound.", "schedule_sweep");
    line.option("--trees", trees, "random trees").show_default();
    line.option("--seed", seed, "seed of the first tree; the next has the next number").show_default();
    line.option("--most-machines", most_machines, "").show_default();
    line.option("--partitions", partitions, "every list of branch sizes up to this sum").show_default();
    if (const auto outcome = line.parse(argc, argv); !outcome.parsed) {
        return outcome.status;
    }
    std::signal(SIGINT, [](int) { interrupted = 1; });
    const bool show = isatty(STDERR_FILENO) != 0;

    Tally partition_tally;
    for (int sum = 2; sum <= partitions && interrupted == 0; ++sum) {
        std::vector<int> sizes;
        const std::function<void(int, int)> extend = [&](int left, int largest) {
            if (left == 0) {
                const test::TreeBuilder tree = test::star_of(sizes);
                check(tree, nullptr, "topology file:\n" + tree.toml(), partition_tally);
                return;
            }
            for (int size = std::min(left, largest); size >= 1 && interrupted == 0; --size) {
                sizes.push_back(size);
                extend(left - size, size);
                sizes.pop_back();
            }
        };
        extend(sum, sum / 2);
        if (show) {
            fmt::print(stderr, "\rpartitions of {}/{} ", sum, partitions);
        }
    }
    report("partitions", partition_tally);

    Tally tree_tally;
    for (std::int64_t index = 0; index < trees && interrupted == 0; ++index) {
        const std::uint64_t own = seed + static_cast<std::uint64_t>(index);
        const test::TreeBuilder tree = test::random_tree(own, 3, most_machines);
        const std::string repeat =
            fmt::format("schedule_sweep --partitions 0 --trees 1 --seed {} --most-machines {}", own, most_machines);
        check(tree, nullptr, repeat, tree_tally);
        if (index % 4 == 0) {
            const Placement part = test::random_part(full_placement(tree.build()), own);
            check(tree, &part, repeat, tree_tally);
        }
        if (show && index % 1000 == 0) {
            fmt::print(stderr, "\rtrees {}/{} ", index, trees);
        }
    }
    if (show) {
        fmt::print(stderr, "\n");
    }
    report(fmt::format("random trees, seeds {} to {}", seed, seed + static_cast<std::uint64_t>(trees) - 1).c_str(),
           tree_tally);
    return partition_tally.failures + tree_tally.failures == 0 && interrupted == 0 ? 0 : 1;
}
