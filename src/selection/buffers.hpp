/// @file
/// The memory of a decision's methods that forward blocks, and a decision within a limit of it (AAPC_BUFFER_LIMIT).
/// Knows no MPI: a rank's need follows from its plan, and the caller finds the need of the rank that needs most.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "aapc/methods/buffer_limit.hpp"
#include "aapc/methods/timetables.hpp"
#include "aapc/timetable/timetable.hpp"
#include "selection/rule.hpp"

namespace aapc::selection {

/// A decision, and its replacement where its buffers would be too large.
struct LimitedDecision {
    Decision wanted;
    Decision otherwise;  ///< the rule's; also within the limit
};

/// Blocks of buffers for a timetable that forwards: one rank's, or those of the rank that needs most.
using BlocksOf = std::function<std::int64_t(const Timetable&, const Synchronisation&)>;

/// The methods of the ranges of `decision` that forward blocks, each once, with the buffers that `blocks_of` returns.
/// The list and its order are a function of network, placement and decision; the timetables stay there. Methods that
/// cannot run there are left out.
[[nodiscard]] std::vector<BufferedMethod> forwarding_methods(Timetables& timetables, const Decision& decision,
                                                             const BlocksOf& blocks_of);

/// The same for both of the decisions, and for all that with_smaller_buffers() makes of their methods.
[[nodiscard]] std::vector<BufferedMethod> forwarding_methods(Timetables& timetables, const LimitedDecision& decision,
                                                             const BlocksOf& blocks_of);

/// `decision` with the buffers of its ranges. `needs` has those of the rank that needs most for each of its methods
/// that forwards.
[[nodiscard]] Decision with_buffers(const Decision& decision, const std::vector<BufferedMethod>& needs);

/// `decision.wanted` with buffers of at most `limit` bytes (>= 0) on any rank. For a block size at which those of a
/// method are larger, its next reduction by with_smaller_buffers() that keeps within them; if there is none, the method
/// of `decision.otherwise` for that size, in the same way; if that is also too large, native. `needs` has the buffers
/// of the rank that needs most for each method of forwarding_methods(). Equal arguments, equal result: ranks that agree
/// on `needs` make the same decision.
[[nodiscard]] Decision within_limit(const LimitedDecision& decision, const std::vector<BufferedMethod>& needs,
                                    std::int64_t limit);

}  // namespace aapc::selection
