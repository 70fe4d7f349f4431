#include "options.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <utility>

#include "aapc/input/units.hpp"
#include "bench/bench_options.hpp"
#include "bench/common_options.hpp"
#include "console/command_line.hpp"

namespace aapc::simulation {

namespace {

Diagnostic of_option(std::string_view option, const Diagnostic& why) {
    return {.problem = fmt::format("--{}: {}", option, why.problem), .advice = why.advice};
}

Expected<double> parse_time(std::string_view option, const std::string& text) {
    const auto seconds = parse_duration(text);
    return seconds ? seconds : failure(of_option(option, seconds.error()));
}

}  // namespace

void add_options(cli::Command& command, Options& options) {
    command.option("--topology", options.topology, "topology file (docs/topology-files.md)")
        .type_name("FILE")
        .required();
    command
        .option("--methods", options.methods,
                "what is run, one after the other: ALGORITHM[/VARIANT][+SYNCHRONISATION], or native: the MPI's own")
        .type_name("METHOD,...")
        .separated_by(',')
        .show_default();
    bench::add_sizes_option(command, options.sizes);
    command.option("--native-algorithm", options.native_algorithm, "what native is (SMPI's smpi/alltoall)")
        .type_name("NAME")
        .show_default();
    command
        .option("--start-up", options.start_up,
                "how long the sender of a message is busy with it before it leaves, such as 30us")
        .type_name("TIME")
        .show_default();
    command.option("--latency", options.latency, "of each link, in addition to what the topology file says")
        .type_name("TIME")
        .show_default();
    command
        .option("--contention-loss", options.contention_loss,
                "b: a link on which n flows meet carries its speed/(1 + b*(n - 1))")
        .between_reals(0.0, 100.0)
        .show_default();
    command.option("--repeats", options.repeats, "of each size; the last one counts (timed learns its pace)")
        .between(1, 1000)
        .show_default();
    command.flag("--unchecked", options.unchecked,
                 "all ranks share one pair of buffers and the data is not looked at: for sizes that do not fit "
                 "into memory");
    bench::add_output_options(command, options.format, {"table", "json"}, "table or json", options.output);
}

Expected<ExperimentPlan> parse_experiment(const Options& options, NetworkKind kind) {
    ExperimentPlan plan;
    plan.repeats = options.repeats;
    plan.unchecked = options.unchecked;
    for (const std::string& name : options.methods) {
        auto method = parse_method(name, kind);
        if (!method) {
            return failure(of_option("methods", method.error()));
        }
        plan.methods.push_back(std::move(*method));
    }
    auto sizes = bench::parse_sizes(options.sizes);
    if (!sizes) {
        return failure(of_option("sizes", sizes.error()));
    }
    plan.sizes = std::move(*sizes);
    return plan;
}

Expected<PlatformOptions> parse_platform(const Options& options) {
    const auto latency = parse_time("latency", options.latency);
    if (!latency) {
        return failure(latency.error());
    }
    return PlatformOptions{*latency, options.contention_loss};
}

Expected<double> parse_start_up(const Options& options) { return parse_time("start-up", options.start_up); }

}  // namespace aapc::simulation
