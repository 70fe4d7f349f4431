#include "bench/bench_results.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>

#include "aapc/input/statistics.hpp"
#include "aapc/topology/bound.hpp"

namespace aapc::bench {

namespace {

std::vector<double> seconds_of(const std::vector<Sample>& samples) {
    std::vector<double> seconds;
    seconds.reserve(samples.size());
    for (const Sample& sample : samples) {
        seconds.push_back(sample.seconds);
    }
    return seconds;
}

/// What is said of one candidate at one size.
struct Summary {
    Estimate seconds;
    double spread = 0;
    double of_the_bound = 0;  ///< 0: there is no bound
    PairedComparison against_first;
    std::size_t by_aapc = 0;  ///< samples
};

Summary summarise(const SizeResult& result, std::size_t candidate) {
    const std::vector<double> own = seconds_of(result.samples[candidate]);
    Summary summary;
    summary.seconds = estimate_median(own);
    summary.spread = relative_spread(own);
    summary.of_the_bound = result.least_seconds / summary.seconds.value;
    summary.against_first = compare_pairs(seconds_of(result.samples.front()), own);
    summary.by_aapc =
        static_cast<std::size_t>(std::count_if(result.samples[candidate].begin(), result.samples[candidate].end(),
                                               [](const Sample& sample) { return sample.by_aapc; }));
    return summary;
}

std::string one_line(std::string text) {
    std::replace_if(
        text.begin(), text.end(), [](unsigned char character) { return character < 0x20; }, ' ');
    return text;
}

std::size_t hosts(const BenchFacts& facts) {
    return std::set<std::string>(facts.host_names.begin(), facts.host_names.end()).size();
}

std::size_t name_width(const BenchFacts& facts) {
    std::size_t width = std::size("candidate") - 1;
    for (const std::string& name : facts.candidates) {
        width = std::max(width, name.size());
    }
    return width;
}

/// Of the time of all rounds, what the reductions before exchanges of unequal messages took.
double share_of_reductions(const std::vector<Sample>& samples) {
    double seconds = 0;
    double reductions = 0;
    for (const Sample& sample : samples) {
        seconds += sample.seconds;
        reductions += sample.reduction_seconds;
    }
    return reductions / seconds;
}

nlohmann::ordered_json interval_json(const ConfidenceInterval& interval) {
    return {{"low", interval.low}, {"high", interval.high}, {"level", interval.level}};
}

nlohmann::ordered_json sample_json(const Sample& sample) {
    nlohmann::ordered_json json = {{"seconds", sample.seconds}, {"by_aapc", sample.by_aapc}};
    if (sample.pace > 0) {
        json["pace"] = sample.pace;
        json["scheduled_seconds"] = sample.scheduled_seconds;
        json["late_seconds"] = sample.late_seconds;
        json["agreement_seconds"] = sample.agreement_seconds;
        if (sample.reduction_seconds > 0) {
            json["reduction_seconds"] = sample.reduction_seconds;
        }
    }
    return json;
}

nlohmann::ordered_json candidate_json(const BenchFacts& facts, const SizeResult& result, std::size_t candidate) {
    const Summary summary = summarise(result, candidate);
    const PairedComparison& comparison = summary.against_first;
    nlohmann::ordered_json json = {
        {"candidate", facts.candidates[candidate]},
        {"median_seconds", summary.seconds.value},
        {"interval", interval_json(summary.seconds.interval)},
        {"relative_spread", summary.spread},
        {"fraction_of_bound", nullptr},
        {"first_over_this",
         {{"median", comparison.ratio.value}, {"interval", interval_json(comparison.ratio.interval)}}},
        {"verdict", std::string(to_string(comparison.verdict))},
        {"samples", nlohmann::ordered_json::array()},
    };
    if (result.least_seconds > 0) {
        json["fraction_of_bound"] = summary.of_the_bound;
    }
    for (const Sample& sample : result.samples[candidate]) {
        json["samples"].push_back(sample_json(sample));
    }
    return json;
}

nlohmann::ordered_json facts_json(const BenchFacts& facts) {
    const BenchOptions& options = facts.options;
    nlohmann::ordered_json environment = nlohmann::ordered_json::object();
    for (const auto& [name, value] : facts.environment) {
        environment[name] = value;
    }
    return {{"format", "aapc-bench/1"},
            {"aapc", facts.aapc_version},
            {"mpi", facts.mpi_version},
            {"date", facts.date},
            {"topology", options.topology},
            {"topology_digest", facts.topology_digest},
            {"bound_messages", facts.bound_messages},
            {"ranks", facts.host_names.size()},
            {"host_names", facts.host_names},
            {"congestion_control", facts.congestion_control},
            {"environment", environment},
            {"settings",
             {{"sizes", options.sizes},
              {"candidates", facts.candidates},
              {"repeats", options.repeats},
              {"warm_up", options.warm_up},
              {"teach", options.teach},
              {"most_seconds", options.most_seconds},
              {"pattern", options.pattern.empty() ? nlohmann::ordered_json() : nlohmann::ordered_json(options.pattern)},
              {"seed", options.seed},
              {"confidence", usual_confidence}}}};
}

}  // namespace

std::string table_head(const BenchFacts& facts) {
    std::string text = fmt::format(
        "# {} ranks on {} hosts, {}, aapc {}\n# {} ({}), bound {} messages, {} rounds of each size at most\n",
        facts.host_names.size(), hosts(facts), one_line(facts.mpi_version), facts.aapc_version,
        one_line(facts.options.topology), facts.topology_digest, facts.bound_messages, facts.options.repeats);
    if (!facts.options.pattern.empty()) {
        text += fmt::format("# unequal messages: {}, seed {}; sizes are means\n", facts.options.pattern,
                            facts.options.seed);
    }
    text += fmt::format("# brackets: {:.0f} % confidence, where {} rounds or more were run; ratios are pair by pair\n",
                        100 * usual_confidence, 6);
    text +=
        fmt::format("{:>10}  {:<{}}  {:>11}  {:^23}  {:>9}  {:>14}  {:^15}  {}\n", "bytes", "candidate",
                    name_width(facts), "median ms", "[ms, ms]", "of bound", "first/this", "[ratio, ratio]", "verdict");
    return text;
}

std::string table_rows(const BenchFacts& facts, const SizeResult& result) {
    std::string text;
    for (std::size_t candidate = 0; candidate < facts.candidates.size(); ++candidate) {
        const Summary summary = summarise(result, candidate);
        const ConfidenceInterval& seconds = summary.seconds.interval;
        const Estimate& ratio = summary.against_first.ratio;
        const std::string of_the_bound =
            result.least_seconds > 0 ? fmt::format("{:.3f}", summary.of_the_bound) : std::string("-");
        const std::string verdict = candidate == 0 ? "first" : std::string(to_string(summary.against_first.verdict));
        text +=
            fmt::format("{:>10}  {:<{}}  {:>11.3f}  [{:>10.3f},{:>10.3f}]  {:>9}  {:>14.3f}  [{:>6.3f},{:>6.3f}]  {}",
                        result.block_bytes, facts.candidates[candidate], name_width(facts), summary.seconds.value * 1e3,
                        seconds.low * 1e3, seconds.high * 1e3, of_the_bound, ratio.value, ratio.interval.low,
                        ratio.interval.high, verdict);
        if (facts.candidates[candidate] == interposed) {
            text += summary.by_aapc > 0 ? ", by aapc" : ", passed through";
        }
        if (const auto too_fast =
                faster_than_wires(result.least_seconds, summary.seconds.value, facts.options.topology)) {
            text += ", " + one_line(*too_fast);
        }
        if (const double share = share_of_reductions(result.samples[candidate]); share > 0) {
            text += fmt::format(", reductions {:.1f} %", 100 * share);
        }
        text += '\n';
    }
    return text;
}

std::string csv_text(const BenchFacts& facts, const std::vector<SizeResult>& results) {
    std::string text;
    const auto out = std::back_inserter(text);
    const nlohmann::ordered_json everything = facts_json(facts);
    const auto write_fact = [&](const std::string& name, const nlohmann::ordered_json& value) {
        fmt::format_to(out, "# {}: {}\n", name, value.is_string() ? one_line(value.get<std::string>()) : value.dump());
    };
    for (const auto& [name, value] : everything.items()) {
        if (name != "settings") {
            write_fact(name, value);
        }
    }
    for (const auto& [name, value] : everything["settings"].items()) {
        write_fact(name, value);
    }
    text +=
        "ranks,message_bytes,seconds,candidate,round,by_aapc,pace,scheduled_seconds,late_seconds,agreement_seconds\n";
    for (const SizeResult& result : results) {
        for (std::size_t candidate = 0; candidate < facts.candidates.size(); ++candidate) {
            for (std::size_t round = 0; round < result.samples[candidate].size(); ++round) {
                const Sample& sample = result.samples[candidate][round];
                fmt::format_to(out, "{},{},{},{},{},{},{},{},{},{}\n", facts.host_names.size(), result.block_bytes,
                               sample.seconds, facts.candidates[candidate], round + 1, sample.by_aapc ? 1 : 0,
                               sample.pace, sample.scheduled_seconds, sample.late_seconds, sample.agreement_seconds);
            }
        }
    }
    return text;
}

std::string json_text(const BenchFacts& facts, const std::vector<SizeResult>& results) {
    nlohmann::ordered_json json = facts_json(facts);
    json["sizes"] = nlohmann::ordered_json::array();
    for (const SizeResult& result : results) {
        nlohmann::ordered_json size = {{"message_bytes", result.block_bytes},
                                       {"least_seconds", nullptr},
                                       {"candidates", nlohmann::ordered_json::array()}};
        if (result.least_seconds > 0) {
            size["least_seconds"] = result.least_seconds;
        }
        for (std::size_t candidate = 0; candidate < facts.candidates.size(); ++candidate) {
            size["candidates"].push_back(candidate_json(facts, result, candidate));
        }
        json["sizes"].push_back(std::move(size));
    }
    return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + '\n';
}

}  // namespace aapc::bench
