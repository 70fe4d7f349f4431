#include "aapc/input/hostlist.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <string>
#include <utility>
#include <vector>

namespace {

using aapc::expand_hostlist;

/// "n0 n1:4": the names, each with its ranks if they are not 1.
std::string expanded(const std::string& text) {
    const auto entries = expand_hostlist(text);
    if (!entries) {
        return "refused: " + entries.error().problem;
    }
    std::string names;
    for (const auto& entry : *entries) {
        names += (names.empty() ? "" : " ") + entry.name;
        if (entry.ranks != 1) {
            names += fmt::format(":{}", entry.ranks);
        }
    }
    return names;
}

TEST(Hostlist, Valid) {
    const std::pair<std::string, std::string> cases[] = {
        {"n0", "n0"},
        {"n0,n2,n1", "n0 n2 n1"},
        {"n[0-3]", "n0 n1 n2 n3"},
        {"n[0-1,7]", "n0 n1 n7"},
        {"n[7,0-1]", "n7 n0 n1"},
        {"n[5]", "n5"},
        {"n[5-5]", "n5"},
        {"n[08-11]", "n08 n09 n10 n11"},
        {"n[008-010]", "n008 n009 n010"},
        {"n[98-101]", "n98 n99 n100 n101"},
        {"n[01-100]x",
         [] {
             std::string names = "n01x";
             for (int number = 2; number <= 100; ++number) {
                 names += fmt::format(" n{:02}x", number);
             }
             return names;
         }()},
        {"n[0-1]", "n0 n1"},
        {"n[00-01]", "n00 n01"},
        {"n[0-10]", "n0 n1 n2 n3 n4 n5 n6 n7 n8 n9 n10"},
        {"n[01,2,003]", "n01 n2 n003"},
        {"r[1-2]n[08-09]", "r1n08 r1n09 r2n08 r2n09"},
        {"r[1-2]n[8-9].x.y", "r1n8.x.y r1n9.x.y r2n8.x.y r2n9.x.y"},
        {"a[1-2][3-4]b", "a13b a14b a23b a24b"},
        {"n[1-4/2]", "n1 n3"},
        {"n[0-9/3,20]", "n0 n3 n6 n9 n20"},
        {"n[08-11/3]", "n08 n11"},
        {"n[5-7/100]", "n5"},
        {"a[1-2]b[3]c[4-5]d", "a1b3c4d a1b3c5d a2b3c4d a2b3c5d"},
        {"r[0][1][2][3]", "r0123"},
        {"[0-2]", "0 1 2"},
        {"[3]a", "3a"},
        {"n0:4", "n0:4"},
        {"n[0-1]:2,m", "n0:2 n1:2 m"},
        {"n0:1", "n0"},
        {"n0:007", "n0:7"},
        {"n0:65536", "n0:65536"},
        {"a-b_c.d9", "a-b_c.d9"},
        {"192.0.2.7", "192.0.2.7"},
        {"n[999999999999999998-999999999999999999]", "n999999999999999998 n999999999999999999"},
        {"n[00000000000000000000000000001]", "n00000000000000000000000000001"},
    };
    for (const auto& [text, names] : cases) {
        EXPECT_EQ(expanded(text), names) << text;
    }
}

TEST(Hostlist, EntriesKnowTheirItem) {
    const auto entries = expand_hostlist("n[0-1],m:2,k");
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 4U);
    EXPECT_EQ((*entries)[0].column, 1);
    EXPECT_EQ((*entries)[1].column, 1);
    EXPECT_EQ((*entries)[2].column, 8);
    EXPECT_EQ((*entries)[3].column, 12);
}

struct Refused {
    std::string text;
    int column;
    std::string wrong;
};

