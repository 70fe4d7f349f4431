// `aapc predict` for tori: the cost model of the divide-and-conquer paper, corrected, and Table 1 of that paper again.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "aapc/algorithms/torus_model.hpp"
#include "aapc/input/units.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/torus.hpp"
#include "cli/predict.hpp"

namespace aapc::cli {

namespace {

using nlohmann::ordered_json;

/// What is predicted from, and where the numbers come from.
struct Basis {
    TorusCosts costs;
    std::string speed_from;  ///< "given", "the topology's speed"
    std::string copy_from;   ///< "given", "measured on this computer"
};

// ---- What a copy costs here ----

/// Seconds a byte for gathering blocks of 1 KiB that do not lie together, the best of several passes over 16 MiB: what
/// an exchange pays for blocks that it rearranges, once packed or unpacked.
double measured_copy_seconds_per_byte() {
    constexpr std::size_t block = 1024;
    constexpr std::size_t blocks = 16384;
    constexpr std::size_t stride = 5;  // shares no factor with the number of blocks, so all are met
    std::vector<std::byte> from(block * blocks, std::byte{1});
    std::vector<std::byte> to(block * blocks);
    double best = 1;
    for (int pass = 0; pass < 5; ++pass) {
        const auto start = std::chrono::steady_clock::now();
        for (std::size_t index = 0; index < blocks; ++index) {
            std::memcpy(to.data() + index * block, from.data() + index * stride % blocks * block, block);
        }
        const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start;
        best = std::min(best, passed.count() / static_cast<double>(block * blocks));
        std::swap(from, to);
    }
    return best;
}

// ---- Texts ----

std::string predicted_time(double seconds) { return duration_text(seconds, significant(4), DurationUnit::nanoseconds); }

ordered_json work_json(const TorusWork& work) {
    return {{"start_ups", work.start_ups},
            {"sent_blocks", work.sent_blocks},
            {"rearranged_blocks", work.rearranged_blocks}};
}

ordered_json work_with_buffer_json(const TorusWork& work) {
    ordered_json document = work_json(work);
    document["buffer_blocks"] = work.buffer_blocks;
    return document;
}

// ---- A torus ----

std::string work_text(const std::vector<TorusCandidate>& candidates) {
    std::string text = fmt::format("{:<20} {:>10} {:>12} {:>12} {:>14}\n", "method", "start-ups", "blocks sent",
                                   "rearranged", "held at once");
    for (const auto& [method, work] : candidates) {
        text += fmt::format("{:<20} {:>10} {:>12} {:>12} {:>14}\n", method, work.start_ups, work.sent_blocks,
                            work.rearranged_blocks, work.buffer_blocks);
    }
    return text;
}

std::string fastest_text(const std::vector<TorusCandidate>& candidates, const TorusCosts& costs) {
    std::string text = "fastest by the model\n";
    for (const TorusRange& range : fastest_by_size(candidates, costs)) {
        text +=
            fmt::format("  from {:>10}  {}\n", rounded_size_text(range.from_bytes), candidates[range.candidate].method);
    }
    text += "break-even sizes\n";
    for (std::size_t index = 0; index < candidates.size(); ++index) {
        for (std::size_t other = 0; other < candidates.size(); ++other) {
            const TorusWork& fewer = candidates[index].work;
            const TorusWork& more = candidates[other].work;
            const auto size = break_even_bytes(fewer, more, costs);
            if (fewer.start_ups < more.start_ups && size) {
                text += fmt::format("  {} is faster than {} from {} on\n", candidates[other].method,
                                    candidates[index].method, rounded_size_text(*size));
            }
        }
    }
    return text;
}

std::string candidates_text(const std::vector<TorusCandidate>& candidates, const TorusCosts& costs,
                            const std::vector<std::int64_t>& sizes) {
    if (sizes.empty()) {
        return "";
    }
    std::string text = fmt::format("\n{:<20} {:>12} {:>12} {:>14}\n", "method", "bytes", "time", "buffer");
    for (const std::int64_t bytes : sizes) {
        for (const auto& [method, work] : candidates) {
            const auto size = static_cast<double>(bytes);
            text += fmt::format("{:<20} {:>12} {:>12} {:>14}\n", method, bytes,
                                predicted_time(predict_seconds(work, costs, size)),
                                rounded_size_text(static_cast<double>(work.buffer_blocks) * size));
        }
    }
    return text;
}

std::string torus_text(const TorusGrid& grid, const Basis& basis, const std::vector<TorusCandidate>& candidates,
                       const std::vector<std::int64_t>& sizes) {
    return fmt::format(
               "torus of {}, {} machines with one rank each\n"
               "a start-up costs {} (given), a byte {} ({}), a byte rearranged {} ({})\n\n",
               grid.text(), grid.machines(), predicted_time(basis.costs.start_up_seconds),
               predicted_time(basis.costs.seconds_per_byte), basis.speed_from,
               predicted_time(basis.costs.copy_seconds_per_byte), basis.copy_from) +
           work_text(candidates) + '\n' + fastest_text(candidates, basis.costs) +
           candidates_text(candidates, basis.costs, sizes);
}

ordered_json break_even_json(const std::vector<TorusCandidate>& candidates, const TorusCosts& costs) {
    ordered_json all = ordered_json::array();
    for (const TorusCandidate& fewer : candidates) {
        for (const TorusCandidate& more : candidates) {
            const auto size = break_even_bytes(fewer.work, more.work, costs);
            if (fewer.work.start_ups < more.work.start_ups) {
                all.push_back({{"method", more.method},
                               {"faster_than", fewer.method},
                               {"from_bytes", size ? ordered_json(*size) : ordered_json()}});
            }
        }
    }
    return all;
}

ordered_json torus_json(const TorusGrid& grid, const Basis& basis, const std::vector<TorusCandidate>& candidates,
                        const std::vector<std::int64_t>& sizes) {
    ordered_json methods = ordered_json::array();
    ordered_json predictions = ordered_json::array();
    for (const auto& [method, work] : candidates) {
        ordered_json entry = {{"method", method}};
        entry.update(work_with_buffer_json(work));
        methods.push_back(std::move(entry));
    }
    for (const std::int64_t bytes : sizes) {
        for (const auto& [method, work] : candidates) {
            predictions.push_back({{"method", method},
                                   {"message_bytes", bytes},
                                   {"seconds", predict_seconds(work, basis.costs, static_cast<double>(bytes))},
                                   {"buffer_bytes", work.buffer_blocks * bytes}});
        }
    }
    ordered_json fastest = ordered_json::array();
    for (const TorusRange& range : fastest_by_size(candidates, basis.costs)) {
        fastest.push_back({{"from_bytes", range.from_bytes}, {"method", candidates[range.candidate].method}});
    }
    return {{"format", "aapc-torus-prediction/1"},
            {"sides", grid.sides()},
            {"costs",
             {{"start_up_seconds", basis.costs.start_up_seconds},
              {"seconds_per_byte", basis.costs.seconds_per_byte},
              {"seconds_per_byte_from", basis.speed_from},
              {"copy_seconds_per_byte", basis.costs.copy_seconds_per_byte},
              {"copy_seconds_per_byte_from", basis.copy_from}}},
            {"methods", std::move(methods)},
            {"fastest", std::move(fastest)},
            {"break_even", break_even_json(candidates, basis.costs)},
            {"predictions", std::move(predictions)}};
}

double slowest_bits_per_second(const Network& network) {
    double slowest = network.links().front().bits_per_second;
    for (const Link& link : network.links()) {
        slowest = std::min(slowest, link.bits_per_second);
    }
    return slowest;
}

Expected<Basis> basis_of_torus(const Network& network, const PredictOptions& options) {
    if (options.start_up_seconds < 0) {
        return failure(
            {.file = "--start-up",
             .problem = "nothing is known of what a message costs beyond its bytes",
             .advice = "give the seconds that a message of no bytes takes, such as 30e-6 (aapc fit measures them), or "
                       "models of the network with --model"});
    }
    Basis basis;
    basis.costs.start_up_seconds = options.start_up_seconds;
    const bool given = options.seconds_per_byte > 0;
    basis.costs.seconds_per_byte = given ? options.seconds_per_byte : 8 / slowest_bits_per_second(network);
    basis.speed_from = given ? "given" : "the topology's speed";
    const bool copy_given = options.copy_seconds_per_byte >= 0;
    basis.costs.copy_seconds_per_byte = copy_given ? options.copy_seconds_per_byte : measured_copy_seconds_per_byte();
    basis.copy_from = copy_given ? "given" : "measured on this computer";
    return basis;
}

// ---- The table ----

/// What the paper says of one algorithm, if anything, beside what is right.
struct TableRow {
    std::int32_t side = 0;
    std::string algorithm;
    std::optional<TorusWork> printed;
    std::optional<TorusWork> corrected;  ///< nullopt if another project's algorithm
};

std::vector<TableRow> table_of(std::int32_t side) {
    const TorusGrid grid({side, side});
    std::vector<PublishedWork> published = published_table(side);
    std::vector<TableRow> rows;
    for (std::int32_t divisions = 0;; ++divisions) {
        const Expected<TorusWork> work = divided_work(grid, divisions);
        if (!work) {
            break;
        }
        TableRow row{side, fmt::format("A_{}", divisions), std::nullopt, *work};
        for (const PublishedWork& entry : published) {
            if (entry.divisions == divisions) {
                row.algorithm += entry.divisions == 1 ? "" : fmt::format(" ({})", entry.algorithm);
                row.printed = entry.work;
            }
        }
        rows.push_back(std::move(row));
    }
    for (const PublishedWork& entry : published) {
        if (!entry.divisions) {
            rows.push_back({side, std::string(entry.algorithm), entry.work, std::nullopt});
        }
    }
    rows.push_back({side, "direct", std::nullopt, direct_work(grid)});
    return rows;
}

constexpr std::int32_t table_sides[] = {8, 16, 32, 64};

std::string cell(const std::optional<TorusWork>& work, std::int64_t TorusWork::*what) {
    return work ? std::to_string((*work).*what) : "-";
}

std::string table_text() {
    std::string text = fmt::format(
        "Complete exchange on N x N machines: Table 1 of the divide-and-conquer paper as printed, and corrected\n"
        "(docs/torus.md); time = start-ups * ts + message size * (blocks sent * td + blocks rearranged * tr)\n\n"
        "{:>3}  {:<14} {:>19} {:>21} {:>21} {:>10}\n{:>3}  {:<14} {:>9} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}\n",
        "", "", "start-ups", "blocks sent", "blocks rearranged", "blocks", "N", "algorithm", "printed", "corrected",
        "printed", "corrected", "printed", "corrected", "held");
    for (const std::int32_t side : table_sides) {
        for (const TableRow& row : table_of(side)) {
            text += fmt::format(
                "{:>3}  {:<14} {:>9} {:>9} {:>10} {:>10} {:>10} {:>10} {:>10}\n", row.side, row.algorithm,
                cell(row.printed, &TorusWork::start_ups), cell(row.corrected, &TorusWork::start_ups),
                cell(row.printed, &TorusWork::sent_blocks), cell(row.corrected, &TorusWork::sent_blocks),
                cell(row.printed, &TorusWork::rearranged_blocks), cell(row.corrected, &TorusWork::rearranged_blocks),
                cell(row.corrected, &TorusWork::buffer_blocks));
        }
    }
    return text;
}

std::string table_json() {
    ordered_json rows = ordered_json::array();
    for (const std::int32_t side : table_sides) {
        for (const TableRow& row : table_of(side)) {
            rows.push_back({{"side", row.side},
                            {"algorithm", row.algorithm},
                            {"printed", row.printed ? work_json(*row.printed) : ordered_json()},
                            {"corrected", row.corrected ? work_with_buffer_json(*row.corrected) : ordered_json()}});
        }
    }
    return ordered_json({{"format", "aapc-torus-table/1"}, {"rows", std::move(rows)}}).dump(2) + '\n';
}

}  // namespace

int predict_torus(const Network& network, const PredictOptions& options) {
    if (!options.ranks.empty() || !options.methods.empty()) {
        return complain({options.ranks.empty() ? "--methods" : "--ranks", 0, 0,
                         "without --model the times are those of all ranks and all algorithms for a torus",
                         "leave it out, or give what aapc fit wrote with --model"});
    }
    const std::optional<TorusWiring> wiring = TorusWiring::find(network);
    if (!wiring || wiring->grid().dimensions() == 0) {
        return complain({.file = options.input,
                         .problem = "there is nothing to exchange on this network",
                         .advice = "describe a torus"});
    }
    if (full_placement(network).participants() != wiring->grid().machines()) {
        return complain({.file = options.input,
                         .problem = "the algorithms for tori take one rank on each machine",
                         .advice = "describe the torus with one rank on each machine"});
    }
    const auto basis = basis_of_torus(network, options);
    if (!basis) {
        return complain(basis.error());
    }
    const auto sizes = parse_sizes_of("--sizes", options.sizes, smallest_message);
    if (!sizes) {
        return complain(sizes.error());
    }
    const std::vector<TorusCandidate> candidates = torus_candidates(wiring->grid());
    return write_output("", options.format == "json"
                                ? torus_json(wiring->grid(), *basis, candidates, *sizes).dump(2) + '\n'
                                : torus_text(wiring->grid(), *basis, candidates, *sizes));
}

int predict_torus_table(const PredictOptions& options) {
    return write_output("", options.format == "json" ? table_json() : table_text());
}

}  // namespace aapc::cli
