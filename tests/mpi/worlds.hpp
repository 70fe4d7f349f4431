/// @file
/// Clusters for a given number of ranks, and every way of running an exchange on them.
#pragma once

#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/plan/plan.hpp"
#include "support/networks.hpp"

namespace aapc::test {

struct World {
    std::string name;
    Network network;
    Placement placement;
};

/// Three switches in a chain, one rank on each machine.
inline World plain_world(Rank ranks) {
    TreeBuilder tree;
    const int root = tree.add_switch(-1, 1e9);
    const int left = tree.add_switch(root, 1e9);
    const int right = tree.add_switch(left, 1e9);
    for (int machine = 0; machine < ranks; ++machine) {
        tree.add_machine(machine % 4 == 0 ? root : machine % 4 == 3 ? right : left, 1, 1e9);
    }
    const Network network = tree.build();
    return {"plain", network, full_placement(network)};
}

/// A random tree with the ranks anywhere on it: several on some machines, none on others.
inline World random_world(Rank ranks, std::uint64_t seed) {
    const Network network = random_tree(seed, 2, ranks + 2).build();
    std::mt19937_64 random(seed);
    Placement placement;
    for (Rank rank = 0; rank < ranks; ++rank) {
        placement.machine_of.push_back(static_cast<Machine>(random() % network.machines().size()));
    }
    return {"random", network, placement};
}

/// Every kind of synchronisation that works by messages alone, with each of these numbers of phases where it has
/// blocks.
inline std::vector<Synchronisation> every_synchronisation(const std::vector<Phase>& block_phases) {
    std::vector<Synchronisation> all;
    for (const SynchronisationEntry& entry : synchronisations()) {
        if (!entry.has_blocks) {
            all.push_back({entry.kind, 0, 0, 0});
            continue;
        }
        for (const Phase phases : block_phases) {
            const auto synchronisation = Synchronisation::with_blocks(entry.kind, phases);
            if (!uses_tickets(synchronisation)) {
                all.push_back(synchronisation);
            }
        }
    }
    for (const auto& [segment_bytes, pace] : {std::pair(1000, 0.0), std::pair(0, 0.7), std::pair(3000, 2.0)}) {
        all.push_back({Synchronisation::Kind::timed, 0, segment_bytes, pace});
    }
    return all;
}

/// What the clock of `timed` goes by where messages never leave this machine: as if every rank had a port of 1 Gbit/s.
inline Cadence quick_cadence(const Plan& plan) {
    constexpr double port = 1e9;
    if (!plan.cycle) {
        return cadence_of_phases(port);
    }
    const double bound = static_cast<double>(plan.participants) * 8 / port;
    return cadence_of_cycle({1.02 * bound, bound}, plan.phases, port, 30'000);
}

/// The variants of an algorithm, and two of those that only a number names.
inline std::vector<std::string> variants_of(const Algorithm& algorithm) {
    std::vector<std::string> variants(algorithm.variants.begin(), algorithm.variants.end());
    if (!algorithm.numbered_variants.empty()) {
        for (const char* number : {"3", "5"}) {
            variants.push_back(std::string(algorithm.numbered_variants) + number);
        }
    }
    return variants;
}

}  // namespace aapc::test
