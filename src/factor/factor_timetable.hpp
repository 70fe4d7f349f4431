/// @file
/// The algorithm `factor`: all-to-all by factors of the complete graph (Sanders & Träff 2002).
#pragma once

#include <memory>
#include <string_view>

#include "aapc/algorithm.hpp"

namespace aapc::factor {

inline constexpr std::string_view flat = "flat";
inline constexpr std::string_view variants[] = {flat};

/// Variant `flat` (section 2): P phases for every P; in phase i rank u exchanges with rank (i-u) mod P, or rests where
/// that is itself.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build(const Network& network, const Demand& demand,
                                                         std::string_view variant);

}  // namespace aapc::factor
