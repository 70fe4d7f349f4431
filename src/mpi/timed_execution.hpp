/// @file
/// `timed`: every segment of a message starts by the clock, in its phase's slot or at its tick of the cycle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>
#include <vector>

#include "aapc/plan/pacing.hpp"
#include "mpi/common_start.hpp"
#include "mpi/execution.hpp"
#include "mpi/grid_clock.hpp"
#include "mpi/pending.hpp"
#include "mpi/timed_run.hpp"

namespace aapc::mpi {

/// No synchronisation messages but those of a common start; on the grid not even those, most of the time. Keeps,
/// between calls, what it learnt about the pace that the network bears.
/// Ranks agree on the pace from the lateness of all, and on the segments when the exchange is made.
class TimedExecution : public Execution {
  public:
    TimedExecution(const Transport& transport, const Plan& plan, const ExchangeOptions& options, LocalCopies* copies);
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    /// Messages of about one size. All ranks know the same of them.
    struct Size {
        PaceController controller;
        int common_starts = 0;  ///< in a row, each with what the one before it showed
        int on_grid = 0;        ///< calls since then

        explicit Size(double initial_pace) : controller(initial_pace) {}
    };
    [[nodiscard]] Size& size_of(std::size_t block_bytes);

    [[nodiscard]] bool starts_on_grid(const Size& size, double slot_seconds) const;
    int start_together(Size& size, double slot_seconds, std::size_t block_bytes);
    int follow_clock(double slot_seconds);
    void trust_clock(double uncertainty_seconds);
    double choose_pace(Size& size, double last_late_seconds, bool paths_change);

    const Transport& transport_;
    const Plan& plan_;
    LocalCopies* copies_;
    Cadence cadence_;
    std::vector<Size> sizes_;       ///< by the number of binary digits of the message size
    Size* started_last_ = nullptr;  ///< whose pace the last exchange had, if it began with a common start
    Pending pending_;               ///< for the common start
    TimedRequests requests_;
    std::vector<std::pair<double, Rank>> first_sends_;  ///< of a call on the grid: when they start, and for whom
    GridClock clock_;
    /// By how much any rank may be wrong about the time; infinite: a clock is not to be trusted.
    double clock_uncertainty_seconds_ = std::numeric_limits<double>::infinity();
    int common_starts_left_ = 0;  ///< until a clock that was not to be trusted is tried again
    int clock_patience_ = 32;     ///< how many after the next disappointment
    PathsInCommon paths_;
    bool clock_is_new_ = false;  ///< nothing was on the grid since it was last set
};

}  // namespace aapc::mpi
