#include "bench/payload.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <set>
#include <vector>

namespace aapc::bench {
namespace {

std::vector<std::byte> filled(std::size_t bytes, Rank from, Rank to) {
    std::vector<std::byte> block(bytes);
    fill_block(block, from, to);
    return block;
}

TEST(Payload, IsRightForItsBlockOnly) {
    for (const std::size_t bytes : {1, 2, 7, 8, 9, 63, 1000}) {
        const auto block = filled(bytes, 3, 5);
        EXPECT_EQ(first_wrong_byte(block, 3, 5), std::nullopt) << bytes;
        if (bytes >= 8) {
            for (const auto& [from, to] : {std::pair{5, 3}, {3, 4}, {4, 5}, {0, 0}}) {
                EXPECT_LT(first_wrong_byte(block, from, to).value_or(bytes), 8U) << bytes << ": " << from << ", " << to;
            }
        }
    }
}

TEST(Payload, NoTwoWordsAreAlike) {
    std::set<std::uint64_t> words;
    constexpr Rank ranks[] = {0, 1, 2, 15, 16, 255, 256, 4095, 65535};
    constexpr std::size_t bytes = 512;
    for (const Rank from : ranks) {
        for (const Rank to : ranks) {
            const auto block = filled(bytes, from, to);
            for (std::size_t at = 0; at < bytes; at += sizeof(std::uint64_t)) {
                std::uint64_t word = 0;
                std::memcpy(&word, block.data() + at, sizeof word);
                EXPECT_TRUE(words.insert(word).second) << from << " to " << to << " at " << at;
            }
        }
    }
}

TEST(Payload, EveryDamagedByteIsFound) {
    const auto right = filled(77, 1, 2);
    for (std::size_t at = 0; at < right.size(); ++at) {
        auto wrong = right;
        wrong[at] ^= std::byte{0x10};
        EXPECT_EQ(first_wrong_byte(wrong, 1, 2), at);
    }
}

TEST(Payload, AShiftedBlockIsFound) {
    auto block = filled(64, 1, 2);
    std::rotate(block.begin(), block.begin() + 8, block.end());
    EXPECT_LT(first_wrong_byte(block, 1, 2).value_or(64), 8U);
}

}  // namespace
}  // namespace aapc::bench
