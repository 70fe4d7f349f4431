/// @file
/// The table of algorithms. Adding one is a file with a build function and a row here (src/algorithms/table.cpp): the
/// command line, the interposer, the tuner and the tests take names, variants and summaries from the table.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

struct Algorithm {
    std::string_view name;
    std::span<const std::string_view> variants;  ///< the default first
    /// Variants beyond the list: this prefix and a whole number of at least 2 ("radix-" takes "radix-5"). Empty: none.
    std::string_view numbered_variants;
    std::string_view summary;            ///< one clause for --help
    std::optional<NetworkKind> network;  ///< the kind of network it is for; nothing: any
    Synchronisation synchronisation;     ///< what it is run with unless something else is asked for
    /// Builds the timetable; the network is of the right kind, the placement has at least one participant and
    /// has_variant() holds.
    Expected<std::unique_ptr<Timetable>> (*build)(const Network&, const Placement&, std::string_view variant);

    /// What is for any tree is for clusters, too.
    [[nodiscard]] bool is_for(NetworkKind kind) const {
        return !network || *network == kind || (*network == NetworkKind::tree && is_tree(kind));
    }
    [[nodiscard]] bool has_variant(std::string_view variant) const;
    /// "merged, paper" or "radix-2, radix-4, radix-R", for messages.
    [[nodiscard]] std::string variant_names() const;
};

[[nodiscard]] std::span<const Algorithm> algorithms();

/// The algorithm of that name, or a diagnostic that lists the names there are.
[[nodiscard]] Expected<const Algorithm*> find_algorithm(std::string_view name);

/// Builds the timetable of `algorithm` in `variant` (empty: its default) for this network and placement, or says why it
/// cannot be had.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_timetable(const Algorithm& algorithm, std::string_view variant,
                                                                   const Network& network, const Placement& placement);

}  // namespace aapc