TEST(Hostlist, Invalid) {
    const Refused cases[] = {
        {"", 1, "empty list"},
        {",n0", 1, "beside a comma"},
        {"n0,", 4, "beside a comma"},
        {"n0,,n1", 4, "beside a comma"},
        {"n0, n1", 4, "a space"},
        {"n0 n1", 3, "a space"},
        {"n0\tn1", 3, "a tabulator"},
        {"n0\nn1", 3, "a line break"},
        {"n0\r", 3, "a line break"},
        {"n\"0", 2, "a quotation mark"},
        {"n'0", 2, "a quotation mark"},
        {"n`0", 2, "a quotation mark"},
        {std::string("n\0", 2), 2, "a control character (0x00)"},
        {"n\x1b[0m", 2, "a control character (0x1b)"},
        {"n\x7f", 2, "a control character (0x7f)"},
        {"n\xc3\xa4", 2, "outside ASCII"},
        {"n;m", 2, "';'"},
        {"n$(id)", 2, "'$'"},
        {"n/m", 2, "'/'"},
        {"n%d", 2, "'%'"},
        {"n\\", 2, "'\\'"},
        {"-n", 1, "starts with '-'"},
        {".n", 1, "starts with '.'"},
        {"n0,_n", 4, "starts with '_'"},
        {"n]", 2, "']' without '['"},
        {"]", 1, "']' without '['"},
        {"n[0-3]]", 7, "']' without '['"},
        {"n[0-3", 2, "'[' without ']'"},
        {"n[0-", 2, "'[' without ']'"},
        {"n[", 2, "'[' without ']'"},
        {"n[0,", 2, "'[' without ']'"},
        {"m,n[1", 4, "'[' without ']'"},
        {"n[]", 3, "a number is missing"},
        {"n[,1]", 3, "a number is missing"},
        {"n[1,]", 5, "a number is missing"},
        {"n[-3]", 3, "a number is missing"},
        {"n[1-]", 5, "a number is missing"},
        {"n[1--3]", 5, "a number is missing"},
        {"n[1-2-3]", 6, "'-' where"},
        {"n[a-c]", 3, "'a' where"},
        {"n[0-3 ]", 6, "a space where"},
        {"n[ 0]", 3, "a space where"},
        {"n[0-1.5]", 6, "'.' where"},
        {"n[[0-3]]", 3, "a bracket inside a bracket"},
        {"n[0[1]]", 4, "a bracket inside a bracket"},
        {"n[3-0]", 3, "runs backwards"},
        {"n[1,9-7]", 5, "runs backwards"},
        {"n[010-009]", 3, "runs backwards"},
        {"n[1-010]", 5, "padded differently"},
        {"n[01-010]", 6, "padded differently"},
        {"n[00-0]", 6, "padded differently"},
        {"n[0-3/0]", 7, "steps of 0"},
        {"n[0-3/]", 7, "a number is missing"},
        {"n[0/2]", 4, "'/' where"},
        {"n[0-3/2-4]", 8, "'-' where"},
        {"a[0-9][0-9][0-9][0-9][0-9]", 1, "100000 machines"},
        {"n0:", 4, "':' is not followed"},
        {"n0:x", 4, "':' is not followed"},
        {"n0:-1", 4, "':' is not followed"},
        {"n0:4x", 5, "':' is not followed"},
        {"n0:4:4", 5, "':' is not followed"},
        {"n0:1.5", 5, "':' is not followed"},
        {":4", 1, "a name is missing before ':'"},
        {"n0:0", 4, "0 ranks"},
        {"n0:65537", 4, "'65537' ranks"},
        {"n0:99999999999999999999999999", 4, "ranks on a machine"},
        {"n[0-65536]", 2, "65537 machines"},
        {"n[0-999999]", 2, "1000000 machines"},
        {"n[0-999999999999999999]", 2, "1000000000000000000 machines"},
        {"n[1-999999999999999999,1-999999999999999999]", 2, "999999999999999999 machines"},
        {"n[0-1000000000000000000]", 5, "too large"},
        {"n[0-99999999999999999999999999]", 5, "too large"},
        {"n[18446744073709551616]", 3, "too large"},
        {"a[0-65535]b[0-65535]", 1, "4294967296 machines"},
        {"a[0-255]b[0-256]", 1, "65792 machines"},
        {"m,n[0-65535]", 3, "65537 machines"},
        {std::string(256, 'n'), 1, "256 characters"},
        {std::string(250, 'n') + "[1000-1001]x[1-9]", 1, "256 characters"},
        {"m,n[" + std::string(300, '0') + "]", 3, "301 characters"},
    };
    for (const auto& [text, column, wrong] : cases) {
        const auto entries = expand_hostlist(text);
        ASSERT_FALSE(entries) << text;
        EXPECT_EQ(entries.error().column, column) << text << ": " << entries.error().problem;
        EXPECT_NE(entries.error().problem.find(wrong), std::string::npos) << text << ": " << entries.error().problem;
        EXPECT_FALSE(entries.error().advice.empty()) << text;
        EXPECT_EQ(entries.error().line, 0) << text;
        EXPECT_EQ(entries.error().file, "") << text;
    }
}

