#include "algorithms/torus/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/torus.hpp"
#include "algorithms/torus/participation.hpp"
#include "algorithms/torus/ring_rounds.hpp"

namespace aapc::torus {

namespace {

constexpr std::string_view direct_name = "torus-direct";

/// A machine by its coordinates. A message goes to the right place of the last dimension first.
using Place = std::array<std::int32_t, max_torus_dimensions>;

/// What is done in a phase: one round of every dimension. Machines send whose slots of all dimensions are *joined*:
/// that of the last dimension is the sum of the others, shifted; downward along the last dimension by one more than
/// upward, so that no machine does both. Along the other dimensions messages move in the same direction as along the
/// last, or in the opposite one.
struct Pattern {
    Place rounds{};
    std::array<bool, max_torus_dimensions> opposite{};  ///< [dimension]
    std::optional<bool>
        only_up;  ///< where there is one slot only, a phase serves one direction along the last dimension
    std::int32_t shift = 0;
};

/// The messages of every phase on a torus of even sides.
class DirectFormula {
  public:
    explicit DirectFormula(const TorusGrid& grid) : last_(grid.dimensions() - 1) {
        for (const std::int32_t side : grid.sides()) {
            rings_.emplace_back(side);
            shifts_ = std::max(shifts_, rings_.back().slots());
        }
    }

    [[nodiscard]] Phase phases() const {
        Phase phases = (Phase{1} << last_) * shifts_ * (is_one_way() ? 2 : 1);
        for (const RingRounds& ring : rings_) {
            phases *= ring.rounds();
        }
        return phases;
    }

    /// The phase of the message between two different places.
    [[nodiscard]] Phase phase_of(const Place& from, const Place& to) const {
        Phase phase = 0;
        Place rounds{};
        for (std::size_t dimension = 0; dimension <= last_; ++dimension) {
            rounds[dimension] = rings_[dimension].round_of(from[dimension], to[dimension]);
            phase = phase * rings_[dimension].rounds() + rounds[dimension];
        }
        const bool up = rings_[last_].goes_up(from[last_], to[last_]);
        for (std::size_t dimension = 0; dimension < last_; ++dimension) {
            phase = phase * 2 + (rings_[dimension].goes_up(from[dimension], to[dimension]) != up ? 1 : 0);
        }
        if (is_one_way()) {
            phase = phase * 2 + (up ? 1 : 0);
        }
        const std::int32_t shift = slot(last_, rounds, from) - sum_of_slots_before(last_, rounds, from) - offset(up);
        return phase * shifts_ + wrapped(shift);
    }

    /// Where the machine at `from` sends to in `phase`, if it sends.
    [[nodiscard]] std::optional<Place> destination(Phase phase, const Place& from) const {
        const Pattern pattern = pattern_of(phase);
        const std::optional<bool> up = joined_direction(pattern, from);
        if (!up) {
            return std::nullopt;
        }
        return elsewhere(from, [&](std::size_t dimension) {
            return rings_[dimension].destination(pattern.rounds[dimension], from[dimension],
                                                 *up != pattern.opposite[dimension]);
        });
    }

    /// The sender to the machine at `to` in `phase`; nullopt if there is none.
    [[nodiscard]] std::optional<Place> origin(Phase phase, const Place& to) const {
        const Pattern pattern = pattern_of(phase);
        const std::optional<bool> up = joined_direction(pattern, to);
        if (!up) {
            return std::nullopt;
        }
        return elsewhere(to, [&](std::size_t dimension) { return origin_along(pattern, dimension, to, *up); });
    }

    /// The sender in `phase` over the link from `place` along that dimension, upward or downward; nullopt if there is
    /// none.
    [[nodiscard]] std::optional<Place> user_of_link(Phase phase, std::size_t dimension, const Place& place,
                                                    bool up) const {
        const Pattern pattern = pattern_of(phase);
        const bool up_along_last = up != pattern.opposite[dimension];
        const std::optional<std::int32_t> joined = joined_slot(pattern, dimension, place, up_along_last);
        if (!joined) {
            return std::nullopt;
        }
        const std::optional<std::int32_t> start =
            rings_[dimension].user_of_link(pattern.rounds[dimension], *joined, place[dimension], up);
        if (!start) {
            return std::nullopt;
        }
        // On this link a message has still to move along the dimensions before, and has moved along those after.
        Place from = place;
        from[dimension] = *start;
        for (std::size_t moved = dimension + 1; moved <= last_; ++moved) {
            from[moved] = origin_along(pattern, moved, place, up_along_last);
        }
        return from;
    }

