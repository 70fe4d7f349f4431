#include <CLI/CLI.hpp>
#include <cstdio>
#include <exception>

#include "cli/command.hpp"
#include "cli/launch.hpp"
#include "input/version.hpp"

namespace {

int run(int argc, char** argv) {
    using namespace aapc::cli;
    Invocation invocation{{argv, argv + argc}, done};
    CLI::App app{"Topology-aware all-to-all for MPI clusters: schedules for the wires you have.", "aapc"};
    app.set_version_flag("--version", "aapc " + std::string(aapc::version()));
    app.require_subcommand(1);
    app.get_formatter()->column_width(34);
    add_topology_command(app, invocation);
    add_schedule_command(app, invocation);
    add_check_command(app, invocation);
    add_generate_command(app, invocation);
    add_exec_command(app, invocation);
    add_explain_command(app, invocation);
    add_bench_command(app, invocation);
    add_tune_command(app, invocation);
    add_fit_command(app, invocation);
    add_predict_command(app, invocation);
    try {
        app.parse(argc, argv);
    } catch (const CLI::Success& success) {  // --help, --version
        return speaks() ? app.exit(success) : done;
    } catch (const CLI::Error& error) {
        if (speaks()) {
            app.exit(error);
        }
        return bad_input;
    }
    return invocation.status;
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return run(argc, argv);
    } catch (const std::exception& error) {  // no memory, or a terminal that went away
        std::fputs("aapc: ", stderr);
        std::fputs(error.what(), stderr);
        std::fputs("\n", stderr);
        return aapc::cli::bad_input;
    }
}
