#include "cli/modelled_sizes.hpp"

#include <fmt/format.h>

#include <utility>

#include "bench/fit_report.hpp"

namespace aapc::cli {

namespace {

using bench::seconds_text;
using nlohmann::ordered_json;

std::string predicted_text(const Estimate& predicted) {
    return fmt::format("{} ({} to {})", seconds_text(predicted.value), seconds_text(predicted.interval.low),
                       seconds_text(predicted.interval.high));
}

std::string ratio_text(const std::optional<double>& measured, const Estimate& predicted) {
    return measured ? fmt::format("{} ({:.2f})", seconds_text(*measured), *measured / predicted.value) : "-";
}

ordered_json estimate_json(const Estimate& predicted, const std::optional<double>& measured) {
    return {{"seconds", predicted.value},
            {"interval", {predicted.interval.low, predicted.interval.high}},
            {"measured_seconds", measured ? ordered_json(*measured) : ordered_json()},
            {"measured_over_predicted", measured ? ordered_json(*measured / predicted.value) : ordered_json()}};
}

}  // namespace

Expected<const MethodModel*> MethodModels::model_of(const Method& method) {
    const std::string name = to_string(method);
    auto known = models_.find(name);
    if (known == models_.end()) {
        auto model = MethodModel::create(network_, placement_, method, known_);
        if (!model) {
            Diagnostic diagnostic = model.error();
            diagnostic.file = "--model";
            return failure(std::move(diagnostic));
        }
        known = models_.emplace(name, std::move(*model)).first;
    }
    return &known->second;
}

Expected<ModelledSize> MethodModels::at(const Method& method, std::int64_t bytes,
                                        const std::optional<MeasuredSize>& measured) {
    const auto chosen = model_of(method);
    const auto native = chosen ? model_of(Method{}) : chosen;
    if (!native) {
        return failure(native.error());
    }
    ModelledSize size{bytes,
                      to_string(method),
                      (*chosen)->seconds(bytes),
                      (*native)->seconds(bytes),
                      (*chosen)->basis(),
                      (*chosen)->extrapolation_remark(bytes),
                      std::nullopt,
                      std::nullopt};
    if (measured) {
        size.chosen_measured_seconds = measured->chosen_seconds;
        size.native_measured_seconds = measured->native_seconds;
    }
    return size;
}

std::string modelled_text(const std::vector<ModelledSize>& sizes) {
    std::string text =
        fmt::format("\n{:>12}  {:<32}  {:<34}  {:<18}  {:<34}  {:<18}  {}\n", "bytes", "method",
                    "predicted by the model", "measured (ratio)", "native predicted", "measured (ratio)", "rests on");
    std::string remarks;
    for (const ModelledSize& size : sizes) {
        text += fmt::format("{:>12}  {:<32}  {:<34}  {:<18}  {:<34}  {:<18}  {}{}\n", size.bytes, size.method,
                            predicted_text(size.chosen), ratio_text(size.chosen_measured_seconds, size.chosen),
                            predicted_text(size.native), ratio_text(size.native_measured_seconds, size.native),
                            size.basis, size.remark.empty() ? "" : " *");
        if (!size.remark.empty() && remarks.find(size.remark) == std::string::npos) {
            remarks += "* " + size.remark + '\n';
        }
    }
    return text + remarks;
}

ordered_json modelled_json(const ModelledSize& size) {
    return {{"chosen", estimate_json(size.chosen, size.chosen_measured_seconds)},
            {"native", estimate_json(size.native, size.native_measured_seconds)},
            {"basis", size.basis},
            {"remark", size.remark}};
}

}  // namespace aapc::cli
