#include "aapc/plan/staging.hpp"

#include <algorithm>
#include <utility>

namespace aapc {

namespace {

std::size_t blocks_of(const std::vector<BlockRun>& runs) {
    std::size_t blocks = 0;
    for (const BlockRun& run : runs) {
        blocks += static_cast<std::size_t>(run.blocks);
    }
    return blocks;
}

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
        std::size_t send = 0;
        std::size_t receive = 0;
        while (send < plan_.sends.size() || receive < plan_.receives.size()) {
            const Phase phase =
                std::min(send < plan_.sends.size() ? plan_.sends[send].phase : plan_.phases,
                         receive < plan_.receives.size() ? plan_.receives[receive].phase : plan_.phases);
            in_use_ = 0;
            std::vector<BlockRun> received_in_place;
            for (; receive < plan_.receives.size() && plan_.receives[receive].phase == phase; ++receive) {
                stage_receive(receive, received_in_place);
            }
            for (; send < plan_.sends.size() && plan_.sends[send].phase == phase; ++send) {
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
        in_use_ += blocks_of(runs);
        staging_.copied_blocks += static_cast<std::int64_t>(in_use_ - start);
        staging_.copies += static_cast<std::int64_t>(runs.size());
        return static_cast<std::ptrdiff_t>(start);
    }

    const Plan& plan_;
    Staging staging_;
    std::size_t in_use_ = 0;  ///< in the phase that is looked at
};

}  // namespace

Staging plan_staging(const Plan& plan) { return plan.forwarding ? StagingPlanner(plan).plan() : Staging{}; }

std::int64_t buffer_blocks(const Plan& plan) {
    return plan.forwarding ? plan.forwarding->transit_blocks + static_cast<std::int64_t>(plan_staging(plan).blocks) : 0;
}

}  // namespace aapc
