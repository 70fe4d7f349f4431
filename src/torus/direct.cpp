#include "torus/direct.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "aapc/torus.hpp"
#include "torus/participation.hpp"
#include "torus/ring_rounds.hpp"

namespace aapc::torus {

namespace {

constexpr std::string_view name = "torus-direct";

/// A machine by its row and column. A message moves along its row to the right column first, then along the column.
struct Place {
    std::int32_t row = 0;
    std::int32_t column = 0;

    friend bool operator==(const Place&, const Place&) = default;
};

/// What is done in a phase: a round of the rows' numbers with one of the columns' numbers. The slots of the one are
/// joined to those of the other: messages start where the row's slot is joined to the column's. Those that move along
/// their rows upward are joined `shift` slots apart, those downward one slot more, so that no machine does both. Along
/// the columns they move in the same direction as along the rows, or in the opposite one.
struct Pattern {
    std::int32_t row_round = 0;
    std::int32_t column_round = 0;
    bool opposite = false;
    std::int32_t shift = 0;
};

/// The messages of every phase on a torus of `rows` x `columns` machines.
class DirectFormula {
  public:
    DirectFormula(std::int32_t rows, std::int32_t columns)
        : rows_(rows), columns_(columns), shifts_(std::max(rows_.slots(), columns_.slots())) {}

    [[nodiscard]] Phase phases() const { return Phase{2} * rows_.rounds() * columns_.rounds() * shifts_; }

    /// The phase of the message between two different places.
    [[nodiscard]] Phase phase_of(Place from, Place to) const {
        const std::int32_t row_round = rows_.round_of(from.row, to.row);
        const std::int32_t column_round = columns_.round_of(from.column, to.column);
        const bool up_along_row = columns_.goes_up(from.column, to.column);
        const bool up_along_column = rows_.goes_up(from.row, to.row);
        const std::int32_t shift = wrapped(columns_.slot_of(column_round, from.column) -
                                           rows_.slot_of(row_round, from.row) - offset(up_along_row));
        const bool opposite = up_along_row != up_along_column;
        return ((Phase{row_round} * columns_.rounds() + column_round) * 2 + (opposite ? 1 : 0)) * shifts_ + shift;
    }

    /// Where the machine at `from` sends to in `phase`, if it sends.
    [[nodiscard]] std::optional<Place> destination(Phase phase, Place from) const {
        const Pattern pattern = pattern_of(phase);
        for (const bool up : {true, false}) {
            if (is_joined(pattern, from, up)) {
                const Place to{rows_.destination(pattern.row_round, from.row, up != pattern.opposite),
                               columns_.destination(pattern.column_round, from.column, up)};
                return to == from ? std::nullopt : std::optional(to);
            }
        }
        return std::nullopt;
    }

    /// Who sends to the machine at `to` in `phase`, if anybody does.
    [[nodiscard]] std::optional<Place> origin(Phase phase, Place to) const {
        const Pattern pattern = pattern_of(phase);
        for (const bool up : {true, false}) {
            if (is_joined(pattern, to, up)) {
                const Place from{rows_.origin(pattern.row_round, to.row, up != pattern.opposite),
                                 columns_.origin(pattern.column_round, to.column, up)};
                return from == to ? std::nullopt : std::optional(from);
            }
        }
        return std::nullopt;
    }

    /// Who sends over the link along the row from `place`, upward or downward, in `phase`, if anybody does.
    [[nodiscard]] std::optional<Place> user_along_row(Phase phase, Place place, bool up) const {
        const Pattern pattern = pattern_of(phase);
        const std::int32_t slot = wrapped(rows_.slot_of(pattern.row_round, place.row) + pattern.shift + offset(up));
        if (slot >= columns_.slots()) {
            return std::nullopt;
        }
        return Place{place.row, columns_.user_of_link(pattern.column_round, slot, place.column, up)};
    }

    /// The same for the link along the column.
    [[nodiscard]] std::optional<Place> user_along_column(Phase phase, Place place, bool up) const {
        const Pattern pattern = pattern_of(phase);
        const bool up_along_row = up != pattern.opposite;
        const std::int32_t slot =
            wrapped(columns_.slot_of(pattern.column_round, place.column) - pattern.shift - offset(up_along_row));
        if (slot >= rows_.slots()) {
            return std::nullopt;
        }
        return Place{rows_.user_of_link(pattern.row_round, slot, place.row, up),
                     columns_.origin(pattern.column_round, place.column, up_along_row)};
    }

  private:
    [[nodiscard]] static std::int32_t offset(bool up) { return up ? 0 : 1; }
    /// `value` is at least -2·shifts.
    [[nodiscard]] std::int32_t wrapped(std::int32_t value) const { return (value + 2 * shifts_) % shifts_; }