  private:
    /// The place whose coordinates are coordinate(dimension), unless it is `here`.
    template <typename Coordinate>
    [[nodiscard]] std::optional<Place> elsewhere(const Place& here, Coordinate coordinate) const {
        Place place{};
        for (std::size_t dimension = 0; dimension <= last_; ++dimension) {
            place[dimension] = coordinate(dimension);
        }
        return place == here ? std::nullopt : std::optional(place);
    }
    /// Two directions at once would need two ports where there is but one slot to join.
    [[nodiscard]] bool is_one_way() const { return shifts_ == 1; }
    [[nodiscard]] static std::int32_t offset(bool up) { return up ? 0 : 1; }
    [[nodiscard]] std::int32_t wrapped(std::int32_t value) const { return (value % shifts_ + shifts_) % shifts_; }
    [[nodiscard]] std::int32_t slot(std::size_t dimension, const Place& rounds, const Place& place) const {
        return rings_[dimension].slot_of(rounds[dimension], place[dimension]);
    }
    [[nodiscard]] std::int32_t sum_of_slots_before(std::size_t end, const Place& rounds, const Place& place) const {
        std::int32_t sum = 0;
        for (std::size_t dimension = 0; dimension < end; ++dimension) {
            sum += slot(dimension, rounds, place);
        }
        return sum;
    }

    [[nodiscard]] Pattern pattern_of(Phase phase) const {
        Pattern pattern;
        pattern.shift = static_cast<std::int32_t>(phase % shifts_);
        phase /= shifts_;
        if (is_one_way()) {
            pattern.only_up = phase % 2 == 1;
            phase /= 2;
        }
        for (std::size_t dimension = last_; dimension-- > 0;) {
            pattern.opposite[dimension] = phase % 2 == 1;
            phase /= 2;
        }
        for (std::size_t dimension = last_ + 1; dimension-- > 0;) {
            pattern.rounds[dimension] = static_cast<std::int32_t>(phase % rings_[dimension].rounds());
            phase /= rings_[dimension].rounds();
        }
        return pattern;
    }

    /// The slot of `dimension` that is joined with those in which `place` is in the other dimensions, if one is.
    [[nodiscard]] std::optional<std::int32_t> joined_slot(const Pattern& pattern, std::size_t dimension,
                                                          const Place& place, bool up_along_last) const {
        if (pattern.only_up.value_or(up_along_last) != up_along_last) {
            return std::nullopt;
        }
        const std::int32_t sum =
            sum_of_slots_before(last_, pattern.rounds, place) + pattern.shift + offset(up_along_last);
        const std::int32_t joined =
            dimension == last_
                ? wrapped(sum)
                : wrapped(slot(last_, pattern.rounds, place) - sum + slot(dimension, pattern.rounds, place));
        return joined < rings_[dimension].slots() ? std::optional(joined) : std::nullopt;
    }

    /// In which direction along the last dimension the machine sends, and receives, if it does.
    [[nodiscard]] std::optional<bool> joined_direction(const Pattern& pattern, const Place& place) const {
        for (const bool up : {true, false}) {
            if (joined_slot(pattern, last_, place, up) == slot(last_, pattern.rounds, place)) {
                return up;
            }
        }
        return std::nullopt;
    }

    [[nodiscard]] std::int32_t origin_along(const Pattern& pattern, std::size_t dimension, const Place& to,
                                            bool up_along_last) const {
        return rings_[dimension].origin(pattern.rounds[dimension], to[dimension],
                                        up_along_last != pattern.opposite[dimension]);
    }

    std::vector<RingRounds> rings_;  ///< [dimension]
    std::size_t last_;               ///< dimension
    std::int32_t shifts_ = 1;
};

class DirectTimetable final : public Timetable {
  public:
    DirectTimetable(TorusGrid grid, Participation participation, DirectFormula formula, Guarantee guarantee)
        : grid_(std::move(grid)),
          participation_(std::move(participation)),
          formula_(std::move(formula)),
          guarantee_(guarantee) {}

    [[nodiscard]] Rank participants() const override { return participation_.ranks(); }
    [[nodiscard]] Phase phases() const override { return formula_.phases(); }
    [[nodiscard]] Guarantee guarantee() const override { return guarantee_; }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        return with_others(rank, [&](Rank other) { return transfer_between(rank, other); });
    }

    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        return with_others(rank, [&](Rank other) { return transfer_between(other, rank); });
    }

    void append_previous_users(const Transfer& transfer, std::vector<Transfer>& out) const override {
        append_users(transfer, -1, out);
    }
    void append_next_users(const Transfer& transfer, std::vector<Transfer>& out) const override {
        append_users(transfer, 1, out);
    }

