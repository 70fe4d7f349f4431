/// @file
/// The options of `aapc discover`, and the topology file that it writes. Knows no MPI.
#pragma once

#include <string>
#include <vector>

#include "console/command_line.hpp"
#include "offline/discovery/explorer.hpp"

namespace aapc::bench {

struct DiscoverOptions {
    std::string mpi;  ///< "openmpi", "mpich"; empty for the launcher's
    std::string output;
    double round = 0.25;  ///< seconds that flows go
    int seed = 1;
    bool no_latency = false;
};

void add_discover_options(cli::Command& command, DiscoverOptions& options);

/// Where and how it was measured, for the comments.
struct DiscoveredWhere {
    std::vector<std::string> machines;  ///< their names
    std::vector<int> ranks;             ///< of each
    std::string mpi;                    ///< "Open MPI v4.1.4"
    std::string date;
    double seconds = 0;
};

/// The topology file: switches, the speeds of their links, how sure each is, and what could not be told apart.
[[nodiscard]] std::string discovered_topology(const discovery::Findings& findings, const DiscoveredWhere& where);

/// The nominal speed of a link that carries `bytes_per_second` of payload, in bits per second: that of Ethernet or
/// InfiniBand or a few times `port`, if one is within a twentieth; else three digits of it.
[[nodiscard]] double nominal_speed(double bytes_per_second, double port = 0);

}  // namespace aapc::bench
