#include <algorithm>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include "aapc/schedule/schedule_file.hpp"
#include "aapc/schedule/synchronise.hpp"
#include "cli/command.hpp"
#include "cli/scheduling.hpp"

namespace aapc::cli {

namespace {

struct ScheduleOptions {
    ScheduleRequest request;
    std::string reduction = "pair";
    std::string format = "table";
    std::string output;
};

constexpr std::pair<std::string_view, Reduction> reductions[] = {
    {"pair", Reduction::pair_rule},
    {"exact", Reduction::exact},
    {"none", Reduction::none},
};

int run(ScheduleOptions& options) {
    options.request.reduction = std::find_if(std::begin(reductions), std::end(reductions), [&](const auto& entry) {
                                    return entry.first == options.reduction;
                                })->second;
    const auto made = make_schedule(options.request);
    if (!made) {
        return made.error();
    }
    const auto write = options.format == "json" ? schedule_json : schedule_table;
    return write_output(options.output, write(made->schedule, made->synchronisation, made->edges));
}

}  // namespace

void add_schedule_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("schedule", "Print the phases of the all-to-all for a topology file");
    auto options = std::make_shared<ScheduleOptions>();
    options->request.synchronisation = to_string(Synchronisation::none);
    add_schedule_options(command, options->request);
    command
        .option("--reduction", options->reduction,
                "which synchronisations are left out: pair (by the pair rule), exact (all that others imply), "
                "none")
        .one_of({"pair", "exact", "none"})
        .show_default();
    command.option("--format", options->format, "table or json (docs/schedule-documents.md)")
        .one_of({"table", "json"})
        .show_default();
    command.option("-o,--output", options->output, "file to write instead of standard output").type_name("FILE");
    command.on_run([options, &invocation] { invocation.status = run(*options); });
}

}  // namespace aapc::cli
