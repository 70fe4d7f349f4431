/// @file
/// When unequal messages (MPI_Alltoallv) are exchanged rather than native, and which calls are decided without a
/// reduction. Knows no MPI; its inputs are the same on all ranks, so all make the same decision.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/link_loads.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::selection {

/// The user's choice (AAPC_ALLTOALLV).
enum class UnequalUse : std::uint8_t {
    automatic,  ///< where it pays
    always,     ///< wherever messages cross links
    never,
};

/// "auto", "always" or "never"; empty is "auto". The diagnostic has no file.
[[nodiscard]] Expected<UnequalUse> parse_unequal_use(std::string_view text);

/// The method for calls on networks of that kind: the formula, whose queues are shorter than those of settled slots if
/// messages are unequal (docs/unequal.md).
[[nodiscard]] Expected<Method> method_for_unequal(NetworkKind kind);

/// From which bound on unequal messages are worth a start (crossover.hpp), in seconds; the agreement on a call comes on
/// top of it.
struct UnequalCrossover {
    double usual_seconds = 0;
    double at_one_link_seconds = 0;  ///< if one link needs at least twice as long as all others
};

/// `start_seconds` is the start-up overhead, nullopt if not known. `bound` is that of network and placement; the speeds
/// of its links are known.
[[nodiscard]] UnequalCrossover unequal_crossover(const Network& network, const Placement& placement, const Bound& bound,
                                                 std::optional<double> start_seconds);

/// Whether one link needs at least twice as long as all others: of a hot receiver, say.
[[nodiscard]] bool is_at_one_link(const DemandBound& bound);

/// That method, prepared for messages of any lengths, or why that is impossible there. As prepare(); `bound` is that of
/// the network and placement. Throws std::bad_alloc.
[[nodiscard]] Expected<Prepared> prepare_for_unequal(const Network& network, const Placement& placement,
                                                     const Bound& bound, const Method& method);

/// Whether a call of that bound is worth exchanging. The schedule's gain has to pay for the start and for an agreement
/// of `agreement_seconds` (0 if not known). The threshold is divided by `uncertainty`: 1, or more for callers that can
/// measure.
[[nodiscard]] bool worth_exchanging(UnequalUse use, const DemandBound& bound, double agreement_seconds,
                                    const UnequalCrossover& crossover, double uncertainty = 1);

/// The method of a tuning of unequal messages for a call whose bound is as long as that of equal messages of `bytes`.
/// Owned by the tuning. O(ranges).
[[nodiscard]] const Method& tuned_method(const Tuning& tuning, std::int64_t bytes);

/// Which calls on a communicator the ranks agree on by a reduction. Programs with small messages make many calls, and a
/// reduction costs them more than it could gain. After a few such calls in a row ranks agree on every second call only,
/// then on every fourth and so on, until one is worth it again. A function of its input: ranks with the same input
/// agree without communication.
class Inquiry {
  public:
    /// The number of calls in a row with a reduction before any is passed over.
    static constexpr int patience = 4;
    /// The longest distance between two calls with a reduction.
    static constexpr int longest_distance = 1024;

    explicit Inquiry(UnequalUse use) : use_(use) {}

    /// Whether the ranks agree on the next call. Once for each call.
    [[nodiscard]] bool asks();
    /// The result of the agreement: whether the call was worth exchanging.
    void learn(bool worth);

  private:
    UnequalUse use_;
    int in_vain_ = 0;   ///< in a row
    int distance_ = 1;  ///< from one call with a reduction to the next
    int left_ = 0;      ///< calls that are passed over before that
};

}  // namespace aapc::selection
