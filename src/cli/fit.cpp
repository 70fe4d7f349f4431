// `aapc fit` and `aapc predict`: what contention costs on a network, from measurements and beyond them.
#include <fmt/format.h>

#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "aapc/contention.hpp"
#include "aapc/topology_file.hpp"
#include "cli/command.hpp"

namespace aapc::cli {

namespace {

struct FitOptions {
    std::string samples;
    double alpha = -1;  ///< not given
    double beta = -1;
    std::string format = "text";
    std::string output;
};

struct PredictOptions {
    std::string fit;
    std::vector<Rank> ranks;
    std::vector<std::string> sizes;
    std::string format = "text";
};

std::string seconds_text(double seconds) {
    if (!std::isfinite(seconds)) {
        return "unbounded";
    }
    if (seconds >= 1) {
        return fmt::format("{:.3g} s", seconds);
    }
    return seconds >= 1e-3 ? fmt::format("{:.3g} ms", seconds * 1e3) : fmt::format("{:.3g} µs", seconds * 1e6);
}

std::string fit_text(const ContentionFit& fit) {
    std::string text =
        fmt::format("alpha  {}\nbeta   {:.4g} ns a byte ({:.4g} Mbit/s)\n", seconds_text(fit.link.alpha_seconds),
                    fit.link.beta_seconds_per_byte * 1e9, 8e-6 / fit.link.beta_seconds_per_byte);
    text += fmt::format("gamma  {:.4f}   (95 %: {:.4f} to {:.4f})\n", fit.gamma.value, fit.gamma.interval.low,
                        fit.gamma.interval.high);
    if (fit.threshold) {
        text += fmt::format("delta  {}   (95 %: {} to {}), for messages of M bytes and more\n",
                            seconds_text(fit.delta.value), seconds_text(fit.delta.interval.low),
                            seconds_text(fit.delta.interval.high));
        text += fmt::format("M      above {}, not above {} bytes\n", fit.threshold->above, fit.threshold->up_to);
    } else {
        text += fmt::format(
            "delta  0: not supported by the data (as much evidence would come by chance in {:.0f} % of "
            "data sets)\n",
            fit.delta_probability * 100);
    }
    text +=
        fmt::format("error  {:.1f} % (one measurement from the model), {} samples, {} to {} ranks, {} to {} bytes\n",
                    fit.relative_deviation * 100, fit.samples, fit.fewest_ranks, fit.most_ranks, fit.smallest_bytes,
                    fit.largest_bytes);
    for (const std::string& remark : fit.remarks) {
        text += "note   " + remark + '\n';
    }
    if (fit.next) {
        text += fmt::format("next   measure {} ranks at {} bytes. {}\n", fit.next->ranks, fit.next->message_bytes,
                            fit.next->why);
    }
    return text;
}

/// What was given, or else what the samples of two ranks say.
Expected<PointToPoint> link_of(const FitOptions& options, const std::vector<ContentionSample>& samples) {
    if (options.alpha >= 0 && options.beta >= 0) {
        return PointToPoint{options.alpha, options.beta};
    }
    auto link = point_to_point_of(samples);
    if (!link) {
        Diagnostic diagnostic = link.error();
        diagnostic.file = options.samples;
        return failure(std::move(diagnostic));
    }
    return PointToPoint{options.alpha >= 0 ? options.alpha : link->alpha_seconds,
                        options.beta >= 0 ? options.beta : link->beta_seconds_per_byte};
}

int fit(const FitOptions& options) {
    const Expected<std::string> text = read_file(options.samples);
    if (!text) {
        return complain(text.error());
    }
    Expected<std::vector<ContentionSample>> samples = read_contention_samples(*text, options.samples);
    if (!samples) {
        return complain(samples.error());
    }
    const Expected<PointToPoint> link = link_of(options, *samples);
    if (!link) {
        return complain(link.error());
    }
    if (options.alpha < 0 || options.beta < 0) {
        std::erase_if(*samples, [](const ContentionSample& sample) { return sample.ranks == 2; });
    }
    const Expected<ContentionFit> fitted = fit_contention(*samples, *link);
    if (!fitted) {
        Diagnostic diagnostic = fitted.error();
        diagnostic.file = options.samples;
        return complain(diagnostic);
    }
    return write_output(options.output, options.format == "json" ? contention_json(*fitted) : fit_text(*fitted));
}

struct Prediction {
    Rank ranks;
    std::int64_t message_bytes;
    Estimate seconds;
    std::string remark;
};

std::string predictions_text(const std::vector<Prediction>& predictions) {
    std::string text = fmt::format("{:>6} {:>10} {:>12} {:>26}\n", "ranks", "bytes", "time", "95 % of measurements");
    std::string remarks;
    for (const Prediction& prediction : predictions) {
        const Estimate& seconds = prediction.seconds;
        text += fmt::format("{:>6} {:>10} {:>12} {:>12} to {:>10}{}\n", prediction.ranks, prediction.message_bytes,
                            seconds_text(seconds.value), seconds_text(seconds.interval.low),
                            seconds_text(seconds.interval.high), prediction.remark.empty() ? "" : " *");
        if (!prediction.remark.empty() && remarks.find(prediction.remark) == std::string::npos) {
            remarks += "* " + prediction.remark + '\n';
        }
    }
    return text + remarks;
}

std::string predictions_json(const std::vector<Prediction>& predictions) {
    nlohmann::ordered_json document = nlohmann::ordered_json::array();
    for (const Prediction& prediction : predictions) {
        document.push_back({{"ranks", prediction.ranks},
                            {"message_bytes", prediction.message_bytes},
                            {"seconds", prediction.seconds.value},
                            {"interval", {prediction.seconds.interval.low, prediction.seconds.interval.high}},
                            {"remark", prediction.remark}});
    }
    return document.dump(2) + '\n';
}

int predict(const PredictOptions& options) {
    const Expected<std::string> text = read_file(options.fit);
    if (!text) {
        return complain(text.error());
    }
    const Expected<ContentionFit> fitted = read_contention_fit(*text, options.fit);
    if (!fitted) {
        return complain(fitted.error());
    }
    std::vector<Prediction> predictions;
    for (const Rank ranks : options.ranks) {
        for (const std::string& size : options.sizes) {
            const Expected<std::int64_t> bytes = parse_size(size);
            if (!bytes) {
                Diagnostic diagnostic = bytes.error();
                diagnostic.file = "--sizes";
                return complain(diagnostic);
            }
            predictions.push_back(
                {ranks, *bytes, predict_seconds(*fitted, ranks, *bytes), extrapolation_remark(*fitted, ranks, *bytes)});
        }
    }
    return write_output("", options.format == "json" ? predictions_json(predictions) : predictions_text(predictions));
}

}  // namespace

void add_fit_command(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("fit", "Fit what contention costs to measured all-to-alls (gamma, delta, M)");
    auto options = std::make_shared<FitOptions>();
    command->add_option("SAMPLES", options->samples, "CSV file: ranks,message_bytes,seconds")
        ->required()
        ->type_name("FILE");
    command
        ->add_option("--alpha", options->alpha,
                     "start-up of one message in seconds; from the samples of 2 ranks if not given")
        ->check(CLI::NonNegativeNumber);
    command->add_option("--beta", options->beta, "seconds a byte of one message; likewise")->check(CLI::PositiveNumber);
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->add_option("-o,--output", options->output, "file to write instead of standard output")->type_name("FILE");
    command->callback([options, &context] { context.status = fit(*options); });
}

void add_predict_command(CLI::App& app, Context& context) {
    CLI::App* command =
        app.add_subcommand("predict", "Say what a fit predicts for other rank counts and message sizes");
    auto options = std::make_shared<PredictOptions>();
    command->add_option("FIT", options->fit, "what `aapc fit --format json` wrote")->required()->type_name("FILE");
    command->add_option("--ranks", options->ranks, "numbers of ranks")
        ->required()
        ->delimiter(',')
        ->check(CLI::Range(2, 1 << 24))
        ->type_name("N,...");
    command->add_option("--sizes", options->sizes, "message sizes, such as 1Ki,64Ki")
        ->required()
        ->delimiter(',')
        ->type_name("SIZE,...");
    command->add_option("--format", options->format, "text or json")
        ->check(CLI::IsMember({"text", "json"}))
        ->capture_default_str();
    command->callback([options, &context] { context.status = predict(*options); });
}

}  // namespace aapc::cli
