#include "aapc/input/units.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace {

using namespace aapc;

TEST(Speed, Valid) {
    const std::pair<const char*, double> cases[] = {
        {"100Mbit", 1e8}, {"1Gbit", 1e9},     {"2.5Gbit", 2.5e9},  {"56000bit", 56000}, {"64kbit", 64e3},
        {"1Tbit", 1e12},  {"1000Tbit", 1e15}, {"10 Gbit/s", 1e10}, {"10Gbps", 1e10},    {"10gbit", 1e10},
        {"10GBIT", 1e10}, {"100mbit/s", 1e8}, {"1bps", 1},         {"1 bit", 1},        {"0.5kbit", 500},
        {".5kbit", 500},  {"5.kbit", 5000},   {"007bit", 7},       {"100KBit", 1e5},    {"0.001bit", 0.001},
    };
    for (const auto& [text, expected] : cases) {
        const auto speed = parse_speed(text);
        ASSERT_TRUE(speed) << text << ": " << speed.error().problem;
        EXPECT_DOUBLE_EQ(*speed, expected) << text;
    }
}

TEST(Speed, Invalid) {
    const std::pair<std::string, const char*> cases[] = {
        {"", "does not start with a number"},
        {"Gbit", "does not start with a number"},
        {" 1Gbit", "does not start with a number"},
        {"+1Gbit", "does not start with a number"},
        {"inf", "does not start with a number"},
        {"nan", "does not start with a number"},
        {"-1Gbit", "not more than 0"},
        {"0Gbit", "not more than 0"},
        {"0.0bit", "not more than 0"},
        {"1000", "no unit"},
        {"1000 ", "no unit"},
        {"1.2.3Mbit", "cannot be read"},
        {".Mbit", "cannot be read"},
        {std::string(400, '9') + "bit", "cannot be read"},
        {"1e3Mbit", "unknown unit"},
        {"0x10Mbit", "unknown unit"},
        {"100MB", "unknown unit"},
        {"100MB/s", "unknown unit"},
        {"100Mb", "unknown unit"},
        {"100M", "unknown unit"},
        {"100Mibit", "unknown unit"},
        {"100  Mbit", "unknown unit"},
        {"100Mbit ", "unknown unit"},
        {"100Pbit", "unknown unit"},
        {"1,5Gbit", "unknown unit"},
        {"1bitbit", "unknown unit"},
        {std::string("1\0Gbit", 6), "unknown unit"},
        {"1001Tbit", "more than 1000 Tbit"},
        {"999999999999999999999Gbit", "more than 1000 Tbit"},
    };
    for (const auto& [text, message] : cases) {
        const auto speed = parse_speed(text);
        ASSERT_FALSE(speed) << text;
        EXPECT_NE(speed.error().problem.find(message), std::string::npos) << text << ": " << speed.error().problem;
        EXPECT_FALSE(speed.error().advice.empty()) << text;
    }
}

