/// @file
/// `timed`: every segment of a message starts by the clock, in its phase's slot.
#pragma once

#include <cstdint>
#include <map>

#include "aapc/plan/pacing.hpp"
#include "mpi/execution.hpp"

namespace aapc::mpi {

/// No synchronisation messages but those of a common start. Keeps, between calls, what it learnt about the pace that
/// the network bears.
class TimedExecution : public Execution {
  public:
    TimedExecution(const Transport& transport, const Plan& plan, const ExchangeOptions& options, LocalCopies* copies)
        : transport_(transport), plan_(plan), copies_(copies), bits_per_second_(options.bits_per_second) {}
    [[nodiscard]] int run(const Blocks& blocks) override;

  private:
    int agree_on_pace(std::size_t block_bytes);
    int find_maximum(double& value) const;
    double choose_pace(std::size_t block_bytes, double last_late_seconds);

    const Transport& transport_;
    const Plan& plan_;
    LocalCopies* copies_;
    double bits_per_second_;
    std::map<int, PaceController> controllers_;  ///< by the number of binary digits of the message size
    PaceController* last_controller_ = nullptr;  ///< that chose the last exchange's pace
};

}  // namespace aapc::mpi
