/// @file
/// `timed`: every segment of a message starts by the clock, in its phase's slot or at its tick of the cycle.
#pragma once

#include <cstdint>
#include <map>

#include "aapc/plan/pacing.hpp"
#include "mpi/execution.hpp"

namespace aapc::mpi {

/// No synchronisation messages but those of a common start. Keeps, between calls, what it learnt about the pace that
/// the network bears.
/// Ranks agree on the pace from the lateness of all, and on the segments when the exchange is made.
class TimedExecution : public Execution {
  public:
    TimedExecution(const Transport& transport, const Plan& plan, const ExchangeOptions& options, LocalCopies* copies)
        : transport_(transport), plan_(plan), copies_(copies), cadence_(options.cadence) {}
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    int agree_on_pace(std::size_t block_bytes);
    int find_maximum(double& value) const;
    double choose_pace(std::size_t block_bytes, double last_late_seconds);

    const Transport& transport_;
    const Plan& plan_;
    LocalCopies* copies_;
    Cadence cadence_;
    std::map<int, PaceController> controllers_;  ///< by the number of binary digits of the message size
    PaceController* last_controller_ = nullptr;  ///< that chose the last exchange's pace
};

/// How late this rank wakes from a short nap where nothing keeps it: the best of a few. Takes about half a millisecond.
[[nodiscard]] double wake_up_lateness_seconds();

}  // namespace aapc::mpi
