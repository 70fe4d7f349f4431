#include "bench/fit_report.hpp"

#include <fmt/format.h>

#include <cmath>
#include <filesystem>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/methods/method.hpp"

namespace aapc::bench {

namespace {

std::string threshold_text(const ContentionFit& fit) {
    if (!fit.threshold) {
        return fmt::format(
            "delta  0: not supported by the data (as much evidence would come by chance in {:.0f} % of data sets)\n",
            fit.delta_probability * 100);
    }
    return fmt::format(
        "delta  {}   (95 %: {} to {}), for messages of M bytes and more\nM      above {}, not above {} bytes\n",
        seconds_text(fit.delta.value), seconds_text(fit.delta.interval.low), seconds_text(fit.delta.interval.high),
        fit.threshold->above, fit.threshold->up_to);
}

std::string link_text(const PointToPoint& link) {
    return fmt::format("alpha  {}\nbeta   {:.4g} ns a byte ({:.4g} Mbit/s)\n", seconds_text(link.alpha_seconds),
                       link.beta_seconds_per_byte * 1e9, 8e-6 / link.beta_seconds_per_byte);
}

std::string wide_area_text(const WideAreaFit& wide_area) {
    std::string text = "wide area\n" + link_text(wide_area.link);
    if (!wide_area.gaps.empty()) {
        text += fmt::format("L      {}\n{:>10} {:>12} {:>12} {:>12}\n", seconds_text(wide_area.latency_seconds),
                            "bytes", "gap", "o_s", "o_r");
        for (const GapMeasurement& gap : wide_area.gaps) {
            text += fmt::format("{:>10} {:>12} {:>12} {:>12}\n", gap.message_bytes, seconds_text(gap.gap_seconds),
                                seconds_text(gap.send_overhead_seconds), seconds_text(gap.receive_overhead_seconds));
        }
    }
    return text;
}

}  // namespace

std::string seconds_text(double seconds) {
    return std::isfinite(seconds) ? duration_text(seconds, significant(3)) : "unbounded";
}

std::string fit_text(const ContentionFit& fit) {
    std::string text = link_text(fit.link);
    text += fmt::format("gamma  {:.4f}   (95 %: {:.4f} to {:.4f})\n", fit.gamma.value, fit.gamma.interval.low,
                        fit.gamma.interval.high);
    text += threshold_text(fit);
    text +=
        fmt::format("error  {:.1f} % (one measurement from the model), {} samples{}, {} to {} ranks, {} to {} bytes\n",
                    fit.relative_deviation * 100, fit.samples, fit.method.empty() ? "" : " of " + fit.method,
                    fit.fewest_ranks, fit.most_ranks, fit.smallest_bytes, fit.largest_bytes);
    for (const std::string& remark : fit.remarks) {
        text += "note   " + remark + '\n';
    }
    if (fit.next) {
        text += fmt::format("next   measure {} ranks at {} bytes. {}\n", fit.next->ranks, fit.next->message_bytes,
                            fit.next->why);
    }
    return text;
}

std::string model_text(const NetworkModel& model) {
    std::string text;
    for (const MeasuredCluster& cluster : model.clusters) {
        text += cluster.name.empty() ? "" : fmt::format("cluster {}\n", cluster.name);
        text += fit_text(cluster.fit);
    }
    return model.wide_area ? text + wide_area_text(*model.wide_area) : text;
}

std::string samples_csv(const std::vector<std::string>& remarks, const std::vector<ContentionSample>& samples) {
    std::string text;
    for (const std::string& remark : remarks) {
        text += "# " + remark + '\n';
    }
    text += "ranks,message_bytes,seconds\n";
    for (const ContentionSample& sample : samples) {
        text += fmt::format("{},{},{}\n", sample.ranks, sample.message_bytes, sample.seconds);
    }
    return text;
}

std::string file_of_part(const std::string& file, const std::string& part) {
    if (part.empty()) {
        return file;
    }
    const std::filesystem::path path(file);
    return (path.parent_path() / fmt::format("{}-{}{}", path.stem().string(), part, path.extension().string()))
        .string();
}

Expected<std::string> full_method_name(const std::string& text) {
    Diagnostic diagnostic;
    for (const NetworkKind kind : {NetworkKind::clusters, NetworkKind::torus, NetworkKind::tree}) {
        const auto method = parse_method(text, kind);
        if (method) {
            return to_string(*method);
        }
        diagnostic = method.error();
    }
    diagnostic.file = "--method";
    return failure(std::move(diagnostic));
}

Expected<ContentionFit> fit_samples(std::vector<ContentionSample> samples, double alpha, double beta,
                                    const std::string& method, const std::string& file) {
    const auto of_file = [&file](Diagnostic diagnostic) {
        diagnostic.file = file;
        return failure(std::move(diagnostic));
    };
    PointToPoint link{alpha, beta};
    if (alpha < 0 || beta < 0) {
        const auto measured = point_to_point_of(samples);
        if (!measured) {
            return of_file(measured.error());
        }
        link = {alpha >= 0 ? alpha : measured->alpha_seconds, beta >= 0 ? beta : measured->beta_seconds_per_byte};
    }
    // Two ranks do not contend: their samples would draw gamma to 1 and delta's threshold to sizes that no other sample
    // has.
    const auto of_two = [](const ContentionSample& sample) { return sample.ranks == 2; };
    if (!std::all_of(samples.begin(), samples.end(), of_two)) {
        std::erase_if(samples, of_two);
    }
    auto fit = fit_contention(samples, link);
    if (!fit) {
        return of_file(fit.error());
    }
    fit->method = method;
    return fit;
}

}  // namespace aapc::bench
