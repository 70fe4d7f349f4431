/// @file
/// The one place that decides which exchange a communicator uses. It knows no MPI, and everything it looks at is the
/// same on all ranks of the communicator, so that all of them decide alike without asking each other. A tuner or a
/// model will answer here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/algorithm.hpp"
#include "aapc/bound.hpp"
#include "aapc/demand.hpp"
#include "aapc/network.hpp"
#include "aapc/synchronisation.hpp"

namespace aapc::interpose {

/// Smaller blocks go to the MPI's own routine. Measured on the lab (docs/measurements.md, "Small messages"): at 4 KB
/// `timed` is still slower than Open MPI's own, at 8 KB it is faster than either MPI's.
inline constexpr std::int64_t smallest_scheduled_block = 8192;

/// Larger blocks go to the MPI's own routine: MPI_Pack counts bytes in an int.
inline constexpr std::int64_t largest_scheduled_block = INT32_MAX;

/// Phases of equal length take messages · 8 / (slowest link) a byte. Where that is more than this many times what the
/// links could do, trunks are so much faster than ports that letting everybody send at once is better.
inline constexpr double largest_slowdown_by_equal_phases = 1.3;

/// How one exchange is done.
struct Choice {
    const Algorithm* algorithm = nullptr;  ///< a row of the table; null: the MPI's own routine
    std::string_view variant;              ///< one of the algorithm's
    Synchronisation synchronisation = Synchronisation::none;

    [[nodiscard]] bool native() const { return algorithm == nullptr; }
    friend bool operator==(const Choice&, const Choice&) = default;
};

/// What the user insists on (AAPC_ALGORITHM, AAPC_SYNCHRONISATION).
struct Forced {
    bool native = false;
    const Algorithm* algorithm = nullptr;
    std::string_view variant;  ///< empty: the algorithm's default
    std::optional<Synchronisation> synchronisation;
};

/// What is done on one communicator, by the size of a block.
class Decision {
  public:
    /// From a block size on, until the next range.
    struct Range {
        std::int64_t from_bytes = 0;
        Choice choice;
    };

    /// The MPI's own routine for every size.
    explicit Decision(std::string reason);
    /// `choice` for blocks of `from_bytes` to largest_scheduled_block, the MPI's own routine below and above.
    Decision(Choice choice, std::int64_t from_bytes, std::string reason);

    /// Ascending, without gaps; the first begins at 0.
    [[nodiscard]] const std::vector<Range>& ranges() const { return ranges_; }
    /// Index of the range that a block of `block_bytes` (>= 0) belongs to.
    [[nodiscard]] std::size_t range_of(std::int64_t block_bytes) const;
    /// The choice for blocks of that size.
    [[nodiscard]] const Choice& at(std::int64_t block_bytes) const { return ranges_[range_of(block_bytes)].choice; }
    /// Why, in one clause for AAPC_VERBOSE.
    [[nodiscard]] const std::string& reason() const { return reason_; }

  private:
    std::vector<Range> ranges_;
    std::string reason_;
};

/// Decides for a communicator whose ranks sit as `demand` says; `bound` is that of `network` and `demand`.
/// O(participants).
[[nodiscard]] Decision decide(const Network& network, const Demand& demand, const Bound& bound, const Forced& forced);

/// The sentence that AAPC_VERBOSE=1 prints for a communicator: sizes, choice and reason.
[[nodiscard]] std::string explain(const Demand& demand, const Decision& decision);

}  // namespace aapc::interpose
