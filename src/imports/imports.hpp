/// @file
/// What sites have instead of a topology file, read and written as one: Slurm's topology.conf and topology.yaml, the
/// output of ibnetdiscover and of lldpctl, platform files of SimGrid's. What these do not say, such as speeds, is left
/// to a comment in the file.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc::imports {

/// A switch of a tree as it was found.
struct FoundSwitch {
    std::string name;
    std::string uplink;                 ///< the switch above it; empty: none
    double uplink_speed = 0;            ///< bits a second of one cable; 0: not known
    int uplink_links = 1;               ///< cables
    std::vector<std::string> machines;  ///< names or hostlists, in order
    double machine_speed = 0;           ///< bits a second; 0: not known
};

/// Switches above before those below.
struct FoundTree {
    std::string source;                ///< "Slurm's topology.conf", for the comment at the top
    std::vector<std::string> remarks;  ///< what a person should know
    std::vector<FoundSwitch> switches;
    std::vector<int> sides{};  ///< of a torus, which is one switch without a place of its own; empty: a tree
};

/// topology.conf, a tree: lines SwitchName=… with Nodes=… or Switches=….
/// Source: Slurm's manual page topology.conf(5).
[[nodiscard]] Expected<FoundTree> read_slurm_conf(std::string_view text, const std::string& file);

/// topology.yaml of Slurm 25.05 and later: the first topology, or the one with cluster_default, if it is a tree.
/// Source: Slurm's manual page topology.yaml(5).
[[nodiscard]] Expected<FoundTree> read_slurm_yaml(std::string_view text, const std::string& file);

/// What ibnetdiscover prints: "Switch" and "Ca" records with their ports. Speeds are what the links' widths and rates
/// carry. Switches without machines above several others become one.
/// Source: ibnetdiscover(8) of rdma-core.
[[nodiscard]] Expected<FoundTree> read_ibnetdiscover(std::string_view text, const std::string& file);

/// A JSON object that has what `lldpctl -f json` prints on each host under the host's name. Those that were not asked,
/// and those with several neighbours, are taken to be switches.
/// Source: lldpctl(8) of lldpd.
[[nodiscard]] Expected<FoundTree> read_lldp(std::string_view text, const std::string& file);

/// SimGrid's platform files, version 4: flat clusters, fat trees, and zones whose routes follow a tree; or a torus
/// alone. Backbones that all messages of a zone share are divided among its machines, as an all-to-all would. Source:
/// SimGrid's reference of platform files.
[[nodiscard]] Expected<FoundTree> read_simgrid(std::string_view text, const std::string& file);

/// Which cables there are between whom; what the last two readers find before it is a tree.
struct FoundCables {
    std::vector<std::string> switches;
    std::vector<std::string> machines;
    struct Cable {
        std::string one;
        std::string other;
        double speed = 0;
    };
    std::vector<Cable> cables;  ///< each once
};

/// The tree that the cables are, switches without machines that several ways lead to taken as one.
[[nodiscard]] Expected<FoundTree> tree_of(const FoundCables& cables, const std::string& file);

/// The topology file. `speed`, if it is not 0, is that of every link of which none is known.
[[nodiscard]] std::string topology_text(const FoundTree& tree, double speed);

/// Names as a hostlist: "n[0-3],m".
[[nodiscard]] std::string hostlist_text(const std::vector<std::string>& names);

}  // namespace aapc::imports
