/// @file
/// A clock that the ranks of a communicator share, for exchanges on an absolute grid of time (docs/lattice.md).
#pragma once

#include "aapc/mpi/exchange.hpp"
#include "aapc/plan/plan.hpp"
#include "mpi/transport.hpp"

namespace aapc::mpi {

/// Rank 0's clock as every rank knows it: by an offset and a drift, measured along a binomial tree of the ranks by
/// asking what time it is. Of several answers the one counts that came soonest; half its way there and back is what it
/// may be wrong by, added up along the tree. The clocks of machines run apart by some millionths, so the offset is
/// measured again every so often.
class GridClock {
  public:
    /// `transport` outlives it. `fault` is of this rank's clock.
    GridClock(const Transport& transport, Rank rank, Rank participants, const ClockFault& fault);

    /// Measures the offset. Collective: ranks ask their parent in the tree and answer their children. ⌈log2 P⌉ · a few
    /// ways there and back. Returns the MPI error code.
    [[nodiscard]] int follow();

    /// The shared clock, now.
    [[nodiscard]] double seconds() const;
    /// By how much this rank may have been wrong at its last follow(); infinite before the first one. Since then it may
    /// have gone wrong by twice largest_drift() of the time that has passed.
    [[nodiscard]] double uncertainty_seconds() const { return uncertainty_; }
    /// Seconds per second. Clocks of computers run apart by less; so far a clock may go from one measurement to the
    /// next unsuspected.
    [[nodiscard]] static constexpr double largest_drift() { return 200e-6; }
    /// Whether the last measurement was where those before it had it, as far as both are certain.
    [[nodiscard]] bool consistent() const { return consistent_; }

  private:
    struct Answer {
        double seconds;      ///< the shared clock at the parent
        double uncertainty;  ///< of that
    };
    /// What was measured: the shared clock less this rank's, at one of its readings.
    struct Offset {
        double reading;
        double seconds;
        double uncertainty;
    };

    [[nodiscard]] double reading() const;
    [[nodiscard]] double shared_at(double reading) const;
    int ask(Rank parent);
    int answer(Rank child);
    void learn(const Offset& measured);

    const Transport& transport_;
    Rank rank_;
    Rank participants_;
    ClockFault fault_;
    double made_;
    Offset first_{};  ///< since the clock was last believed anew
    Offset last_{};
    bool known_ = false;
    bool consistent_ = false;
    double drift_ = 0;
    double uncertainty_;
};

}  // namespace aapc::mpi
