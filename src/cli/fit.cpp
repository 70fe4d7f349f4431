// `aapc fit`: what contention costs on a network, from measurements in a file, or from measurements that the MPI
// program takes which it becomes.
#include "aapc/offline/contention.hpp"
#include "bench/fit_options.hpp"
#include "bench/fit_report.hpp"
#include "cli/launch.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

namespace {

int fit_file(const bench::FitOptions& options) {
    const Expected<std::string> text = read_file(options.samples, bench::samples_file);
    if (!text) {
        return complain(text.error());
    }
    const auto samples = read_contention_samples(*text, shown_name(options.samples));
    if (!samples) {
        return complain(samples.error());
    }
    const auto method = bench::full_method_name(options.method);
    if (!method) {
        return complain(method.error());
    }
    auto fit = bench::fit_samples(*samples, options.alpha, options.beta, *method, options.samples);
    if (!fit) {
        return complain(fit.error());
    }
    return bench::write_fit(options, NetworkModel{{{"", std::move(*fit)}}, std::nullopt}, {{"", *samples}});
}

int run_fit(const bench::FitOptions& options, const Invocation& invocation) {
    if (const auto checked = bench::check_fit_options(options); !checked) {
        return speaks() ? complain(checked.error()) : bad_input;
    }
    if (!options.measures()) {
        return fit_file(options);
    }
    return run_mpi_program(invocation, program_behind("fit", invocation, options.mpi, Interposition::none));
}

}  // namespace

void add_fit_command(Command& program, Invocation& invocation) {
    add_measuring_command(
        program, invocation, "fit",
        "Fit what contention costs (gamma, delta, M) to samples, or to what it measures itself",
        {{"mpirun -n 16 aapc fit --topology cluster.toml --format json -o fit.json", "measure and fit"},
         {"aapc fit samples.csv", "fit what was measured before"}},
        bench::add_fit_options, run_fit);
}

}  // namespace aapc::cli
