#include "algorithms/tree/branch_formula.hpp"

#include <algorithm>
#include <numeric>

namespace aapc::tree {

namespace {

/// The remainder that is never negative.
std::int64_t modulo(std::int64_t value, std::int64_t modulus) {
    const std::int64_t remainder = value % modulus;
    return remainder < 0 ? remainder + modulus : remainder;
}

/// The x in [0, modulus) with value·x ≡ 1; value and modulus are coprime.
std::int64_t inverse_modulo(std::int64_t value, std::int64_t modulus) {
    std::int64_t a = modulo(value, modulus);
    std::int64_t b = modulus;
    std::int64_t x = 1;
    std::int64_t y = 0;
    while (b != 0) {
        const std::int64_t quotient = a / b;
        std::swap(a -= quotient * b, b);
        std::swap(x -= quotient * y, y);
    }
    return modulo(x, modulus);
}

}  // namespace

BranchFormula::BranchFormula(std::vector<std::int32_t> sizes, Pattern pattern)
    : size_(std::move(sizes)), before_(size_.size() + 1, 0), pattern_(pattern), inverse_(size_.size(), 0) {
    std::partial_sum(size_.begin(), size_.end(), before_.begin() + 1, std::plus<std::int64_t>());
    phases_ = size(0) * (before_.back() - size(0));
    for (std::int32_t j = 1; j < branches(); ++j) {
        const std::int64_t divisor = std::gcd(size(0), size(j));
        inverse_[static_cast<std::size_t>(j)] = inverse_modulo(size(j) / divisor, size(0) / divisor);
    }
}

// The extended ring schedule of section 4.2: Ti→Tj are consecutive phases, in ring order from the first phase on for j
// > i, and up to the last phase for j < i.
Phase BranchFormula::start(std::int32_t i, std::int32_t j) const {
    const auto low = static_cast<std::size_t>(std::min(i, j));
    const auto high = static_cast<std::size_t>(std::max(i, j));
    return j > i ? size(i) * (before_[high] - before_[low + 1])
                 : phases_ - size(j) * (before_[high + 1] - before_[low + 1]);
}

bool BranchFormula::rotates(std::int32_t j) const {
    switch (pattern_) {
        case Pattern::rotate:
            return true;
        case Pattern::late:
            return before_[static_cast<std::size_t>(j)] - size(0) < size(0) - 1;
        case Pattern::flat:
            return false;
    }
    return true;
}

std::int64_t BranchFormula::block_length(std::int32_t j) const { return std::lcm(size(0), size(j)); }

std::int32_t BranchFormula::branch_of_round(std::int64_t round) const {
    const auto past = std::upper_bound(before_.begin() + 1, before_.end(), size(0) + round);
    return static_cast<std::int32_t>(past - before_.begin()) - 1;
}

std::int64_t BranchFormula::rotation(std::int64_t round) const {
    const std::int32_t j = branch_of_round(round);
    const std::int64_t first_round = before_[static_cast<std::size_t>(j)] - size(0);
    return (round - first_round) * size(0) / block_length(j);  // NOLINT(clang-analyzer-core.DivideZero): sizes are > 0
}

std::int64_t BranchFormula::local_rounds() const { return pattern_ == Pattern::flat ? size(0) : size(0) - 1; }

// By T0's actual sender while its local messages are being placed (Table 3), by position from then on: both papers'
// Table 4 come out, and it is right for every tree. The papers' text only has the first half, 2007's example only the
// second.
std::int64_t BranchFormula::receiver_shift(std::int64_t round) const {
    if (pattern_ == Pattern::flat) {
        return 0;
    }
    if (round < local_rounds()) {
        return rotation(round) + round + 1;
    }
    return pattern_ == Pattern::rotate ? round + 1 : 0;
}

std::int32_t BranchFormula::sender_at(const Segment& segment, Phase phase) const {
    const Phase offset = phase - segment.start;
    if (segment.from == 0 && rotates(segment.to)) {
        return static_cast<std::int32_t>((offset + offset / block_length(segment.to)) % size(0));
    }
    return static_cast<std::int32_t>(offset / size(segment.to));
}

std::int32_t BranchFormula::receiver_at(const Segment& segment, Phase phase) const {
    if (segment.to == 0) {
        return static_cast<std::int32_t>(modulo(phase + receiver_shift(phase / size(0)), size(0)));
    }
    // T0's messages meet the receivers in the order that the messages from branches behind j have (Step 1.a).
    const Phase origin = segment.from == 0 ? phases_ : segment.start;
    return static_cast<std::int32_t>(modulo(phase - origin, size(segment.to)));
}

Phase BranchFormula::phase_of(Seat from, Seat to) const {
    const std::int64_t x = from.index;
    const std::int64_t y = to.index;
    const std::int32_t i = from.branch;
    const std::int32_t j = to.branch;
    if (i == j && i == 0) {
        if (pattern_ == Pattern::flat) {
            return y * size(0) + x;
        }
        // In the round in which x follows y in Table 3, at the position at which y sends.
        const std::int64_t round = modulo(x - y - 1, size(0));
        return round * size(0) + modulo(y - rotation(round), size(0));
    }
    if (i == j) {
        // While y sends to the branch before, x is the designated receiver once (Step 5).
        const std::int64_t width = size(i - 1);
        return start(i, i - 1) + y * width + modulo(x - y * width, size(i));
    }
    const Phase first = start(i, j);
    if (j == 0) {
        const std::int64_t round = first / size(0) + x;
        return round * size(0) + modulo(y - receiver_shift(round), size(0));
    }
    if (i != 0) {
        return first + x * size(j) + y;
    }
    const std::int64_t residue = modulo(y - first + phases_, size(j));
    if (!rotates(j)) {
        return first + x * size(j) + residue;
    }
    // offset ≡ residue (mod |Mj|) and offset + block ≡ x (mod |M0|): both can only hold in one block, by the greatest
    // common divisor, and there at one offset, by the Chinese remainder theorem.
    const std::int64_t divisor = std::gcd(size(0), size(j));
    const std::int64_t block = modulo(x - residue, divisor);
    const std::int64_t steps =
        modulo((x - block - residue) / divisor * inverse_[static_cast<std::size_t>(j)], size(0) / divisor);
    return first + block * block_length(j) + residue + steps * size(j);
}

namespace {

/// The largest u ≤ t with (u + shift) mod modulus in the `length` residues from `first` on; length > 0.
std::int64_t at_or_before(std::int64_t t, std::int64_t shift, std::int64_t modulus, std::int64_t first,
                          std::int64_t length) {
    const std::int64_t beyond = modulo(t + shift - first, modulus) - (length - 1);
    return beyond > 0 ? t - beyond : t;
}

/// The smallest u ≥ t of that kind.
std::int64_t at_or_after(std::int64_t t, std::int64_t shift, std::int64_t modulus, std::int64_t first,
                         std::int64_t length) {
    const std::int64_t inside = modulo(t + shift - first, modulus);
    return inside < length ? t : t + modulus - inside;
}

}  // namespace

std::optional<Phase> BranchFormula::find_sender(const Segment& segment, Arc arc, Phase phase,
                                                Direction direction) const {
    const bool backward = direction == Direction::backward;
    std::int64_t offset = phase - segment.start;
    if (backward ? offset < 0 : offset >= segment.length) {
        return std::nullopt;
    }
    offset = std::clamp<std::int64_t>(offset, 0, segment.length - 1);
    if (segment.from != 0 || !rotates(segment.to)) {  // each sender once, for |Mj| phases
        const std::int64_t width = size(segment.to);
        const std::int64_t first = arc.first * width;
        const std::int64_t last = first + arc.length * width - 1;
        if (backward ? offset < first : offset > last) {
            return std::nullopt;
        }
        return segment.start + (backward ? std::min(offset, last) : std::max(offset, first));
    }
    // Every block has every sender, so the next block at the latest has one of the arc.
    const std::int64_t block_size = block_length(segment.to);
    std::int64_t block = offset / block_size;
    std::int64_t in_block = offset % block_size;
    while (block >= 0 && block * block_size < segment.length) {
        const std::int64_t found = backward ? at_or_before(in_block, block, size(0), arc.first, arc.length)
                                            : at_or_after(in_block, block, size(0), arc.first, arc.length);
        if (found >= 0 && found < block_size) {
            return segment.start + block * block_size + found;
        }
        block += backward ? -1 : 1;
        in_block = backward ? block_size - 1 : 0;
    }
    return std::nullopt;
}

std::optional<Phase> BranchFormula::find_receiver(const Segment& segment, Arc arc, Phase phase,
                                                  Direction direction) const {
    const bool backward = direction == Direction::backward;
    const Phase end = segment.start + segment.length;
    if (backward ? phase < segment.start : phase >= end) {
        return std::nullopt;
    }
    phase = std::clamp(phase, segment.start, end - 1);
    if (segment.to != 0) {
        const std::int64_t shift = segment.from == 0 ? -phases_ : -segment.start;
        const std::int64_t modulus = size(segment.to);
        const Phase found = backward ? at_or_before(phase, shift, modulus, arc.first, arc.length)
                                     : at_or_after(phase, shift, modulus, arc.first, arc.length);
        return found >= segment.start && found < end ? std::optional(found) : std::nullopt;
    }
    // Segments into T0 consist of whole rounds, and every round has every receiver.
    std::int64_t round = phase / size(0);
    std::int64_t position = phase % size(0);
    while (round * size(0) >= segment.start && round * size(0) < end) {
        const std::int64_t shift = receiver_shift(round);
        const std::int64_t found = backward ? at_or_before(position, shift, size(0), arc.first, arc.length)
                                            : at_or_after(position, shift, size(0), arc.first, arc.length);
        if (found >= 0 && found < size(0)) {
            return round * size(0) + found;
        }
        round += backward ? -1 : 1;
        position = backward ? size(0) - 1 : 0;
    }
    return std::nullopt;
}

BranchFormula::Segment BranchFormula::sending_segment(std::int32_t branch, std::int32_t o) const {
    return segment(branch, (branch + 1 + o) % branches());
}

BranchFormula::Segment BranchFormula::receiving_segment(std::int32_t branch, std::int32_t o) const {
    return segment((branch - 1 - o + 2 * branches()) % branches(), branch);
}

/// Segments segment_at(0), segment_at(1), … are disjoint and in order of time. Finds the one at `phase` or next to it
/// and looks on from there; every segment has a phase of every sender and every receiver, so at most two are looked at.
template <class SegmentAt, class Find>
std::optional<SeatMessage> BranchFormula::search_segments(Phase phase, Direction direction, SegmentAt segment_at,
                                                          Find find) const {
    const std::int32_t count = branches() - 1;
    std::int32_t low = 0;  // the first segment that starts after `phase`
    std::int32_t high = count;
    while (low < high) {
        const std::int32_t middle = (low + high) / 2;
        if (segment_at(middle).start <= phase) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    const std::int32_t step = direction == Direction::backward ? -1 : 1;
    for (std::int32_t o = step < 0 ? low - 1 : std::max(low - 1, 0); o >= 0 && o < count; o += step) {
        const Segment candidate = segment_at(o);
        if (const std::optional<Phase> found = find(candidate)) {
            return SeatMessage{
                *found, {candidate.from, sender_at(candidate, *found)}, {candidate.to, receiver_at(candidate, *found)}};
        }
    }
    return std::nullopt;
}

std::optional<SeatMessage> BranchFormula::global_leaving(const Group& group, Phase phase, Direction direction) const {
    const Arc arc{group.first, group.last - group.first};
    return search_segments(
        phase, direction, [&](std::int32_t o) { return sending_segment(group.branch, o); },
        [&](const Segment& candidate) { return find_sender(candidate, arc, phase, direction); });
}

std::optional<SeatMessage> BranchFormula::global_entering(const Group& group, Phase phase, Direction direction) const {
    const Arc arc{group.first, group.last - group.first};
    return search_segments(
        phase, direction, [&](std::int32_t o) { return receiving_segment(group.branch, o); },
        [&](const Segment& candidate) { return find_receiver(candidate, arc, phase, direction); });
}

std::optional<SeatMessage> BranchFormula::local_crossing(const Group& group, bool leaving, Phase phase,
                                                         Direction direction) const {
    if (group.last - group.first == size(group.branch)) {
        return std::nullopt;  // the whole branch: its local messages stay inside
    }
    return group.branch == 0 && pattern_ != Pattern::flat ? local_crossing_in_rounds(group, leaving, phase, direction)
                                                          : local_crossing_in_blocks(group, leaving, phase, direction);
}

// T0 under rotation: in round r, at position s, z = s + rotation sends a global message and x = z + r + 1 receives one;
// the local message is x→z.
std::optional<SeatMessage> BranchFormula::local_crossing_in_rounds(const Group& group, bool leaving, Phase phase,
                                                                   Direction direction) const {
    const bool backward = direction == Direction::backward;
    const std::int64_t modulus = size(0);
    const std::int64_t length = group.last - group.first;
    const Phase end = local_rounds() * modulus;
    if (backward ? phase < 0 : phase >= end) {
        return std::nullopt;
    }
    phase = std::clamp<Phase>(phase, 0, end - 1);
    std::int64_t round = phase / modulus;
    std::int64_t position = phase % modulus;
    while (round >= 0 && round < local_rounds()) {
        const std::int64_t distance = round + 1;
        // The e for which x = first + e is in the group and z = x - distance is not; or z = first + e in and x out.
        const std::int64_t low = leaving ? std::max<std::int64_t>(0, length + distance - modulus)
                                         : std::max<std::int64_t>(0, length - distance);
        const std::int64_t high = leaving ? std::min(length, distance) : std::min(length, modulus - distance);
        const std::int64_t turn = rotation(round);
        const std::int64_t shift = leaving ? turn + distance : turn;
        const std::int64_t first = group.first + low;
        const std::int64_t found = backward ? at_or_before(position, shift, modulus, first, high - low)
                                            : at_or_after(position, shift, modulus, first, high - low);
        if (found >= 0 && found < modulus) {
            const std::int64_t z = (found + turn) % modulus;
            const std::int64_t x = (z + distance) % modulus;
            return SeatMessage{
                round * modulus + found, {0, static_cast<std::int32_t>(x)}, {0, static_cast<std::int32_t>(z)}};
        }
        round += backward ? -1 : 1;
        position = backward ? modulus - 1 : 0;
    }
    return std::nullopt;
}

// Elsewhere: z sends global messages for `width` phases; in the first |Mi| of them x, the designated receiver, runs
// through all machines, and the local message is x→z.
std::optional<SeatMessage> BranchFormula::local_crossing_in_blocks(const Group& group, bool leaving, Phase phase,
                                                                   Direction direction) const {
    const bool backward = direction == Direction::backward;
    const std::int32_t i = group.branch;
    const std::int64_t modulus = size(i);
    const std::int64_t width = i == 0 ? modulus : size(i - 1);
    const Phase origin = i == 0 ? 0 : start(i, i - 1);
    const Arc inside{group.first, group.last - group.first};
    const Arc outside{group.last, modulus - inside.length};
    const Arc sources = leaving ? inside : outside;

    if (backward ? phase < origin : phase >= origin + modulus * width) {
        return std::nullopt;
    }
    const Phase offset = std::max(phase, origin) - origin;
    std::int64_t z = std::min(offset / width, modulus - 1);
    std::int64_t position = offset - z * width;
    if (position >= modulus) {  // in the rest of a block, where nothing local is placed
        z += backward ? 0 : 1;
        position = backward ? modulus - 1 : 0;
    }
    while (z >= 0 && z < modulus) {
        const bool z_inside = z >= group.first && z < group.last;
        if (z_inside != leaving) {
            const std::int64_t shift = z * width;
            const std::int64_t found = backward ? at_or_before(position, shift, modulus, sources.first, sources.length)
                                                : at_or_after(position, shift, modulus, sources.first, sources.length);
            if (found >= 0 && found < modulus) {
                return SeatMessage{origin + z * width + found,
                                   {i, static_cast<std::int32_t>((shift + found) % modulus)},
                                   {i, static_cast<std::int32_t>(z)}};
            }
            z += backward ? -1 : 1;
        } else if (leaving) {  // skip the group
            z = backward ? group.first - 1 : group.last;
        } else if (backward ? z >= group.last : z < group.first) {  // on to the group
            z = backward ? group.last - 1 : group.first;
        } else {
            return std::nullopt;
        }
        position = backward ? modulus - 1 : 0;
    }
    return std::nullopt;
}

namespace {

std::optional<SeatMessage> later(const std::optional<SeatMessage>& left, const std::optional<SeatMessage>& right) {
    if (!left || !right) {
        return left ? left : right;
    }
    return left->phase > right->phase ? left : right;
}

std::optional<SeatMessage> earlier(const std::optional<SeatMessage>& left, const std::optional<SeatMessage>& right) {
    if (!left || !right) {
        return left ? left : right;
    }
    return left->phase < right->phase ? left : right;
}

}  // namespace

std::optional<SeatMessage> BranchFormula::last_leaving(const Group& group, Phase phase) const {
    return later(global_leaving(group, phase - 1, Direction::backward),
                 local_crossing(group, true, phase - 1, Direction::backward));
}

std::optional<SeatMessage> BranchFormula::first_leaving(const Group& group, Phase phase) const {
    return earlier(global_leaving(group, phase + 1, Direction::forward),
                   local_crossing(group, true, phase + 1, Direction::forward));
}

std::optional<SeatMessage> BranchFormula::last_entering(const Group& group, Phase phase) const {
    return later(global_entering(group, phase - 1, Direction::backward),
                 local_crossing(group, false, phase - 1, Direction::backward));
}

std::optional<SeatMessage> BranchFormula::first_entering(const Group& group, Phase phase) const {
    return earlier(global_entering(group, phase + 1, Direction::forward),
                   local_crossing(group, false, phase + 1, Direction::forward));
}

}  // namespace aapc::tree
