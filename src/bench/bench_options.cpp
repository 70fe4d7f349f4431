#include "bench/bench_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>

#include "aapc/input/units.hpp"
#include "aapc/topology/patterns.hpp"
#include "bench/common_options.hpp"
#include "console/command_line.hpp"
#include "input/numbers.hpp"

namespace aapc::bench {

namespace {

constexpr std::int64_t largest_block = INT32_MAX;

Expected<std::int64_t> parse_block(std::string_view text) {
    const auto bytes = parse_size(text);
    if (!bytes) {
        return failure(bytes.error());
    }
    if (*bytes < 1 || *bytes > largest_block) {
        return failure(fmt::format("blocks of {} bytes cannot be measured", *bytes),
                       fmt::format("choose 1 to {} bytes", largest_block));
    }
    return *bytes;
}

Expected<std::set<std::int64_t>> expand_range(std::string_view text) {
    const std::size_t first_colon = text.find(':');
    const std::size_t second_colon = text.find(':', first_colon + 1);
    const Diagnostic malformed = {
        .problem = fmt::format("'{}' is no range of sizes", text),
        .advice = "write FROM:TO:xFACTOR with a whole factor of at least 2, such as 1:1Mi:x4"};
    if (second_colon == std::string_view::npos) {
        return failure(malformed);
    }
    const std::string_view step = text.substr(second_colon + 1);
    const char* const end_of_step = step.data() + step.size();
    int factor = 0;
    if (!step.starts_with('x')) {
        return failure(malformed);
    }
    if (const auto [end, error] = std::from_chars(step.data() + 1, end_of_step, factor);
        error != std::errc() || end != end_of_step || factor < 2) {
        return failure(malformed);
    }
    const auto from = parse_block(text.substr(0, first_colon));
    const auto to = parse_block(text.substr(first_colon + 1, second_colon - first_colon - 1));
    if (!from || !to) {
        return failure(from ? to.error() : from.error());
    }
    if (*from > *to) {
        return failure(fmt::format("'{}' ends before it begins", text), "write the smaller size first");
    }
    std::set<std::int64_t> sizes;
    for (std::int64_t size = *from; size <= *to; size *= factor) {
        sizes.insert(size);
    }
    return sizes;
}

}  // namespace

void add_bench_options(cli::Command& command, BenchOptions& options) {
    add_topology_option(command, options.topology);
    add_sizes_option(command, options.sizes);
    command
        .option("--candidates", options.candidates,
                "what takes turns: native, ALGORITHM[/VARIANT][+SYNCHRONISATION], interposed (MPI_Alltoall with "
                "the interposer preloaded); ratios are against the first (default: native and every algorithm "
                "for the network)")
        .type_name("METHOD,...")
        .separated_by(',');
    command.option("--repeats", options.repeats, "rounds that count; intervals of 95 % need at least 6")
        .between(1, 100000)
        .show_default();
    command.option("--warm-up", options.warm_up, "rounds before that, which do not count")
        .between(0, 100000)
        .show_default();
    command
        .option("--teach", options.teach,
                "calls of interposed alone before those, in which it learns what is the fastest")
        .between(0, 100000)
        .show_default();
    command
        .option("--most-seconds", options.most_seconds,
                "end a size after the round in which its rounds that count have taken so long; one always counts")
        .duration()
        .positive()
        .show_default();
    command
        .option("--pattern", options.pattern,
                fmt::format("unequal messages (MPI_Alltoallv), of these sizes on average: {}", pattern_names()))
        .type_name("NAME");
    command
        .option("--late", options.late,
                "let a rank enter calls late: in every EVERY-th call of each candidate, by TIME, such as 50ms, which "
                "counts")
        .type_name("RANK:TIME:EVERY");
    add_mpi_option(command, options.mpi);
    command.option("--seed", options.seed, "of the order of the candidates in each round, and of what a pattern draws")
        .non_negative()
        .show_default();
    add_output_options(command, options.format, {"table", "csv", "json"},
                       "table (medians), csv or json (with every single sample)", options.output);
}

std::vector<std::string> default_candidates(NetworkKind kind) {
    std::vector<std::string> names = {"native"};
    for (const Algorithm& algorithm : algorithms()) {
        if (algorithm.is_for(kind)) {
            names.emplace_back(algorithm.name);
        }
    }
    return names;
}

std::vector<std::string> default_unequal_candidates() { return {"native", "linear", "pairwise", "lattice/formula"}; }

Expected<void> check_pattern(const std::string& pattern) {
    if (pattern.empty()) {
        return {};
    }
    if (const auto demand = make_demand(pattern, 1, 0, 1); !demand) {
        return failure(demand.error());
    }
    return {};
}

Expected<std::vector<Candidate>> parse_candidates(const std::vector<std::string>& names, NetworkKind kind) {
    std::vector<Candidate> candidates;
    for (const std::string& name : names) {
        Candidate candidate{name, {}};
        if (name != interposed) {
            auto method = parse_method(name, kind);
            if (!method) {
                return failure(method.error());
            }
            candidate = {to_string(*method), std::move(*method)};
        }
        if (std::any_of(candidates.begin(), candidates.end(),
                        [&](const Candidate& earlier) { return earlier.name == candidate.name; })) {
            return failure(fmt::format("candidate '{}' is given twice", candidate.name), "give it once");
        }
        candidates.push_back(std::move(candidate));
    }
    return candidates;
}

Expected<LateRank> parse_late_rank(std::string_view text, int ranks) {
    if (text.empty()) {
        return LateRank{};
    }
    const std::size_t first = text.find(':');
    const std::size_t second = first == std::string_view::npos ? first : text.find(':', first + 1);
    const bool has_parts = second != std::string_view::npos;
    const auto rank = has_parts ? parse_number<int>(text.substr(0, first)) : std::nullopt;
    const auto every = has_parts ? parse_number<int>(text.substr(second + 1)) : std::nullopt;
    if (!rank || !every || *rank < 0 || *every < 1) {
        return failure(fmt::format("'{}' does not say which rank is late", text),
                       "write RANK:TIME:EVERY, such as 5:50ms:10");
    }
    const auto seconds = parse_given_duration(text.substr(first + 1, second - first - 1));
    if (!seconds) {
        return failure(seconds.error());
    }
    if (*rank >= ranks) {
        return failure(fmt::format("there is no rank {} that could be late", *rank),
                       fmt::format("choose 0 to {}", ranks - 1));
    }
    return LateRank{.rank = *rank, .seconds = *seconds, .every = *every};
}

Expected<std::vector<std::int64_t>> parse_sizes(const std::vector<std::string>& words) {
    std::set<std::int64_t> sizes;
    for (const std::string& word : words) {
        if (word.find(':') != std::string::npos) {
            auto range = expand_range(word);
            if (!range) {
                return failure(range.error());
            }
            sizes.merge(*range);
        } else {
            const auto size = parse_block(word);
            if (!size) {
                return failure(size.error());
            }
            sizes.insert(*size);
        }
    }
    return std::vector<std::int64_t>(sizes.begin(), sizes.end());
}

}  // namespace aapc::bench
