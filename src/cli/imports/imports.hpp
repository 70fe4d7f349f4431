/// @file
/// What sites have instead of a topology file, read and written as one. Each tool is a row of a table: help,
/// completion, messages, documentation and tests follow from it.
///
/// An import has four steps, each a value: the wiring as it was read (wiring.hpp), the same with the speeds that the
/// user gives, the tree or fabric that it is (found_network.hpp), and the topology file.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "cli/imports/found_network.hpp"
#include "cli/imports/wiring.hpp"

namespace aapc::imports {

/// The text to read.
struct Input {
    std::string_view text;
    std::string file;  ///< its name in diagnostics
    /// Reads a file that the text includes, by its path as written there; null if nothing may be included.
    std::function<Expected<std::string>(const std::string& path)> include;
};

/// A tool whose files or output can be read.
struct Importer {
    std::string_view name;  ///< the word after --from
    Expected<Wiring> (*read)(const Input& input);
    std::string_view input;            ///< what to give it, for help and documentation
    std::string_view speeds;           ///< which speeds it knows, for the documentation
    std::string_view example;          ///< a command line that works as it is
    std::string_view example_meaning;  ///< what that is for
};

/// All of them, in the order of the documentation.
[[nodiscard]] std::span<const Importer> importers();

/// The one with that name; null if there is none.
[[nodiscard]] const Importer* find_importer(std::string_view name);

/// Slurm's topology.conf, topology.yaml (25.05 and later), or what `scontrol show topology` prints; which one it is, is
/// seen from the text. Nodes and Switches are cables; speeds are not known, since LinkSpeed has no unit.
/// Source: Slurm's manual pages topology.conf(5), topology.yaml(5), and its topology guide.
[[nodiscard]] Expected<Wiring> read_slurm(const Input& input);

/// What ibnetdiscover prints: "Switch" and "Ca" records with their ports. Speeds are what the links' widths and rates
/// carry. A host with several ports is one machine with the port of one rail, the same for all.
/// Source: ibnetdiscover(8) of rdma-core.
[[nodiscard]] Expected<Wiring> read_ibnetdiscover(const Input& input);

/// A JSON object that has what `lldpctl -f json` (or json0) prints on each host under the host's name. A host is what
/// was asked and is no other one's uplink; the rest are switches.
/// Source: lldpctl(8) of lldpd.
[[nodiscard]] Expected<Wiring> read_lldp(const Input& input);

/// SimGrid's platform files, version 4: flat clusters, fat trees, and zones whose routes follow a tree; or a torus
/// alone. Backbones that all messages of a zone share are divided among its machines, as an all-to-all would.
/// Source: SimGrid's reference of platform files.
[[nodiscard]] Expected<Wiring> read_simgrid(const Input& input);

/// Speeds that the user gives, in bits per second of each cable; 0 if not given.
struct GivenSpeeds {
    double machines = 0;  ///< --speed: of links to machines, and of uplinks if they have none of their own
    double uplinks = 0;   ///< --uplink-speed: of cables between switches
};

/// Gives them to the cables whose speed is not known, and says in the remarks what was assumed.
void assume_speeds(Wiring& wiring, const GivenSpeeds& given);

/// A topology file, and what a person can check it by.
struct ImportedTopology {
    std::string text;
    std::vector<std::string> summary;  ///< one line each: machines and switches, speeds, what was dropped or assumed
    bool is_complete = false;          ///< false if a speed is left to be filled in, so that it cannot be read yet
};

/// The topology file of a wiring: the last two steps. Fails as found_network() does.
[[nodiscard]] Expected<ImportedTopology> topology_of(const Wiring& wiring, const std::string& file);

/// Names as a hostlist: "n[0-3],m".
[[nodiscard]] std::string hostlist_text(const std::vector<std::string>& names);

}  // namespace aapc::imports
