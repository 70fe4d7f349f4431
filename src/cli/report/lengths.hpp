/// @file
/// The lengths of unequal messages as a record has them, and what follows from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/archive/record.hpp"
#include "aapc/topology/demand.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::report {

/// Whether a routine has unequal messages whose lengths are recorded: it blocks, and is none of neighbours.
[[nodiscard]] bool has_lengths(const std::string& routine);

/// Records tell the calls of a sequence of at most this many apart.
inline constexpr std::size_t longest_period = 12;

class RecordedLengths {
  public:
    /// Demands of more ranks are not made: 8 bytes for each pair.
    static constexpr std::int64_t most_ranks = 2048;

    /// `record` outlives this.
    explicit RecordedLengths(const Record& record);

    /// The number n of kinds of calls whose lengths are recorded: the k-th call of `routine` on the communicator is of
    /// kind k modulo n, a divisor of longest_period. 0 if a rank's lengths are missing, or ranks counted different
    /// calls. O(lines of the communicator).
    [[nodiscard]] std::int64_t kinds(const RecordedCommunicator& communicator, const std::string& routine) const;

    /// The lengths of a call of that kind: the mean over its calls; if `bytes_of_rank_0` is given, scaled so that rank
    /// 0 sends as much. nullopt if kinds() is 0. O(ranks²).
    [[nodiscard]] std::optional<Demand> mean(const RecordedCommunicator& communicator, const std::string& routine,
                                             std::int64_t kind, std::optional<double> bytes_of_rank_0) const;

  private:
    using Lines = std::vector<const RecordedDemand*>;

    std::map<std::pair<std::string, std::string>, Lines> lines_;
    std::map<std::pair<std::string, std::string>, std::int64_t> calls_;  ///< that the record has
};

/// A schedule for a demand.
struct UnequalSchedule {
    std::string method;
    double cycle_seconds = 0;  ///< what `aapc predict` says
    double seconds = 0;        ///< with the start-up overhead
};

/// The schedule of one call of that demand by the interposer's method. nullopt if the interposer would leave the call
/// native, and for more than 512 ranks or 16 GiB, whose segments take too long to examine.
[[nodiscard]] std::optional<UnequalSchedule> schedule_of(const Network& network, const Placement& placement,
                                                         const Demand& demand);

}  // namespace aapc::report
