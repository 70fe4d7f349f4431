/// @file
/// The schedule as a function of the branch sizes alone (Faraj & Yuan 2005, sections 4.2 and 4.3, corrected and
/// extended).
///
/// In a phase every branch sends at most one global message, receives at most one, and carries at most one local
/// message u→v, whose u is the receiver of the global message (unless there is none) and whose v is its sender (unless
/// there is none). Lemma 3 then makes the phase free of contention in every tree with those branch sizes. Everything
/// here is a closed formula or a binary search over branches; there is no table of messages.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "aapc/timetable/timetable.hpp"

namespace aapc::tree {

/// A machine as the formulas see it: its branch and its number in the branch.
struct Seat {
    std::int32_t branch = -1;
    std::int32_t index = -1;

    friend bool operator==(const Seat&, const Seat&) = default;
};

/// A message in a phase.
struct SeatMessage {
    Phase phase = -1;
    Seat from;
    Seat to;
};

/// How the freedom that the papers leave is used.
enum class Pattern : std::uint8_t {
    /// The papers' rotate pattern for every T0→Tj.
    rotate,
    /// Rotate only while T0's local messages are being placed, broadcast from then on: T0 changes its sender once every
    /// |Mj| phases instead of in every phase, which takes a synchronisation off the critical path of each of them.
    late,
    /// No rotation at all; needs |M1| = |M0|.
    flat,
};

/// The phases of all messages between and inside branches.
class BranchFormula {
  public:
    /// `sizes`: descending, all positive, at least two of them, the first at most half of the sum.
    /// `pattern` flat needs sizes[1] = sizes[0].
    BranchFormula(std::vector<std::int32_t> sizes, Pattern pattern);

    [[nodiscard]] const std::vector<std::int32_t>& sizes() const { return size_; }
    /// |M0|·(|M|-|M0|).
    [[nodiscard]] Phase phases() const { return phases_; }

    /// The phase of a message between two different seats. O(log branches).
    [[nodiscard]] Phase phase_of(Seat from, Seat to) const;

    /// A set of neighbouring machines of one branch, as numbers in the branch; what hangs below one link.
    struct Group {
        std::int32_t branch = -1;
        std::int32_t first = 0;
        std::int32_t last = 0;  ///< one past the end
    };

    /// The last message in a phase before `phase` that leaves the group. O(log branches), like the following three.
    [[nodiscard]] std::optional<SeatMessage> last_leaving(const Group& group, Phase phase) const;
    /// The first message in a phase after `phase` that leaves the group.
    [[nodiscard]] std::optional<SeatMessage> first_leaving(const Group& group, Phase phase) const;
    /// The last message in a phase before `phase` that enters the group from outside.
    [[nodiscard]] std::optional<SeatMessage> last_entering(const Group& group, Phase phase) const;
    /// The first message in a phase after `phase` that enters the group from outside.
    [[nodiscard]] std::optional<SeatMessage> first_entering(const Group& group, Phase phase) const;

  private:
    /// The phases of Ti→Tj: [start, start + |Mi|·|Mj|).
    struct Segment {
        std::int32_t from;
        std::int32_t to;
        Phase start;
        Phase length;
    };
    /// Part of a cycle: the `length` residues from `first` on.
    struct Arc {
        std::int64_t first;
        std::int64_t length;
    };
    enum class Direction : std::uint8_t { backward, forward };

    [[nodiscard]] Phase start(std::int32_t i, std::int32_t j) const;
    [[nodiscard]] Segment segment(std::int32_t i, std::int32_t j) const { return {i, j, start(i, j), area(i, j)}; }
    [[nodiscard]] Phase area(std::int32_t i, std::int32_t j) const { return size(i) * size(j); }
    [[nodiscard]] std::int64_t size(std::int32_t branch) const { return size_[static_cast<std::size_t>(branch)]; }
    [[nodiscard]] std::int32_t branches() const { return static_cast<std::int32_t>(size_.size()); }

    /// Whether T0→Tj follows the rotate pattern.
    [[nodiscard]] bool rotates(std::int32_t j) const;
    /// T0→Tj by the rotate pattern repeats its senders in blocks of lcm(|M0|,|Mj|) phases and moves on by one sender
    /// from block to block.
    [[nodiscard]] std::int64_t block_length(std::int32_t j) const;
    /// The j whose phases T0→Tj contain round `round` of |M0| phases.
    [[nodiscard]] std::int32_t branch_of_round(std::int64_t round) const;
    /// How far the senders of T0 are rotated in a round: at position s of the round, T0's machine (s + rotation) mod
    /// |M0| sends.
    [[nodiscard]] std::int64_t rotation(std::int64_t round) const;
    /// The same for T0's receivers (Table 3).
    [[nodiscard]] std::int64_t receiver_shift(std::int64_t round) const;
    /// In how many rounds, from the first on, T0's local messages are placed.
    [[nodiscard]] std::int64_t local_rounds() const;

    [[nodiscard]] std::int32_t sender_at(const Segment& segment, Phase phase) const;
    [[nodiscard]] std::int32_t receiver_at(const Segment& segment, Phase phase) const;

    /// The last (first) phase at most (at least) `phase` in which the sender (receiver) of the segment is in the arc.
    [[nodiscard]] std::optional<Phase> find_sender(const Segment& segment, Arc arc, Phase phase,
                                                   Direction direction) const;
    [[nodiscard]] std::optional<Phase> find_receiver(const Segment& segment, Arc arc, Phase phase,
                                                     Direction direction) const;

    /// The segments in which a branch sends (receives) global messages follow each other in ring order; o-th of them.
    [[nodiscard]] Segment sending_segment(std::int32_t branch, std::int32_t o) const;
    [[nodiscard]] Segment receiving_segment(std::int32_t branch, std::int32_t o) const;
    template <class SegmentAt, class Find>
    [[nodiscard]] std::optional<SeatMessage> search_segments(Phase phase, Direction direction, SegmentAt segment_at,
                                                             Find find) const;

    [[nodiscard]] std::optional<SeatMessage> global_leaving(const Group& group, Phase phase, Direction direction) const;
    [[nodiscard]] std::optional<SeatMessage> global_entering(const Group& group, Phase phase,
                                                             Direction direction) const;
    /// Local messages of the group's branch with exactly one end in the group: its source (`leaving`) or its
    /// destination.
    [[nodiscard]] std::optional<SeatMessage> local_crossing(const Group& group, bool leaving, Phase phase,
                                                            Direction direction) const;
    [[nodiscard]] std::optional<SeatMessage> local_crossing_in_rounds(const Group& group, bool leaving, Phase phase,
                                                                      Direction direction) const;
    [[nodiscard]] std::optional<SeatMessage> local_crossing_in_blocks(const Group& group, bool leaving, Phase phase,
                                                                      Direction direction) const;

    std::vector<std::int32_t> size_;
    std::vector<std::int64_t> before_;  ///< before_[i] = |M0| + … + |Mi-1|; one entry more than branches
    Pattern pattern_;
    Phase phases_ = 0;
    std::vector<std::int64_t> inverse_;  ///< inverse of |Mj|/D modulo |M0|/D, D = gcd(|M0|, |Mj|); rotating j only
};

}  // namespace aapc::tree
