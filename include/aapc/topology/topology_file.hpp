/// @file
/// Topology files (TOML): docs/topology-files.md has the format.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"

namespace aapc {

/// At most so many machines, and as many switches, are accepted from one file: nobody could hold a schedule for more,
/// and a typing error such as n[0-99999999] must not take the computer down.
inline constexpr std::int64_t max_machines = 65'536;

/// At most so many ranks on all machines of a file together, for the same reason.
inline constexpr std::int64_t max_ranks = 65'536;

/// Reads a topology from text. `file` is only used in diagnostics. Nothing is returned unless everything is right.
/// Otherwise one mistake is reported with its position (columns count bytes, without a byte order mark): of several,
/// the first in the file, where mistakes in the TOML itself come before mistakes in a single table and these before
/// those that only show when all switches are looked at together. Something missing is reported only where nothing is
/// wrong. O(text + machines).
///
/// Vertices are the switches, then the machines, each in file order. Links are, switch by switch in file order, the
/// switch's uplink if it has one and then the links of its machines. In a network of clusters vertex 0 is the wide area
/// (aapc/topology/clusters.hpp), and the clusters count as switches. A torus is what torus_network() makes (aapc/topology/torus.hpp).
[[nodiscard]] Expected<Network> read_topology(std::string_view text, std::string_view file);

/// Reads the file of that name and then its text as above. A directory, an unreadable file or one over 16 MiB is a
/// diagnostic too.
[[nodiscard]] Expected<Network> read_topology_file(const std::string& path);

/// A machine of a hostlist with the number of ranks it runs.
struct HostlistEntry {
    std::string name;
    std::int32_t ranks = 1;
    int column = 1;  ///< 1-based offset in the hostlist of the item that it comes from
};

/// Expands a Slurm hostlist: comma-separated names, each with at most two numeric brackets ("n[0-3,7]",
/// "r[1-2]n[01-16]"), zero padding kept, an optional ":K" behind an item for K ranks on each machine of that item.
/// Names consist of letters, digits, '-', '_' and '.', start with a letter or digit and have at most 255 characters.
/// Ranges are padded to the width of their first number if that starts with 0; of two brackets the last runs fastest.
/// At most max_machines machines, at most max_ranks ranks each; nothing is expanded that exceeds them. On failure
/// `Diagnostic::column` is the 1-based offset inside `text`, and file and line are empty.
[[nodiscard]] Expected<std::vector<HostlistEntry>> expand_hostlist(std::string_view text);

/// "100Mbit", "1Gbit", "2.5Gbit", "56000bit", also kbit and Tbit (decimal prefixes, case-insensitive, "bit/s" and "bps"
/// too) in bits per second; more than 0 and at most 10^15.
[[nodiscard]] Expected<double> parse_speed(std::string_view text);

/// "5ms", "0.2 s", "80us", "300ns" in seconds; at least 0 and at most an hour.
[[nodiscard]] Expected<double> parse_duration(std::string_view text);

/// Bytes: "8192", "8k", "8kB" (1000), "8Ki", "8KiB" (1024), M, Mi, G, Gi. At most 2^62.
[[nodiscard]] Expected<std::int64_t> parse_size(std::string_view text);

}  // namespace aapc
