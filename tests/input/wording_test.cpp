#include "input/wording.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace {

using aapc::in_quotes;
using aapc::name_mistake;
using aapc::nearest_word;

TEST(Wording, QuotesAreCutBetweenCharacters) {
    EXPECT_EQ(in_quotes("s0"), "'s0'");
    EXPECT_EQ(in_quotes(std::string(60, 'a')), "'" + std::string(60, 'a') + "'");
    EXPECT_EQ(in_quotes(std::string(61, 'a')), "'" + std::string(60, 'a') + "...'");
    EXPECT_EQ(in_quotes(std::string(59, 'a') + "\xc3\xa9z"), "'" + std::string(59, 'a') + "...'");
}

TEST(Wording, NearestWord) {
    const std::vector<std::string_view> known{"name", "uplink", "speed", "machines", "machine_speed"};
    const auto nearest = [&](std::string_view word) { return nearest_word(word, known).value_or("-"); };
    EXPECT_EQ(nearest("nmae"), "name");
    EXPECT_EQ(nearest("uplinks"), "uplink");
    EXPECT_EQ(nearest("machine"), "machines");
    EXPECT_EQ(nearest("speeed"), "speed");
    EXPECT_EQ(nearest("sp"), "-") << "as many differences as letters";
    EXPECT_EQ(nearest("latency"), "-");
    EXPECT_EQ(nearest(""), "-");
    const std::vector<std::string_view> switches{"s1", "s2", "x"};
    EXPECT_EQ(nearest_word("s3", switches), "s1") << "the first of several";
    EXPECT_EQ(nearest_word("s", switches), std::nullopt);
}

TEST(Wording, NamesOfEveryAllowedCharacter) {
    for (int code = 0; code < 256; ++code) {
        const char character = static_cast<char>(code);
        const bool is_letter_or_digit =
            (code >= '0' && code <= '9') || (code >= 'A' && code <= 'Z') || (code >= 'a' && code <= 'z');
        const bool is_allowed = is_letter_or_digit || code == '-' || code == '_' || code == '.';
        EXPECT_EQ(!name_mistake(std::string("a") + character + "b", "switch"), is_allowed) << code;
        EXPECT_EQ(!name_mistake(std::string(1, character), "switch"), is_letter_or_digit) << code;
    }
    EXPECT_EQ(name_mistake("ab\"c", "switch")->column, 3);
    EXPECT_TRUE(name_mistake("", "switch"));
    EXPECT_FALSE(name_mistake(std::string(255, 'a'), "switch"));
    EXPECT_TRUE(name_mistake(std::string(256, 'a'), "switch"));
}

}  // namespace