TEST(Size, Valid) {
    const std::pair<const char*, std::int64_t> cases[] = {
        {"0", 0},
        {"8192", 8192},
        {"8192B", 8192},
        {"8k", 8192},
        {"8K", 8192},
        {"8kB", 8000},
        {"8Ki", 8192},
        {"8KiB", 8192},
        {"8kib", 8192},
        {"32 KiB", 32768},
        {"3M", 3'145'728},
        {"3MB", 3'000'000},
        {"3Mi", 3'145'728},
        {"1G", 1'073'741'824},
        {"1GB", 1'000'000'000},
        {"1GiB", 1'073'741'824},
        {"4611686018427387904", std::int64_t{1} << 62U},
        {"4294967296Gi", std::int64_t{1} << 62U},
        {"00012", 12},
    };
    for (const auto& [text, expected] : cases) {
        const auto size = parse_size(text);
        ASSERT_TRUE(size) << text << ": " << size.error().problem;
        EXPECT_EQ(*size, expected) << text;
    }
}

TEST(Size, Invalid) {
    const std::pair<const char*, const char*> cases[] = {
        {"", "does not start with a number"},
        {"-1", "does not start with a number"},
        {"+1", "does not start with a number"},
        {"k", "does not start with a number"},
        {"1.5k", "not a whole number"},
        {"1.", "not a whole number"},
        {".5k", "not a whole number"},
        {"8Kb it", "unknown unit"},
        {"8T", "unknown unit"},
        {"8bit", "unknown unit"},
        {"8 kB ", "unknown unit"},
        {"8BB", "unknown unit"},
        {"8Kib8", "unknown unit"},
        {"8iB", "unknown unit"},
        {"1e3", "unknown unit"},
        {"4611686018427387905", "more than 2^62"},
        {"4294967297Gi", "more than 2^62"},
        {"9223372036854775808", "more than 2^62"},
        {"99999999999999999999999999", "more than 2^62"},
    };
    for (const auto& [text, message] : cases) {
        const auto size = parse_size(text);
        ASSERT_FALSE(size) << text;
        EXPECT_NE(size.error().problem.find(message), std::string::npos) << text << ": " << size.error().problem;
        EXPECT_FALSE(size.error().advice.empty()) << text;
    }
}

TEST(Sizes, OfAnOption) {
    EXPECT_EQ(parse_sizes_of("--sizes", {"8Ki", "0", "1"}).value(), (std::vector<std::int64_t>{8192, 0, 1}));
    const auto small = parse_sizes_of("--sizes", {"8Ki", "0"}, 1);
    ASSERT_FALSE(small);
    EXPECT_EQ(to_string(small.error()), "--sizes: '0' is too small; give sizes of at least 1 byte");
    const auto wrong = parse_sizes_of("--sizes", {"8Ki", "many"});
    ASSERT_FALSE(wrong);
    EXPECT_EQ(wrong.error().file, "--sizes");
}

TEST(ParseGivenDuration, TakesSecondsWithoutAUnit) {
    EXPECT_DOUBLE_EQ(parse_given_duration("50us").value(), 50e-6);
    EXPECT_DOUBLE_EQ(parse_given_duration("2ms").value(), 2e-3);
    EXPECT_DOUBLE_EQ(parse_given_duration("3").value(), 3);
    EXPECT_DOUBLE_EQ(parse_given_duration("0.25").value(), 0.25);
    for (const char* wrong : {"", "ms", "3h", "-1", "nan", "3601", "1 2"}) {
        EXPECT_FALSE(parse_given_duration(wrong)) << wrong;
    }
    EXPECT_FALSE(parse_duration("3")) << "a file says the unit";
}

TEST(DurationText, TakesTheLargestUnitOfWhichThereIsOne) {
    EXPECT_EQ(duration_text(1, decimals(3)), "1.000 s");
    EXPECT_EQ(duration_text(0.99, decimals(3)), "990.000 ms");
    EXPECT_EQ(duration_text(1e-3, decimals(3)), "1.000 ms");
    EXPECT_EQ(duration_text(80e-6, decimals(1)), "80.0 µs");
    EXPECT_EQ(duration_text(1e-9, significant(3)), "0.001 µs");
    EXPECT_EQ(duration_text(1.5e-9, significant(4), DurationUnit::nanoseconds), "1.5 ns");
    EXPECT_EQ(duration_text(80e-6, decimals(3), DurationUnit::milliseconds), "0.080 ms");
    EXPECT_EQ(duration_text(80e-6, significant(3), DurationUnit::seconds), "8e-05 s");
    EXPECT_EQ(duration_text(0, significant(4), DurationUnit::nanoseconds), "0 ns");
}

TEST(SpeedText, UsesDecimalUnits) {
    EXPECT_EQ(speed_text(1e8), "100 Mbit/s");
    EXPECT_EQ(speed_text(2.5e9), "2.5 Gbit/s");
    EXPECT_EQ(speed_text(56000), "56 kbit/s");
    EXPECT_EQ(speed_text(1e14), "100 Tbit/s");
    EXPECT_EQ(speed_text(1), "1 bit/s");
    EXPECT_EQ(written_speed(2.5e9), "2.5Gbit");
    EXPECT_DOUBLE_EQ(parse_speed(written_speed(56000)).value(), 56000);
}

TEST(SizeText, IsExactOrRounded) {
    EXPECT_EQ(size_text(131072), "128 KiB");
    EXPECT_EQ(size_text(std::int64_t{3} << 30U), "3 GiB");
    EXPECT_EQ(size_text(1500), "1500 bytes");
    EXPECT_EQ(rounded_size_text(777), "777 B");
    EXPECT_EQ(rounded_size_text(13517), "13.2 KiB");
    EXPECT_EQ(rounded_size_text(3145728), "3 MiB");
}

}  // namespace
