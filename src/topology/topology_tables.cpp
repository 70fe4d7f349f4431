#include "topology/topology_tables.hpp"

#include <fmt/format.h>

#include <array>
#include <tuple>
#include <utility>

#include "aapc/input/hostlist.hpp"
#include "aapc/input/units.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::array<std::string_view, 9> switch_keys{"name",          "uplink",         "speed",
                                                      "machines",      "machine_speed",  "buffer",
                                                      "uplink_buffer", "machine_buffer", "uplink_links"};

/// The smallest packet that every host of the Internet must take, and the largest that there is (of a loopback).
constexpr std::int32_t least_mtu_bytes = 576;
constexpr std::int32_t most_mtu_bytes = 65'536;
constexpr std::int32_t most_cables = 1'024;

}  // namespace

void TopologyTables::add_type_mistake(const toml::node& node, std::string_view what, std::string_view example) {
    add_mistake(position(node), fmt::format("{} is {}", what, describe_type(node)), fmt::format("write {}", example));
}

const toml::table* TopologyTables::table_at(const toml::table& root, std::string_view key) {
    const toml::node* node = root.get(key);
    if (node != nullptr && !node->is_table()) {
        add_type_mistake(*node, key, fmt::format("[{}], in single brackets, once", key));
    }
    return node == nullptr ? nullptr : node->as_table();
}

const toml::table* TopologyTables::network_at(const toml::table& root, std::span<const std::string_view> root_keys,
                                              std::span<const std::string_view> network_keys) {
    check_keys(root, "at the top of the file", root_keys);
    const toml::table* network = table_at(root, "network");
    if (network != nullptr) {
        check_keys(*network, "in [network]", network_keys);
    }
    return network;
}

std::vector<const toml::table*> TopologyTables::tables_of(const toml::node& array, std::string_view key,
                                                          std::string_view plural) {
    const std::string example = fmt::format("[[{0}]], in double brackets, for every {0}", key);
    const toml::array* elements = array.as_array();
    if (elements == nullptr) {
        add_type_mistake(array, key, example);
        return {};
    }
    std::vector<const toml::table*> tables;
    for (const toml::node& element : *elements) {
        if (tables.size() == static_cast<std::size_t>(max_machines)) {
            add_mistake(position(element), fmt::format("more than {} {}", max_machines, plural),
                        fmt::format("describe fewer {}", plural));
            break;
        }
        if (const toml::table* table = element.as_table()) {
            tables.push_back(table);
        } else {
            add_type_mistake(element, fmt::format("a {}", key), example);
        }
    }
    return tables;
}

std::vector<const toml::table*> TopologyTables::required_tables(const toml::table& root, std::string_view key,
                                                                std::string_view plural) {
    const std::string problem = fmt::format("the file describes no {}", key);
    const std::string advice = fmt::format("add a [[{}]] with a name and machines", key);
    const toml::node* array = root.get(key);
    if (array == nullptr) {
        add_absence({}, problem, advice);
        return {};
    }
    if (array->is_array() && array->as_array()->empty()) {
        add_mistake(position(*array), problem, advice);
        return {};
    }
    return tables_of(*array, key, plural);
}

const toml::value<std::string>* TopologyTables::string_at(const toml::table& table, std::string_view key,
                                                          std::string_view example) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        return nullptr;
    }
    if (!node->is_string()) {
        add_type_mistake(*node, key, example);
    }
    return node->as_string();
}

template <class Value>
std::optional<Value> TopologyTables::parsed_at(const toml::table& table, std::string_view key, std::string_view example,
                                               Expected<Value> (*parse)(std::string_view)) {
    const auto* text = string_at(table, key, example);
    if (text == nullptr) {
        return std::nullopt;
    }
    const Expected<Value> value = parse(text->get());
    if (!value) {
        add_inside(*text, value.error());
        return std::nullopt;
    }
    return *value;
}

std::optional<double> TopologyTables::speed_at(const toml::table& table, std::string_view key) {
    return parsed_at(table, key, fmt::format("{} = \"100Mbit\", in quotation marks and with a unit", key), parse_speed);
}

std::optional<double> TopologyTables::duration_at(const toml::table& table, std::string_view key) {
    return parsed_at(table, key, fmt::format("{} = \"5ms\", in quotation marks and with a unit", key), parse_duration);
}

std::optional<std::int64_t> TopologyTables::buffer_at(const toml::table& table, std::string_view key) {
    const auto size = parsed_at(table, key, fmt::format("{} = \"128KiB\", in quotation marks", key), parse_size);
    if (size && *size == 0) {
        add_mistake(position(*table.get(key)), fmt::format("{} is 0", key),
                    "write what a port can hold, such as \"128KiB\", or leave it out where that is not known");
        return std::nullopt;
    }
    return size;
}

