/// @file
/// A method: one way to carry out an all-to-all. The command line, the environment, benchmarks and tuning files name
/// methods.
#pragma once

#include <string>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/network.hpp"

namespace aapc {

struct Method {
    const Algorithm* algorithm = nullptr;  ///< a row of the table; null if native
    std::string variant;                   ///< of the algorithm; empty if native, never otherwise
    Synchronisation synchronisation;       ///< `none` if native

    [[nodiscard]] bool native() const { return algorithm == nullptr; }
    friend bool operator==(const Method&, const Method&) = default;
};

/// "native", "tree/merged+timed:8688@0.95", "ring/plain+window:1": read back by parse_method().
[[nodiscard]] std::string to_string(const Method& method);

/// Reads `ALGORITHM[/VARIANT][+SYNCHRONISATION]` or `native` for networks of that kind. Omitted parts have the
/// algorithm's default. The diagnostic has no file and says which part is wrong. Whether the algorithm's phases are
/// contention-free enough for the synchronisation shows only once its timetable is built: check_synchronisation_fits().
[[nodiscard]] Expected<Method> parse_method(std::string_view text, NetworkKind kind);

/// The same for the phases of `timetable`.
[[nodiscard]] Expected<void> check_synchronisation_fits(const Timetable& timetable,
                                                        const Synchronisation& synchronisation);

}  // namespace aapc
