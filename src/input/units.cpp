// Speeds, durations and sizes as people write them.
#include "aapc/input/units.hpp"

#include <fmt/format.h>

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr double most_bits_per_second = 1e15;
constexpr double most_seconds = 3600;
constexpr std::int64_t most_bytes = std::int64_t{1} << 62U;

std::string lower_case(std::string_view text) {
    std::string lower(text);
    for (char& character : lower) {
        if (character >= 'A' && character <= 'Z') {
            character = static_cast<char>(character - 'A' + 'a');
        }
    }
    return lower;
}

/// Splits "2.5 Gbit/s" into "2.5" and "Gbit/s".
std::pair<std::string_view, std::string_view> split_number(std::string_view text) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789."), text.size());
    std::string_view unit = text.substr(end);
    if (unit.starts_with(' ')) {
        unit.remove_prefix(1);
    }
    return {text.substr(0, end), unit};
}

/// Bits per second of one unit of that name, or 0.
double speed_unit(std::string_view unit) {
    std::string prefix = lower_case(unit);
    bool is_bits = false;
    for (const std::string_view suffix : {"bit/s", "bit", "bps"}) {
        if (prefix.ends_with(suffix)) {
            prefix.resize(prefix.size() - suffix.size());
            is_bits = true;
            break;
        }
    }
    if (!is_bits) {
        return 0;
    }
    constexpr std::array<std::pair<std::string_view, double>, 5> prefixes{
        {{"", 1}, {"k", 1e3}, {"m", 1e6}, {"g", 1e9}, {"t", 1e12}}};
    for (const auto& [name, factor] : prefixes) {
        if (prefix == name) {
            return factor;
        }
    }
    return 0;
}

/// Seconds of one unit of that name, or 0.
double duration_unit(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, double>, 4> units{
        {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"ns", 1e-9}}};
    for (const auto& [name, seconds] : units) {
        if (unit == name) {
            return seconds;
        }
    }
    return 0;
}

/// The number that consists of these digits, with or without a point.
std::optional<double> parse_digits(std::string_view digits) {
    double number = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), number, std::chars_format::fixed);
    if (error != std::errc{} || end != digits.data() + digits.size()) {
        return std::nullopt;
    }
    return number;
}

/// Bytes of one unit of that name, or 0.
std::int64_t size_unit(std::string_view unit) {
    std::string prefix = lower_case(unit);
    if (prefix.ends_with('b')) {
        prefix.pop_back();
    }
    constexpr std::array<std::pair<std::string_view, std::int64_t>, 7> prefixes{{{"", 1},
                                                                                 {"k", 1'000},
                                                                                 {"ki", 1'024},
                                                                                 {"m", 1'000'000},
                                                                                 {"mi", 1'048'576},
                                                                                 {"g", 1'000'000'000},
                                                                                 {"gi", 1'073'741'824}}};
    for (const auto& [name, factor] : prefixes) {
        if (prefix == name) {
            return factor;
        }
    }
    return 0;
}

}  // namespace

Expected<double> parse_speed(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return failure(fmt::format("{} is not a speed: {}", in_quotes(text), why),
                       "write a number and bit, kbit, Mbit, Gbit or Tbit, such as \"100Mbit\" or \"2.5Gbit\"");
    };
    const auto [digits, unit] = split_number(text);
    if (digits.empty()) {
        return wrong(text.starts_with('-') ? "it is not more than 0" : "it does not start with a number");
    }
    const std::optional<double> number = parse_digits(digits);
    if (!number) {
        return wrong("its number cannot be read");
    }
    if (unit.empty()) {
        return wrong("it has no unit");
    }
    const double factor = speed_unit(unit);
    if (factor == 0) {
        return wrong(fmt::format("it has an unknown unit, {}", in_quotes(unit)));
    }
    const double speed = *number * factor;
    if (!(speed > 0)) {
        return wrong("it is not more than 0");
    }
    if (speed > most_bits_per_second) {
        return wrong("it is more than 1000 Tbit");
    }
    return speed;
}

Expected<double> parse_duration(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return failure(fmt::format("{} is not a duration: {}", in_quotes(text), why),
                       "write a number and s, ms, us or ns, such as \"5ms\" or \"0.2s\"");
    };
    const auto [digits, unit] = split_number(text);
    if (digits.empty()) {
        return wrong(text.starts_with('-') ? "it is less than 0" : "it does not start with a number");
    }
    const std::optional<double> number = parse_digits(digits);
    if (!number) {
        return wrong("its number cannot be read");
    }
    if (unit.empty()) {
        return wrong("it has no unit");
    }
    const double factor = duration_unit(unit);
    if (factor == 0) {
        return wrong(fmt::format("it has an unknown unit, {}", in_quotes(unit)));
    }
    const double seconds = *number * factor;
    if (seconds > most_seconds) {
        return wrong("it is more than an hour");
    }
    return seconds;
}

Expected<std::int64_t> parse_size(std::string_view text) {
    const auto wrong = [&](std::string_view why) {
        return failure(fmt::format("{} is not a size: {}", in_quotes(text), why),
                       "write whole bytes, or a whole number and k, M, G (powers of 1000) or Ki, Mi, Gi (of 1024), "
                       "such as 8192 or 32Ki");
    };
    const auto [digits, unit] = split_number(text);
    if (digits.empty()) {
        return wrong("it does not start with a number");
    }
    if (digits.find('.') != std::string_view::npos) {
        return wrong("it is not a whole number");
    }
    std::int64_t number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc{}) {
        return wrong("it is more than 2^62 bytes");
    }
    const std::int64_t factor = size_unit(unit);
    if (factor == 0) {
        return wrong(fmt::format("it has an unknown unit, {}", in_quotes(unit)));
    }
    if (number > most_bytes / factor) {
        return wrong("it is more than 2^62 bytes");
    }
    return number * factor;
}

}  // namespace aapc
