/// @file
/// The one place that decides which exchange a communicator uses. It knows no MPI, and everything it looks at is the
/// same on all ranks of the communicator, so that all of them decide alike without asking each other. `aapc explain`
/// asks here, too.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/methods/timetables.hpp"
#include "aapc/selection/tuning.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "selection/crossover.hpp"

namespace aapc::selection {

/// Larger blocks go to the MPI's own routine: MPI_Pack counts bytes in an int.
inline constexpr std::int64_t largest_scheduled_block = INT32_MAX;

/// Phases of equal length take messages · 8 / (slowest link) a byte. Where that is more than this many times what the
/// links could do, an algorithm stands in that stays near the bound at any speeds, which takes up to 1.02 times it.
inline constexpr double largest_slowdown_by_equal_phases = 1.05;

/// Whoever asks for phases of equal length that take more than this many times the bound is told so.
inline constexpr double largest_slowdown_unremarked = 1.3;

/// Where the network was detected, machines have at least so many ranks on average or everything goes to the MPI's own
/// routine.
inline constexpr std::size_t fewest_ranks_a_machine = 2;

/// What the user insists on (AAPC_ALGORITHM, AAPC_SYNCHRONISATION).
struct Forced {
    std::optional<Method> method;                    ///< with the synchronisation, if both are set
    std::optional<Synchronisation> synchronisation;  ///< where it is all that is set: for whatever algorithm is chosen
    const char* native_reason = "AAPC_ALGORITHM says so";  ///< why it is native, if `method` is
};

/// What is done on one communicator, by the size of a block.
class Decision {
  public:
    enum class Basis : std::uint8_t {
        rule,    ///< what is known of the network alone
        forced,  ///< the user's word
        tuning,  ///< measurements on this communicator's shape
    };

    /// From a block size on, until the next range.
    struct Range {
        std::int64_t from_bytes = 0;
        Method method;
        std::string lead;  ///< what was measured, in a clause; empty: nothing
        /// Of the rank that needs most (aapc/methods/buffer_limit.hpp); 0: nothing is forwarded, or nobody has asked.
        std::int64_t buffer_blocks = 0;
    };

    /// The MPI's own routine for every size.
    explicit Decision(std::string reason, Basis basis = Basis::rule);
    /// These ranges, ascending from 0, but the MPI's own routine for blocks of no byte and above
    /// largest_scheduled_block.
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
    /// Where what goes by time begins; nothing: nothing does.
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

/// Why everything is the MPI's own there, whatever is asked for: one rank, or two on two machines. Nothing: there is
/// something to schedule, or on one machine to copy. O(participants).
[[nodiscard]] std::optional<std::string> nothing_to_schedule(const Placement& placement, const Bound& bound);

/// Decides for a communicator whose ranks sit as `placement` says; `bound` is that of `network` and `placement`. What
/// is forced comes first, then `tuning` (null: none; it matches this job) where the communicator has the shape that it
/// was measured on, rank by rank; then the rule of the network's kind (docs/interposer.md). Where all ranks
/// share a machine only methods that copy are used, forced, tuned or learned; where nothing_to_schedule() says so, the
/// MPI's own routine whatever is asked for. `mpi` is the one that
/// it is for, "openmpi" or "mpich" (empty: any), since a rule may hold for the MPIs only that were measured to be
/// slower. `start_seconds` is what a start costs on the communicator; nothing: expected_start_seconds(). O(participants
/// + ranges), and for the rule what its timetable takes.
[[nodiscard]] Decision decide(const Network& network, const Placement& placement, const Bound& bound,
                              const Forced& forced, const Tuning* tuning, std::string_view mpi = "",
                              std::optional<double> start_seconds = std::nullopt);

/// The same with timetables that others ask for, too, which stay there.
[[nodiscard]] Decision decide(Timetables& timetables, const Bound& bound, const Forced& forced, const Tuning* tuning,
                              std::string_view mpi = "", std::optional<double> start_seconds = std::nullopt);

/// What is to be said to people who asked for `timetable`: that its contention-free phases take more than
/// largest_slowdown_unremarked times the bound, how many times, and what would be better. One sentence without a full
/// stop; nothing: nothing is to be said, or speeds are not known. `bound` is that of `network` and its placement. O(1).
[[nodiscard]] std::optional<std::string> remark_on_phases(const Timetable& timetable, const Network& network,
                                                          const Bound& bound);

/// Whether it is for whoever can measure what a start costs to decide again: the rule chose by time, what it chose has
/// a common start, and there are blocks large enough for it.
[[nodiscard]] bool depends_on_start(const Decision& decision);

/// "communicator of 8 ranks on 4 machines".
[[nodiscard]] std::string describe(const Placement& placement);

/// The sentence that AAPC_VERBOSE=1 prints for a communicator: sizes, methods and reason.
[[nodiscard]] std::string explain(const Placement& placement, const Decision& decision);

}  // namespace aapc::selection