    [[nodiscard]] Pattern pattern_of(Phase phase) const {
        Pattern pattern;
        pattern.shift = static_cast<std::int32_t>(phase % shifts_);
        phase /= shifts_;
        pattern.opposite = phase % 2 == 1;
        phase /= 2;
        pattern.column_round = static_cast<std::int32_t>(phase % columns_.rounds());
        pattern.row_round = static_cast<std::int32_t>(phase / columns_.rounds());
        return pattern;
    }

    [[nodiscard]] bool is_joined(const Pattern& pattern, Place place, bool up) const {
        return columns_.slot_of(pattern.column_round, place.column) ==
               wrapped(rows_.slot_of(pattern.row_round, place.row) + pattern.shift + offset(up));
    }

    RingRounds rows_;
    RingRounds columns_;
    std::int32_t shifts_;
};

class DirectTimetable final : public Timetable {
  public:
    DirectTimetable(TorusGrid grid, Participation participation)
        : grid_(std::move(grid)), participation_(std::move(participation)), formula_(grid_.side(0), grid_.side(1)) {}

    [[nodiscard]] Rank participants() const override { return participation_.ranks(); }
    [[nodiscard]] Phase phases() const override { return formula_.phases(); }
    [[nodiscard]] Guarantee guarantee() const override {
        return participation_.everywhere() ? Guarantee::shortest : Guarantee::contention_free;
    }

    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        std::vector<Transfer> sends;
        for (Rank other = 0; other < participants(); ++other) {
            if (other != rank) {
                sends.push_back({formula_.phase_of(place_of(rank), place_of(other)), rank, other});
            }
        }
        std::sort(sends.begin(), sends.end());
        return sends;
    }

    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        std::vector<Transfer> receives;
        for (Rank other = 0; other < participants(); ++other) {
            if (other != rank) {
                receives.push_back({formula_.phase_of(place_of(other), place_of(rank)), other, rank});
            }
        }
        std::sort(receives.begin(), receives.end());
        return receives;
    }

    void append_previous_users(const Transfer& transfer, std::vector<Transfer>& out) const override {
        append_users(transfer, -1, out);
    }
    void append_next_users(const Transfer& transfer, std::vector<Transfer>& out) const override {
        append_users(transfer, 1, out);
    }

  private:
    [[nodiscard]] Place place_of(Rank rank) const {
        const Machine machine = participation_.machine_of(rank);
        return {grid_.coordinate(machine, 0), grid_.coordinate(machine, 1)};
    }
    [[nodiscard]] Rank rank_at(Place place) const {
        return participation_.rank_on(place.row * grid_.stride(0) + place.column * grid_.stride(1));
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
        const std::int32_t along_row = grid_.hops(1, from.column, to.column);
        for (Place at = from; at.column != to.column; at.column = next(1, at.column, along_row > 0)) {
            append_first(
                transfer, step, [&](Phase phase) { return formula_.user_along_row(phase, at, along_row > 0); }, out);
        }
        const std::int32_t along_column = grid_.hops(0, from.row, to.row);
        for (Place at{from.row, to.column}; at.row != to.row; at.row = next(0, at.row, along_column > 0)) {
            append_first(
                transfer, step, [&](Phase phase) { return formula_.user_along_column(phase, at, along_column > 0); },
                out);
        }
    }

    [[nodiscard]] std::int32_t next(std::size_t dimension, std::int32_t coordinate, bool up) const {
        const std::int32_t side = grid_.side(dimension);
        return (coordinate + (up ? 1 : side - 1)) % side;
    }

    TorusGrid grid_;
    Participation participation_;
    DirectFormula formula_;
};

}  // namespace

Expected<std::unique_ptr<Timetable>> build_direct(const Network& network, const Demand& demand,
                                                  std::string_view /*variant*/) {
    const std::optional<TorusWiring> wiring = TorusWiring::find(network);
    if (!wiring) {
        return failure({"", 0, 0, "the links of this network are not those of a torus", "describe a torus"});
    }
    const TorusGrid& grid = wiring->grid();
    const auto multiple_of_four = [](std::int32_t side) { return side % 4 == 0; };
    const bool fits = grid.dimensions() == 2 &&
                      std::all_of(grid.sides().begin(), grid.sides().end(), multiple_of_four) &&
                      std::max(grid.side(0), grid.side(1)) >= 8;
    if (!fits) {
        return failure({"", 0, 0,
                        fmt::format("algorithm '{}' is for tori of two sides that are multiples of 4, one of them at "
                                    "least 8, and this one is {}",
                                    name, grid.text()),
                        "choose algorithm 'torus', which takes any sides"});
    }
    Expected<Participation> participation = Participation::find(network, demand, name);
    if (!participation) {
        return failure(participation.error());
    }
    return std::make_unique<DirectTimetable>(grid, std::move(*participation));
}

}  // namespace aapc::torus
