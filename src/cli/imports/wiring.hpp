/// @file
/// A network as an importer read it: every switch, machine and cable. What a topology file can say of it is a separate
/// step (found_network.hpp).
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
    int one_port = 0;     ///< the number of the port at `one`; 0 if the input does not say
    int other_port = 0;
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
    std::string_view paths = "hashed";  ///< how its switches choose among several ways, in a topology file's word
    std::map<std::string, std::string> guids;  ///< by switch: the digits of its number; InfiniBand only
    std::map<std::string, int> lids;           ///< by machine: the address of the port that is plugged in; likewise
    /// By switch, then machine: the index of the cable that the forwarding tables send its messages over. Empty if none
    /// are known; otherwise for all switches, and all machines that are not plugged into that switch.
    std::map<std::string, std::map<std::string, std::size_t>> forwarding;
};

/// Takes the cables of `forwarding` from the tables that InfiniBand's tools print (input/infiniband.hpp). To be called
/// when nothing is left out any more. Fails with a line where the tables do not belong to this network or lack a part
/// of it. O(text + switches · machines).
[[nodiscard]] Expected<void> add_forwarding(Wiring& wiring, std::string_view tables, const std::string& file);

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
