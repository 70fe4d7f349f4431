/// @file
/// What the parts of `aapc predict` share: one file for each kind of network.
#pragma once

#include <string>
#include <vector>

#include "aapc/input/units.hpp"
#include "aapc/topology/network.hpp"
#include "cli/command.hpp"
#include "cli/demand_options.hpp"

namespace aapc::cli {

/// Nothing is predicted of a message without content.
inline constexpr std::int64_t smallest_message = 1;

struct PredictOptions {
    std::string input;                 ///< a topology file or what `aapc fit --format json` wrote
    std::vector<Rank> ranks;           ///< empty for all of the topology
    std::vector<std::string> sizes;    ///< as parse_size() reads them
    std::vector<std::string> methods;  ///< as parse_method() reads them; empty for every algorithm for the network
    std::vector<std::string> models;   ///< FILE or CLUSTER=FILE, of `aapc fit --format json`
    std::vector<double>
        wide_area;  ///< seconds before a byte arrives, seconds per byte; empty if the model file has them
    // Of a torus; below 0: not given.
    double start_up_seconds = -1;       ///< of one message
    double seconds_per_byte = -1;       ///< of one message
    double copy_seconds_per_byte = -1;  ///< of rearranging blocks in memory
    bool torus_table = false;           ///< Table 1 of the paper again, without a topology file
    DemandOptions demand;               ///< unequal messages
    std::string format = "text";        ///< or json
};

/// `aapc predict` on a torus: the cost of each division by size, and where the choice changes. Returns the status.
[[nodiscard]] int predict_torus(const Network& network, const PredictOptions& options);

/// `aapc predict` on a network with several paths, without a model: its bounds by name. Returns the status.
[[nodiscard]] int predict_fabric(const Network& network, const PredictOptions& options);

/// `aapc predict --torus-table`. Returns the status.
[[nodiscard]] int predict_torus_table(const PredictOptions& options);

}  // namespace aapc::cli
