/// @file
/// The predicted time of an exchange by any method on a measured network.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/input/statistics.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A method's time as a function of the message size, worked out once for a network and a placement.
///
/// Native takes the time of the contention signature (equations 4 and 5 of Steffenel, Martinasso & Trystram, between
/// clusters 6). Other methods are added up over their phases: a start-up for every message that a rank sends in the
/// phase, and the time that the busiest link needs for its bytes, at the measured goodput. Links on which messages meet
/// in a phase need longer by the signature's cost of contention beyond the bound, and their messages pay delta. The
/// cost of the synchronisation is added: a start-up for a token, log2(ranks) of them for a barrier, the slots and the
/// common start of `timed`. Copies in memory cost nothing here, except those that replace messages inside machines
/// (src/timetable/shares_memory.hpp): two per block, at assumed costs.
class MethodModel {
  public:
    /// The method's algorithm is for this kind of network. A diagnostic, without a file, if the method cannot run here
    /// or `model` lacks a part. O(ranks² · log ranks · route length).
    [[nodiscard]] static Expected<MethodModel> create(const Network& network, const Placement& placement,
                                                      const Method& method, const NetworkModel& model);

    /// For messages of at least 1 byte. The interval is that of 95 % of single measurements if they deviate from the
    /// model as those did from which it was fitted; its upper end includes contention where phases are not separated.
    /// O(1).
    [[nodiscard]] Estimate seconds(std::int64_t message_bytes) const;

    /// The basis of the prediction, for people: the phases, and how they are separated.
    [[nodiscard]] const std::string& basis() const { return basis_; }

    /// Whether messages inside machines are copies in shared memory.
    [[nodiscard]] bool copies_inside_machines() const { return copies_inside_machines_; }

    /// Why the prediction extrapolates beyond the measurements, as a sentence; empty if it does not.
    [[nodiscard]] std::string extrapolation_remark(std::int64_t message_bytes) const;

  private:
    class Builder;
    MethodModel() = default;

    /// The part that does not depend on the message size.
    struct Slots {
        Phase phases = 0;                ///< ticks, where there is a cycle
        Cadence cadence;                 ///< by the topology's declared speeds, as `timed` uses them
        std::int64_t segment_bytes = 0;  ///< 0: as segment_message() chooses
        double pace = 1;
    };

    /// Messages that pay delta where they reach the threshold.
    struct Paying {
        std::int64_t blocks = 0;  ///< in each of them
        double messages = 0;
        std::size_t fit = 0;  ///< whose delta: index into fits_
    };

    [[nodiscard]] Estimate signature_seconds(std::int64_t message_bytes) const;
    [[nodiscard]] double phases_seconds(std::int64_t message_bytes) const;

    std::string basis_;
    Rank participants_ = 0;
    std::vector<ContentionFit> fits_;  ///< of the clusters with participants; at least one
    std::optional<GridModel> grid_;    ///< between clusters
    bool by_signature_ = false;        ///< what follows does not count
    double start_up_seconds_ = 0;      ///< all costs that do not depend on the size
    double seconds_per_byte_ = 0;      ///< of a block
    double uncertain_per_byte_ = 0;    ///< standard deviation of that
    std::vector<Paying> paying_;
    std::optional<Slots> slots_;  ///< of `timed`
    bool kept_apart_ = true;      ///< phases cannot meet
    bool copies_inside_machines_ = false;
};

}  // namespace aapc
