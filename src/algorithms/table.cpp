#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "algorithms/baselines/bruck.hpp"
#include "algorithms/baselines/linear.hpp"
#include "algorithms/baselines/pairwise.hpp"
#include "algorithms/baselines/ring.hpp"
#include "algorithms/baselines/scattered.hpp"
#include "algorithms/factor/factor_timetable.hpp"
#include "algorithms/local_group/local_group_timetable.hpp"
#include "algorithms/torus/direct.hpp"
#include "algorithms/torus/divided.hpp"
#include "algorithms/tree/tree_timetable.hpp"

namespace aapc {

namespace {

using Kind = Synchronisation::Kind;

// The first one for a kind of network is what is used unless something else is asked for.
constexpr Algorithm table[] = {
    {"local-group", local_group::variants, "", "clusters gather first: few, large messages across the wide area",
     NetworkKind::clusters, Synchronisation::with_blocks(Kind::window, 1), local_group::build},
    {"tree", tree::variants, "", "contention-free phases on a tree of switches", NetworkKind::tree,
     Synchronisation::timed, tree::build},
    {"torus", torus::divided_variants, torus::divisions_prefix,
     "few messages on a torus: collected, exchanged, distributed", NetworkKind::torus,
     Synchronisation::with_blocks(Kind::window, 1), torus::build_divided},
    {"torus-direct", torus::direct_variants, "", "contention-free phases on a torus", NetworkKind::torus,
     Synchronisation::timed, torus::build_direct},
    {"factor", factor::variants, factor::ports_prefix,
     "pairwise exchanges between machines of any size (1-factorisations)", std::nullopt,
     Synchronisation::with_blocks(Kind::window, 1), factor::build},
    {"ring", baselines::plain_variants, "", "step k: to the rank k places ahead (Open MPI's pairwise)", std::nullopt,
     Synchronisation::with_blocks(Kind::window, 1), baselines::build_ring},
    {"pairwise", baselines::plain_variants, "", "step k: exchange with rank XOR k, or as ring (MPICH's pairwise)",
     std::nullopt, Synchronisation::with_blocks(Kind::window, 1), baselines::build_pairwise},
    {"scattered", baselines::plain_variants, "", "many messages at a time, from the next rank on (MPICH's scattered)",
     std::nullopt, Synchronisation::with_blocks(Kind::window, baselines::scattered_window), baselines::build_scattered},
    {"linear", baselines::plain_variants, "", "all messages at once, to rank 0 first (LAM/MPI's)", std::nullopt,
     Synchronisation::with_blocks(Kind::window, all_phases), baselines::build_linear},
    {"bruck", baselines::bruck_variants, baselines::bruck_radix, "few messages: blocks are passed on, digit by digit",
     std::nullopt, Synchronisation::with_blocks(Kind::window, 1), baselines::build_bruck},
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
    Rank number = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), number);
    return error == std::errc() && end == digits.data() + digits.size() && number >= 2;
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
    return failure(fmt::format("there is no algorithm '{}'", name),
                   fmt::format("choose one of: {}", fmt::join(names, ", ")));
}

Expected<std::unique_ptr<Timetable>> build_timetable(const Algorithm& algorithm, std::string_view variant,
                                                     const Network& network, const Placement& placement) {
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
    return algorithm.build(network, placement, variant);
}

}  // namespace aapc
