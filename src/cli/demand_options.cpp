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
constexpr FileKind demand_file{"demands, as CSV or UCC's pattern file", 256};

/// A file has one demand, one for each size, or one for each of UCC's collectives.
Expected<std::vector<NamedDemand>> demands_in(const std::string& text, const std::string& name,
                                              const std::vector<std::int64_t>& sizes, Rank participants) {
    std::vector<NamedDemand> demands;
    switch (demand_format(text)) {
        case DemandFormat::bytes: {
            auto demand = read_demand(text, name, participants);
            if (!demand) {
                return failure(std::move(demand.error()));
            }
            demands.push_back({name, std::move(*demand)});
            break;
        }
        case DemandFormat::fractions:
            for (const std::int64_t size : sizes) {
                auto demand = read_demand_fractions(text, name, participants, size);
                if (!demand) {
                    return failure(std::move(demand.error()));
                }
                demands.push_back({fmt::format("{}, 1.0 is {}", name, size_text(size)), std::move(*demand)});
            }
            break;
        case DemandFormat::ucc: {
            auto several = read_ucc_demands(text, name, participants);
            if (!several) {
                return failure(std::move(several.error()));
            }
            for (Demand& demand : *several) {
                demands.push_back(
                    {several->size() == 1 ? name : fmt::format("{}, collective {}", name, demands.size() + 1),
                     std::move(demand)});
            }
            break;
        }
    }
    return demands;
}

}  // namespace

void add_demand_options(Command& command, DemandOptions& options) {
    Option file = command.option("--demand", options.file,
                                 "unequal messages: bytes from every rank (a line) to every rank, separated by commas, "
                                 "fractions of --sizes as of nccl-tests, or UCC's .ptini (docs/unequal.md); - for "
                                 "standard input");
    file.type_name("FILE");
    Option pattern =
        command.option("--pattern", options.pattern, fmt::format("unequal messages by a pattern: {}", pattern_names()));
    pattern.type_name("NAME").excludes(file);
    command.option("--seed", options.seed, "of what the pattern draws").non_negative().type_name("N").needs(pattern);
}

Expected<std::vector<NamedDemand>> read_demands(const DemandOptions& options,
                                                const std::vector<std::int64_t>& mean_bytes, Rank participants) {
    const std::vector<std::int64_t> sizes = mean_bytes.empty() ? std::vector{usual_mean_bytes} : mean_bytes;
    if (!options.file.empty()) {
        const auto text = read_file(options.file, demand_file);
        if (!text) {
            return failure(text.error());
        }
        return demands_in(*text, shown_name(options.file), sizes, participants);
    }
    std::vector<NamedDemand> demands;
    for (const std::int64_t mean : sizes) {
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
