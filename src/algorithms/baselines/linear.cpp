#include "algorithms/baselines/linear.hpp"

namespace aapc::baselines {

namespace {

class LinearTimetable final : public Timetable {
  public:
    explicit LinearTimetable(Rank participants) : participants_(participants) {}

    [[nodiscard]] Rank participants() const override { return participants_; }
    [[nodiscard]] Phase phases() const override { return participants_ > 1 ? participants_ : 0; }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::nothing; }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        return with_all_others(rank, [&](Rank other) { return Transfer{other, rank, other}; });
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        return with_all_others(rank, [&](Rank other) { return Transfer{rank, other, rank}; });
    }

  private:
    template <class MakeTransfer>
    [[nodiscard]] std::vector<Transfer> with_all_others(Rank rank, MakeTransfer make) const {
        std::vector<Transfer> transfers;
        transfers.reserve(static_cast<std::size_t>(participants_));
        for (Rank other = 0; other < participants_; ++other) {
            if (other != rank) {
                transfers.push_back(make(other));
            }
        }
        return transfers;
    }

    Rank participants_;
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build_linear(const Network& /*network*/, const Placement& placement,
                                                  std::string_view /*variant*/) {
    return std::make_unique<LinearTimetable>(placement.participants());
}

}  // namespace aapc::baselines
