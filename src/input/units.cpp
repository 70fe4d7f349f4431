// Speeds, durations and sizes as people write and read them.
#include "aapc/input/units.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <system_error>
#include <tuple>
#include <utility>

#include "input/numbers.hpp"
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
    const std::string name = lower_case(unit);
    if (name.empty() || name == "b") {
        return 1;
    }
    constexpr std::array<std::tuple<char, std::int64_t, std::int64_t>, 3> prefixes{
        {{'k', 1'024, 1'000}, {'m', 1'048'576, 1'000'000}, {'g', 1'073'741'824, 1'000'000'000}}};
    for (const auto& [prefix, binary, decimal] : prefixes) {
        if (name.front() == prefix) {
            const std::string_view rest = std::string_view(name).substr(1);
            return rest == "b" ? decimal : rest.empty() || rest == "i" || rest == "ib" ? binary : 0;
        }
    }
    return 0;
}

/// A speed and the largest unit of which there is one at least.
std::pair<double, std::string_view> in_largest_unit(double bits_per_second) {
    constexpr std::array<std::pair<double, std::string_view>, 4> units{
        {{1e12, "Tbit"}, {1e9, "Gbit"}, {1e6, "Mbit"}, {1e3, "kbit"}}};
    for (const auto& [factor, unit] : units) {
        if (bits_per_second >= factor) {
            return {bits_per_second / factor, unit};
        }
    }
    return {bits_per_second, "bit"};
}

/// What speeds and durations have in common: the number and the factor of its unit. `unit_named` gives 0 for a unit
/// that does not exist; `refuse` is told `too_small` of a number below 0 and
/// `too_large` of a quantity above `most`.
template <class UnitNamed, class Refuse>
Expected<double> parse_quantity(std::string_view text, std::string_view too_small, double most,
                                std::string_view too_large, UnitNamed unit_named, Refuse refuse) {
    const auto [digits, unit] = split_number(text);
    if (digits.empty()) {
        return refuse(text.starts_with('-') ? too_small : "it does not start with a number");
    }
    const std::optional<double> number = parse_digits(digits);
    if (!number) {
        return refuse("its number cannot be read");
    }
    if (unit.empty()) {
        return refuse("it has no unit");
    }
    const double factor = unit_named(unit);
    if (factor == 0) {
        return refuse(fmt::format("it has an unknown unit, {}", in_quotes(unit)));
    }
    if (*number * factor > most) {
        return refuse(too_large);
    }
    return *number * factor;
}

}  // namespace

Expected<double> parse_speed(std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return failure(fmt::format("{} is not a speed: {}", in_quotes(text), why),
                       "write a number and bit, kbit, Mbit, Gbit or Tbit, such as \"100Mbit\" or \"2.5Gbit\"");
    };
    Expected<double> speed = parse_quantity(text, "it is not more than 0", most_bits_per_second,
                                            "it is more than 1000 Tbit", speed_unit, refuse);
    return speed && !(*speed > 0) ? refuse("it is not more than 0") : speed;
}

Expected<double> parse_duration(std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return failure(fmt::format("{} is not a duration: {}", in_quotes(text), why),
                       "write a number and s, ms, us or ns, such as \"5ms\" or \"0.2s\"");
    };
    return parse_quantity(text, "it is less than 0", most_seconds, "it is more than an hour", duration_unit, refuse);
}

Expected<double> parse_given_duration(std::string_view text) {
    return parse_duration(parse_number<double>(text) ? std::string(text) + "s" : std::string(text));
}

Expected<std::int64_t> parse_size(std::string_view text) {
    const auto refuse = [&](std::string_view why) {
        return failure(fmt::format("{} is not a size: {}", in_quotes(text), why),
                       "write whole bytes, or a whole number and K, M, G or KiB, MiB, GiB (powers of 1024) or kB, MB, "
                       "GB (of 1000), such as 8192 or 32K");
    };
    const auto [digits, unit] = split_number(text);
    if (digits.empty()) {
        return refuse("it does not start with a number");
    }
    if (digits.find('.') != std::string_view::npos) {
        return refuse("it is not a whole number");
    }
    std::int64_t number = 0;
    if (std::from_chars(digits.data(), digits.data() + digits.size(), number).ec != std::errc{}) {
        return refuse("it is more than 2^62 bytes");
    }
    const std::int64_t factor = size_unit(unit);
    if (factor == 0) {
        return refuse(fmt::format("it has an unknown unit, {}", in_quotes(unit)));
    }
    if (number > most_bytes / factor) {
        return refuse("it is more than 2^62 bytes");
    }
    return number * factor;
}

Expected<std::int64_t> parse_size_of(std::string_view option, std::string_view text) {
    auto size = parse_size(text);
    if (!size) {
        size.error().file = option;
    }
    return size;
}

Expected<std::vector<std::int64_t>> parse_sizes_of(std::string_view option, const std::vector<std::string>& words,
                                                   std::int64_t least) {
    std::vector<std::int64_t> sizes;
    for (const std::string& word : words) {
        const auto size = parse_size_of(option, word);
        if (!size) {
            return failure(size.error());
        }
        if (*size < least) {
            return failure({.file = std::string(option),
                            .problem = fmt::format("{} is too small", in_quotes(word)),
                            .advice = fmt::format("give sizes of at least {} byte{}", least, least == 1 ? "" : "s")});
        }
        sizes.push_back(*size);
    }
    return sizes;
}

std::string duration_text(double seconds, Precision precision, DurationUnit smallest) {
    struct Unit {
        double seconds;
        double of_a_second;  ///< the inverse, which is exact
        std::string_view name;
    };
    constexpr std::array<Unit, 4> units{{{1, 1, "s"}, {1e-3, 1e3, "ms"}, {1e-6, 1e6, "µs"}, {1e-9, 1e9, "ns"}}};
    const auto* const unit = std::find_if(units.begin(), units.begin() + static_cast<std::ptrdiff_t>(smallest),
                                          [&](const Unit& candidate) { return seconds >= candidate.seconds; });
    const double number = seconds * unit->of_a_second;
    return precision.after_point ? fmt::format("{:.{}f} {}", number, precision.digits, unit->name)
                                 : fmt::format("{:.{}g} {}", number, precision.digits, unit->name);
}

std::string speed_text(double bits_per_second) {
    const auto [number, unit] = in_largest_unit(bits_per_second);
    return fmt::format("{:.6g} {}/s", number, unit);
}

std::string written_speed(double bits_per_second) {
    const auto [number, unit] = in_largest_unit(bits_per_second);
    return fmt::format("{:.6g}{}", number, unit);
}

std::string size_text(std::int64_t bytes) {
    constexpr std::array<std::pair<std::int64_t, std::string_view>, 3> units{
        {{std::int64_t{1} << 30U, "GiB"}, {std::int64_t{1} << 20U, "MiB"}, {std::int64_t{1} << 10U, "KiB"}}};
    for (const auto& [unit, name] : units) {
        if (bytes % unit == 0) {
            return fmt::format("{} {}", bytes / unit, name);
        }
    }
    return fmt::format("{} bytes", bytes);
}

std::string rounded_size_text(double bytes) {
    constexpr double kibi = 1024;
    if (bytes < kibi) {
        return fmt::format("{:.3g} B", bytes);
    }
    return bytes < kibi * kibi ? fmt::format("{:.4g} KiB", bytes / kibi)
                               : fmt::format("{:.4g} MiB", bytes / kibi / kibi);
}

}  // namespace aapc
