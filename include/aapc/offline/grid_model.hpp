/// @file
/// The cost of an all-to-all between clusters (Steffenel, Martinasso & Trystram, section VI, equations 6 and 7; 7
/// corrected for what `local-group` really sends: docs/local-group.md).
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/input/statistics.hpp"
#include "aapc/offline/contention.hpp"
#include "aapc/topology/network.hpp"

namespace aapc {

/// A cluster as the model sees it.
struct ModelledCluster {
    Rank ranks = 0;       ///< that take part; at least 1
    ContentionFit local;  ///< the signature of its network
    /// Of its link to the wide area, which all its messages share in each direction. 0 if each message has the whole
    /// link, as in the paper.
    double uplink_seconds_per_byte = 0;
};

/// Clusters joined by a wide area, and what one message costs across it.
struct GridModel {
    std::vector<ModelledCluster> clusters;  ///< at least two
    PointToPoint wide_area;
};

// Each function gives the time of one all-to-all with messages of `message_bytes` (at least 1), and an interval that
// only reflects the uncertainty inside the clusters: the wide area's alpha and beta count as exact.

/// Direct sending from every rank to every rank, equation 6: the slowest cluster's all-to-all, and after that the
/// messages to other clusters of a rank that has most of them. For two clusters these are max(n1, n2). The part across
/// the wide area takes at least as long as the busiest cluster's link needs for all its bytes. O(clusters).
[[nodiscard]] Estimate predict_direct_seconds(const GridModel& grid, std::int64_t message_bytes);

/// `local-group` by equation 7 as printed: the clusters' own all-to-alls with messages of `message_bytes`, and after
/// that the phases across the wide area, with messages of as many blocks as the smaller cluster has ranks. It gives
/// every message the whole wide area, whatever the links to it, and leaves out the blocks that are only gathered inside
/// a cluster, so it is too low. O(clusters²).
[[nodiscard]] Estimate predict_local_group_seconds_as_printed(const GridModel& grid, std::int64_t message_bytes);

/// `local-group` with every message's true size (7'): the rank that needs longest for its messages inside its cluster,
/// and after that, for each phase across the wide area, its largest message, or the busiest cluster's link if that
/// takes longer. A message pays delta where it reaches the threshold, which one of several blocks does earlier than a
/// single block. O(ranks² + ranks · clusters).
[[nodiscard]] Estimate predict_local_group_seconds(const GridModel& grid, std::int64_t message_bytes);

}  // namespace aapc
