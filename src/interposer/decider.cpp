#include "interposer/decider.hpp"

#include <string_view>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"
#include "interposer/this_mpi.hpp"
#include "mpi/ranks.hpp"
#include "selection/buffers.hpp"

namespace aapc::interposer {

namespace {

/// The MPI that a rule has to be for. What another MPI's native routine was faster than is worth a try where calls show
/// which is faster.
std::string_view mpi_of_rule(const selection::Configuration& configuration) {
    return configuration.adapt ? "" : this_mpi().name;
}

}  // namespace

selection::Decision Decider::decide_otherwise(double start_seconds) const {
    return selection::decide(*timetables_, {std::nullopt, configuration_->forced.synchronisation}, nullptr,
                             mpi_of_rule(*configuration_), start_seconds);
}

selection::Decision Decider::decide(double start_seconds) const {
    selection::Decision wanted =
        selection::decide(*timetables_, configuration_->forced, tuning_, mpi_of_rule(*configuration_), start_seconds);
    if (needs_.empty()) {
        return wanted;
    }
    if (!configuration_->buffer_limit) {
        return selection::with_buffers(wanted, needs_);
    }
    // What the user insists on has been decided upon; what takes its place is for the rule to say.
    return selection::within_limit({std::move(wanted), decide_otherwise(start_seconds)}, needs_,
                                   *configuration_->buffer_limit);
}

void Decider::find_needs(MPI_Comm comm, const selection::Decision& decision, double start_seconds) {
    if (!configuration_->buffer_limit && configuration_->verbosity < 1) {
        return;
    }
    const auto blocks_of = [rank = mpi::rank_in(comm)](const Timetable& timetable,
                                                       const Synchronisation& synchronisation) {
        return buffer_blocks(make_plan(timetable, rank, synchronisation));
    };
    if (configuration_->buffer_limit) {
        const selection::LimitedDecision limited = {decision, decide_otherwise(start_seconds)};
        needs_ = selection::forwarding_methods(*timetables_, limited, blocks_of);
    } else {
        needs_ = selection::forwarding_methods(*timetables_, decision, blocks_of);
    }
}

bool Decider::find_largest_needs(MPI_Comm comm) {
    bool found = true;
    for (BufferedMethod& need : needs_) {
        const mpi::Agreed agreed = mpi::Agreement().agree(comm, {.maxima = {&need.buffer_blocks, 1}});
        found = found && agreed.error == MPI_SUCCESS;
        need.buffer_blocks = agreed.maxima[0];
    }
    return found;
}

}  // namespace aapc::interposer
