// `aapc report`: what a job's all-to-alls did, as a page.

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "aapc/archive/record.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/topology_file.hpp"
#include "cli/assumed_network.hpp"
#include "cli/command.hpp"
#include "cli/report/demands.hpp"
#include "cli/report/page.hpp"
#include "cli/report/text.hpp"
#include "cli/topology_argument.hpp"
#include "input/environment.hpp"

namespace aapc::cli {

namespace {

struct ReportOptions {
    std::string record;
    std::string topology;
    std::string assume;
    std::string model;
    std::string format;
    std::string output;
};

/// The network of the job: what is given, or what the record has; nothing where neither is.
Expected<std::optional<Network>> network_of(const ReportOptions& options, const RecordHead& head) {
    if (!options.assume.empty()) {
        auto assumed = assumed_network(options.assume, head.hosts);
        if (!assumed) {
            return failure(assumed.error());
        }
        return std::move(*assumed);
    }
    const std::string around = environment_variable("AAPC_TOPOLOGY");
    const std::string& file = !options.topology.empty() || !head.topology_text.empty() ? options.topology : around;
    if (file.empty() && head.topology_text.empty()) {
        return std::nullopt;
    }
    auto network = file.empty() ? read_topology(head.topology_text, head.topology_file) : read_network(file);
    if (!network) {
        return failure(network.error());
    }
    return std::move(*network);
}

Expected<std::string> make_page(const ReportOptions& options) {
    const auto text = read_file(options.record, {"a record that AAPC_RECORD=FILE wrote", 300});
    if (!text) {
        return failure(text.error());
    }
    const auto record = read_record(*text, shown_name(options.record));
    if (!record) {
        return failure(record.error());
    }
    if (options.format == "ptini") {
        return report::demands_of(*record, shown_name(options.record));
    }
    const auto network = network_of(options, record->head);
    if (!network) {
        return failure(network.error());
    }
    std::optional<NetworkModel> model;
    if (!options.model.empty()) {
        const auto document = read_file(options.model, {"what aapc fit wrote", 16});
        auto read = document ? read_network_model(*document, shown_name(options.model)) : failure(document.error());
        if (!read) {
            return failure(read.error());
        }
        model = std::move(*read);
    }
    const report::Figures figures =
        report::figures_of(*record, *network ? &**network : nullptr, model ? &*model : nullptr);
    const bool is_page = options.format.empty() ? !options.output.empty() : options.format == "html";
    return is_page ? report::page_of(*record, figures) : report::text_of(*record, figures);
}

int run_report(const ReportOptions& options) {
    const auto page = make_page(options);
    return page ? write_output(options.output, *page) : complain(page.error());
}

}  // namespace

void add_report_command(Command& program, Invocation& invocation) {
    Command command = program.subcommand("report", "Make a page of what a job's all-to-alls did and would gain");
    const auto options = std::make_shared<ReportOptions>();
    command
        .option("FILE", options->record, "a record that AAPC_RECORD=FILE or aapc exec --record wrote (docs/report.md)")
        .required();
    Option topology = command.option("--topology", options->topology,
                                     "topology file; default: the one in the record, or else AAPC_TOPOLOGY");
    topology.type_name("FILE");
    command
        .option("--assume", options->assume,
                "the network in a word where there is no topology file: 1Gbit, one switch with all machines of the "
                "job, or 1Gbit,leaf-spine:4x8x2, leaves, machines on each, spines")
        .type_name("SPEED[,SHAPE]")
        .excludes(topology);
    command.option("--model", options->model, "what aapc fit wrote for this network: what native calls should take")
        .type_name("FILE");
    command
        .option(
            "--format", options->format,
            "html, the page; text, its results in lines; or ptini, the unequal messages as a pattern file of UCC's, "
            "which --demand reads. Default: html with --output, else text")
        .one_of({"html", "text", "ptini"});
    command.option("-o,--output", options->output, "file to write instead of standard output").type_name("FILE");
    command.example("mpirun -n 16 aapc exec --topology cluster.toml --record job.jsonl -- ./app", "notes the calls");
    command.example("aapc report job.jsonl --assume 1Gbit", "what all-to-alls took, and what they could gain");
    command.example("aapc report job.jsonl -o report.html", "the page, for any browser");
    command.example("aapc report job.jsonl --format ptini -o job.ptini", "its unequal messages, for --demand");
    command.on_run([options, &invocation] { invocation.status = run_report(*options); });
}

}  // namespace aapc::cli