TEST(Hostlist, AsManyMachinesAsAreAllowed) {
    EXPECT_EQ(expand_hostlist("n[0-65535]")->size(), 65'536U);
    EXPECT_EQ(expand_hostlist("a[0-255]b[0-255]")->size(), 65'536U);
    EXPECT_EQ(expand_hostlist(std::string(255, 'n'))->front().name.size(), 255U);
}

/// Random lists are written down together with what they mean.
TEST(Hostlist, RoundTripsOfRandomLists) {
    for (std::uint64_t seed = 1; seed <= 2'000; ++seed) {
        std::mt19937_64 random(seed);
        const auto below = [&](std::uint64_t limit) { return random() % limit; };
        std::string text;
        std::vector<std::string> names;
        std::vector<int> ranks;
        for (std::uint64_t item = below(4) + 1; item > 0; --item) {
            std::string written(1, static_cast<char>('a' + below(26)));
            std::vector<std::string> meant{written};
            for (std::uint64_t bracket = below(4); bracket > 0; --bracket) {
                written += '[';
                std::vector<std::string> numbers;
                for (std::uint64_t range = below(3) + 1; range > 0; --range) {
                    const std::uint64_t first = below(2) == 0 ? below(12) : below(2'000);
                    const std::uint64_t last = first + below(5);
                    std::uint64_t step = 1;
                    const int width = below(2) == 0 ? static_cast<int>(std::to_string(last).size() + below(3)) : 1;
                    const std::string low = fmt::format("{:0{}}", first, width);
                    // A width is only written where the first number shows it.
                    const int shown = low.front() == '0' ? static_cast<int>(low.size()) : 1;
                    written += low;
                    if (last > first || below(2) == 0) {
                        written += fmt::format("-{:0{}}", last, shown);
                        if (below(4) == 0) {
                            step = below(4) + 1;
                            written += fmt::format("/{}", step);
                        }
                    }
                    written += range > 1 ? "," : "";
                    for (std::uint64_t number = first; number <= last; number += step) {
                        numbers.push_back(fmt::format("{:0{}}", number, shown));
                    }
                }
                const std::string tail = below(2) == 0 ? "" : "-x";
                written += ']' + tail;
                std::vector<std::string> longer;
                for (const std::string& head : meant) {
                    for (const std::string& number : numbers) {
                        longer.push_back(head + number + tail);
                    }
                }
                meant = longer;
            }
            const int count = below(2) == 0 ? 1 : static_cast<int>(below(9)) + 1;
            written += count == 1 ? "" : fmt::format(":{}", count);
            text += (text.empty() ? "" : ",") + written;
            names.insert(names.end(), meant.begin(), meant.end());
            ranks.insert(ranks.end(), meant.size(), count);
        }
        const auto entries = expand_hostlist(text);
        ASSERT_TRUE(entries) << "seed " << seed << ": " << text << ": " << entries.error().problem;
        ASSERT_EQ(entries->size(), names.size()) << "seed " << seed << ": " << text;
        for (std::size_t index = 0; index < names.size(); ++index) {
            ASSERT_EQ((*entries)[index].name, names[index]) << "seed " << seed << ": " << text;
            ASSERT_EQ((*entries)[index].ranks, ranks[index]) << "seed " << seed << ": " << text;
        }
    }
}

}  // namespace
