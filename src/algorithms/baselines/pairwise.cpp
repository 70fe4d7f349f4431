#include "algorithms/baselines/pairwise.hpp"

#include <bit>

#include "algorithms/baselines/rotations.hpp"
#include "algorithms/baselines/step_timetable.hpp"

namespace aapc::baselines {

namespace {

class PairwiseTimetable final : public StepTimetable {
  public:
    using StepTimetable::StepTimetable;

  private:
    [[nodiscard]] Rank receiver_for(Rank rank, Rank step) const override { return partner(rank, step); }
    [[nodiscard]] Rank sender_for(Rank rank, Rank step) const override { return partner(rank, step); }

    static Rank partner(Rank rank, Rank step) {
        return static_cast<Rank>(static_cast<std::uint32_t>(rank) ^ static_cast<std::uint32_t>(step));
    }
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build_pairwise(const Network& network, const Placement& placement,
                                                    std::string_view variant) {
    if (std::has_single_bit(static_cast<std::uint32_t>(placement.participants()))) {
        return std::make_unique<PairwiseTimetable>(placement.participants());
    }
    return build_ring(network, placement, variant);
}

}  // namespace aapc::baselines
