#include <CLI/CLI.hpp>
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

void add_schedule_command(CLI::App& app, Invocation& invocation) {
    CLI::App* command = app.add_subcommand("schedule", "Print the phases of the all-to-all for a topology file");
    auto options = std::make_shared<ScheduleOptions>();
    options->request.synchronisation = to_string(Synchronisation::none);
    add_schedule_options(*command, options->request);
    command
        ->add_option("--reduction", options->reduction,
                     "which synchronisations are left out: pair (by the pair rule), exact (all that others imply), "
                     "none")
        ->check(CLI::IsMember({"pair", "exact", "none"}))
        ->capture_default_str();
    command->add_option("--format", options->format, "table or json (docs/schedule-documents.md)")
        ->check(CLI::IsMember({"table", "json"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "file to write instead of standard output")->type_name("FILE");
    command->callback([options, &invocation] { invocation.status = run(*options); });
}

}  // namespace aapc::cli