std::optional<std::int32_t> TopologyTables::number_at(const toml::table& table, std::string_view key,
                                                      std::int32_t least, std::int32_t most, std::string_view example) {
    const toml::node* node = table.get(key);
    if (node == nullptr) {
        return std::nullopt;
    }
    const auto* number = node->as_integer();
    if (number == nullptr) {
        add_type_mistake(*node, key, example);
        return std::nullopt;
    }
    if (number->get() < least || number->get() > most) {
        add_mistake(position(*node), fmt::format("{} is {}", key, number->get()),
                    fmt::format("write a number from {} to {}, as in {}", least, most, example));
        return std::nullopt;
    }
    return static_cast<std::int32_t>(number->get());
}

std::int32_t TopologyTables::mtu_at(const toml::table& table) {
    return number_at(table, "mtu", least_mtu_bytes, most_mtu_bytes, "mtu = 9000, in bytes").value_or(usual_mtu_bytes);
}

std::int32_t TopologyTables::cables_at(const toml::table& table) {
    return number_at(table, "uplink_links", 1, most_cables, "uplink_links = 4").value_or(1);
}

void TopologyTables::read_ports(const toml::table& table, DeclaredSwitch& declaration) {
    declaration.machine_speed = speed_at(table, "machine_speed");
    declaration.uplink_cables = cables_at(table);
    declaration.buffer = buffer_at(table, "buffer");
    declaration.uplink_buffer = buffer_at(table, "uplink_buffer");
    declaration.machine_buffer = buffer_at(table, "machine_buffer");
}

DeclaredName TopologyTables::name_at(const toml::table& table, std::string_view what) {
    const auto* name = string_at(table, "name", "name = \"s0\"");
    if (name == nullptr) {
        if (!table.contains("name")) {
            add_absence(position(table), fmt::format("a {} without a name", what), "add name = \"s0\" to it");
        }
        return {};
    }
    if (const auto wrong = name_mistake(name->get(), what)) {
        add_inside(*name, *wrong);
    }
    return {name->get(), position(*name)};
}

std::vector<DeclaredMachine> TopologyTables::machines_at(const toml::table& table) {
    constexpr std::string_view example = "machines = \"n[0-3]\" or machines = [\"n0\", \"n1\"]";
    std::vector<DeclaredMachine> machines;
    const toml::node* node = table.get("machines");
    if (node == nullptr) {
        return machines;
    }
    if (const auto* text = node->as_string()) {
        read_hostlist(*text, machines);
        return machines;
    }
    const toml::array* list = node->as_array();
    if (list == nullptr) {
        add_type_mistake(*node, "machines", example);
        return machines;
    }
    for (const toml::node& element : *list) {
        if (const auto* text = element.as_string()) {
            read_hostlist(*text, machines);
        } else {
            add_type_mistake(element, "a machine", example);
        }
    }
    return machines;
}

void TopologyTables::read_hostlist(const toml::value<std::string>& text, std::vector<DeclaredMachine>& machines) {
    if (machines_ > max_machines || ranks_ > max_ranks) {
        return;  // said already; many such lists must not fill the memory
    }
    const auto entries = expand_hostlist(text.get());
    if (!entries) {
        add_inside(text, entries.error());
        return;
    }
    const Position start = position(text);
    machines_ += static_cast<std::int64_t>(entries->size());
    if (machines_ > max_machines) {
        add_mistake(start, fmt::format("{} machines up to here", machines_),
                    fmt::format("describe at most {} machines in a file", max_machines));
        return;
    }
    for (const HostlistEntry& entry : *entries) {
        const Position at = inside(text, entry.column);
        ranks_ += entry.ranks;
        if (ranks_ > max_ranks) {
            add_mistake(at, fmt::format("{} ranks up to here", ranks_),
                        fmt::format("describe at most {} ranks in a file", max_ranks));
            return;
        }
        machines.push_back({{entry.name, at}, entry.ranks});
    }
}

DeclaredSwitch TopologyTables::read_switch(const toml::table& table) {
    check_keys(table, "in [[switch]]", switch_keys);
    DeclaredSwitch declaration;
    declaration.position = position(table);
    declaration.name = name_at(table, "switch");
    if (const auto* uplink = string_at(table, "uplink", "uplink = \"s0\", the name of one switch")) {
        declaration.uplink = {uplink->get(), position(*uplink)};
    }
    declaration.speed = speed_at(table, "speed");
    read_ports(table, declaration);
    for (const auto& [key, what, advice] :
         {std::tuple{"uplink_links", "uplink_links is how many cables the uplink has", "or leave it out"},
          std::tuple{"uplink_buffer", "uplink_buffer is that of the uplink's ports",
                     "or write buffer for all ports of this switch"}}) {
        if (const toml::node* node = table.get(key); node != nullptr && !table.contains("uplink")) {
            add_mistake(position(*node), fmt::format("{}, and this switch has none", what),
                        fmt::format("add the uplink, {}", advice));
        }
    }
    if (const toml::node* speed = table.get("speed"); speed != nullptr && !table.contains("uplink")) {
        add_mistake(position(*speed), "speed is that of the uplink, and this switch has none",
                    "add the uplink, or write machine_speed for the links of its machines");
    }
    declaration.machines = machines_at(table);
    return declaration;
}

}  // namespace aapc
