#include "algorithms/baselines/bruck.hpp"

#include <algorithm>
#include <charconv>

namespace aapc::baselines {

namespace {

/// What moves in one phase: the blocks whose distance has a certain digit in a certain place.
struct Round {
    std::int64_t place = 1;  ///< the worth of the digit: a power of the radix
    std::int64_t shift = 1;  ///< digit times worth: how far every rank's message goes
};

class BruckTimetable final : public Timetable {
  public:
    BruckTimetable(Rank participants, std::int64_t radix) : participants_(participants), radix_(radix) {
        for (std::int64_t place = 1; place < participants_; place *= radix_) {
            for (std::int64_t shift = place; shift < std::min(place * radix_, participants_); shift += place) {
                rounds_.push_back({place, shift});
            }
        }
    }

    [[nodiscard]] Rank participants() const override { return static_cast<Rank>(participants_); }
    [[nodiscard]] Phase phases() const override { return static_cast<Phase>(rounds_.size()); }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::one_port; }
    [[nodiscard]] bool forwards() const override { return radix_ < participants_; }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        std::vector<Transfer> sends;
        sends.reserve(rounds_.size());
        for (const Round& round : rounds_) {
            sends.push_back({static_cast<Phase>(sends.size()), rank, wrapped(rank + round.shift)});
        }
        return sends;
    }

    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        std::vector<Transfer> receives;
        receives.reserve(rounds_.size());
        for (const Round& round : rounds_) {
            receives.push_back({static_cast<Phase>(receives.size()), wrapped(rank - round.shift), rank});
        }
        return receives;
    }

    /// From the farthest, so that what arrives lies in the receive buffer in the order of the message. A block that has
    /// travelled the lower digits of its distance is that far from its origin.
    void append_blocks(const Transfer& transfer, std::vector<Block>& out) const override {
        const Round& round = rounds_[static_cast<std::size_t>(transfer.phase)];
        const std::int64_t turn = round.place * radix_;
        std::int64_t nearest = (participants_ - 1 - round.shift) / turn * turn + round.shift;
        for (; nearest > 0; nearest -= turn) {
            for (std::int64_t travelled = std::min(round.place, participants_ - nearest) - 1; travelled >= 0;
                 --travelled) {
                const std::int64_t origin = transfer.from - travelled;
                out.push_back({wrapped(origin), wrapped(origin + nearest + travelled)});
            }
        }
    }

  private:
    /// Ranks count around a circle; `place` is less than one turn away from it.
    [[nodiscard]] Rank wrapped(std::int64_t place) const {
        return static_cast<Rank>((place + participants_) % participants_);
    }

    std::int64_t participants_;
    std::int64_t radix_;
    std::vector<Round> rounds_;
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build_bruck(const Network& /*network*/, const Placement& placement,
                                                 std::string_view variant) {
    const std::string_view digits = variant.substr(bruck_radix.size());
    Rank radix = 0;
    std::from_chars(digits.data(), digits.data() + digits.size(), radix);
    return std::make_unique<BruckTimetable>(placement.participants(), radix);
}

}  // namespace aapc::baselines
