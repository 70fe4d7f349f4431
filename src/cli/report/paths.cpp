#include "cli/report/paths.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstddef>
#include <map>
#include <string_view>
#include <utility>

#include "aapc/topology/fabric.hpp"

namespace aapc::report {

namespace {

/// One connection, weighed by its share of the segments of its pair.
struct Weighed {
    double late = 0;
    double weight = 0;
};

/// Where the latest segments begin, if they are that share of all; 0 if there are none.
double late_of_the_latest(std::vector<Weighed> all, double share) {
    std::sort(all.begin(), all.end(), [](const Weighed& left, const Weighed& right) { return left.late > right.late; });
    double whole = 0;
    for (const Weighed& one : all) {
        whole += one.weight;
    }
    double sum = 0;
    for (const Weighed& one : all) {
        sum += one.weight;
        if (sum >= share * whole) {
            return one.late;
        }
    }
    return 0;
}

/// The leaf switches of the ranks of a communicator.
class Leaves {
  public:
    /// Nothing is known if the network is no fabric, or a host is not in it.
    Leaves(const Record& record, std::string_view communicator, const Network* network) {
        const auto found =
            std::find_if(record.communicators.begin(), record.communicators.end(),
                         [&](const RecordedCommunicator& candidate) { return candidate.name == communicator; });
        if (network == nullptr || network->kind() != NetworkKind::fabric || found == record.communicators.end()) {
            return;
        }
        const auto routes = FabricRoutes::find(*network);
        if (!routes) {
            return;
        }
        for (const std::int32_t member : found->members) {
            const Machine machine = network->find_machine(record.head.hosts[static_cast<std::size_t>(member)]);
            if (machine < 0) {
                leaf_of_.clear();
                return;
            }
            leaf_of_.push_back(routes->leaf_of(machine));
        }
        for (const Vertex leaf : routes->leaves()) {
            names_.push_back(network->vertices()[static_cast<std::size_t>(leaf)].name);
        }
        const auto is_leaf = [&](Vertex vertex) {
            return std::binary_search(routes->leaves().begin(), routes->leaves().end(), vertex);
        };
        const auto is_switch = [&](Vertex vertex) {
            return network->vertices()[static_cast<std::size_t>(vertex)].is_switch;
        };
        for (const Link& link : network->links()) {
            const bool between = is_switch(link.lower) && is_switch(link.upper);
            cables_ += between && (is_leaf(link.lower) || is_leaf(link.upper)) ? std::max(link.cables, 1) : 0;
        }
    }
    [[nodiscard]] bool are_known() const { return !leaf_of_.empty(); }
    [[nodiscard]] std::int32_t ranks() const { return static_cast<std::int32_t>(leaf_of_.size()); }
    [[nodiscard]] std::int32_t of(std::int64_t rank) const { return leaf_of_[static_cast<std::size_t>(rank)]; }
    [[nodiscard]] const std::string& name(std::int32_t leaf) const { return names_[static_cast<std::size_t>(leaf)]; }
    /// Between leaf switches and others; 0 if not known.
    [[nodiscard]] std::int64_t cables() const { return cables_; }

  private:
    std::vector<std::int32_t> leaf_of_;  ///< by rank
    std::vector<std::string> names_;
    std::int64_t cables_ = 0;
};

/// The name of the communicator with most connections.
std::string busiest_communicator(const Record& record) {
    std::map<std::string, std::size_t> connections;
    for (const RecordedPaths& paths : record.paths) {
        connections[paths.communicator] += paths.to.size();
    }
    const auto most = std::max_element(connections.begin(), connections.end(),
                                       [](const auto& left, const auto& right) { return left.second < right.second; });
    return most == connections.end() ? "" : most->first;
}

}  // namespace

std::optional<LearnedPaths> learned_paths_of(const Record& record, const Network* network) {
    const std::string communicator = busiest_communicator(record);
    const Leaves leaves(record, communicator, network);
    LearnedPaths learned;
    std::vector<Weighed> all;
    std::map<std::pair<std::int32_t, std::int32_t>, LearnedPaths::LeafPair> pairs;
    std::map<std::pair<std::int32_t, std::int32_t>, double> weights;
    for (const RecordedPaths& paths : record.paths) {
        if (paths.communicator != communicator) {
            continue;
        }
        learned.over_bound = std::max(learned.over_bound, paths.over_bound);
        for (std::size_t index = 0; index < paths.to.size(); ++index) {
            const Weighed one{paths.late[index], paths.share[index]};
            all.push_back(one);
            if (!leaves.are_known() || paths.rank >= leaves.ranks() || paths.to[index] >= leaves.ranks()) {
                continue;
            }
            const std::pair key{leaves.of(paths.rank), leaves.of(paths.to[index])};
            LearnedPaths::LeafPair& pair = pairs[key];
            ++pair.connections;
            pair.mean_late += one.late * one.weight;
            pair.most_late = std::max(pair.most_late, one.late);
            weights[key] += one.weight;
        }
    }
    if (all.empty()) {
        return std::nullopt;
    }
    learned.connections = static_cast<std::int64_t>(all.size());
    // Half of what one cable carries: its median decides, not the one connection that was latest by chance.
    constexpr double usual_cables = 10;
    const double cables = leaves.cables() > 0 ? static_cast<double>(leaves.cables()) : usual_cables;
    learned.fullest_load = learned.over_bound * (1 + late_of_the_latest(std::move(all), 0.5 / cables));
    for (auto& [key, pair] : pairs) {
        pair.from = leaves.name(key.first);
        pair.to = leaves.name(key.second);
        pair.mean_late /= weights[key] > 0 ? weights[key] : 1;
        pair.latest_load = learned.over_bound * (1 + pair.most_late);
        learned.pairs.push_back(std::move(pair));
    }
    return learned;
}

std::string sentence_of(const LearnedPaths& learned) {
    return fmt::format(
        "By the lateness of {} TCP connections at the end, the fullest cable has about {:.2f} times the load of even "
        "sharing, so the realised bound is {:.2f} of the even one.",
        learned.connections, learned.fullest_load, 1 / learned.fullest_load);
}

}  // namespace aapc::report
