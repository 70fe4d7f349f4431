// Queues of unequal messages by the clock: for every pattern, sizes and networks of many kinds, how much ever waits at
// a link, in segments, by the checker's certificate.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/check/queues.hpp"
#include "aapc/methods/cadence.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/patterns.hpp"
#include "aapc/topology/torus.hpp"
#include "console/command_line.hpp"
#include "support/networks.hpp"

namespace {

using namespace aapc;

constexpr double port = 1e8;

struct Named {
    std::string name;
    Network network;
};

Network racks(const std::vector<int>& machines, double trunk, int ranks, bool is_chain) {
    test::TreeBuilder tree;
    for (std::size_t rack = 0; rack < machines.size(); ++rack) {
        const int at = tree.add_switch(rack == 0 ? -1 : is_chain ? static_cast<int>(rack) - 1 : 0, trunk * port);
        for (int machine = 0; machine < machines[rack]; ++machine) {
            tree.add_machine(at, ranks, port);
        }
    }
    return tree.build();
}

Network torus_of(const std::vector<std::int32_t>& sides) {
    std::vector<TorusMachine> machines;
    const TorusGrid grid(sides);
    for (Machine machine = 0; machine < grid.machines(); ++machine) {
        machines.push_back({fmt::format("t{}", machine), 1});
    }
    return torus_network(sides, machines, port);
}

Network random_network(std::uint64_t seed) {
    constexpr double speeds[] = {0.4, 1, 2, 2.5, 4, 10};
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
    test::TreeBuilder tree;
    const int machines = 8 + below(25);
    const int switches = 1 + below(machines / 2);
    tree.add_switch(-1);
    for (int index = 1; index < switches; ++index) {
        tree.add_switch(below(index), port * speeds[below(6)]);
    }
    const int ranks = 1 + below(3);
    for (int machine = 0; machine < machines; ++machine) {
        tree.add_machine(below(switches), ranks, port);
    }
    return tree.build();
}

std::vector<Named> networks(int random_trees, std::uint64_t seed) {
    std::vector<Named> all;
    all.push_back({"chain 4x4 alike", racks({4, 4, 4, 4}, 1, 1, true)});
    all.push_back({"chain 4x4 trunks 4", racks({4, 4, 4, 4}, 4, 1, true)});
    all.push_back({"8+8 trunk 4", racks({8, 8}, 4, 1, true)});
    all.push_back({"2+8+4+2 trunks 2.4", racks({2, 8, 4, 2}, 2.4, 1, false)});
    all.push_back({"4 machines x 4 ranks", racks({4}, 1, 4, false)});
    all.push_back({"8 racks of 8, uplinks 4", racks({0, 8, 8, 8, 8, 8, 8, 8, 8}, 4, 1, false)});
    all.push_back({"torus 4x4", torus_of({4, 4})});
    all.push_back({"torus 5x7", torus_of({5, 7})});
    for (int tree = 0; tree < random_trees; ++tree) {
        const std::uint64_t own = seed + static_cast<std::uint64_t>(tree);
        all.push_back({fmt::format("random tree {}", own), random_network(own)});
    }
    return all;
}

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

struct Options {
    int random_trees = 0;
    std::uint64_t seed = 1;
    std::vector<int> sizes{4096, 16384, 65536, 262144};
    std::int64_t segment = 4304;
    int demands = 3;
    std::string variant = "formula";
};

/// The queues of one network under one pattern, in segments of the largest size.
struct Queues {
    std::vector<double> longest;
    std::vector<double> over_root;  ///< the most over the square root of the pairs on the link, of all links
};

Queues queues_of(const Named& named, const Timetable& timetable, std::string_view pattern, const Options& options) {
    const Placement placement = full_placement(named.network);
    const Bound bound = network_bound(named.network, placement);
    const Cadence cadence =
        cadence_of_cycle(*timetable.cycle(), timetable.phases(), bound.slowest_bits_per_second, 1'000'000);
    Queues queues;
    for (const std::int64_t size : options.sizes) {
        for (int number = 0; number < options.demands; ++number) {
            const auto demand =
                make_demand(pattern, placement.participants(), size, options.seed + static_cast<std::uint64_t>(number));
            const auto found =
                examine_unequal_exchange(named.network, placement, timetable, cadence, options.segment, *demand);
            if (!found) {
                fmt::print("{}, {}: {}\n", named.name, pattern, found.error().problem);
                continue;
            }
            const auto segment = static_cast<double>(wire_bytes(options.segment, cadence.wire));
            queues.longest.push_back(found->queues.longest.queue_bytes / segment);
            double most = 0;
            for (const LinkQueue& link : found->queues.links) {
                const auto load = std::find_if(bound.links.begin(), bound.links.end(),
                                               [&](const LinkLoad& other) { return other.link == link.link / 2; });
                most = std::max(most, link.queue_bytes / segment / std::sqrt(static_cast<double>(load->messages)));
            }
            queues.over_root.push_back(most);
        }
    }
    return queues;
}

void show(const Options& options) {
    std::map<std::string, std::vector<double>, std::less<>> of_random_trees;
    std::vector<double> of_roots;
    for (const Named& named : networks(options.random_trees, options.seed)) {
        const Placement placement = full_placement(named.network);
        const auto timetable = build_timetable(**find_algorithm("lattice"), options.variant, named.network, placement);
        const auto equal = certify_queues(**timetable, named.network, placement);
        const bool is_random = named.name.starts_with("random");
        std::string line = fmt::format("{:24} equal cycle {:5.2f} |", named.name, equal->segments());
        for (const PatternEntry& pattern : patterns()) {
            const auto [queues, over_root] = queues_of(named, **timetable, pattern.name, options);
            auto& together = of_random_trees[std::string(pattern.name)];
            of_roots.insert(of_roots.end(), over_root.begin(), over_root.end());
            if (is_random) {
                together.insert(together.end(), queues.begin(), queues.end());
            }
            line += fmt::format(" {} {:.1f}-{:.1f}", pattern.name, quantile(queues, 0.5), quantile(queues, 1));
        }
        fmt::print("{}\n", line);
    }
    fmt::print("over the square root of the pairs on a link: half {:.2f}, 90 % {:.2f}, 99 % {:.2f}, all {:.2f}\n",
               quantile(of_roots, 0.5), quantile(of_roots, 0.9), quantile(of_roots, 0.99), quantile(of_roots, 1));
    for (const auto& [pattern, queues] : of_random_trees) {
        if (!queues.empty()) {
            fmt::print("random trees, {}: half {:.1f}, 90 % {:.1f}, 99 % {:.1f}, all {:.1f} segments\n", pattern,
                       quantile(queues, 0.5), quantile(queues, 0.9), quantile(queues, 0.99), quantile(queues, 1));
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    cli::CommandLine line("Queues of unequal messages on the lattice", "unequal_sweep");
    Options options;
    line.option("--trees", options.random_trees, "random trees of 8 to 32 machines, 1 to 3 ranks on each, as well");
    line.option("--seed", options.seed, "of the first demand and the first tree");
    line.option("--sizes", options.sizes, "mean bytes a pair").separated_by(',');
    line.option("--segment", options.segment, "bytes of a segment");
    line.option("--demands", options.demands, "how many of each pattern and size");
    line.option("--variant", options.variant, "of the lattice");
    if (const auto outcome = line.parse(argc, argv); !outcome.parsed) {
        return outcome.status;
    }
    show(options);
    return 0;
}
