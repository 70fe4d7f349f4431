/// @file
/// Speeds, durations and sizes as people write them.
#pragma once

#include <cstdint>
#include <string_view>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// "100Mbit", "1Gbit", "2.5Gbit", "56000bit", also kbit and Tbit (decimal prefixes, case-insensitive, "bit/s" and "bps"
/// too) in bits per second; more than 0 and at most 10^15.
[[nodiscard]] Expected<double> parse_speed(std::string_view text);

/// "5ms", "0.2 s", "80us", "300ns" in seconds; at least 0 and at most an hour.
[[nodiscard]] Expected<double> parse_duration(std::string_view text);

/// Bytes: "8192", "8k", "8kB" (1000), "8Ki", "8KiB" (1024), M, Mi, G, Gi. At most 2^62.
[[nodiscard]] Expected<std::int64_t> parse_size(std::string_view text);

}  // namespace aapc
