#include "algorithms/baselines/step_timetable.hpp"

namespace aapc::baselines {

std::vector<Transfer> StepTimetable::sends_of(Rank rank) const {
    std::vector<Transfer> sends;
    sends.reserve(static_cast<std::size_t>(phases()));
    for (Rank step = 1; step < participants_; ++step) {
        sends.push_back({step - 1, rank, receiver_for(rank, step)});
    }
    return sends;
}

std::vector<Transfer> StepTimetable::receives_of(Rank rank) const {
    std::vector<Transfer> receives;
    receives.reserve(static_cast<std::size_t>(phases()));
    for (Rank step = 1; step < participants_; ++step) {
        receives.push_back({step - 1, sender_for(rank, step), rank});
    }
    return receives;
}

}  // namespace aapc::baselines
