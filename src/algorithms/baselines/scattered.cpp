#include "algorithms/baselines/scattered.hpp"

#include "algorithms/baselines/step_timetable.hpp"

namespace aapc::baselines {

namespace {

class ScatteredTimetable final : public StepTimetable {
  public:
    using StepTimetable::StepTimetable;

  private:
    [[nodiscard]] Rank receiver_for(Rank rank, Rank step) const override { return behind(rank, step); }
    [[nodiscard]] Rank sender_for(Rank rank, Rank step) const override { return ahead(rank, step); }
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build_scattered(const Network& /*network*/, const Placement& placement,
                                                     std::string_view /*variant*/) {
    return std::make_unique<ScatteredTimetable>(placement.participants());
}

}  // namespace aapc::baselines
