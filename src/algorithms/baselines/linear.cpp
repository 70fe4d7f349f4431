#include "algorithms/baselines/linear.hpp"

#include "timetable/with_all_others.hpp"

namespace aapc::baselines {

namespace {

class LinearTimetable final : public Timetable {
  public:
    explicit LinearTimetable(Rank participants) : participants_(participants) {}

    [[nodiscard]] Rank participants() const override { return participants_; }
    [[nodiscard]] Phase phases() const override { return participants_ > 1 ? participants_ : 0; }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::nothing; }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        return with_all_others(rank, participants_, [&](Rank other) { return Transfer{other, rank, other}; });
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        return with_all_others(rank, participants_, [&](Rank other) { return Transfer{rank, other, rank}; });
    }

  private:
    Rank participants_;
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build_linear(const Network& /*network*/, const Placement& placement,
                                                  std::string_view /*variant*/) {
    return std::make_unique<LinearTimetable>(placement.participants());
}

}  // namespace aapc::baselines
