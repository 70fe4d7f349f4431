/// @file
/// Settled slots: whole slots for all messages such that no channel is ever asked for more than it carries in a slot.
#pragma once

#include <cstdint>
#include <vector>

#include "algorithms/lattice/formula.hpp"
#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

/// What a search for slots found.
struct Settlement {
    /// By from · positions + to: the slot; -1 for messages inside a machine and a rank's to itself. Empty if the search
    /// failed.
    std::vector<std::int32_t> slots;
    std::int64_t slot_count = 0;
    std::int64_t bound = 0;     ///< slots that no settlement can do without
    std::int64_t work = 0;      ///< what was spent
    std::int64_t unplaced = 0;  ///< messages without a slot at the end; all, where it was not even begun
};

/// How far a search goes.
struct SettleLimits {
    std::int64_t work = 0;    ///< in words and list entries that are looked at, two or three nanoseconds each
    std::int64_t slack = 20;  ///< the slots that may be used, in thousandths above the bound
};

/// The speed at which a message takes one slot: that of the slowest channel at a machine. 1 where there are none.
[[nodiscard]] std::int64_t slot_speed(const Traffic& traffic);

/// How many messages a channel of speed `speed` may carry in a slot: its share of the time up to the slot's end, less
/// that up to its beginning, rounded down each. A channel whose speed is a multiple of the slots' takes as many in
/// each.
[[nodiscard]] constexpr std::int64_t capacity_in_slot(std::int64_t speed, std::int64_t slot_speed, std::int64_t slot) {
    return speed * (slot + 1) / slot_speed - speed * slot / slot_speed;
}

/// The fewest slots in which every channel can carry its messages.
[[nodiscard]] std::int64_t fewest_slots(const Traffic& traffic);

/// Finds slots by ejection chains: a message without a slot takes one in which at most a single channel is full, and a
/// message that leaves that channel for a slot free for it makes room; where none can, one is put out and is next. It
/// starts with the bound's slots and opens more, up to what the slack allows, when it does not get on. The same on all
/// ranks and machines: whole numbers, its own generator, and work counted instead of time.
[[nodiscard]] Settlement settle(const Traffic& traffic, const SettleLimits& limits, std::int64_t seed);

}  // namespace aapc::lattice
