/// @file
/// When unequal messages (MPI_Alltoallv) are exchanged and not left to the MPI, and when nobody even asks. Knows no
/// MPI; what it looks at is the same on all ranks, so they decide alike.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "aapc/demand/link_loads.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/selection/tuning.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::selection {

/// What the user wants (AAPC_ALLTOALLV).
enum class UnequalUse : std::uint8_t {
    automatic,  ///< where it pays
    always,     ///< wherever there is something on the links
    never,
};

/// "auto", "always" or "never"; empty is "auto". The diagnostic has no file.
[[nodiscard]] Expected<UnequalUse> parse_unequal_use(std::string_view text);

/// What a call is exchanged by on networks of that kind: the formula, whose queues are shorter than those of settled
/// slots where messages are unequal (docs/unequal.md).
[[nodiscard]] Expected<Method> method_for_unequal(NetworkKind kind);

/// From which bound on unequal messages are worth a start (crossover.hpp), in seconds; the agreement on a call comes on
/// top of it.
struct UnequalCrossover {
    double usual_seconds = 0;
    double at_one_link_seconds = 0;  ///< where one link needs at least twice as long as all others
};

/// `start_seconds` is what a start costs, if anybody knows. `bound` is that of network and placement; the speeds of its
/// links are known.
[[nodiscard]] UnequalCrossover unequal_crossover(const Network& network, const Placement& placement, const Bound& bound,
                                                 std::optional<double> start_seconds);

/// Whether one link needs at least twice as long as all others: of a hot receiver, say.
[[nodiscard]] bool is_at_one_link(const DemandBound& bound);

/// That method, prepared for messages of any lengths, or why it cannot be had there. As prepare(); `bound` is that of
/// the network and placement. Throws std::bad_alloc.
[[nodiscard]] Expected<Prepared> prepare_for_unequal(const Network& network, const Placement& placement,
                                                     const Bound& bound, const Method& method);

/// Whether a call of that bound is worth exchanging, where an agreement takes `agreement_seconds` (0: not known): like
/// a start, it has to be paid by what a schedule gains. The bound may be so many times as short as what is asked for:
/// 1, or more for those who can find out.
[[nodiscard]] bool worth_exchanging(UnequalUse use, const DemandBound& bound, double agreement_seconds,
                                    const UnequalCrossover& crossover, double uncertainty = 1);

/// What a tuning of unequal messages takes for a call whose bound is as long as that of equal messages of `bytes`. It
/// points into the tuning. O(ranges).
[[nodiscard]] const Method& tuned_method(const Tuning& tuning, std::int64_t bytes);

/// Which calls on a communicator the ranks agree on at all. Programs with small messages make many calls, and a
/// reduction costs them more than it could ever gain: after a few such calls in a row only every other one is asked
/// about, then every fourth and so on, until one is worth it again. A function of what it is told: ranks that tell it
/// the same agree without asking.
class Inquiry {
  public:
    /// So many calls in a row are looked at before any is passed over.
    static constexpr int patience = 4;
    /// At least every so many calls one is looked at.
    static constexpr int longest_distance = 1024;

    explicit Inquiry(UnequalUse use) : use_(use) {}

    /// Whether the ranks agree on the next call. Once for each call.
    [[nodiscard]] bool asks();
    /// What came of it.
    void learn(bool worth);

  private:
    UnequalUse use_;
    int in_vain_ = 0;   ///< in a row
    int distance_ = 1;  ///< from one call that is looked at to the next
    int left_ = 0;      ///< calls that are passed over before that
};

}  // namespace aapc::selection
