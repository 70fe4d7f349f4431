#include "factor/factor_timetable.hpp"

namespace aapc::factor {

namespace {

class FlatTimetable final : public Timetable {
  public:
    explicit FlatTimetable(Rank participants) : participants_(participants) {}

    [[nodiscard]] Rank participants() const override { return participants_; }
    [[nodiscard]] Phase phases() const override { return participants_; }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::one_port; }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        std::vector<Transfer> list;
        for (Phase phase = 0; phase < participants_; ++phase) {
            const Rank partner = partner_of(rank, phase);
            if (partner != rank) {
                list.push_back({phase, rank, partner});
            }
        }
        return list;
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        std::vector<Transfer> list = sends_of(rank);
        for (Transfer& transfer : list) {
            std::swap(transfer.from, transfer.to);
        }
        return list;
    }

  private:
    [[nodiscard]] Rank partner_of(Rank rank, Phase phase) const {
        return static_cast<Rank>((phase - rank + participants_) % participants_);
    }

    Rank participants_;
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build(const Network& /*network*/, const Demand& demand,
                                           std::string_view /*variant*/) {
    return std::make_unique<FlatTimetable>(demand.participants());
}

}  // namespace aapc::factor
