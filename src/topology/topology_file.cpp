#include "aapc/topology/topology_file.hpp"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "input/infiniband.hpp"
#include "input/text_file.hpp"
#include "input/toml_text.hpp"
#include "input/wording.hpp"
#include "topology/clusters_file.hpp"
#include "topology/fabric_file.hpp"
#include "topology/switch_tree.hpp"
#include "topology/topology_tables.hpp"
#include "topology/torus_file.hpp"

namespace aapc {

namespace {

constexpr TomlFormat format{"a topology file", "docs/topology-files.md", "switch", "cluster"};

/// What follows is no TOML.
constexpr std::string_view before_tables = "\n# The forwarding tables follow.\n";

constexpr std::array<std::string_view, 2> tree_root_keys{"network", "switch"};
constexpr std::array<std::string_view, 4> tree_network_keys{"kind", "speed", "buffer", "mtu"};

Expected<Network> read_tree(const toml::table& root, TopologyTables& tables) {
    DeclaredTree tree;
    if (const toml::table* network = tables.network_at(root, tree_root_keys, tree_network_keys)) {
        if (const auto* kind = tables.string_at(*network, "kind", "kind = \"tree\"");
            kind != nullptr && kind->get() != "tree") {
            tables.add_mistake(tables.position(*kind),
                               fmt::format("unknown kind of network {}", in_quotes(kind->get())),
                               "the kinds are \"tree\", \"torus\", \"clusters\" and \"fabric\"");
        }
        tree.speed = tables.speed_at(*network, "speed");
        tree.buffer = tables.buffer_at(*network, "buffer");
        tree.mtu_bytes = tables.mtu_at(*network);
    }
    for (const toml::table* table : tables.required_tables(root, "switch", "switches")) {
        tree.switches.push_back(tables.read_switch(*table));
    }
    if (const auto complaint = tables.complaint()) {
        return failure(*complaint);
    }
    return connect(tree, tables.file());
}

}  // namespace

Expected<Network> read_topology(std::string_view text, std::string_view file) {
    text = without_byte_order_mark(text);
    std::optional<std::string_view> dump;
    if (const std::size_t end = text.find(before_tables); end != std::string_view::npos) {
        dump = text.substr(end + before_tables.size());
        text = text.substr(0, end);
    }
    Lines lines(text);
    const auto table = parse_toml(text, file, lines, format);
    if (!table) {
        return failure(table.error());
    }
    TopologyTables tables(std::move(lines), file);
    const auto* kind = (*table)["network"]["kind"].as_string();
    if (kind != nullptr && kind->get() == "clusters") {
        return read_clusters(*table, tables);
    }
    if (kind != nullptr && kind->get() == "fabric") {
        return read_fabric(*table, tables, dump);
    }
    if (kind != nullptr && kind->get() == "torus") {
        return read_torus(*table, tables);
    }
    return read_tree(*table, tables);
}

Expected<std::string> with_tables(std::string text, const std::string& path) {
    Lines lines(without_byte_order_mark(text));
    const auto table = parse_toml(without_byte_order_mark(text), path, lines, format);
    if (!table) {
        return text;
    }
    const auto* kind = (*table)["network"]["kind"].as_string();
    const auto* named = (*table)["network"]["tables"].as_string();
    if (kind == nullptr || kind->get() != "fabric" || named == nullptr) {
        return text;
    }
    const auto dump = read_text_file(path_beside(path, named->get()), infiniband::forwarding_tables);
    if (!dump) {
        const Position at = lines.position(named->source().begin);
        return failure({path, at.line, at.column,
                        fmt::format("the tables {}: {}", in_quotes(named->get()), dump.error().problem),
                        dump.error().advice});
    }
    return std::move(text.append(before_tables).append(*dump));
}

Expected<Network> read_topology_file(const std::string& path) {
    auto text = read_text_file(path, topology_file);
    if (text) {
        text = with_tables(std::move(*text), path);
    }
    return text ? read_topology(*text, path) : failure(text.error());
}

}  // namespace aapc
