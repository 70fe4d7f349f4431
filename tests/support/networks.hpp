/// @file
/// Networks for tests: by hand, by branch sizes, and random ones that a seed repeats.
#pragma once

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::test {

/// Builds a tree switch by switch; machines are numbered in the order in which they are added.
class TreeBuilder {
  public:
    /// Returns the switch's number; `uplink` -1 for the first.
    int add_switch(int uplink, double speed = 1e8) {
        switches_.push_back({uplink, speed, {}});
        return static_cast<int>(switches_.size()) - 1;
    }
    void add_machine(int at, int ranks = 1, double speed = 1e8) {
        switches_[static_cast<std::size_t>(at)].machines.push_back({next_machine_++, ranks, speed});
    }
    [[nodiscard]] int switches() const { return static_cast<int>(switches_.size()); }
    [[nodiscard]] int machines() const { return next_machine_; }

    [[nodiscard]] Network build() const {
        std::vector<NetworkVertex> vertices;
        for (int index = 0; index < switches(); ++index) {
            vertices.push_back({"s" + std::to_string(index), true});
        }
        std::vector<NetworkMachine> machines(static_cast<std::size_t>(next_machine_));
        for (int index = 0; index < next_machine_; ++index) {
            vertices.push_back({"n" + std::to_string(index), false});
        }
        std::vector<Link> links;
        for (int index = 0; index < switches(); ++index) {
            const Switch& here = switches_[static_cast<std::size_t>(index)];
            if (here.uplink >= 0) {
                links.push_back({index, here.uplink, here.speed});
            }
            for (const Machine& machine : here.machines) {
                links.push_back({switches() + machine.number, index, machine.speed});
                machines[static_cast<std::size_t>(machine.number)] = {switches() + machine.number, machine.ranks};
            }
        }
        return {NetworkKind::tree, std::move(vertices), std::move(links), std::move(machines)};
    }

    /// The same as a topology file, for the command line that repeats a failure. Machines keep their order only if they
    /// were added switch by switch.
    [[nodiscard]] std::string toml() const {
        std::string text = "[network]\nspeed = \"100Mbit\"\n";
        for (int index = 0; index < switches(); ++index) {
            const Switch& here = switches_[static_cast<std::size_t>(index)];
            text += "[[switch]]\nname = \"s" + std::to_string(index) + "\"\n";
            if (here.uplink >= 0) {
                text += "uplink = \"s" + std::to_string(here.uplink) + "\"\n";
            }
            text += "machines = [";
            for (const Machine& machine : here.machines) {
                text += "\"n" + std::to_string(machine.number) + ":" + std::to_string(machine.ranks) + "\", ";
            }
            text += "]\n";
        }
        return text;
    }

  private:
    struct Machine {
        int number;
        int ranks;
        double speed;
    };
    struct Switch {
        int uplink;
        double speed;
        std::vector<Machine> machines;
    };
    std::vector<Switch> switches_;
    int next_machine_ = 0;
};

/// A centre switch with one switch of `size` machines for each size above 1, and a machine at the centre for each 1.
inline TreeBuilder star_of(const std::vector<int>& sizes) {
    TreeBuilder tree;
    const int centre = tree.add_switch(-1);
    for (const int size : sizes) {
        const int at = size == 1 ? centre : tree.add_switch(centre);
        for (int machine = 0; machine < size; ++machine) {
            tree.add_machine(at);
        }
    }
    return tree;
}

/// Switches in a chain with the given numbers of machines.
inline TreeBuilder chain_of(const std::vector<int>& sizes) {
    TreeBuilder tree;
    for (std::size_t index = 0; index < sizes.size(); ++index) {
        const int at = tree.add_switch(static_cast<int>(index) - 1);
        for (int machine = 0; machine < sizes[index]; ++machine) {
            tree.add_machine(at);
        }
    }
    return tree;
}

/// A random tree of `machines` machines on up to `machines` switches: chains, stars and bushes, switches without
/// machines, and (in half of the cases) several ranks on some machines. The same on every platform for the same seed.
inline TreeBuilder random_tree(std::uint64_t seed, int least_machines, int most_machines) {
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
    TreeBuilder tree;
    const int machines = least_machines + below(most_machines - least_machines + 1);
    const int switches = 1 + below(machines);
    const int shape = below(3);
    tree.add_switch(-1);
    for (int index = 1; index < switches; ++index) {
        tree.add_switch(shape == 0 ? index - 1 : shape == 1 ? below(index) : std::max(0, index - 1 - below(4)));
    }
    const bool several_ranks = below(2) == 1;
    const int favourite = below(switches);
    for (int machine = 0; machine < machines; ++machine) {
        const int at = below(3) == 0 ? favourite : below(switches);
        tree.add_machine(at, several_ranks && below(3) == 0 ? 1 + below(4) : 1);
    }
    return tree;
}

/// A random part of the ranks of `full`, at least one, in random order.
inline Placement random_part(const Placement& full, std::uint64_t seed) {
    std::mt19937_64 random(seed);
    Placement part = full;
    for (std::size_t index = part.machine_of.size(); index > 1; --index) {
        std::swap(part.machine_of[index - 1], part.machine_of[random() % index]);
    }
    part.machine_of.resize(1 + random() % part.machine_of.size());
    return part;
}

}  // namespace aapc::test
