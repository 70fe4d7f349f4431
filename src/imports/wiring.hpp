/// @file
/// A network as an importer read it: every switch, machine and cable. Making a tree of it is a separate step
/// (tree.hpp).
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc::imports {

/// Cables between two nodes, all of one speed.
struct Cable {
    std::string one;
    std::string other;
    double speed = 0;     ///< bits per second of each; 0 if the input does not say
    int count = 1;        ///< 1 or more
    std::string label{};  ///< how a person finds it: "leaf0[7] - spine[3]"; empty if the input does not say
};

/// What was read. Owns everything; names are unique among switches and machines together.
struct Wiring {
    std::string source;                 ///< "Slurm's topology.conf"
    std::vector<std::string> switches;  ///< in the order in which they are written
    std::vector<std::string> machines;  ///< in the order of their ranks
    std::vector<Cable> cables;          ///< each once; between two switches, or a switch and a machine
    std::vector<std::string> remarks;   ///< what was dropped or assumed, and why: one sentence each
    std::map<std::string, int> lines;   ///< where a switch is described, 1-based; may lack any
    std::set<std::string> unseen;       ///< switches whose cables to other switches the input cannot show
    std::string speed_hint;             ///< speeds without a unit in the input, as a question; empty if there are none
    std::vector<int> sides;             ///< of a torus of the machines, which has no switches; empty for a tree
    double torus_speed = 0;             ///< bits per second of a torus' links
};

/// Adds a remark unless the same one is there.
void add_remark(std::vector<std::string>& remarks, const std::string& remark);

/// If the parts of the network that have machines are joined by nothing that was read, and each has a switch of
/// `unseen`: adds a switch "core" above them, with cables of unknown speed, and a remark.
void join_unseen_parts(Wiring& wiring);

/// Takes switches and machines with these names out, with their cables. Fails with the first name that is unknown.
[[nodiscard]] Expected<void> leave_out(Wiring& wiring, const std::vector<std::string>& names);

/// True if `one` comes before `other` where numbers within names count as numbers: n2 before n10.
[[nodiscard]] bool in_natural_order(std::string_view one, std::string_view other);

/// "a, b and c", or "a, b, c and 7 more" if they are many.
[[nodiscard]] std::string listed(const std::vector<std::string>& names);

}  // namespace aapc::imports
