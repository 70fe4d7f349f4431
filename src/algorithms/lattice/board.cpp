#include "algorithms/lattice/board.hpp"

#include <utility>

#include "algorithms/lattice/settle.hpp"

namespace aapc::lattice {

Board::Board(const Traffic& traffic, Slot slots)
    : traffic_(traffic), slots_(slots), words_((static_cast<std::size_t>(slots) + bits - 1) / bits) {
    for (Position from = 0; from < traffic.positions(); ++from) {
        for (Position to = 0; to < traffic.positions(); ++to) {
            const std::size_t hops = traffic.route(from, to).size();
            if (hops > 0) {
                pairs_.emplace_back(from, to);
                first_entry_.push_back(static_cast<std::int32_t>(message_of_entry_.size()));
                message_of_entry_.resize(message_of_entry_.size() + hops, static_cast<Message>(pairs_.size()) - 1);
            }
        }
    }
    next_.assign(message_of_entry_.size(), -1);
    previous_.assign(message_of_entry_.size(), -1);
    slot_of_.assign(pairs_.size(), -1);
    const std::size_t cells = traffic.channels() * static_cast<std::size_t>(slots);
    users_.assign(cells, -1);
    room_.resize(cells);
    full_.assign(traffic.channels() * words_, 0);
    closed_.resize(traffic.channels());
    const std::int64_t unit = slot_speed(traffic);
    for (std::size_t channel = 0; channel < traffic.channels(); ++channel) {
        const std::int64_t speed = traffic.speed(channel);
        for (Slot slot = 0; slot < slots; ++slot) {
            const std::int64_t capacity = speed == unit ? 1 : capacity_in_slot(speed, unit, slot);
            room_[cell(channel, slot)] = static_cast<std::int32_t>(capacity);
            if (capacity == 0) {
                set_full(channel, slot);
            }
        }
        if (speed < unit) {
            const auto first = full_.begin() + static_cast<std::ptrdiff_t>(channel * words_);
            closed_[channel].assign(first, first + static_cast<std::ptrdiff_t>(words_));
        }
    }
}

void Board::place(Message message, Slot slot) {
    slot_of_[static_cast<std::size_t>(message)] = slot;
    auto entry = static_cast<std::size_t>(first_entry_[static_cast<std::size_t>(message)]);
    for (const Hop& hop : route(message)) {
        const std::size_t at = cell(static_cast<std::size_t>(hop.channel), slot);
        next_[entry] = users_[at];
        previous_[entry] = -1;
        if (users_[at] >= 0) {
            previous_[static_cast<std::size_t>(users_[at])] = static_cast<std::int32_t>(entry);
        }
        users_[at] = static_cast<std::int32_t>(entry++);
        if (--room_[at] == 0) {
            set_full(static_cast<std::size_t>(hop.channel), slot);
        }
    }
}

void Board::remove(Message message) {
    const Slot slot = std::exchange(slot_of_[static_cast<std::size_t>(message)], -1);
    auto entry = static_cast<std::size_t>(first_entry_[static_cast<std::size_t>(message)]);
    for (const Hop& hop : route(message)) {
        const std::size_t at = cell(static_cast<std::size_t>(hop.channel), slot);
        const std::int32_t next = next_[entry];
        const std::int32_t previous = previous_[entry];
        (previous >= 0 ? next_[static_cast<std::size_t>(previous)] : users_[at]) = next;
        if (next >= 0) {
            previous_[static_cast<std::size_t>(next)] = previous;
        }
        if (room_[at]++ == 0) {
            set_free(static_cast<std::size_t>(hop.channel), slot);
        }
        ++entry;
    }
}

}  // namespace aapc::lattice
