/// @file
/// The measurements of a network: the contention signature of each cluster, and the cost of a message across the wide
/// area. `aapc fit` writes it as a document, and all predictions read it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/offline/contention.hpp"
#include "aapc/offline/grid_model.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A cluster's signature.
struct MeasuredCluster {
    std::string name;  ///< as in the topology; empty if of every cluster, or of a network of another kind
    ContentionFit fit;
};

/// The cost of sending a message of one size, without its latency (parameterised LogP; Kielmann, Bal & Verstoep 2000,
/// "Fast Measurement of LogP Parameters for Message Passing Platforms"). Seconds.
struct GapMeasurement {
    std::int64_t message_bytes = 0;
    double gap_seconds = 0;               ///< g(m): between two messages in a row
    double send_overhead_seconds = 0;     ///< o_s(m): that the sender is busy
    double receive_overhead_seconds = 0;  ///< o_r(m): that the receiver is busy with a message that is already there

    friend bool operator==(const GapMeasurement&, const GapMeasurement&) = default;
};

/// One message from one cluster to another.
struct WideAreaFit {
    PointToPoint link;
    double latency_seconds = 0;  ///< pLogP's L, half a round trip of the smallest message less its gap; at least 0
    std::vector<GapMeasurement> gaps;  ///< ascending sizes; empty if not measured
};

struct NetworkModel {
    std::vector<MeasuredCluster> clusters;  ///< at least one
    std::optional<WideAreaFit> wide_area;
};

/// The signature for the cluster of that name: its own, or the one without a name; null where there is neither.
[[nodiscard]] const ContentionFit* find_fit(const NetworkModel& model, std::string_view cluster);

/// Whether all data for predictions for this network and placement were measured: one signature, or for a network of
/// clusters one for every cluster in which at least three ranks take part, and the wide area. The diagnostic has no
/// file.
[[nodiscard]] Expected<void> check_model_is_for(const NetworkModel& model, const Network& network,
                                                const Placement& placement);

/// The grid model of the clusters with participating ranks, in the order of the network; at least two of them, and
/// check_model_is_for() holds.
[[nodiscard]] GridModel grid_model_of(const NetworkModel& model, const Network& network, const Placement& placement);

/// The document, newline at the end: that of contention_json() for one signature without a name and no wide area,
/// otherwise one of format "aapc-grid-fit/1" that holds such documents (docs/model.md). read_network_model() gives the
/// same model back.
[[nodiscard]] std::string network_model_json(const NetworkModel& model);

/// Reads either; the diagnostic names the member that is missing or wrong.
[[nodiscard]] Expected<NetworkModel> read_network_model(std::string_view text, std::string_view file);

}  // namespace aapc