  private:
    [[nodiscard]] Transfer transfer_between(Rank from, Rank to) const {
        return {formula_.phase_of(place_of(from), place_of(to)), from, to};
    }
    /// The transfers between `rank` and every other one, by phase.
    template <class TransferWith>
    [[nodiscard]] std::vector<Transfer> with_others(Rank rank, TransferWith transfer_with) const {
        std::vector<Transfer> transfers;
        for (Rank other = 0; other < participants(); ++other) {
            if (other != rank) {
                transfers.push_back(transfer_with(other));
            }
        }
        std::sort(transfers.begin(), transfers.end());
        return transfers;
    }

    [[nodiscard]] Place place_of(Rank rank) const {
        Place place{};
        for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
            place[dimension] = grid_.coordinate(participation_.machine_of(rank), dimension);
        }
        return place;
    }
    [[nodiscard]] Rank rank_at(const Place& place) const {
        Machine machine = 0;
        for (std::size_t dimension = 0; dimension < grid_.dimensions(); ++dimension) {
            machine += place[dimension] * grid_.stride(dimension);
        }
        return participation_.rank_on(machine);
    }

    /// The message that starts at `from` in `phase`, if both its ends take part.
    [[nodiscard]] std::optional<Transfer> message_from(Phase phase, std::optional<Place> from) const {
        const std::optional<Place> to = from ? formula_.destination(phase, *from) : std::nullopt;
        if (!to || rank_at(*from) < 0 || rank_at(*to) < 0) {
            return std::nullopt;
        }
        return Transfer{phase, rank_at(*from), rank_at(*to)};
    }

    /// Walks from the transfer's phase in steps of `step` until `origin_in(phase)` says where a message comes from.
    /// With a rank on every machine that is the next phase for links of the longer side, and about the N/8th for ports.
    template <class OriginIn>
    void append_first(const Transfer& transfer, Phase step, OriginIn origin_in, std::vector<Transfer>& out) const {
        for (Phase phase = transfer.phase + step; phase >= 0 && phase < phases(); phase += step) {
            if (const std::optional<Transfer> message = message_from(phase, origin_in(phase))) {
                out.push_back(*message);
                return;
            }
        }
    }

    void append_users(const Transfer& transfer, Phase step, std::vector<Transfer>& out) const {
        const Place from = place_of(transfer.from);
        const Place to = place_of(transfer.to);
        append_first(
            transfer, step, [&](Phase) { return std::optional(from); }, out);
        append_first(
            transfer, step, [&](Phase phase) { return formula_.origin(phase, to); }, out);
        Place at = from;
        for (std::size_t dimension = grid_.dimensions(); dimension-- > 0;) {
            const bool up = grid_.hops(dimension, from[dimension], to[dimension]) > 0;
            while (at[dimension] != to[dimension]) {
                append_first(
                    transfer, step, [&](Phase phase) { return formula_.user_of_link(phase, dimension, at, up); }, out);
                at[dimension] = next(dimension, at[dimension], up);
            }
        }
    }

    [[nodiscard]] std::int32_t next(std::size_t dimension, std::int32_t coordinate, bool up) const {
        const std::int32_t side = grid_.side(dimension);
        return (coordinate + (up ? 1 : side - 1)) % side;
    }

    TorusGrid grid_;
    Participation participation_;
    DirectFormula formula_;
    Guarantee guarantee_;
};

}  // namespace

std::optional<Phase> direct_phases(const TorusGrid& grid) {
    const auto is_even = [](std::int32_t side) { return side % 2 == 0; };
    if (grid.dimensions() == 0 || !std::all_of(grid.sides().begin(), grid.sides().end(), is_even)) {
        return std::nullopt;
    }
    return DirectFormula(grid).phases();
}

Expected<std::unique_ptr<Timetable>> build_direct(const Network& network, const Placement& placement,
                                                  std::string_view /*variant*/) {
    const std::optional<TorusWiring> wiring = TorusWiring::find(network);
    if (!wiring) {
        return failure("the links of this network are not those of a torus", "describe a torus");
    }
    const TorusGrid& grid = wiring->grid();
    const std::optional<Phase> phases = direct_phases(grid);
    if (!phases) {
        return failure(fmt::format("algorithm '{}' is for tori whose sides are even, since opposite machines of a ring "
                                   "are partners in it, and this one is {}",
                                   direct_name, grid.text()),
                       "choose algorithm 'torus', which takes any sides");
    }
    Expected<Participation> participation = Participation::find(network, placement, direct_name);
    if (!participation) {
        return failure(participation.error());
    }
    const bool is_shortest = participation->everywhere() && *phases == network_bound(network, placement).messages;
    return std::make_unique<DirectTimetable>(grid, std::move(*participation), DirectFormula(grid),
                                             is_shortest ? Guarantee::shortest : Guarantee::contention_free);
}

}  // namespace aapc::torus
