/// @file
/// The table of algorithms. Adding one is a directory with a build function and a row (src/algorithms/table.cpp), as
/// HACKING.md walks through it: the command line, the interposer, the tuner and the tests take names, variants,
/// summaries and what else differs from one algorithm to the next out of the row, and ask for no algorithm by name.
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

/// Where an algorithm is used although nobody asked for it.
struct Use {
    NetworkKind kind = NetworkKind::tree;
    /// Blocks of so many bytes to less than `below_bytes`; 0: from where the exchange lasts long enough for a start
    /// (selection/crossover.hpp). What several algorithms use on one kind of network is apart and ascends with their
    /// rows, and what goes by time is the last.
    std::int64_t from_bytes = 0;
    std::int64_t below_bytes = std::numeric_limits<std::int64_t>::max();
    /// The MPI whose own routine was measured to be faster ("mpich"); empty: none.
    std::string_view not_under = {};
    /// Only a program's own calls can choose it (docs/learning.md): a candidate that the rule itself never takes, so
    /// what is said above of being apart does not hold for it.
    bool only_learned = false;

    [[nodiscard]] bool by_time() const { return from_bytes == 0; }
};

/// A row of the table. What has a default may be left out.
struct Algorithm {
    std::string_view name;
    std::span<const std::string_view> variants;  ///< the default first
    /// Variants beyond the list: this prefix and a whole number of at least 2 ("radix-" takes "radix-5"). Empty: none.
    std::string_view numbered_variants = {};
    std::string_view summary;                           ///< one clause for --help
    std::optional<NetworkKind> network = std::nullopt;  ///< the kind of network it is for; nothing: any
    Synchronisation synchronisation;                    ///< what it is run with unless something else is asked for
    /// Builds the timetable; the network is of the right kind, the placement has at least one participant and
    /// has_variant() holds.
    Expected<std::unique_ptr<Timetable>> (*build)(const Network&, const Placement&, std::string_view variant) = nullptr;

    /// The same with seconds of work instead of what a set-up may take; of variants that are searched for. Null: there
    /// is no difference.
    Expected<std::unique_ptr<Timetable>> (*build_thoroughly)(const Network&, const Placement&,
                                                             std::string_view variant) = nullptr;

    // What the interposer's rule goes by (selection/rule.hpp).
    std::span<const Use> uses = {};
    /// The variant that serves such a placement best, of those listed. Null: the default.
    std::string_view (*best_variant)(const Placement&) = nullptr;
    /// It takes about as long as the bound on any network whose speeds are known, so it stands in where phases of equal
    /// length would take longer.
    bool near_the_bound_at_any_speeds = false;

    /// Where all ranks share a machine it copies what they have for each other: a candidate in a program's own calls,
    /// and there nothing else is used.
    bool on_one_machine = false;

    /// Whether the tuner should try it on such a placement. Null: on every one.
    bool (*worth_trying)(const Placement&) = nullptr;

    // What a limit of memory goes by (aapc/methods/buffer_limit.hpp).
    /// The variant that makes do with smaller buffers than this one; nothing if there is none. Null: there never is.
    std::optional<std::string> (*smaller_variant)(std::string_view variant) = nullptr;

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

/// How much work a search for a timetable is worth. It is counted, not timed, so that all ranks find the same.
enum class Effort : std::uint8_t {
    at_set_up,  ///< what a running job can wait for: some 50 ms
    thorough,   ///< some seconds: a schedule that is made beforehand
};

/// Builds the timetable of `algorithm` in `variant` (empty: its default) for this network and placement, or says why it
/// cannot be had.
[[nodiscard]] Expected<std::unique_ptr<Timetable>> build_timetable(const Algorithm& algorithm, std::string_view variant,
                                                                   const Network& network, const Placement& placement,
                                                                   Effort effort = Effort::at_set_up);

}  // namespace aapc
