/// @file
/// `aapc explain --model`: what a model says of the methods that would run, against what was measured of them.
#pragma once

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/offline/method_model.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::cli {

/// Of one message size.
struct ModelledSize {
    std::int64_t bytes = 0;
    std::string method;
    Estimate chosen;
    Estimate native;
    std::string basis;   ///< of the chosen one's
    std::string remark;  ///< why it goes beyond what was measured; may be empty
    std::optional<double> chosen_measured_seconds;
    std::optional<double> native_measured_seconds;
};

/// Builds each method's model once. Network and placement must outlive it.
class MethodModels {
  public:
    MethodModels(const Network& network, const Placement& placement, NetworkModel known)
        : network_(network), placement_(placement), known_(std::move(known)) {}

    /// The diagnostic says why there is no model of the method here.
    [[nodiscard]] Expected<ModelledSize> at(const Method& method, std::int64_t bytes,
                                            const std::optional<MeasuredSize>& measured);

  private:
    [[nodiscard]] Expected<const MethodModel*> model_of(const Method& method);

    const Network& network_;
    const Placement& placement_;
    NetworkModel known_;
    std::map<std::string, MethodModel> models_;  ///< by the text of the method
};

[[nodiscard]] std::string modelled_text(const std::vector<ModelledSize>& sizes);

[[nodiscard]] nlohmann::ordered_json modelled_json(const ModelledSize& size);

}  // namespace aapc::cli
