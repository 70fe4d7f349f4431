#include "aapc/plan/staging.hpp"

#include <algorithm>
#include <iterator>
#include <map>
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
        for (const PhaseSteps& steps : steps_of(plan_)) {
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

    /// What is received in place in the same step may overwrite what is sent: the plan may use a place again as soon
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
    std::size_t in_use_ = 0;  ///< in the step that is looked at
};

/// What the receives of a step put into transit.
class TransitWritten {
  public:
    void clear() { ends_.clear(); }
    /// What is written over was sent on before, and then the step has ended: the runs are apart.
    void add(const std::vector<BlockRun>& runs) {
        for (const BlockRun& run : runs) {
            if (run.buffer == BlockRun::Buffer::transit) {
                ends_.emplace(run.first, run.first + run.blocks);
            }
        }
    }
    [[nodiscard]] bool is_read_by(const std::vector<BlockRun>& runs) const {
        return std::any_of(runs.begin(), runs.end(), [&](const BlockRun& run) {
            if (run.buffer != BlockRun::Buffer::transit) {
                return false;
            }
            const auto behind = ends_.lower_bound(run.first + run.blocks);
            return behind != ends_.begin() && std::prev(behind)->second > run.first;
        });
    }

  private:
    std::map<std::int32_t, std::int32_t> ends_;  ///< by the first place of a run
};

/// The phases of a window as one step, for a plan that forwards.
std::vector<PhaseSteps> joined(const Plan& plan, const std::vector<PhaseSteps>& phases) {
    const Phase window = std::clamp<Phase>(plan.synchronisation.block_phases, 1, std::max<Phase>(plan.phases, 1));
    std::vector<PhaseSteps> steps;
    TransitWritten written;
    for (const PhaseSteps& phase : phases) {
        bool joins = !steps.empty() && steps.back().phase / window == phase.phase / window;
        for (std::size_t send = phase.first_send; joins && send < phase.end_of_sends; ++send) {
            joins = !written.is_read_by(plan.forwarding->of_send[send]);
        }
        if (joins) {
            steps.back().end_of_sends = phase.end_of_sends;
            steps.back().end_of_receives = phase.end_of_receives;
        } else {
            steps.push_back(phase);
            written.clear();
        }
        for (std::size_t receive = phase.first_receive; receive < phase.end_of_receives; ++receive) {
            written.add(plan.forwarding->of_receive[receive]);
        }
    }
    return steps;
}

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

}  // namespace

std::vector<PhaseSteps> steps_of(const Plan& plan) {
    const std::vector<PhaseSteps> phases = steps_by_phase(plan);
    const bool windows = plan.forwarding && plan.synchronisation.kind == Synchronisation::Kind::window &&
                         plan.synchronisation.block_phases > 1;
    return windows ? joined(plan, phases) : phases;
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
