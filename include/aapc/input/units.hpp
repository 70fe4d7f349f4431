/// @file
/// Speeds, durations and sizes as people write and read them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// "100Mbit", "1Gbit", "2.5Gbit", "56000bit", also kbit and Tbit (decimal prefixes, case-insensitive, also "bit/s" and
/// "bps") in bits per second; more than 0 and at most 10^15.
[[nodiscard]] Expected<double> parse_speed(std::string_view text);

/// "5ms", "0.2 s", "80us", "300ns" in seconds; at least 0 and at most an hour.
[[nodiscard]] Expected<double> parse_duration(std::string_view text);

/// The same where a person gives it to a command or in a variable: a number alone is one of seconds.
[[nodiscard]] Expected<double> parse_given_duration(std::string_view text);

/// Bytes: "8192", "8k", "8kB" (1000), "8Ki", "8KiB" (1024), M, Mi, G, Gi. At most 2^62.
[[nodiscard]] Expected<std::int64_t> parse_size(std::string_view text);

/// The same of one word after `option`, which the diagnostic names as its file.
[[nodiscard]] Expected<std::int64_t> parse_size_of(std::string_view option, std::string_view text);

/// The same of every word, in the order given; none may be less than `least`.
[[nodiscard]] Expected<std::vector<std::int64_t>> parse_sizes_of(std::string_view option,
                                                                 const std::vector<std::string>& words,
                                                                 std::int64_t least = 0);

/// How exactly a number is shown.
struct Precision {
    int digits = 0;
    bool after_point = false;  ///< the digits count from the point on, and trailing zeros are shown
};

/// `digits` significant digits: 1250 and 3 make "1.25e+03", 0.5 makes "0.5".
[[nodiscard]] constexpr Precision significant(int digits) { return {digits, false}; }
/// `digits` digits after the point: 0.5 and 3 make "0.500".
[[nodiscard]] constexpr Precision decimals(int digits) { return {digits, true}; }

/// The units that durations are shown in. No duration is shown in a smaller unit than requested.
enum class DurationUnit : std::uint8_t { seconds, milliseconds, microseconds, nanoseconds };

/// "1.250 ms", "80.000 µs": in the largest unit with a value of at least one, otherwise in `smallest`.
[[nodiscard]] std::string duration_text(double seconds, Precision precision,
                                        DurationUnit smallest = DurationUnit::microseconds);

/// "2.5 Gbit/s", for people; six digits at most.
[[nodiscard]] std::string speed_text(double bits_per_second);

/// "2.5Gbit", as parse_speed() reads it and topology files say it; six digits at most.
[[nodiscard]] std::string written_speed(double bits_per_second);

/// "128 KiB", or "1500 bytes" where that is not a whole number of KiB, MiB or GiB.
[[nodiscard]] std::string size_text(std::int64_t bytes);

/// "777 B", "13.2 KiB", also MiB.
[[nodiscard]] std::string rounded_size_text(double bytes);

}  // namespace aapc
