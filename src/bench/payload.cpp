#include "bench/payload.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>

namespace aapc::bench {

namespace {

constexpr std::size_t word = sizeof(std::uint64_t);
using Word = std::array<std::byte, word>;

/// Ranks are below 2^16 and offsets below 2^31, so no two places have the same value before it is stirred, by a
/// bijection (Steele, Lea & Flood 2014, the finalizer of SplitMix64).
Word word_at(Rank from, Rank to, std::size_t offset) {
    std::uint64_t value = (static_cast<std::uint64_t>(from) << 44) ^ (static_cast<std::uint64_t>(to) << 28) ^
                          (static_cast<std::uint64_t>(offset) / word);
    value += 0x9e3779b97f4a7c15ULL;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    value ^= value >> 31;
    Word bytes;
    std::memcpy(bytes.data(), &value, word);
    return bytes;
}

}  // namespace

void fill_block(std::span<std::byte> block, Rank from, Rank to) {
    for (std::size_t offset = 0; offset < block.size(); offset += word) {
        const Word bytes = word_at(from, to, offset);
        std::memcpy(block.data() + offset, bytes.data(), std::min(word, block.size() - offset));
    }
}

std::optional<std::size_t> first_wrong_byte(std::span<const std::byte> block, Rank from, Rank to) {
    for (std::size_t offset = 0; offset < block.size(); offset += word) {
        const Word bytes = word_at(from, to, offset);
        const std::size_t length = std::min(word, block.size() - offset);
        if (std::memcmp(block.data() + offset, bytes.data(), length) != 0) {
            const auto [expected, found] =
                std::mismatch(bytes.begin(), bytes.begin() + static_cast<std::ptrdiff_t>(length),
                              block.begin() + static_cast<std::ptrdiff_t>(offset));
            return offset + static_cast<std::size_t>(expected - bytes.begin());
        }
    }
    return std::nullopt;
}

}  // namespace aapc::bench
