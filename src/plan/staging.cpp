#include "aapc/plan/staging.hpp"

#include <algorithm>
#include <utility>

namespace aapc {

namespace {

bool overlap(const BlockRun& one, const BlockRun& other) {
    return one.buffer == other.buffer && one.first < other.first + other.blocks && other.first < one.first + one.blocks;
}

/// Goes through a plan phase by phase.
class StagingPlanner {
  public:
    explicit StagingPlanner(const Plan& plan)
        : plan_(plan),
          staging_{std::vector(plan.sends.size(), Staging::in_place),
                   std::vector(plan.receives.size(), Staging::in_place), 0, 0, 0} {}

    Staging plan() {
        for (const PhaseSteps& steps : steps_by_phase(plan_)) {
            in_use_ = 0;
            std::vector<BlockRun> received_in_place;
            for (std::size_t receive = steps.first_receive; receive < steps.end_of_receives; ++receive) {
                stage_receive(receive, received_in_place);
            }
            for (std::size_t send = steps.first_send; send < steps.end_of_sends; ++send) {
                stage_send(send, received_in_place);
            }
            staging_.blocks = std::max(staging_.blocks, in_use_);
        }
        return std::move(staging_);
    }

  private:
    void stage_receive(std::size_t index, std::vector<BlockRun>& received_in_place) {
        const std::vector<BlockRun>& runs = plan_.forwarding->of_receive[index];
        if (runs.size() == 1) {
            received_in_place.push_back(runs.front());
        } else {
            staging_.of_receive[index] = stage(runs);
        }
    }

    /// What is received in place in the same phase may overwrite what is sent: the plan may use a place again as soon
    /// as its block is packed.
    void stage_send(std::size_t index, const std::vector<BlockRun>& received_in_place) {
        const std::vector<BlockRun>& runs = plan_.forwarding->of_send[index];
        const bool overwritten = std::any_of(received_in_place.begin(), received_in_place.end(),
                                             [&](const BlockRun& received) { return overlap(runs.front(), received); });
        if (runs.size() != 1 || overwritten) {
            staging_.of_send[index] = stage(runs);
        }
    }

    std::ptrdiff_t stage(const std::vector<BlockRun>& runs) {
        const std::size_t start = in_use_;
        in_use_ += count_blocks(runs);
        staging_.copied_blocks += static_cast<std::int64_t>(in_use_ - start);
        staging_.copies += static_cast<std::int64_t>(runs.size());
        return static_cast<std::ptrdiff_t>(start);
    }

    const Plan& plan_;
    Staging staging_;
    std::size_t in_use_ = 0;  ///< in the phase that is looked at
};

}  // namespace

std::vector<PhaseSteps> steps_by_phase(const Plan& plan) {
    std::vector<PhaseSteps> all;
    std::size_t send = 0;
    std::size_t receive = 0;
    while (send < plan.sends.size() || receive < plan.receives.size()) {
        PhaseSteps steps;
        steps.phase = std::min(send < plan.sends.size() ? plan.sends[send].phase : plan.phases,
                               receive < plan.receives.size() ? plan.receives[receive].phase : plan.phases);
        steps.first_send = send;
        while (send < plan.sends.size() && plan.sends[send].phase == steps.phase) {
            ++send;
        }
        steps.end_of_sends = send;
        steps.first_receive = receive;
        while (receive < plan.receives.size() && plan.receives[receive].phase == steps.phase) {
            ++receive;
        }
        steps.end_of_receives = receive;
        all.push_back(steps);
    }
    return all;
}

std::size_t count_blocks(const std::vector<BlockRun>& runs) {
    std::size_t blocks = 0;
    for (const BlockRun& run : runs) {
        blocks += static_cast<std::size_t>(run.blocks);
    }
    return blocks;
}

Staging plan_staging(const Plan& plan) { return plan.forwarding ? StagingPlanner(plan).plan() : Staging{}; }

std::int64_t buffer_blocks(const Plan& plan) {
    return plan.forwarding ? plan.forwarding->transit_blocks + static_cast<std::int64_t>(plan_staging(plan).blocks) : 0;
}

}  // namespace aapc
