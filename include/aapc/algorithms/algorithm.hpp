/// @file
/// The table of algorithms. A new algorithm is a directory with a build function and a row (src/algorithms/table.cpp);
/// HACKING.md shows how. The command line, the interposer, the tuner and the tests take names, variants, summaries and
/// all other differences between algorithms from the row, and use no algorithm by name.
#pragma once

#include <cstdint>
#include <limits>
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

/// Where an algorithm is used by default.
struct Use {
    NetworkKind kind = NetworkKind::tree;
    /// Blocks from this size to less than `below_bytes`. 0: from the size at which an exchange is worth its start
    /// (selection/crossover.hpp). The ranges of several algorithms on one kind of network are disjoint and ascend with
    /// their rows, and a range by time is the last. Of several by time that of the last row is used, or on
    /// a tree one above it where another synchronisation than `timed` is forced.
    std::int64_t from_bytes = 0;
    std::int64_t below_bytes = std::numeric_limits<std::int64_t>::max();
    /// The MPI whose native routine was measured to be faster ("mpich"); empty if there is none.
    std::string_view not_under = {};
    /// Only learning can choose it (docs/learning.md): a candidate that the rule itself never takes. Such ranges may
    /// overlap with others.
    bool only_learned = false;

    [[nodiscard]] bool by_time() const { return from_bytes == 0; }
};

/// A row of the table. Members with a default may be left out.
struct Algorithm {
    std::string_view name;
    std::span<const std::string_view> variants;  ///< the default first
    /// Variants beyond the list: this prefix and a whole number of at least 2 ("radix-" takes "radix-5"). Empty if
    /// there are none.
    std::string_view numbered_variants = {};
    std::string_view summary;                           ///< one clause for --help
    std::optional<NetworkKind> network = std::nullopt;  ///< the kind of network it is for; nullopt if for any
    Synchronisation synchronisation;                    ///< its default synchronisation
    /// Builds the timetable; the network is of the right kind, the placement has at least one participant and
    /// has_variant() holds.
    Expected<std::unique_ptr<Timetable>> (*build)(const Network&, const Placement&, std::string_view variant) = nullptr;

    /// The same with seconds of work instead of the limit of a set-up; for variants that need a search. Null if there
    /// is no difference.
    Expected<std::unique_ptr<Timetable>> (*build_thoroughly)(const Network&, const Placement&,
                                                             std::string_view variant) = nullptr;

    // For the interposer's rule (selection/rule.hpp).
    std::span<const Use> uses = {};
    /// The variant that serves such a placement best, of those listed. Null if it is always the default.
    std::string_view (*best_variant)(const Placement&) = nullptr;
    /// It takes about as long as the bound on any network whose speeds are known, so it replaces algorithms whose
    /// phases of equal length would take longer.
    bool near_the_bound_at_any_speeds = false;

    /// It copies blocks where all ranks share a machine. There it is the only candidate for learning, and no other
    /// algorithm is used.
    bool on_one_machine = false;

    /// Whether the tuner should try it on such a placement. Null if on every one.
    bool (*worth_trying)(const Placement&) = nullptr;

    // For a limit of memory (aapc/methods/buffer_limit.hpp).
    /// The variant with smaller buffers than this one; nullopt if there is none. Null if no variant has one.
    std::optional<std::string> (*smaller_variant)(std::string_view variant) = nullptr;

    /// An algorithm for any tree is also for clusters.
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

/// How much work a search for a timetable is worth. Work is counted, not timed, so that all ranks find the same result.
enum class Effort : std::uint8_t {
    at_set_up,  ///< for a running job: some 50 ms
    thorough,   ///< for a schedule that is made beforehand: some seconds
};

/// Builds the timetable of `algorithm` in `variant` (empty: its default) for this network and placement, or says why
/// that is impossible.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_timetable(const Algorithm& algorithm, std::string_view variant,
                                                                   const Network& network, const Placement& placement,
                                                                   Effort effort = Effort::at_set_up);

}  // namespace aapc
