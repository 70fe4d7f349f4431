/// @file
/// The board on which slots are settled.
#pragma once

#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "algorithms/lattice/traffic.hpp"

namespace aapc::lattice {

/// Slots are kept as bits of words.
using Word = std::uint64_t;
inline constexpr std::size_t bits = 64;

/// Which messages each channel carries in each slot, and where it has room. Refers to the traffic. Space O(channels ·
/// slots + hops).
class Board {
  public:
    using Message = std::int32_t;
    using Slot = std::int32_t;

    Board(const Traffic& traffic, Slot slots);

    /// Words of a channel's bits.
    [[nodiscard]] std::size_t words() const { return words_; }
    [[nodiscard]] Message messages() const { return static_cast<Message>(pairs_.size()); }
    /// -1 if it is in none.
    [[nodiscard]] Slot slot_of(Message message) const { return slot_of_[static_cast<std::size_t>(message)]; }
    [[nodiscard]] const std::pair<Position, Position>& pair(Message message) const {
        return pairs_[static_cast<std::size_t>(message)];
    }
    [[nodiscard]] std::span<const Hop> route(Message message) const {
        return traffic_.route(pair(message).first, pair(message).second);
    }
    /// A bit for every slot in which the channel has no room.
    [[nodiscard]] const Word* full(std::int32_t channel) const {
        return full_.data() + static_cast<std::size_t>(channel) * words_;
    }
    /// A bit for every slot in which it never has any; null if there is none.
    [[nodiscard]] const Word* closed(std::int32_t channel) const {
        const std::vector<Word>& bits_of_channel = closed_[static_cast<std::size_t>(channel)];
        return bits_of_channel.empty() ? nullptr : bits_of_channel.data();
    }
    [[nodiscard]] bool is_full(std::int32_t channel, Slot slot) const {
        return room_[cell(static_cast<std::size_t>(channel), slot)] <= 0;
    }

    /// Calls visit(message) for every message on the channel in the slot.
    template <class Visitor>
    void for_each_user(std::int32_t channel, Slot slot, Visitor visit) const {
        for (std::int32_t entry = users_[cell(static_cast<std::size_t>(channel), slot)]; entry >= 0;
             entry = next_[static_cast<std::size_t>(entry)]) {
            visit(message_of_entry_[static_cast<std::size_t>(entry)]);
        }
    }

    /// The message is in that slot from now on, whether there is room or not.
    void place(Message message, Slot slot);
    /// It is in none.
    void remove(Message message);

  private:
    [[nodiscard]] std::size_t cell(std::size_t channel, Slot slot) const {
        return channel * static_cast<std::size_t>(slots_) + static_cast<std::size_t>(slot);
    }
    void set_full(std::size_t channel, Slot slot) {
        full_[channel * words_ + static_cast<std::size_t>(slot) / bits] |= Word{1}
                                                                           << (static_cast<std::size_t>(slot) % bits);
    }

    void set_free(std::size_t channel, Slot slot) {
        full_[channel * words_ + static_cast<std::size_t>(slot) / bits] &=
            ~(Word{1} << (static_cast<std::size_t>(slot) % bits));
    }

    const Traffic& traffic_;
    Slot slots_;
    std::size_t words_;
    std::vector<std::pair<Position, Position>> pairs_;  ///< by message: those that cross a channel
    std::vector<std::int32_t> first_entry_;             ///< by message; one entry for each hop
    std::vector<Message> message_of_entry_;
    std::vector<std::int32_t> next_;      ///< by entry: the next one on the same channel in the same slot
    std::vector<std::int32_t> previous_;  ///< by entry
    std::vector<Slot> slot_of_;
    std::vector<std::int32_t> users_;        ///< by channel and slot: the first entry
    std::vector<std::int32_t> room_;         ///< by channel and slot
    std::vector<std::vector<Word>> closed_;  ///< by channel, then slot
    std::vector<Word> full_;                 ///< by channel, then slot
};

}  // namespace aapc::lattice
