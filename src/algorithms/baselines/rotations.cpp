#include "algorithms/baselines/rotations.hpp"

#include "algorithms/baselines/step_timetable.hpp"

namespace aapc::baselines {

namespace {

enum class Receivers { ahead, behind };

template <Receivers receivers>
class RotationTimetable final : public StepTimetable {
  public:
    using StepTimetable::StepTimetable;

  private:
    [[nodiscard]] Rank receiver_for(Rank rank, Rank step) const override {
        return receivers == Receivers::ahead ? ahead(rank, step) : behind(rank, step);
    }
    [[nodiscard]] Rank sender_for(Rank rank, Rank step) const override {
        return receivers == Receivers::ahead ? behind(rank, step) : ahead(rank, step);
    }
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build_ring(const Network& /*network*/, const Placement& placement,
                                                std::string_view /*variant*/) {
    return std::make_unique<RotationTimetable<Receivers::ahead>>(placement.participants());
}

Expected<std::unique_ptr<Timetable>> build_scattered(const Network& /*network*/, const Placement& placement,
                                                     std::string_view /*variant*/) {
    return std::make_unique<RotationTimetable<Receivers::behind>>(placement.participants());
}

}  // namespace aapc::baselines
