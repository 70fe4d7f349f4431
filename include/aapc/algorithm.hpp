/// @file
/// The table of algorithms. Adding one is a file with a build function and a row here (src/algorithms.cpp): the command
/// line, the interposer and the tests take names, variants and summaries from the table.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "aapc/demand.hpp"
#include "aapc/diagnostic.hpp"
#include "aapc/network.hpp"
#include "aapc/timetable.hpp"

namespace aapc {

struct Algorithm {
    std::string_view name;
    std::span<const std::string_view> variants;  ///< the default first
    std::string_view summary;                    ///< one clause for --help
    NetworkKind network;                         ///< the kind of network it is for
    /// Builds the timetable; the network is of the right kind, the demand has at least one participant and `variant` is
    /// one of `variants`.
    Expected<std::unique_ptr<Timetable>> (*build)(const Network&, const Demand&, std::string_view variant);
};

[[nodiscard]] std::span<const Algorithm> algorithms();

/// The algorithm of that name, or a diagnostic that lists the names there are.
[[nodiscard]] Expected<const Algorithm*> find_algorithm(std::string_view name);

/// Builds the timetable of `algorithm` in `variant` (empty: its default) for this network and demand, or says why it
/// cannot be had.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_timetable(const Algorithm& algorithm, std::string_view variant,
                                                                   const Network& network, const Demand& demand);

}  // namespace aapc
