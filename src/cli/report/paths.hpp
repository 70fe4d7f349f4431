/// @file
/// What a job has learned of its paths: how late each is, and the load of the fullest cable that follows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/record.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::report {

/// Loads are estimates from lateness: a path that is late by a share l of a schedule of c times the even bound crosses
/// a cable with c·(1 + l) times the load of even sharing; one on time has c or less.
struct LearnedPaths {
    /// Connections from the machines of one leaf switch to those of another.
    struct LeafPair {
        std::string from;
        std::string to;
        std::int64_t connections = 0;
        double mean_late = 0;    ///< by share of the segments
        double most_late = 0;    ///< of any connection
        double latest_load = 0;  ///< of the latest connection's cable
    };
    std::int64_t connections = 0;
    double over_bound = 1;  ///< how many times as long as the even bound the schedule was
    /// Estimated load of the fullest cable: with these paths and shares, no exchange ends before so many times the even
    /// bound.
    double fullest_load = 1;
    std::vector<LeafPair> pairs;  ///< by leaf, in the order of the file; empty if the network is not a known fabric
};

/// Of the communicator with most connections; nullopt if the record has none. `network` is null if not known. The
/// fullest cable's lateness is the median of the latest segments, as many as one of the leaves' uplinks carries.
/// O(connections · log connections + links).
[[nodiscard]] std::optional<LearnedPaths> learned_paths_of(const Record& record, const Network* network);

/// "The fullest cable has about 1.05 times the load of even sharing ...".
[[nodiscard]] std::string sentence_of(const LearnedPaths& learned);

}  // namespace aapc::report
