/// @file
/// Bytes that name source, destination, call and place. Eight come from one product, since making and comparing them
/// byte by byte was more work than the exchanges that are tested.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <span>

#include "aapc/topology/network.hpp"

namespace aapc::test {

/// What a block that `from` sends to `to` in a call is made of.
class Payload {
  public:
    Payload(Rank from, Rank to, std::uint64_t call)
        : base_((static_cast<std::uint64_t>(from) * 1'000'003U + static_cast<std::uint64_t>(to)) * 1'000'003U +
                call * 7919U) {}

    void write(std::span<std::byte> block) const {
        for_words(block.size(), [&](std::size_t place, std::size_t bytes, std::uint64_t word) {
            std::memcpy(block.data() + place, &word, bytes);
            return true;
        });
    }
    /// Every byte another one than write() writes.
    void write_wrong(std::span<std::byte> block) const {
        for_words(block.size(), [&](std::size_t place, std::size_t bytes, std::uint64_t word) {
            word = ~word;
            std::memcpy(block.data() + place, &word, bytes);
            return true;
        });
    }
    /// The offset of the first byte that is not as write() writes it.
    [[nodiscard]] std::optional<std::size_t> first_wrong(std::span<const std::byte> block) const {
        std::optional<std::size_t> found;
        for_words(block.size(), [&](std::size_t place, std::size_t bytes, std::uint64_t word) {
            std::uint64_t there = word;
            std::memcpy(&there, block.data() + place, bytes);
            if (there == word) {
                return true;
            }
            found = place;
            const auto* const right = reinterpret_cast<const std::byte*>(&word);
            while (block[*found] == right[*found - place]) {
                ++*found;
            }
            return false;
        });
        return found;
    }

  private:
    /// visit(place, bytes, word) for every eight bytes, fewer at the end, until it says false.
    template <class Visit>
    void for_words(std::size_t bytes, Visit visit) const {
        std::uint64_t value = base_;
        for (std::size_t place = 0; place < bytes; place += sizeof value, value += 31) {
            std::uint64_t word = value * 0x9e3779b97f4a7c15ULL;
            word = (word ^ (word >> 32)) * 0xd6e8feb86659fd93ULL;
            word ^= word >> 32;
            if (!visit(place, std::min(sizeof word, bytes - place), word)) {
                return;
            }
        }
    }

    std::uint64_t base_;
};

}  // namespace aapc::test
