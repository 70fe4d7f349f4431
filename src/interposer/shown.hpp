/// @file
/// What the calls of a job's communicators have shown, for its other communicators whose ranks sit alike.
#pragma once

#include <cstdint>
#include <vector>

#include "aapc/methods/method.hpp"
#include "aapc/topology/placement.hpp"
#include "learning/learner.hpp"

namespace aapc::interposer {

/// By one communicator, and by those that it has gone on with.
struct Shown {
    std::vector<Method> methods;  ///< what the learner's numbers of candidates stand for
    learning::Learner learner;
    std::int64_t calls = 0;  ///< of all these communicators; 0: nothing has been shown
    /// By which sizes are those of blocks: communicators that sit alike may have different shares of links.
    double seconds_per_byte = 0;
};

/// The calls that a learner knows of.
[[nodiscard]] inline std::int64_t calls_of(const learning::Learner& learner) { return learner.budget().calls; }

/// By communicators that are freed. Of each placement and kind of messages it has what most calls have shown. Not for
/// concurrent use.
class ShownByOthers {
  public:
    /// Keeps it, unless more is known. Throws std::bad_alloc, and may have forgotten something then. O(kept · ranks).
    void keep(const Placement& placement, bool unequal, Shown shown);
    /// Null: nothing. O(kept · ranks).
    [[nodiscard]] const Shown* find(const Placement& placement, bool unequal) const;

  private:
    static constexpr std::size_t most_kept = 64;  ///< the oldest go first
    struct Kept {
        std::vector<Machine> machine_of;
        bool unequal;
        Shown shown;
    };
    std::vector<Kept> kept_;  ///< the newest last
};

}  // namespace aapc::interposer
