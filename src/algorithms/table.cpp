#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "algorithms/aggregate/aggregate_timetable.hpp"
#include "algorithms/baselines/bruck.hpp"
#include "algorithms/baselines/linear.hpp"
#include "algorithms/baselines/pairwise.hpp"
#include "algorithms/baselines/rotations.hpp"
#include "algorithms/factor/factor_timetable.hpp"
#include "algorithms/lattice/lattice_timetable.hpp"
#include "algorithms/local_group/local_group_timetable.hpp"
#include "algorithms/torus/direct.hpp"
#include "algorithms/torus/divided.hpp"
#include "algorithms/tree/tree_timetable.hpp"
#include "input/numbers.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

using Kind = Synchronisation::Kind;

// The first one for a kind of network is what is used unless something else is asked for.
constexpr Algorithm table[] = {
    {
        .name = "local-group",
        .variants = local_group::variants,
        .summary = "clusters gather first: few, large messages across the wide area",
        .network = NetworkKind::clusters,
        .synchronisation = Synchronisation::with_blocks(Kind::window, 1),
        .build = local_group::build,
        .uses = local_group::uses,
    },
    {
        .name = "tree",
        .variants = tree::variants,
        .summary = "contention-free phases on a tree of switches",
        .network = NetworkKind::tree,
        .synchronisation = Synchronisation::timed,
        .build = tree::build,
        .uses = tree::uses,
    },
    {
        .name = "torus",
        .variants = torus::divided_variants,
        .numbered_variants = torus::divisions_prefix,
        .summary = "few messages on a torus: collected, exchanged, distributed",
        .network = NetworkKind::torus,
        .synchronisation = Synchronisation::with_blocks(Kind::window, 1),
        .build = torus::build_divided,
        .smaller_variant = torus::one_division_less,
    },
    {
        .name = "torus-direct",
        .variants = torus::direct_variants,
        .summary = "contention-free phases on a torus",
        .network = NetworkKind::torus,
        .synchronisation = Synchronisation::timed,
        .build = torus::build_direct,
        .uses = torus::direct_uses,
    },
    {
        .name = lattice::name,
        .variants = lattice::variants,
        .summary = "every message at its time in a cycle, on any network at any speeds",
        .synchronisation = Synchronisation::timed,
        .build = lattice::build,
        .build_thoroughly = lattice::build_thoroughly,
        .uses = lattice::uses,
        .near_the_bound_at_any_speeds = true,
    },
    {
        .name = "factor",
        .variants = factor::variants,
        .numbered_variants = factor::ports_prefix,
        .summary = "pairwise exchanges between machines of any size (1-factorisations)",
        .synchronisation = Synchronisation::with_blocks(Kind::window, 1),
        .build = factor::build,
        .uses = factor::uses,
        .best_variant = factor::best_variant,
    },
    {
        .name = "aggregate",
        .variants = aggregate::variants,
        .numbered_variants = aggregate::carriers_prefix,
        .summary = "the ranks of a machine put their blocks for another one into one message",
        .synchronisation = Synchronisation::with_blocks(Kind::window, all_phases),
        .build = aggregate::build,
        .uses = aggregate::uses,
        .on_one_machine = true,
        .worth_trying = aggregate::has_what_to_put_together,
        .smaller_variant = aggregate::more_carriers,
    },
    {
        .name = "ring",
        .variants = baselines::plain_variants,
        .summary = "step k: to the rank k places ahead (Open MPI's pairwise)",
        .synchronisation = Synchronisation::with_blocks(Kind::window, 1),
        .build = baselines::build_ring,
    },
    {
        .name = "pairwise",
        .variants = baselines::plain_variants,
        .summary = "step k: exchange with rank XOR k, or as ring (MPICH's pairwise)",
        .synchronisation = Synchronisation::with_blocks(Kind::window, 1),
        .build = baselines::build_pairwise,
    },
    {
        .name = "scattered",
        .variants = baselines::plain_variants,
        .summary = "many messages at a time, from the next rank on (MPICH's scattered)",
        .synchronisation = Synchronisation::with_blocks(Kind::window, baselines::scattered_window),
        .build = baselines::build_scattered,
    },
    {
        .name = "linear",
        .variants = baselines::plain_variants,
        .summary = "all messages at once, to rank 0 first (LAM/MPI's)",
        .synchronisation = Synchronisation::with_blocks(Kind::window, all_phases),
        .build = baselines::build_linear,
    },
    {
        .name = "bruck",
        .variants = baselines::bruck_variants,
        .numbered_variants = baselines::bruck_radix,
        .summary = "few messages: blocks are passed on, digit by digit",
        .synchronisation = Synchronisation::with_blocks(Kind::window, 1),
        .build = baselines::build_bruck,
    },
};

}  // namespace

bool Algorithm::has_variant(std::string_view variant) const {
    if (std::find(variants.begin(), variants.end(), variant) != variants.end()) {
        return true;
    }
    if (numbered_variants.empty() || !variant.starts_with(numbered_variants)) {
        return false;
    }
    const std::string_view digits = variant.substr(numbered_variants.size());
    if (digits.starts_with('0')) {
        return false;  // one variant, one name
    }
    const auto number = parse_number<Rank>(digits);
    return number && *number >= 2;
}

std::string Algorithm::variant_names() const {
    std::string names = fmt::format("{}", fmt::join(variants, ", "));
    return numbered_variants.empty() ? names : fmt::format("{}, {}N", names, numbered_variants);
}

std::span<const Algorithm> algorithms() { return table; }

Expected<const Algorithm*> find_algorithm(std::string_view name) {
    const auto found = std::find_if(std::begin(table), std::end(table),
                                    [&](const Algorithm& algorithm) { return algorithm.name == name; });
    if (found != std::end(table)) {
        return found;
    }
    std::vector<std::string_view> names;
    for (const Algorithm& algorithm : table) {
        names.push_back(algorithm.name);
    }
    return failure(fmt::format("there is no algorithm '{}'", name), choice_of(name, names));
}

Expected<std::unique_ptr<Timetable>> build_timetable(const Algorithm& algorithm, std::string_view variant,
                                                     const Network& network, const Placement& placement,
                                                     Effort effort) {
    if (!algorithm.is_for(network.kind())) {
        return failure(fmt::format("algorithm '{}' is for networks of kind '{}', and this one is of kind '{}'",
                                   algorithm.name, to_string(*algorithm.network), to_string(network.kind())),
                       "choose an algorithm for this kind of network");
    }
    if (placement.participants() == 0) {
        return failure("nobody takes part", "name at least one participant");
    }
    if (variant.empty()) {
        variant = algorithm.variants.front();
    }
    if (!algorithm.has_variant(variant)) {
        return failure(fmt::format("algorithm '{}' has no variant '{}'", algorithm.name, variant),
                       fmt::format("choose one of: {}", algorithm.variant_names()));
    }
    const bool thorough = effort == Effort::thorough && algorithm.build_thoroughly != nullptr;
    return (thorough ? algorithm.build_thoroughly : algorithm.build)(network, placement, variant);
}

}  // namespace aapc
