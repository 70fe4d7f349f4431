/// @file
/// Machines with several ranks each.
#pragma once

#include <algorithm>
#include <random>
#include <string>

#include "support/networks.hpp"

namespace aapc::test {

struct MachineWorld {
    Network network;
    Placement placement;
    std::string repeat;  ///< what a failure message says
};

/// Two to seven machines on one or two switches, one to five ranks on each, anywhere.
inline MachineWorld random_machines(std::uint64_t seed) {
    std::mt19937_64 random(seed);
    TreeBuilder tree;
    const int root = tree.add_switch(-1, 1e9);
    const int other = random() % 2 == 0 ? tree.add_switch(root, 1e9) : root;
    const auto machines = 2 + random() % 6;
    for (std::uint64_t machine = 0; machine < machines; ++machine) {
        tree.add_machine(random() % 2 == 0 ? root : other, 1, 1e9);
    }
    const Network network = tree.build();
    Placement placement;
    for (std::size_t machine = 0; machine < network.machines().size(); ++machine) {
        placement.machine_of.insert(placement.machine_of.end(), 1 + random() % 5, static_cast<Machine>(machine));
    }
    std::shuffle(placement.machine_of.begin(), placement.machine_of.end(), random);
    return {network, placement, "seed " + std::to_string(seed) + "\n" + tree.toml()};
}

}  // namespace aapc::test
