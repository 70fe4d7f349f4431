#include "bench/bench_options.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace aapc::bench {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::int64_t> sizes(const std::vector<std::string>& words) {
    const auto parsed = parse_sizes(words);
    EXPECT_TRUE(parsed) << (parsed ? "" : to_string(parsed.error()));
    return parsed.value_or(std::vector<std::int64_t>{});
}

TEST(ParseSizes, TakesSizesAndRanges) {
    EXPECT_THAT(sizes({"8Ki"}), ElementsAre(8192));
    EXPECT_THAT(sizes({"1:1Ki:x4"}), ElementsAre(1, 4, 16, 64, 256, 1024));
    EXPECT_THAT(sizes({"1:1000:x10", "5", "10"}), ElementsAre(1, 5, 10, 100, 1000));
    EXPECT_THAT(sizes({"3:20:x2"}), ElementsAre(3, 6, 12)) << "the end need not be met";
    EXPECT_THAT(sizes({"7:7:x2"}), ElementsAre(7));
    EXPECT_THAT(sizes({"1:2147483647:x2147483647"}), ElementsAre(1, 2147483647));
    EXPECT_EQ(sizes({"1:1Mi:x4"}).size(), 11U);
}

TEST(ParseSizes, RefusesWhatIsNone) {
    for (const char* word : {"",         "x",       "-1",       "0",        "2147483648",
                             "1:2",      "1:2:",    "1:2:4",    "1:2:x",    "1:2:x1",
                             "1:2:x0",   "1:2:x-2", "1:2:x2.5", "1:2:x2k",  "2:1:x2",
                             ":2:x2",    "1::x2",   "0:4:x2",   "1:3Gi:x2", "1:2:x99999999999",
                             "1:2:x2:x2"}) {
        const auto parsed = parse_sizes({word});
        ASSERT_FALSE(parsed) << word;
        EXPECT_FALSE(parsed.error().problem.empty()) << word;
        EXPECT_FALSE(parsed.error().advice.empty()) << word;
    }
}

TEST(ParseLateRank, SaysWhoIsLateByHowMuchAndHowOften) {
    const auto late = parse_late_rank("3:0.05:10", 4);
    ASSERT_TRUE(late) << to_string(late.error());
    EXPECT_EQ(late->rank, 3);
    EXPECT_DOUBLE_EQ(late->seconds, 0.05);
    EXPECT_EQ(late->every, 10);
    EXPECT_DOUBLE_EQ(parse_late_rank("3:50ms:10", 4)->seconds, 0.05);
    EXPECT_LT(parse_late_rank("", 4)->rank, 0) << "no rank";
}

TEST(ParseLateRank, RefusesWhatIsNone) {
    for (const char* text : {"3", "3:1", "3:1:", ":1:1", "3::1", "-1:1:1", "3:-1:1", "3:nan:1", "3:3601:1", "3:1:0",
                             "3:1:1:1", "x:1:1", "3:1h:1", "4:1:1"}) {
        const auto late = parse_late_rank(text, 4);
        ASSERT_FALSE(late) << text;
        EXPECT_FALSE(late.error().problem.empty()) << text;
        EXPECT_FALSE(late.error().advice.empty()) << text;
    }
}

TEST(ParseCandidates, WritesMethodsOutInFull) {
    const auto candidates = parse_candidates({"native", "tree", "interposed", "tree/paper+sender"}, NetworkKind::tree);
    ASSERT_TRUE(candidates) << to_string(candidates.error());
    ASSERT_EQ(candidates->size(), 4U);
    EXPECT_EQ((*candidates)[0].name, "native");
    EXPECT_TRUE((*candidates)[0].method.native());
    EXPECT_EQ((*candidates)[1].name, "tree/merged+timed");
    EXPECT_TRUE((*candidates)[2].is_interposed());
    EXPECT_EQ((*candidates)[3].name, "tree/paper+sender");
    EXPECT_FALSE((*candidates)[3].is_interposed());
}

TEST(ParseCandidates, RefusesTheSameTwiceAndTheUnknown) {
    const auto twice = parse_candidates({"tree", "native", "tree/merged+timed"}, NetworkKind::tree);
    ASSERT_FALSE(twice);
    EXPECT_THAT(twice.error().problem, HasSubstr("tree/merged+timed"));
    EXPECT_FALSE(parse_candidates({"wood"}, NetworkKind::tree));
    EXPECT_FALSE(parse_candidates({"tree"}, NetworkKind::torus));
}

TEST(DefaultCandidates, CanAllBeParsedAndBeginWithNative) {
    for (const NetworkKind kind : {NetworkKind::tree, NetworkKind::torus, NetworkKind::clusters}) {
        const auto names = default_candidates(kind);
        EXPECT_EQ(names.front(), "native");
        EXPECT_TRUE(parse_candidates(names, kind));
    }
    EXPECT_THAT(default_candidates(NetworkKind::tree), testing::Contains("tree"));
}

}  // namespace
}  // namespace aapc::bench
