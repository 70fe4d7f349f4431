#include "aapc/offline/expected_by_model.hpp"

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "aapc/offline/method_model.hpp"

namespace aapc {

ExpectedSeconds expected_by_model(const Network& network, const Placement& placement,
                                  const std::vector<Method>& candidates, const NetworkModel& model) {
    auto models = std::make_shared<std::map<std::string, MethodModel>>();
    for (const Method& method : candidates) {
        if (auto of_method = MethodModel::create(network, placement, method, model)) {
            models->emplace(to_string(method), std::move(*of_method));
        }
    }
    return [models](const Method& method, std::int64_t block_bytes) {
        const auto known = models->find(to_string(method));
        if (known != models->end()) {
            return known->second.seconds(block_bytes).value;
        }
        double longest = 0;
        for (const auto& [name, of_method] : *models) {
            longest = std::max(longest, of_method.seconds(block_bytes).value);
        }
        return longest;
    };
}

}  // namespace aapc
