#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/offline/schedule_text.hpp"
#include "aapc/offline/synchronise.hpp"
#include "cli/command.hpp"
#include "cli/demand_options.hpp"
#include "cli/report/pictures.hpp"
#include "cli/schedule_request.hpp"
#include "cli/topology_argument.hpp"
#include "cli/unequal_report.hpp"
#include "console/output_file.hpp"

namespace aapc::cli {

namespace {

struct ScheduleOptions {
    ScheduleRequest request;
    DemandOptions demand;
    std::string mean;
    std::string reduction = "pair";
    std::string format = "table";
    std::string output;
};

/// From this number of bytes on, a terminal shows the progress.
constexpr std::size_t large_output = 16 << 20;

constexpr std::pair<std::string_view, Reduction> reductions[] = {
    {"pair", Reduction::pair_rule},
    {"exact", Reduction::exact},
    {"none", Reduction::none},
};

/// The method of the request, of which a synchronisation was perhaps not given.
std::string method_text(const ScheduleRequest& request) {
    const bool is_usual = request.algorithm.empty() && request.variant.empty();
    std::string text = request.algorithm.empty() ? "lattice" : request.algorithm;
    text += is_usual ? "/formula" : request.variant.empty() ? "" : "/" + request.variant;
    return request.synchronisation == to_string(Synchronisation::none) ? text : text + "+" + request.synchronisation;
}

/// The messages of a demand.
Expected<std::string> unequal_schedule(const ScheduleOptions& options) {
    const auto network = read_network(options.request.topology);
    if (!network) {
        return failure(network.error());
    }
    const Placement placement = full_placement(*network);
    std::vector<std::int64_t> means;
    if (!options.mean.empty()) {
        const auto mean = parse_size_of("--mean", options.mean);
        if (!mean) {
            return failure(mean.error());
        }
        means.push_back(*mean);
    }
    const auto demands = read_demands(options.demand, means, placement.participants());
    if (!demands) {
        return failure(demands.error());
    }
    if (demands->size() > 1) {
        return failure({.file = shown_name(options.demand.file),
                        .problem = fmt::format("there are {} demands in it, and a schedule is of one", demands->size()),
                        .advice = "keep one section [collective]; aapc explain shows all"});
    }
    const auto method = find_unequal_method(method_text(options.request), *network, placement);
    if (!method) {
        return failure(method.error());
    }
    const auto line = examine_unequal(*network, placement, *method, demands->front(), nullptr);
    if (!line) {
        return failure(line.error());
    }
    const auto write = options.format == "json" ? unequal_schedule_json : unequal_schedule_text;
    return write(*network, placement, *method, *line);
}

/// Large ones are not in memory as a whole, and a person at a terminal is told how far it is.
int write_in_pieces(const ScheduleOptions& options, const CheckedSchedule& made) {
    OutputFile output(options.output);
    const bool to_terminal = isatty(STDERR_FILENO) != 0 && !options.output.empty();
    std::size_t written = 0;
    const TakeText take = [&](std::string_view piece) {
        written += piece.size();
        if (to_terminal && written > large_output) {
            fmt::print(stderr, "\rwritten: {} MiB", written >> 20);
        }
        return output.write(piece);
    };
    const auto write = options.format == "json" ? write_schedule_json : write_schedule_table;
    static_cast<void>(write(made.schedule, made.synchronisation, made.edges, take));
    if (to_terminal && written > large_output) {
        fmt::print(stderr, "\n");
    }
    const int status = output.finish();
    if (status == done) {
        say_what_was_written(options.output);
    }
    return status;
}

int run_schedule(ScheduleOptions& options) {
    if (options.demand.given()) {
        if (options.format == "svg") {
            return complain({.file = "--format svg",
                             .problem = "there is no picture of unequal messages",
                             .advice = "ask for table or json"});
        }
        const auto text = unequal_schedule(options);
        return text ? write_output(options.output, *text) : complain(text.error());
    }
    options.request.reduction = std::find_if(std::begin(reductions), std::end(reductions), [&](const auto& entry) {
                                    return entry.first == options.reduction;
                                })->second;
    const auto made = make_schedule(options.request);
    if (!made) {
        return made.error();
    }
    if (options.format == "svg") {
        auto picture = report::timetable_svg(made->schedule);
        if (!picture) {
            picture.error().file = "--format svg";
            return complain(picture.error());
        }
        return write_output(options.output, *picture);
    }
    return write_in_pieces(options, *made);
}

}  // namespace

void add_schedule_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("schedule", "Print the phases of the all-to-all for a topology file");
    auto options = std::make_shared<ScheduleOptions>();
    options->request.synchronisation = to_string(Synchronisation::none);
    add_schedule_options(command, options->request);
    command.flag("--thorough", options->request.thorough,
                 "search for seconds where a job's set-up may take 50 ms: slots of lattice, for AAPC_SCHEDULE");
    command
        .option("--reduction", options->reduction,
                "which synchronisations are left out: pair (by the pair rule), exact (all that others imply), "
                "none")
        .one_of({"pair", "exact", "none"})
        .show_default();
    command.option("--format", options->format, "table, json (docs/schedule-documents.md), or svg: links over time")
        .one_of({"table", "json", "svg"})
        .show_default();
    add_demand_options(command, options->demand);
    command
        .option("--mean", options->mean,
                "bytes a message on average, of a pattern; what fractions are of; default: 64Ki")
        .type_name("SIZE");
    command.option("-o,--output", options->output, "file to write instead of standard output").type_name("FILE");
    command.example("aapc schedule cluster.toml", "the phases as a table");
    command.example("aapc schedule cluster.toml --synchronisation sender --format json -o schedule.json",
                    "a document that other programs read");
    command.example("aapc schedule cluster.toml --algorithm lattice --thorough --format json -o schedule.json",
                    "slots for a large cluster; AAPC_SCHEDULE=schedule.json makes jobs follow them");
    command.on_run([options, &invocation] { invocation.status = run_schedule(*options); });
}

}  // namespace aapc::cli
