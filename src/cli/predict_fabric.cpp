// `aapc predict` for fabrics: what no exchange can beat, and what a hash leaves of it.
#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <optional>
#include <string>

#include "aapc/input/units.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"
#include "aapc/topology/placement.hpp"
#include "cli/bounds_text.hpp"
#include "cli/predict.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

namespace {

using nlohmann::ordered_json;

/// The bounds of a number of ranks.
struct Bounds {
    Rank ranks = 0;
    Bound bound;
    std::optional<HashedBounds> hashed;
};

std::string time_at(double seconds_per_byte, std::int64_t bytes) {
    return duration_text(seconds_per_byte * static_cast<double>(bytes), decimals(3));
}

std::string bounds_text(const Bounds& found, const std::vector<std::int64_t>& sizes) {
    std::string text = fmt::format("{:>6} {:>10} {:>14}", "ranks", "bytes", bound_name(found.bound.kind));
    text += found.hashed ? fmt::format(" {:>20} {:>20}\n", "expected mean", "worst of twenty") : "\n";
    for (const std::int64_t bytes : sizes) {
        text += fmt::format("{:>6} {:>10} {:>14}", found.ranks, bytes, time_at(found.bound.seconds_per_byte, bytes));
        text += found.hashed ? fmt::format(" {:>20} {:>20}\n", time_at(found.hashed->formula.mean, bytes),
                                           time_at(found.hashed->formula.worst, bytes))
                             : "\n";
    }
    return text + (found.hashed ? expected_text(*found.hashed, found.bound.seconds_per_byte) : "");
}

ordered_json bounds_json(const Bounds& found, const std::vector<std::int64_t>& sizes) {
    ordered_json lines = ordered_json::array();
    for (const std::int64_t bytes : sizes) {
        lines.push_back(
            {{"message_bytes", bytes}, {"bound_seconds", found.bound.seconds_per_byte * static_cast<double>(bytes)}});
    }
    ordered_json bound = {{"seconds_per_byte", found.bound.seconds_per_byte}};
    add_bounds(found.bound.kind, found.hashed, bound);
    return {{"ranks", found.ranks}, {"bound", std::move(bound)}, {"sizes", std::move(lines)}};
}

}  // namespace

int predict_fabric(const Network& network, const PredictOptions& options) {
    if (!options.methods.empty()) {
        return complain({.file = "--methods",
                         .problem = "a topology alone says nothing of a method's time",
                         .advice = "give what aapc fit wrote with --model, or leave --methods out to see the bounds"});
    }
    auto sizes = parse_sizes_of("--sizes", options.sizes, smallest_message);
    if (!sizes) {
        return complain(sizes.error());
    }
    if (sizes->empty()) {
        *sizes = {8'192, 32'768, 131'072};
    }
    const Placement all = full_placement(network);
    const std::vector<Rank> counts = options.ranks.empty() ? std::vector<Rank>{all.participants()} : options.ranks;
    std::string text;
    ordered_json document = ordered_json::array();
    for (const Rank ranks : counts) {
        Placement placement = all;
        if (ranks > all.participants()) {
            return complain(
                {.file = "--ranks",
                 .problem = fmt::format("{} ranks, and the topology has places for {}", ranks, all.participants()),
                 .advice = "give fewer"});
        }
        placement.machine_of.resize(static_cast<std::size_t>(ranks));
        const Bounds found{ranks, network_bound(network, placement), hashed_bounds(network, placement)};
        if (!(found.bound.seconds_per_byte > 0)) {
            return complain({.file = options.input,
                             .problem = "no message crosses a link",
                             .advice = "give --ranks so that more than one machine takes part"});
        }
        text += bounds_text(found, *sizes);
        document.push_back(bounds_json(found, *sizes));
    }
    return write_output("", options.format == "json" ? document.dump(2) + '\n' : text);
}

}  // namespace aapc::cli
