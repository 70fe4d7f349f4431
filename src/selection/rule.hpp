/// @file
/// The one place that decides which exchange a communicator uses. It knows no MPI. All its inputs are the same on all
/// ranks of the communicator, so all ranks make the same decision without communication. `aapc explain` also uses it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/methods/timetables.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "selection/crossover.hpp"

namespace aapc::selection {

/// Larger blocks are native: MPI_Pack counts bytes in an int.
inline constexpr std::int64_t largest_scheduled_block = INT32_MAX;

/// Phases of equal length take messages · 8 / (slowest link) per byte. Where that is more than this many times the
/// bound, an algorithm replaces them that stays near the bound at any speeds; it takes up to 1.02 times the bound.
inline constexpr double largest_slowdown_by_equal_phases = 1.05;

/// Users who choose phases of equal length that take more than this many times the bound get a remark.
inline constexpr double largest_slowdown_unremarked = 1.3;

/// On a detected network with fewer ranks per machine on average, all calls are native.
inline constexpr std::size_t fewest_ranks_a_machine = 2;

/// The methods that the user forces (AAPC_ALGORITHM, AAPC_SYNCHRONISATION).
struct Forced {
    std::optional<Method> method;                          ///< with the synchronisation, if both are set
    std::optional<Synchronisation> synchronisation;        ///< if no algorithm is set: for whatever algorithm is chosen
    const char* native_reason = "AAPC_ALGORITHM says so";  ///< why it is native, if `method` is
};

/// The methods on one communicator, by the size of a block.
class Decision {
  public:
    enum class Basis : std::uint8_t {
        rule,    ///< the network alone
        forced,  ///< the user's settings
        tuning,  ///< measurements on this communicator's shape
    };

    /// From a block size on, until the next range.
    struct Range {
        std::int64_t from_bytes = 0;
        Method method;
        std::string lead;  ///< the measurement, in a clause; empty if there is none
        /// Of the rank that needs most (aapc/methods/buffer_limit.hpp); 0 if no blocks are forwarded, or not counted.
        std::int64_t buffer_blocks = 0;
    };

    /// Native for every size.
    explicit Decision(std::string reason, Basis basis = Basis::rule);
    /// These ranges, ascending from 0, except that blocks of no byte and above largest_scheduled_block are native.
    Decision(std::vector<Range> ranges, std::string reason, Basis basis,
             std::optional<Crossover> crossover = std::nullopt);

    /// Ascending, without gaps; the first begins at 0.
    [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
    /// Index of the range that a block of `block_bytes` (>= 0) belongs to. O(log ranges).
    [[nodiscard]] std::size_t range_of(std::int64_t block_bytes) const;
    /// The method for blocks of that size.
    [[nodiscard]] const Method& at(std::int64_t block_bytes) const { return ranges_[range_of(block_bytes)].method; }
    [[nodiscard]] Basis basis() const { return basis_; }
    /// Why, in one clause for AAPC_VERBOSE.
    [[nodiscard]] const std::string& reason() const { return reason_; }
    /// The beginning of the range that is decided by time; nullopt if there is none.
    [[nodiscard]] const std::optional<Crossover>& crossover() const { return crossover_; }

  private:
    std::vector<Range> ranges_;
    std::string reason_;
    Basis basis_;
    std::optional<Crossover> crossover_;
};

/// Whether the tuning was measured with as many ranks, each on the same machine.
[[nodiscard]] bool has_shape(const Network& network, const Placement& placement, const Tuning& tuning);

/// Whether all ranks, of which there is one at least, share a machine. O(participants).
[[nodiscard]] bool is_on_one_machine(const Placement& placement);

/// Why all calls are native there, whatever the settings: one rank, or two on two machines. Nullopt if there are
/// messages to schedule, or blocks to copy on one machine. O(participants).
[[nodiscard]] std::optional<std::string> nothing_to_schedule(const Placement& placement, const Bound& bound);

/// Decides for a communicator whose ranks are placed as `placement` says; `bound` is that of `network` and `placement`.
/// Forced methods take precedence, then `tuning` (null if there is none; it matches this job) if the communicator has
/// the shape that it was measured on, rank by rank; then the rule of the network's kind (docs/interposer.md). Where all
/// ranks share a machine only methods that copy are used, forced, tuned or learned. Where nothing_to_schedule() has a
/// reason, calls are native whatever the settings. `mpi` is the MPI in use, "openmpi" or "mpich" (empty if any), since
/// a rule may hold only for MPIs that were measured to be slower. `start_seconds` is the start-up overhead on the
/// communicator; nullopt if expected_start_seconds(). O(participants + ranges), and for the rule the time of its
/// timetable.
[[nodiscard]] Decision decide(const Network& network, const Placement& placement, const Bound& bound,
                              const Forced& forced, const Tuning* tuning, std::string_view mpi = "",
                              std::optional<double> start_seconds = std::nullopt);

/// The same with shared timetables, which stay there, and their bound.
[[nodiscard]] Decision decide(Timetables& timetables, const Forced& forced, const Tuning* tuning,
                              std::string_view mpi = "", std::optional<double> start_seconds = std::nullopt);

/// The remark for users who chose `timetable`: that its contention-free phases take more than
/// largest_slowdown_unremarked times the bound, how many times, and what would be better. One sentence without a full
/// stop. Nullopt if there is no remark, or speeds are not known. `bound` is that of `network` and its placement. O(1).
[[nodiscard]] std::optional<std::string> remark_on_phases(const Timetable& timetable, const Network& network,
                                                          const Bound& bound);

/// Whether a caller that can measure the start-up overhead has to decide again: the rule chose by time, its method has
/// a common start, and there are blocks large enough for it.
[[nodiscard]] bool depends_on_start(const Decision& decision);

/// "communicator of 8 ranks on 4 machines".
[[nodiscard]] std::string describe(const Placement& placement);

/// The sentence that AAPC_VERBOSE=1 prints for a communicator: sizes, methods and reason.
[[nodiscard]] std::string explain(const Placement& placement, const Decision& decision);

}  // namespace aapc::selection
