/// @file
/// Networks for the lattice: trees with links of many speeds, tori, and small ones of every shape.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "aapc/topology/torus.hpp"
#include "support/networks.hpp"

namespace aapc::test {

/// A random tree whose links have speeds of all kinds, with up to four ranks on a machine.
inline TreeBuilder random_speeds(std::uint64_t seed, int most_machines) {
    constexpr double speeds[] = {0.4, 1, 2, 2.5, 4, 10, 40};
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
    TreeBuilder tree;
    const int machines = 1 + below(most_machines);
    const int switches = 1 + below(machines);
    const bool one_port_speed = below(2) == 0;
    tree.add_switch(-1);
    for (int index = 1; index < switches; ++index) {
        tree.add_switch(below(index), 1e8 * speeds[below(7)]);
    }
    for (int machine = 0; machine < machines; ++machine) {
        tree.add_machine(below(switches), 1 + below(4), one_port_speed ? 1e8 : 1e8 * speeds[below(7)]);
    }
    return tree;
}

inline Network small_torus(const std::vector<std::int32_t>& sides, std::int32_t ranks = 1) {
    std::vector<TorusMachine> machines;
    const TorusGrid grid(sides);
    for (Machine machine = 0; machine < grid.machines(); ++machine) {
        machines.push_back({"t" + std::to_string(machine), ranks});
    }
    return torus_network(sides, machines, 1e8);
}

/// Every tree of up to three switches with up to two machines of one or two ranks on each, and an uplink speed of 0.4,
/// 1 or 4 times the ports'.
template <class Visitor>
void for_each_small_tree(Visitor visit) {
    constexpr double speeds[] = {0.4e8, 1e8, 4e8};
    constexpr int kinds_of_switch = 6;  // no machine, one of 1 or 2 ranks, two of 1 and 1, 1 and 2, 2 and 2
    constexpr int machines_of[kinds_of_switch][2] = {{0, 0}, {1, 0}, {2, 0}, {1, 1}, {1, 2}, {2, 2}};
    for (int code = 0; code < 2 * 3 * 3 * kinds_of_switch * kinds_of_switch * kinds_of_switch; ++code) {
        int rest = code;
        const auto digit = [&rest](int base) {
            const int value = rest % base;
            rest /= base;
            return value;
        };
        TreeBuilder tree;
        tree.add_switch(-1);
        tree.add_switch(0, speeds[digit(3)]);
        tree.add_switch(digit(2), speeds[digit(3)]);
        for (int at = 0; at < 3; ++at) {
            for (const int ranks : machines_of[digit(kinds_of_switch)]) {
                if (ranks > 0) {
                    tree.add_machine(at, ranks);
                }
            }
        }
        if (tree.machines() > 0) {
            visit(tree.build());
        }
    }
}

}  // namespace aapc::test
