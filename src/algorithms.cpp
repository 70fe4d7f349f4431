#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <string>
#include <vector>

#include "aapc/algorithm.hpp"
#include "tree/tree_timetable.hpp"

namespace aapc {

namespace {

constexpr Algorithm table[] = {
    {"tree", tree::variants, "contention-free phases on a tree of switches", NetworkKind::tree, tree::build},
};

}  // namespace

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
    return failure({"", 0, 0, fmt::format("there is no algorithm '{}'", name),
                    fmt::format("choose one of: {}", fmt::join(names, ", "))});
}

Expected<std::unique_ptr<Timetable>> build_timetable(const Algorithm& algorithm, std::string_view variant,
                                                     const Network& network, const Demand& demand) {
    if (network.kind() != algorithm.network) {
        return failure({"", 0, 0,
                        fmt::format("algorithm '{}' is for networks of kind '{}', and this one is of kind '{}'",
                                    algorithm.name, to_string(algorithm.network), to_string(network.kind())),
                        "choose an algorithm for this kind of network"});
    }
    if (demand.participants() == 0) {
        return failure({"", 0, 0, "nobody takes part", "name at least one participant"});
    }
    if (variant.empty()) {
        variant = algorithm.variants.front();
    }
    if (std::find(algorithm.variants.begin(), algorithm.variants.end(), variant) == algorithm.variants.end()) {
        return failure({"", 0, 0, fmt::format("algorithm '{}' has no variant '{}'", algorithm.name, variant),
                        fmt::format("choose one of: {}", fmt::join(algorithm.variants, ", "))});
    }
    return algorithm.build(network, demand, variant);
}

}  // namespace aapc
