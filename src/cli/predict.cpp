// `aapc predict`: what an exchange should take, by what was measured of the network.
#include "cli/predict.hpp"

#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/offline/contention.hpp"
#include "aapc/offline/grid_model.hpp"
#include "aapc/offline/method_model.hpp"
#include "aapc/topology/topology_file.hpp"
#include "bench/bench_options.hpp"
#include "bench/fit_report.hpp"
#include "bench/model_files.hpp"
#include "cli/unequal_report.hpp"
#include "console/command_line.hpp"
#include "input/environment.hpp"
#include "input/text_file.hpp"

namespace aapc::cli {

namespace {

using bench::seconds_text;
using nlohmann::ordered_json;

struct Prediction {
    std::string method;  ///< empty for that of the samples
    Rank ranks = 0;
    std::int64_t message_bytes = 0;
    Estimate seconds;
    std::string basis;
    std::string remark;
};

std::string predictions_text(const std::vector<Prediction>& predictions) {
    std::size_t width = 0;
    for (const Prediction& prediction : predictions) {
        width = std::max(width, prediction.method.size());
    }
    const std::string gap(width > 0 ? 2 : 0, ' ');
    std::string text = fmt::format("{:<{}}{}{:>6} {:>10} {:>12} {:>26}{}\n", width > 0 ? "method" : "", width, gap,
                                   "ranks", "bytes", "time", "95 % of measurements", width > 0 ? "   basis" : "");
    std::string remarks;
    for (const Prediction& prediction : predictions) {
        const Estimate& seconds = prediction.seconds;
        text += fmt::format("{:<{}}{}{:>6} {:>10} {:>12} {:>12} to {:>10}{}{}\n", prediction.method, width, gap,
                            prediction.ranks, prediction.message_bytes, seconds_text(seconds.value),
                            seconds_text(seconds.interval.low), seconds_text(seconds.interval.high),
                            prediction.remark.empty() ? (width > 0 ? "  " : "") : " *",
                            width > 0 ? " " + prediction.basis : "");
        if (!prediction.remark.empty() && remarks.find(prediction.remark) == std::string::npos) {
            remarks += "* " + prediction.remark + '\n';
        }
    }
    return text + remarks;
}

std::string predictions_json(const std::vector<Prediction>& predictions) {
    ordered_json document = ordered_json::array();
    for (const Prediction& prediction : predictions) {
        ordered_json line = {{"ranks", prediction.ranks},
                             {"message_bytes", prediction.message_bytes},
                             {"seconds", prediction.seconds.value},
                             {"interval", {prediction.seconds.interval.low, prediction.seconds.interval.high}},
                             {"remark", prediction.remark}};
        if (!prediction.method.empty()) {
            line["method"] = prediction.method;
            line["basis"] = prediction.basis;
        }
        document.push_back(std::move(line));
    }
    return document.dump(2) + '\n';
}

int write(const std::vector<Prediction>& predictions, const PredictOptions& options) {
    return write_output("", options.format == "json" ? predictions_json(predictions) : predictions_text(predictions));
}

Expected<std::vector<std::int64_t>> given_sizes(const PredictOptions& options) {
    if (options.sizes.empty()) {
        return failure(
            {.file = "--sizes", .problem = "no message size is given", .advice = "give sizes such as 1Ki,64Ki"});
    }
    return parse_sizes_of("--sizes", options.sizes, smallest_message);
}

// ---- One cluster, by its signature ----

int predict_by_signature(const std::string& text, const PredictOptions& options) {
    const Expected<ContentionFit> fitted = read_contention_fit(text, options.input);
    if (!fitted) {
        return complain(fitted.error());
    }
    const auto sizes = given_sizes(options);
    if (!sizes) {
        return complain(sizes.error());
    }
    if (options.ranks.empty()) {
        return complain(
            {.file = "--ranks", .problem = "no number of ranks is given", .advice = "give numbers such as 16,32"});
    }
    std::vector<Prediction> predictions;
    for (const Rank ranks : options.ranks) {
        for (const std::int64_t bytes : *sizes) {
            predictions.push_back({"", ranks, bytes, predict_seconds(*fitted, ranks, bytes), "",
                                   extrapolation_remark(*fitted, ranks, bytes)});
        }
    }
    return write(predictions, options);
}

// ---- Any method on a network ----

/// The first `ranks` of the topology.
Expected<Placement> first_of_topology(const Network& network, Rank ranks) {
    Placement placement = full_placement(network);
    if (ranks > placement.participants()) {
        return failure(
            {.file = "--ranks",
             .problem = fmt::format("{} ranks, and the topology has places for {}", ranks, placement.participants()),
             .advice = "give fewer"});
    }
    placement.machine_of.resize(static_cast<std::size_t>(ranks));
    return placement;
}

/// The equations of the paper for clusters, beside what the phases say.
void add_equations(const NetworkModel& model, const Network& network, const Placement& placement,
                   const std::vector<std::int64_t>& sizes, std::vector<Prediction>& predictions) {
    const GridModel grid = grid_model_of(model, network, placement);
    if (grid.clusters.size() < 2) {
        return;
    }
    GridModel as_in_the_paper = grid;
    for (ModelledCluster& cluster : as_in_the_paper.clusters) {
        cluster.uplink_seconds_per_byte = 0;
    }
    struct Equation {
        const char* algorithm;
        const char* basis;
        const GridModel& grid;
        Estimate (*predict)(const GridModel&, std::int64_t);
    };
    const Equation equations[] = {
        {"everybody directly", "equation 6", as_in_the_paper, &predict_direct_seconds},
        {"everybody directly", "equation 6, links shared", grid, &predict_direct_seconds},
        {"local-group", "equation 7 as printed", as_in_the_paper, &predict_local_group_seconds_as_printed},
        {"local-group", "equation 7'", as_in_the_paper, &predict_local_group_seconds},
        {"local-group", "equation 7', links shared", grid, &predict_local_group_seconds},
    };
    for (const Equation& equation : equations) {
        for (const std::int64_t bytes : sizes) {
            predictions.push_back({equation.algorithm, placement.participants(), bytes,
                                   equation.predict(equation.grid, bytes), equation.basis, ""});
        }
    }
}

/// The size from which on native is as fast as a method that is faster for small blocks, as a sentence; empty if the
/// method is faster for no size, or for all.
std::string text_of_modelled_crossover(const MethodModel& method, const MethodModel& native, const std::string& name) {
    constexpr std::int64_t longest = std::int64_t{1} << 30;
    const auto is_ahead = [&](std::int64_t bytes) { return method.seconds(bytes).value < native.seconds(bytes).value; };
    if (!is_ahead(1) || is_ahead(longest)) {
        return "";
    }
    std::int64_t ahead = 1;
    std::int64_t behind = longest;
    while (behind - ahead > 1) {
        const std::int64_t middle = ahead + (behind - ahead) / 2;
        (is_ahead(middle) ? ahead : behind) = middle;
    }
    return fmt::format("{} is ahead of native below {} bytes.", name, behind);
}

/// For one method; nothing is added where it cannot be had and was not asked for.
Expected<void> add_method(const std::string& name, const NetworkModel& model, const Network& network,
                          const Placement& placement, const std::vector<std::int64_t>& sizes, bool asked_for,
                          std::vector<Prediction>& predictions) {
    const auto method = parse_method(name, network.kind());
    if (!method) {
        Diagnostic diagnostic = method.error();
        diagnostic.file = "--methods";
        return failure(std::move(diagnostic));
    }
    const auto of_method = MethodModel::create(network, placement, *method, model);
    if (!of_method) {
        Diagnostic diagnostic = of_method.error();
        diagnostic.file = to_string(*method);
        return asked_for ? Expected<void>(failure(std::move(diagnostic))) : Expected<void>();
    }
    std::string crossover;
    if (of_method->copies_inside_machines()) {
        if (const auto native = MethodModel::create(network, placement, Method{}, model)) {
            crossover = text_of_modelled_crossover(*of_method, *native, to_string(*method));
        }
    }
    for (const std::int64_t bytes : sizes) {
        std::string remark = of_method->extrapolation_remark(bytes);
        remark += remark.empty() || crossover.empty() ? "" : " ";
        remark += crossover;
        predictions.push_back({to_string(*method), placement.participants(), bytes, of_method->seconds(bytes),
                               of_method->basis(), std::move(remark)});
    }
    return {};
}

Expected<std::vector<Prediction>> predict_on(const Network& network, const NetworkModel& model,
                                             const PredictOptions& options) {
    const auto sizes = given_sizes(options);
    if (!sizes) {
        return failure(sizes.error());
    }
    const std::vector<Rank> counts =
        options.ranks.empty() ? std::vector<Rank>{full_placement(network).participants()} : options.ranks;
    const bool asked_for = !options.methods.empty();
    const std::vector<std::string> names = asked_for ? options.methods : bench::default_candidates(network.kind());
    std::vector<Prediction> predictions;
    for (const Rank ranks : counts) {
        const auto placement = first_of_topology(network, ranks);
        if (!placement) {
            return failure(placement.error());
        }
        if (const auto complete = check_model_is_for(model, network, *placement); !complete) {
            Diagnostic diagnostic = complete.error();
            diagnostic.file = "--model";
            return failure(std::move(diagnostic));
        }
        if (network.kind() == NetworkKind::clusters && !asked_for) {
            add_equations(model, network, *placement, *sizes, predictions);
        }
        for (const std::string& name : names) {
            if (auto added = add_method(name, model, network, *placement, *sizes, asked_for, predictions); !added) {
                return failure(std::move(added.error()));
            }
        }
    }
    return predictions;
}

/// Unequal messages on the topology: time-triggered ones also without a model.
int predict_unequal(const Network& network, const PredictOptions& options) {
    const Rank all = full_placement(network).participants();
    const auto placement = first_of_topology(network, options.ranks.empty() ? all : options.ranks.front());
    if (!placement) {
        return complain(placement.error());
    }
    const auto sizes = parse_sizes_of("--sizes", options.sizes, smallest_message);
    if (!sizes) {
        return complain(sizes.error());
    }
    std::optional<NetworkModel> model;
    if (!options.models.empty()) {
        auto known = bench::read_model_files(options.models, options.wide_area);
        if (!known) {
            return complain(known.error());
        }
        model = std::move(*known);
        if (auto complete = check_model_is_for(*model, network, *placement); !complete) {
            complete.error().file = "--model";
            return complain(complete.error());
        }
    }
    return answer_unequal({network, *placement, options.demand, *sizes, options.methods, std::move(model), std::nullopt,
                           options.format == "json"});
}

int predict_on_topology(const std::string& text, const PredictOptions& options) {
    const auto whole = with_tables(text, options.input);
    const auto network = whole ? read_topology(*whole, shown_name(options.input)) : failure(whole.error());
    if (!network) {
        return complain(network.error());
    }
    if (options.demand.given()) {
        return predict_unequal(*network, options);
    }
    if (network->kind() == NetworkKind::torus && options.models.empty()) {
        return predict_torus(*network, options);
    }
    if (network->kind() == NetworkKind::fabric && options.models.empty()) {
        return predict_fabric(*network, options);
    }
    if (options.models.empty()) {
        return complain({.file = "aapc predict",
                         .problem = "a topology alone says nothing of times",
                         .advice = "give what aapc fit wrote with --model"});
    }
    const auto model = bench::read_model_files(options.models, options.wide_area);
    if (!model) {
        return complain(model.error());
    }
    const auto predictions = predict_on(*network, *model, options);
    return predictions ? write(*predictions, options) : complain(predictions.error());
}

/// A document begins with a brace, a topology file cannot.
bool is_document(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string::npos && text[first] == '{';
}

int run_predict(const PredictOptions& options) {
    if (options.torus_table) {
        return predict_torus_table(options);
    }
    if (options.input.empty()) {
        return complain({.file = "aapc predict",
                         .problem = "nothing is given to predict from",
                         .advice = "give a topology file, or what aapc fit --format json wrote"});
    }
    const Expected<std::string> text =
        read_file(options.input, {"a topology file or what aapc fit --format json wrote"});
    if (!text) {
        return complain(text.error());
    }
    return is_document(*text) ? predict_by_signature(*text, options) : predict_on_topology(*text, options);
}

void add_torus_options(Command& command, PredictOptions& options) {
    command.option("--start-up", options.start_up_seconds, "torus: time before the first byte of a message")
        .duration()
        .non_negative();
    command.option("--per-byte", options.seconds_per_byte, "torus: time per byte of a message").duration().positive();
    command.option("--copy", options.copy_seconds_per_byte, "torus: time per byte that is rearranged in memory")
        .duration()
        .non_negative();
    command.flag("--torus-table", options.torus_table,
                 "start-ups and blocks of every division for tori of several sides (docs/torus.md)");
}

}  // namespace

void add_predict_command(Command& program, Invocation& invocation) {
    Command command =
        program.subcommand("predict", "Say what exchanges should take, by what was measured of the network");
    const auto options = std::make_shared<PredictOptions>();
    command
        .option("FILE,--topology", options->input,
                "what aapc fit --format json wrote for one cluster, or a topology file to go with --model; - for "
                "standard input [AAPC_TOPOLOGY]")
        .type_name("FILE");
    command.option("--ranks", options->ranks, "numbers of ranks; the first of a topology, default: all of it")
        .separated_by(',')
        .between(2, 1 << 24)
        .type_name("N,...");
    add_demand_options(command, options->demand);
    command
        .option("--sizes", options->sizes,
                "message sizes, such as 1Ki,64Ki; of a pattern on average; what fractions are of")
        .separated_by(',')
        .type_name("SIZE,...");
    command
        .option("--methods", options->methods,
                "native, ALGORITHM[/VARIANT][+SYNCHRONISATION] (default: native and every algorithm for the "
                "network)")
        .separated_by(',')
        .type_name("METHOD,...");
    command.option("--model", options->models, "what aapc fit --format json wrote; for clusters, CLUSTER=FILE for each")
        .separated_by(',')
        .type_name("FILE,...");
    command
        .option("--wide-area", options->wide_area,
                "clusters: seconds before the first byte of a message arrives, and seconds a byte")
        .separated_by(',')
        .values(1, 2)
        .type_name("S,S");
    add_torus_options(command, *options);
    command.option("--format", options->format, "text or json").one_of({"text", "json"}).show_default();
    command.example("aapc predict fit.json --ranks 16,32 --sizes 1K,64K", "the MPI's own, by what aapc fit found");
    command.example("aapc predict cluster.toml --model fit.json --sizes 64K", "all methods on this network");
    command.on_parsed([options] {
        if (options->input.empty()) {
            options->input = environment_variable("AAPC_TOPOLOGY");
        }
    });
    command.on_run([options, &invocation] { invocation.status = run_predict(*options); });
}

}  // namespace aapc::cli
