/// @file
/// What an exchange by any method should take on a network that has been measured.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/models/network_model.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/statistics/statistics.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// A method's time as a function of the message size, worked out once for a network and a placement.
///
/// The MPI's own routine takes what the contention signature says (equations 4 and 5 of Steffenel, Martinasso &
/// Trystram, between clusters 6). Everything else is added up over its phases: a start-up for every message that a rank
/// sends in the phase, and the time that the busiest link needs for the bytes on it, at the measured goodput. Links on
/// which messages meet in a phase need longer by what the signature says that contention costs beyond the bound, and
/// their messages pay delta. What keeps phases apart is added: a start-up for a token, log2(ranks) of them for a
/// barrier, the slots and the common start of `timed`. Copies in memory cost nothing here, but for those that stand for
/// messages inside machines (src/timetable/shares_memory.hpp): two a block, at assumed costs.
class MethodModel {
  public:
    /// The method's algorithm is for this kind of network. A diagnostic, without a file, where the method cannot be had
    /// here or `model` lacks something. O(ranks² · log ranks · route length).
    [[nodiscard]] static Expected<MethodModel> create(const Network& network, const Placement& placement,
                                                      const Method& method, const NetworkModel& model);

    /// For messages of at least 1 byte. The interval is that of 95 % of single measurements if they deviate from the
    /// model as those did from which it was fitted; its upper end includes contention where nothing keeps phases apart.
    /// O(1).
    [[nodiscard]] Estimate seconds(std::int64_t message_bytes) const;

    /// What the prediction rests on: "16 phases by the clock, pace 0.99".
    [[nodiscard]] const std::string& basis() const { return basis_; }

    /// Whether messages inside machines are copies in shared memory.
    [[nodiscard]] bool copies_inside_machines() const { return copies_inside_machines_; }

    /// Why the prediction goes beyond what was measured, as a sentence; empty if it does not.
    [[nodiscard]] std::string extrapolation_remark(std::int64_t message_bytes) const;

  private:
    class Builder;
    MethodModel() = default;

    /// What one message size does not change.
    struct Slots {
        Phase phases = 0;                ///< ticks, where there is a cycle
        Cadence cadence;                 ///< by the speeds that the topology declares, which is what `timed` goes by
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
    double start_up_seconds_ = 0;      ///< everything that does not depend on the size
    double seconds_per_byte_ = 0;      ///< of a block
    double uncertain_per_byte_ = 0;    ///< standard deviation of that
    std::vector<Paying> paying_;
    std::optional<Slots> slots_;  ///< of `timed`
    bool kept_apart_ = true;      ///< phases cannot meet
    bool copies_inside_machines_ = false;
};

}  // namespace aapc
