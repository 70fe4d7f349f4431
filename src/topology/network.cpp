#include "aapc/topology/network.hpp"

#include <algorithm>
#include <utility>

#include "input/enumerator_names.hpp"

namespace aapc {

namespace {

constexpr EnumeratorNames<NetworkKind, NetworkKind::fabric> kind_names({
    {NetworkKind::tree, "tree"},
    {NetworkKind::torus, "torus"},
    {NetworkKind::clusters, "clusters"},
    {NetworkKind::detected, "detected"},
    {NetworkKind::fabric, "fabric"},
});

constexpr EnumeratorNames<FabricPaths, FabricPaths::sprayed> path_names({
    {FabricPaths::hashed, "hashed"},
    {FabricPaths::static_, "static"},
    {FabricPaths::sprayed, "sprayed"},
});

}  // namespace

std::string_view to_string(NetworkKind kind) { return kind_names[kind]; }

std::string_view to_string(FabricPaths paths) { return path_names[paths]; }

Network::Network(NetworkKind kind, std::vector<NetworkVertex> vertices, std::vector<Link> links,
                 std::vector<NetworkMachine> machines, std::int32_t mtu_bytes, FabricForwarding forwarding)
    : kind_(kind),
      vertices_(std::move(vertices)),
      links_(std::move(links)),
      machines_(std::move(machines)),
      mtu_bytes_(mtu_bytes),
      forwarding_(std::move(forwarding)),
      links_at_(vertices_.size()) {
    for (std::size_t link = 0; link < links_.size(); ++link) {
        links_at_[static_cast<std::size_t>(links_[link].lower)].push_back(static_cast<std::int32_t>(link));
        links_at_[static_cast<std::size_t>(links_[link].upper)].push_back(static_cast<std::int32_t>(link));
    }
    by_name_.reserve(machines_.size());
    by_short_name_.reserve(machines_.size());
    const auto short_name = [](std::string_view name) { return std::string(name.substr(0, name.find('.'))); };
    for (std::size_t machine = 0; machine < machines_.size(); ++machine) {
        const std::string& name = vertices_[static_cast<std::size_t>(machines_[machine].vertex)].name;
        by_name_.emplace(name, static_cast<Machine>(machine));
        const auto [entry, is_new] = by_short_name_.emplace(short_name(name), static_cast<Machine>(machine));
        if (!is_new) {
            entry->second = -1;  // ambiguous
        }
    }
}

const std::string& Network::machine_name(Machine machine) const {
    return vertices_[static_cast<std::size_t>(machines_[static_cast<std::size_t>(machine)].vertex)].name;
}

Machine Network::find_machine(std::string_view host_name) const {
    if (const auto exact = by_name_.find(std::string(host_name)); exact != by_name_.end()) {
        return exact->second;
    }
    const std::string_view host_short = host_name.substr(0, host_name.find('.'));
    const auto found = by_short_name_.find(std::string(host_short));
    if (found == by_short_name_.end() || found->second < 0) {
        return -1;
    }
    // Two full names that differ behind the first dot are two machines.
    const bool both_full =
        host_name.size() != host_short.size() && machine_name(found->second).find('.') != std::string::npos;
    return both_full ? -1 : found->second;
}

}  // namespace aapc
