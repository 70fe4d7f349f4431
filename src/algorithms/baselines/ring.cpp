#include "algorithms/baselines/ring.hpp"

#include "algorithms/baselines/step_timetable.hpp"

namespace aapc::baselines {

namespace {

class RingTimetable final : public StepTimetable {
  public:
    using StepTimetable::StepTimetable;

  private:
    [[nodiscard]] Rank receiver_for(Rank rank, Rank step) const override { return ahead(rank, step); }
    [[nodiscard]] Rank sender_for(Rank rank, Rank step) const override { return behind(rank, step); }
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build_ring(const Network& /*network*/, const Placement& placement,
                                                std::string_view /*variant*/) {
    return std::make_unique<RingTimetable>(placement.participants());
}

}  // namespace aapc::baselines
