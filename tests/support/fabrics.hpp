/// @file
/// Fabrics for tests, as topology files.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "aapc/topology/topology_file.hpp"

namespace aapc::test {

inline Network read_fabric_text(const std::string& text) {
    auto network = read_topology(text, "fabric.toml");
    if (!network) {
        throw std::runtime_error(to_string(network.error()));
    }
    return std::move(*network);
}

inline std::string fabric_header(const std::string& paths) {
    return fmt::format("[network]\nkind = 'fabric'\nspeed = '100Mbit'\npaths = '{}'\n", paths);
}

/// Leaves with so many machines each, a cable from each to every spine, of which the generator takes some out, but
/// never a leaf's last one.
inline Network leaf_spine(int leaves, int hosts, int spines, const std::string& paths, int dead = 0,
                          unsigned seed = 1) {
    std::vector<std::vector<bool>> alive(static_cast<std::size_t>(leaves),
                                         std::vector<bool>(static_cast<std::size_t>(spines), true));
    std::mt19937 generator(seed);
    for (int link = 0; link < dead; ++link) {
        // Spine 0 keeps all its cables, so that the leaves hang together.
        alive[generator() % static_cast<unsigned>(leaves)][1 + generator() % static_cast<unsigned>(spines - 1)] = false;
    }
    std::string text = fabric_header(paths);
    for (int leaf = 0; leaf < leaves; ++leaf) {
        text += fmt::format("[[switch]]\nname = 'l{}'\nmachines = 'n[{}-{}]'\nuplinks = [", leaf, leaf * hosts,
                            (leaf + 1) * hosts - 1);
        for (int spine = 0; spine < spines; ++spine) {
            if (alive[static_cast<std::size_t>(leaf)][static_cast<std::size_t>(spine)]) {
                text += fmt::format("'s{}', ", spine);
            }
        }
        text += "]\n";
    }
    for (int spine = 0; spine < spines; ++spine) {
        text += fmt::format("[[switch]]\nname = 's{}'\n", spine);
    }
    return read_fabric_text(text);
}

/// Three stages of switches with k ports: k pods of k/2 leaves with k/2 machines each; k³/4 machines. Of the cables to
/// the cores the generator takes some out, but never a switch's first.
inline Network fat_tree(int k, const std::string& paths, int dead = 0, unsigned seed = 1) {
    const int half = k / 2;
    std::set<std::pair<int, int>> dead_cables;  // by the switch below and the number of the cable
    std::mt19937 generator(seed);
    for (int link = 0; link < dead; ++link) {
        const auto below = static_cast<int>(generator() % static_cast<unsigned>(k * half));
        dead_cables.emplace(below, 1 + static_cast<int>(generator() % static_cast<unsigned>(half - 1)));
    }
    std::string text = fabric_header(paths);
    int machine = 0;
    for (int pod = 0; pod < k; ++pod) {
        for (int leaf = 0; leaf < half; ++leaf) {
            text += fmt::format("[[switch]]\nname = 'l{}-{}'\nuplinks = 'a{}-[0-{}]'\nmachines = 'n[{}-{}]'\n", pod,
                                leaf, pod, half - 1, machine, machine + half - 1);
            machine += half;
        }
    }
    for (int pod = 0; pod < k; ++pod) {
        for (int spine = 0; spine < half; ++spine) {
            text += fmt::format("[[switch]]\nname = 'a{}-{}'\nuplinks = [", pod, spine);
            for (int core = 0; core < half; ++core) {
                if (!dead_cables.contains({pod * half + spine, core})) {
                    text += fmt::format("'c{}', ", spine * half + core);
                }
            }
            text += "]\n";
        }
    }
    for (int core = 0; core < half * half; ++core) {
        text += fmt::format("[[switch]]\nname = 'c{}'\n", core);
    }
    return read_fabric_text(text);
}

/// Groups whose switches are all connected, one cable between each two groups: `routers` in each, with cables to
/// `globals` other groups, in routers · globals + 1 groups.
inline Network dragonfly(int routers, int hosts, const std::string& paths, int globals = 1) {
    std::string text = fabric_header(paths);
    int machine = 0;
    for (int group = 0; group <= routers * globals; ++group) {
        for (int router = 0; router < routers; ++router) {
            text += fmt::format("[[switch]]\nname = 'r{}-{}'\nmachines = 'n[{}-{}]'\nuplinks = [", group, router,
                                machine, machine + hosts - 1);
            machine += hosts;
            for (int before = 0; before < router; ++before) {
                text += fmt::format("'r{}-{}', ", group, before);
            }
            // The cables to groups before this one, whose switches count all groups but their own.
            for (int other = router * globals; other < std::min((router + 1) * globals, group); ++other) {
                text += fmt::format("'r{}-{}', ", other, (group - 1) / globals);
            }
            text += "]\n";
        }
    }
    return read_fabric_text(text);
}

}  // namespace aapc::test
