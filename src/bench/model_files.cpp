#include "bench/model_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "console/output.hpp"

namespace aapc::bench {

namespace {

Expected<NetworkModel> read_one(const std::string& path) {
    const Expected<std::string> text = cli::read_file(path, {"what aapc fit --format json wrote"});
    return text ? read_network_model(*text, path) : failure(text.error());
}

Expected<void> add(NetworkModel part, const std::string& cluster, NetworkModel& model) {
    if (!cluster.empty()) {
        if (part.clusters.size() != 1) {
            return failure({.file = "--model",
                            .problem = fmt::format("the file for '{}' holds several clusters", cluster),
                            .advice = "give the file without a cluster's name"});
        }
        part.clusters.front().name = cluster;
    }
    for (MeasuredCluster& measured : part.clusters) {
        const bool known = std::any_of(model.clusters.begin(), model.clusters.end(),
                                       [&](const MeasuredCluster& other) { return other.name == measured.name; });
        if (known) {
            return failure({.file = "--model",
                            .problem = measured.name.empty()
                                           ? "two signatures are for every cluster"
                                           : fmt::format("the cluster '{}' has two signatures", measured.name),
                            .advice = "give one for each, as in --model nancy=nancy.json"});
        }
        model.clusters.push_back(std::move(measured));
    }
    if (part.wide_area) {
        model.wide_area = std::move(part.wide_area);
    }
    return {};
}

}  // namespace

Expected<NetworkModel> read_model_files(const std::vector<std::string>& words, const std::vector<double>& wide_area) {
    NetworkModel model;
    for (const std::string& word : words) {
        const std::size_t equals = word.find('=');
        const bool named = equals != std::string::npos;
        auto part = read_one(named ? word.substr(equals + 1) : word);
        if (!part) {
            return failure(std::move(part.error()));
        }
        if (auto added = add(std::move(*part), named ? word.substr(0, equals) : "", model); !added) {
            return failure(std::move(added.error()));
        }
    }
    if (!wide_area.empty()) {
        if (wide_area.size() != 2 || !(wide_area[0] >= 0) || !(wide_area[1] > 0) || !std::isfinite(wide_area[0]) ||
            !std::isfinite(wide_area[1])) {
            return failure({.file = "--wide-area",
                            .problem = "this is no start-up with a time for a byte",
                            .advice = "give seconds of at least 0 and seconds above 0, as in 5e-3,1e-8"});
        }
        model.wide_area = WideAreaFit{{wide_area[0], wide_area[1]}, wide_area[0], {}};
    }
    return model;
}

}  // namespace aapc::bench
