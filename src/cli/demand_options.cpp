#include "cli/demand_options.hpp"

#include <fmt/format.h>

#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/topology/demand_file.hpp"
#include "aapc/topology/patterns.hpp"
#include "console/output.hpp"
#include "input/text_file.hpp"

namespace aapc::cli {

namespace {

/// A row for every pair of 2,048 ranks has about 60 MB.
constexpr FileKind demand_file{"demands as CSV", 256};

}  // namespace

void add_demand_options(Command& command, DemandOptions& options) {
    Option file = command.option("--demand", options.file,
                                 "unequal messages: bytes from every rank (a line) to every rank, separated by commas "
                                 "(docs/unequal.md), or - for standard input");
    file.type_name("FILE.csv");
    Option pattern =
        command.option("--pattern", options.pattern, fmt::format("unequal messages by a pattern: {}", pattern_names()));
    pattern.type_name("NAME").excludes(file);
    command.option("--seed", options.seed, "of what the pattern draws").non_negative().type_name("N").needs(pattern);
}

Expected<std::vector<NamedDemand>> read_demands(const DemandOptions& options,
                                                const std::vector<std::int64_t>& mean_bytes, Rank participants) {
    std::vector<NamedDemand> demands;
    if (!options.file.empty()) {
        const auto text = read_file(options.file, demand_file);
        if (!text) {
            return failure(text.error());
        }
        const std::string name = shown_name(options.file);
        auto demand = read_demand(*text, name, participants);
        if (!demand) {
            return failure(std::move(demand.error()));
        }
        demands.push_back({name, std::move(*demand)});
        return demands;
    }
    for (const std::int64_t mean : mean_bytes.empty() ? std::vector{usual_mean_bytes} : mean_bytes) {
        auto demand = make_demand(options.pattern, participants, mean, options.seed);
        if (!demand) {
            demand.error().file = "--pattern";
            return failure(std::move(demand.error()));
        }
        demands.push_back({fmt::format("{}, {} on average", options.pattern, size_text(mean)), std::move(*demand)});
    }
    return demands;
}

}  // namespace aapc::cli
