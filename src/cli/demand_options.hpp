/// @file
/// Unequal messages on the command line: --demand FILE or --pattern NAME --seed N.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/demand.hpp"
#include "aapc/topology/network.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

/// What the user asked for.
struct DemandOptions {
    std::string file;     ///< one or more matrices; "-": standard input
    std::string pattern;  ///< as make_demand() knows it
    std::uint64_t seed = 1;

    /// Whether messages are unequal at all.
    [[nodiscard]] bool given() const { return !file.empty() || !pattern.empty(); }
};

/// Adds the three options.
void add_demand_options(Command& command, DemandOptions& options);

/// A demand with what it is called: "zipf, 64 KiB on average", or the name of the file.
struct NamedDemand {
    std::string name;
    Demand demand;
};

/// The file's demands, or the pattern's for each of the mean sizes (usual_mean_bytes where there is none). Of a file
/// with fractions, one for each of these sizes. At least one.
[[nodiscard]] Expected<std::vector<NamedDemand>> read_demands(const DemandOptions& options,
                                                              const std::vector<std::int64_t>& mean_bytes,
                                                              Rank participants);

/// The mean of a pattern if none was given.
inline constexpr std::int64_t usual_mean_bytes = 65536;

}  // namespace aapc::cli
