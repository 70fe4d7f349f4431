// What a communicator does for the recorder.
#include "aapc/plan/plan.hpp"
#include "interposer/communicator.hpp"

namespace aapc::interposer {

std::optional<mpi::SegmentLog::Noting> CommunicatorState::note_segments(const Plan& plan) {
    Recorder* const recorder = job_->recorder();
    if (recorder == nullptr || recorded_name_ < 0 || plan.synchronisation.kind != Synchronisation::Kind::timed) {
        return std::nullopt;
    }
    const std::uint32_t exchange = ++exchanges_noted_;
    if (!recorder->wants_segments_of(exchange)) {
        return std::nullopt;
    }
    noted_.exchange = exchange;
    return recorder->note_segments(recorded_name_, exchange, plan.rank);
}

int CommunicatorState::run(const UnequalCall& call) {
    Recorder* const recorder = job_->recorder();
    if (recorder == nullptr) {
        return unequal_->run(call);
    }
    noted_.unequal_method = recorder->method_number(unequal_->method());
    const auto noting = note_segments(unequal_->plan());
    const int error = unequal_->run(call);
    noted_.waited_seconds = unequal_->waited_seconds();
    return error;
}

}  // namespace aapc::interposer
