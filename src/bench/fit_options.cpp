#include "bench/fit_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "bench/bench_options.hpp"
#include "bench/common_options.hpp"
#include "bench/fit_plot.hpp"
#include "bench/fit_report.hpp"
#include "console/output.hpp"
#include "input/environment.hpp"

namespace aapc::bench {

namespace {

/// Fewer send no two messages at once.
constexpr Rank fewest_ranks = 3;

void add_measuring_options(cli::Command& command, FitOptions& options) {
    command
        .option("--topology", options.topology,
                "measure on the cluster of this topology file, under mpirun [AAPC_TOPOLOGY]")
        .type_name("FILE");
    add_sizes_option(command, options.sizes);
    command
        .option("--ranks", options.ranks,
                "how many ranks take part, spread evenly (default: all, three quarters and half; of each cluster)")
        .separated_by(',')
        .between(fewest_ranks, 1 << 24)
        .type_name("N,...");
    command.option("--repeats", options.repeats, "measurements of which a sample is the median")
        .between(1, 100000)
        .show_default();
    command
        .option("--next", options.next,
                "after that, take so many times the measurement that helps most (the middle of M's interval, "
                "larger messages, another number of ranks)")
        .between(0, 1000)
        .show_default();
    command.option("--minutes", options.minutes, "measure so long at most, and fit what there is")
        .duration(60)
        .positive()
        .show_default();
    command
        .option("--csv", options.csv,
                "where samples are kept as they come; a run that was interrupted goes on from there")
        .type_name("FILE")
        .show_default();
    add_mpi_option(command, options.mpi);
    command.flag("--restart", options.restart, "measure anew, whatever the CSV file holds");
}

Expected<void> wrong(const char* option, std::string problem, std::string advice) {
    return failure({.file = option, .problem = std::move(problem), .advice = std::move(advice)});
}

}  // namespace

void add_fit_options(cli::Command& command, FitOptions& options) {
    command.option("SAMPLES", options.samples, "CSV file to read: ranks,message_bytes,seconds; - for standard input")
        .type_name("");
    command.on_parsed([&options] {
        if (options.samples.empty() && options.topology.empty()) {
            options.topology = environment_variable("AAPC_TOPOLOGY");
        }
    });
    command.option("--alpha", options.alpha, "start-up of one message; from the samples of 2 ranks if not given")
        .duration()
        .non_negative();
    command.option("--beta", options.beta, "time per byte of one message; likewise").duration().positive();
    command
        .option("--method", options.method,
                "what the samples are of, or what is measured: native, ALGORITHM[/VARIANT][+SYNCHRONISATION]")
        .type_name("METHOD")
        .show_default();
    add_measuring_options(command, options);
    add_output_options(command, options.format, {"text", "json"}, "text or json", options.output);
    command
        .option("--plot", options.plot,
                "draw the prediction against the samples as SVG (by gnuplot); for clusters a file for each")
        .type_name("FILE");
}

Expected<void> check_fit_options(const FitOptions& options) {
    if (options.samples.empty() == options.topology.empty()) {
        return wrong("aapc fit",
                     options.topology.empty() ? "there are neither samples nor a cluster to measure"
                                              : "samples are to be read and to be measured",
                     "give a CSV file, or --topology under mpirun");
    }
    if (!options.measures() && options.next > 0) {
        return wrong("--next", "a file cannot be asked for further measurements", "give --topology under mpirun");
    }
    if (options.measures()) {
        if (const auto sizes = parse_sizes(options.sizes); !sizes) {
            return wrong("--sizes", sizes.error().problem, sizes.error().advice);
        }
    }
    return {};
}

int write_fit(const FitOptions& options, const NetworkModel& model, const std::vector<SamplesOfPart>& parts) {
    // The picture first: where it cannot be had nothing is written.
    std::vector<std::pair<std::string, std::string>> pictures;
    for (const SamplesOfPart& part : parts) {
        const ContentionFit* const fit = find_fit(model, part.name);
        if (options.plot.empty() || fit == nullptr) {
            continue;
        }
        auto picture = plot_svg(*fit, part.samples,
                                fmt::format("{}{}", part.name.empty() ? "" : part.name + ": ", options.method));
        if (!picture) {
            return cli::complain(picture.error());
        }
        pictures.emplace_back(file_of_part(options.plot, part.name), std::move(*picture));
    }
    for (const auto& [file, picture] : pictures) {
        if (const int status = cli::write_output(file, picture); status != cli::done) {
            return status;
        }
    }
    return cli::write_output(options.output, options.format == "json" ? network_model_json(model) : model_text(model));
}

Expected<std::vector<Rank>> rank_counts(const std::vector<Rank>& asked_for, Rank available) {
    std::set<Rank> counts(asked_for.begin(), asked_for.end());
    if (asked_for.empty()) {
        for (const Rank count : {available, available * 3 / 4, available / 2}) {
            counts.insert(std::max(count, std::min(fewest_ranks, available)));
        }
    }
    if (available < fewest_ranks || *counts.begin() < fewest_ranks || *counts.rbegin() > available) {
        return failure(
            {.file = "--ranks",
             .problem = fmt::format("there are {} ranks to measure with", available),
             .advice = fmt::format("choose {} to so many, and start more ranks for that if need be", fewest_ranks)});
    }
    return std::vector<Rank>(counts.begin(), counts.end());
}

std::vector<Rank> spread_evenly(Rank count, Rank available) {
    std::vector<Rank> ranks;
    ranks.reserve(static_cast<std::size_t>(count));
    for (std::int64_t index = 0; index < count; ++index) {
        ranks.push_back(static_cast<Rank>(index * available / count));
    }
    return ranks;
}

}  // namespace aapc::bench
