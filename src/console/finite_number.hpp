/// @file
/// Checks of numbers on the command line. CLI11's own ranges let "nan" pass, which compares false with everything, and
/// its PositiveNumber "inf".
#pragma once

#include <CLI/CLI.hpp>
#include <cmath>
#include <string>

namespace aapc::cli {

/// For CLI::Option::check(): a finite number for which `holds`; otherwise it is no `what`. The name of the option is
/// added by CLI11.
template <class Condition>
[[nodiscard]] CLI::Validator finite_number(const std::string& what, Condition holds) {
    const auto check = [what, holds](const std::string& text) {
        double number = 0;
        const bool fits = CLI::detail::lexical_cast(text, number) && std::isfinite(number) && holds(number);
        return fits ? std::string() : "'" + text + "' is no " + what;
    };
    return {check, ""};
}

[[nodiscard]] inline CLI::Validator positive_number() {
    return finite_number("finite number above 0", [](double number) { return number > 0; });
}

[[nodiscard]] inline CLI::Validator non_negative_number() {
    return finite_number("finite number of 0 or more", [](double number) { return number >= 0; });
}

}  // namespace aapc::cli
