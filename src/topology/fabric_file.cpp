#include "topology/fabric_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <utility>

#include "aapc/topology/fabric.hpp"
#include "input/numbers.hpp"
#include "input/wording.hpp"
#include "topology/declared_names.hpp"
#include "topology/fabric_tables.hpp"

namespace aapc {

namespace {

constexpr std::array<std::string_view, 2> fabric_root_keys{"network", "switch"};
constexpr std::array<std::string_view, 6> fabric_network_keys{"kind", "speed", "paths", "tables", "buffer", "mtu"};
constexpr std::array<std::string_view, 11> fabric_switch_keys{
    "name",   "uplinks",       "uplink_speed",   "uplink_speeds", "machines", "machine_speed",
    "buffer", "uplink_buffer", "machine_buffer", "routes",        "ports"};
constexpr std::string_view example_of_uplinks = "uplinks = [\"spine0\", \"spine1:2\"]";
constexpr std::string_view example_of_routes = "routes = { spine0 = \"n[0-3]\", \"spine1:2\" = \"n[4-7]\" }";
constexpr std::string_view example_of_ports = "ports = { 21 = \"spine0\", 22 = \"spine1:2\" }";
constexpr std::string_view example_of_speeds = "uplink_speeds = { spine1 = \"40Gbit\" }";
constexpr std::int32_t most_parallel_cables = 1'024;
constexpr std::size_t most_cables_in_file = 4'194'304;

using SwitchIndex = DeclaredNames::SwitchIndex;

struct DeclaredUplink {
    DeclaredName name;
    std::int32_t cables = 1;
    SwitchIndex to = DeclaredNames::none;
    std::optional<double> speed{};  ///< of each; nullopt: the switch's
};

/// "the K-th cable to that switch is plugged in here".
struct DeclaredPort {
    int number = 0;
    DeclaredName cable;
    std::int32_t which = 0;  ///< from 0
};

/// "what is for these machines goes to that switch, by that one of the cables".
struct DeclaredRoute {
    DeclaredName by;
    std::int32_t cable = 0;  ///< from 0
    std::vector<DeclaredName> machines;
};

class FabricReader {
  public:
    explicit FabricReader(TopologyTables& tables) : tables_(tables), mistake_(tables.file()) {}

    Expected<Network> read(const toml::table& root, std::optional<std::string_view> dump) {
        dump_ = dump;
        if (const toml::table* network = tables_.network_at(root, fabric_root_keys, fabric_network_keys)) {
            speed_ = tables_.speed_at(*network, "speed");
            buffer_ = tables_.buffer_at(*network, "buffer");
            mtu_bytes_ = tables_.mtu_at(*network);
            read_paths(*network);
            read_tables_key(*network);
        }
        for (const toml::table* table : tables_.required_tables(root, "switch", "switches")) {
            read_switch(*table);
        }
        if (const auto complaint = tables_.complaint()) {
            return failure(*complaint);
        }
        // Each step relies on the one before.
        for (const auto step : {&FabricReader::collect_names, &FabricReader::resolve_uplinks,
                                &FabricReader::count_machines, &FabricReader::find_speeds}) {
            (this->*step)();
            if (mistake_.found()) {
                return failure(*mistake_.found());
            }
        }
        return build();
    }

  private:
    void read_paths(const toml::table& network) {
        const auto* paths = tables_.string_at(network, "paths", "paths = \"hashed\"");
        if (paths == nullptr) {
            return;
        }
        for (const FabricPaths kind : {FabricPaths::hashed, FabricPaths::static_, FabricPaths::sprayed}) {
            if (paths->get() == to_string(kind)) {
                paths_ = kind;
                return;
            }
        }
        tables_.add_mistake(tables_.position(*paths), fmt::format("unknown paths {}", in_quotes(paths->get())),
                            "write \"hashed\" (a cable for each connection), \"static\" (forwarding tables) or "
                            "\"sprayed\" (packet by packet)");
    }

    void read_tables_key(const toml::table& network) {
        const auto* file = tables_.string_at(network, "tables", "tables = \"lfts.txt\"");
        if (file == nullptr) {
            return;
        }
        tables_key_ = file;
        if (paths_ != FabricPaths::static_) {
            tables_.add_mistake(tables_.position(*file), "tables are for static paths only",
                                "add paths = \"static\", or leave tables out");
        } else if (!dump_) {
            tables_.add_mistake(tables_.position(*file),
                                fmt::format("the tables {} were not read", in_quotes(file->get())),
                                "give the name of the topology file, beside which they are");
        }
    }

    void read_switch(const toml::table& table) {
        tables_.check_keys(table, "in [[switch]] of a fabric", fabric_switch_keys);
        DeclaredSwitch declaration;
        declaration.position = tables_.position(table);
        declaration.name = tables_.name_at(table, "switch");
        declaration.speed = tables_.speed_at(table, "uplink_speed");
        tables_.read_ports(table, declaration);
        declaration.machines = tables_.machines_at(table);
        for (const std::string_view key : {"uplink_speed", "uplink_speeds", "uplink_buffer"}) {
            if (const toml::node* node = table.get(key); node != nullptr && !table.contains("uplinks")) {
                tables_.add_mistake(tables_.position(*node),
                                    fmt::format("{} is that of the uplinks, and this switch has none", key),
                                    "add uplinks, or leave it out");
            }
        }
        switches_.push_back(std::move(declaration));
        uplinks_.push_back(read_uplinks(table));
        read_speeds(table, uplinks_.back());
        routes_.push_back(read_routes(table));
        ports_.push_back(read_declared_ports(table));
    }

    /// The strings of a key that has one or a list of them; those of a wrong type are mistakes.
    std::vector<const toml::value<std::string>*> strings_of(const toml::node& node, std::string_view what,
                                                            std::string_view example) {
        std::vector<const toml::value<std::string>*> strings;
        if (const auto* text = node.as_string()) {
            strings.push_back(text);
        } else if (const toml::array* list = node.as_array()) {
            for (const toml::node& element : *list) {
                if (const auto* item = element.as_string()) {
                    strings.push_back(item);
                } else {
                    tables_.add_type_mistake(element, fmt::format("an element of {}", what), example);
                }
            }
        } else {
            tables_.add_type_mistake(node, what, example);
        }
        return strings;
    }

    std::vector<DeclaredUplink> read_uplinks(const toml::table& table) {
        std::vector<DeclaredUplink> uplinks;
        const toml::node* node = table.get("uplinks");
        if (node == nullptr) {
            return uplinks;
        }
        for (const auto* text : strings_of(*node, "uplinks", example_of_uplinks)) {
            const auto entries = expand_hostlist(text->get());
            if (!entries) {
                tables_.add_inside(*text, entries.error());
                continue;
            }
            for (const HostlistEntry& entry : *entries) {
                const Position at = tables_.inside(*text, entry.column);
                cables_ += static_cast<std::size_t>(entry.ranks);
                if (entry.ranks > most_parallel_cables || cables_ > most_cables_in_file) {
                    tables_.add_mistake(
                        at,
                        fmt::format(
                            "{} cables {}",
                            entry.ranks > most_parallel_cables ? static_cast<std::size_t>(entry.ranks) : cables_,
                            entry.ranks > most_parallel_cables ? "between two switches" : "up to here"),
                        fmt::format("describe at most {} cables between two switches and {} in all",
                                    most_parallel_cables, most_cables_in_file));
                    return uplinks;
                }
                uplinks.push_back({{entry.name, at}, entry.ranks, DeclaredNames::none, std::nullopt});
            }
        }
        return uplinks;
    }

    void read_speeds(const toml::table& table, std::vector<DeclaredUplink>& uplinks) {
        const toml::node* node = table.get("uplink_speeds");
        if (node == nullptr) {
            return;
        }
        const toml::table* list = node->as_table();
        if (list == nullptr) {
            tables_.add_type_mistake(*node, "uplink_speeds", example_of_speeds);
            return;
        }
        for (const auto& [key, value] : *list) {
            const auto found = std::find_if(uplinks.begin(), uplinks.end(), [name = key.str()](const auto& uplink) {
                return uplink.name.name == name;
            });
            if (found == uplinks.end()) {
                tables_.add_mistake(tables_.position(value),
                                    fmt::format("{} is not among the uplinks", in_quotes(key.str())),
                                    fmt::format("name switches as uplinks does, as in {}", example_of_speeds));
                continue;
            }
            found->speed = tables_.speed_at(*list, key.str());
        }
    }

    std::vector<DeclaredPort> read_declared_ports(const toml::table& table) {
        std::vector<DeclaredPort> ports;
        const toml::node* node = table.get("ports");
        if (node == nullptr) {
            return ports;
        }
        const toml::table* list = node->as_table();
        if (list == nullptr) {
            tables_.add_type_mistake(*node, "ports", example_of_ports);
            return ports;
        }
        if (tables_key_ == nullptr) {
            tables_.add_mistake(tables_.position(*node),
                                "ports say which cables the ports of tables have, and no tables are given",
                                "add tables = \"FILE\" to [network], or leave ports out");
            return ports;
        }
        for (const auto& [key, value] : *list) {
            const auto* text = value.as_string();
            const auto cable = expand_hostlist(text == nullptr ? "" : text->get());
            const auto number = parse_number<int>(key.str());
            if (!number || *number < 1 || !cable || cable->size() != 1) {
                tables_.add_mistake(tables_.position(value),
                                    fmt::format("port {} has no number or no cable", in_quotes(key.str())),
                                    fmt::format("write {}", example_of_ports));
                continue;
            }
            ports.push_back({*number, {cable->front().name, tables_.position(value)}, cable->front().ranks - 1});
        }
        return ports;
    }

    std::vector<DeclaredRoute> read_routes(const toml::table& table) {
        std::vector<DeclaredRoute> routes;
        const toml::node* node = table.get("routes");
        if (node == nullptr) {
            return routes;
        }
        const toml::table* list = node->as_table();
        if (list == nullptr) {
            tables_.add_type_mistake(*node, "routes", example_of_routes);
            return routes;
        }
        if (paths_ != FabricPaths::static_ || tables_key_ != nullptr) {
            tables_.add_mistake(
                tables_.position(*node),
                tables_key_ != nullptr ? "both routes and tables are given" : "routes are for static paths only",
                tables_key_ != nullptr ? "leave one of them out"
                                       : "add paths = \"static\" to [network], or leave routes out");
            return routes;
        }
        for (const auto& [key, value] : *list) {
            read_route(key.str(), value, routes);
        }
        return routes;
    }

    void read_route(std::string_view key, const toml::node& value, std::vector<DeclaredRoute>& routes) {
        const auto by = expand_hostlist(key);
        if (!by || by->size() != 1) {
            tables_.add_mistake(tables_.position(value), fmt::format("{} names no cable", in_quotes(key)),
                                fmt::format("write {}", example_of_routes));
            return;
        }
        DeclaredRoute route{{by->front().name, tables_.position(value)}, by->front().ranks - 1, {}};
        for (const auto* text : strings_of(value, "a route", example_of_routes)) {
            const auto entries = expand_hostlist(text->get());
            if (!entries) {
                tables_.add_inside(*text, entries.error());
                continue;
            }
            for (const HostlistEntry& entry : *entries) {
                route.machines.push_back({entry.name, tables_.inside(*text, entry.column)});
            }
        }
        routes.push_back(std::move(route));
    }

    void collect_names() { names_.collect(switches_, mistake_); }

    void resolve_uplinks() {
        std::map<std::pair<SwitchIndex, SwitchIndex>, const DeclaredUplink*> first_of;
        for (std::size_t index = 0; index < switches_.size(); ++index) {
            const auto here = static_cast<SwitchIndex>(index);
            for (DeclaredUplink& uplink : uplinks_[index]) {
                uplink.to = names_.find_uplink(uplink.name, mistake_);
                if (mistake_.found()) {
                    return;  // the switches are visited in file order
                }
                if (uplink.to == here) {
                    mistake_.add(uplink.name.position,
                                 fmt::format("switch {} is its own uplink", in_quotes(uplink.name.name)),
                                 "name the switches that it is plugged into");
                    return;
                }
                const auto [entry, is_new] = first_of.try_emplace(std::minmax(here, uplink.to), &uplink);
                if (!is_new) {
                    const Position first = entry->second->name.position;
                    mistake_.add(uplink.name.position,
                                 fmt::format("the cables between switches {} and {} are listed twice (first in line "
                                             "{}, column {})",
                                             in_quotes(switches_[index].name.name), in_quotes(uplink.name.name),
                                             first.line, first.column),
                                 "list them once, at one of the two, with their number, as in \"spine1:2\"");
                    return;
                }
            }
        }
    }

    void count_machines() {
        const bool any = std::any_of(switches_.begin(), switches_.end(),
                                     [](const DeclaredSwitch& declaration) { return !declaration.machines.empty(); });
        if (!any) {
            mistake_.add(switches_.front().position, "no switch of this file has a machine",
                         "list the machines plugged into a switch, as in machines = \"n[0-3]\"");
        }
    }

    void find_speeds() {
        for (std::size_t index = 0; index < switches_.size() && !speed_; ++index) {
            const DeclaredSwitch& declaration = switches_[index];
            const std::string name = in_quotes(declaration.name.name);
            const bool all_known = std::all_of(uplinks_[index].begin(), uplinks_[index].end(),
                                               [](const DeclaredUplink& uplink) { return uplink.speed.has_value(); });
            if (!all_known && !declaration.speed) {
                mistake_.add(declaration.position, fmt::format("the uplinks of switch {} have no speed", name),
                             "add uplink_speed = \"100Gbit\" here, or speed to [network] for all links");
            }
            if (!declaration.machines.empty() && !declaration.machine_speed) {
                mistake_.add(declaration.position,
                             fmt::format("the links of the machines of switch {} have no speed", name),
                             "add machine_speed = \"25Gbit\" here, or speed to [network] for all links");
            }
        }
    }

    Expected<Network> build() {
        std::vector<NetworkVertex> vertices;
        vertices.reserve(switches_.size());
        for (const DeclaredSwitch& declaration : switches_) {
            vertices.push_back({declaration.name.name, true});
        }
        std::vector<Link> links;
        std::vector<NetworkMachine> machines;
        std::unordered_map<std::string_view, Machine> machine_of;
        for (std::size_t index = 0; index < switches_.size(); ++index) {
            const DeclaredSwitch& declaration = switches_[index];
            add_uplinks(index, links);
            for (const DeclaredMachine& machine : declaration.machines) {
                const auto vertex = static_cast<Vertex>(vertices.size());
                vertices.push_back({machine.name.name, false});
                links.push_back({vertex, static_cast<Vertex>(index),
                                 declaration.machine_speed.value_or(speed_.value_or(0)), 0, 1, 0,
                                 first_said(declaration.machine_buffer, declaration.buffer)});
                machine_of.emplace(machine.name.name, static_cast<Machine>(machines.size()));
                machines.push_back({vertex, machine.ranks});
            }
        }
        FabricForwarding forwarding{paths_, {}};
        const CablesBetween cables = cables_between(links);
        add_routes(cables, machine_of, forwarding);
        FabricPorts ports = declared_ports(cables);
        if (mistake_.found()) {
            return failure(*mistake_.found());
        }
        const std::string file = tables_key_ == nullptr ? "" : path_beside(tables_.file(), tables_key_->get());
        if (tables_key_ != nullptr) {
            const Network wires(NetworkKind::fabric, vertices, links, machines);
            auto entries = fabric_tables(wires, std::move(ports), *dump_, file);
            if (!entries) {
                return failure(entries.error());
            }
            forwarding.table = std::move(*entries);
        }
        Network network(NetworkKind::fabric, std::move(vertices), std::move(links), std::move(machines), mtu_bytes_,
                        std::move(forwarding));
        if (const auto mistake = FabricRoutes::mistake_in(network)) {
            mistake_.add(switches_.front().position, mistake->problem, mistake->advice);
            return failure(*mistake_.found());
        }
        return network;
    }

    /// The first cable to every switch, then the second to those that have one, and so on: in the order in which
    /// destination-modulo counts them.
    void add_uplinks(std::size_t index, std::vector<Link>& links) const {
        const DeclaredSwitch& declaration = switches_[index];
        bool more = true;
        for (std::int32_t cable = 0; more; ++cable) {
            more = false;
            for (const DeclaredUplink& uplink : uplinks_[index]) {
                if (uplink.cables > cable) {
                    more = true;
                    const DeclaredSwitch& above = switches_[static_cast<std::size_t>(uplink.to)];
                    links.push_back({static_cast<Vertex>(index), uplink.to,
                                     uplink.speed.value_or(declaration.speed.value_or(speed_.value_or(0))), 0, 1,
                                     first_said(declaration.uplink_buffer, declaration.buffer),
                                     first_said(declaration.uplink_buffer, above.buffer)});
                }
            }
        }
    }

    /// By the switches at both ends, in both orders: the cables between them, in order.
    using CablesBetween = std::map<std::pair<Vertex, Vertex>, std::vector<std::int32_t>>;

    static CablesBetween cables_between(const std::vector<Link>& links) {
        CablesBetween cables;
        for (std::size_t link = 0; link < links.size(); ++link) {
            cables[{links[link].lower, links[link].upper}].push_back(static_cast<std::int32_t>(link));
            cables[{links[link].upper, links[link].lower}].push_back(static_cast<std::int32_t>(link));
        }
        return cables;
    }

    /// The cable `which` from that switch to the one that is named; -1, with a mistake, if there is none.
    std::int32_t cable_called(const CablesBetween& cables, std::size_t from, const DeclaredName& to,
                              std::int32_t which) {
        const SwitchIndex end = names_.find_switch(to.name);
        const auto found = cables.find({static_cast<Vertex>(from), static_cast<Vertex>(end)});
        if (found == cables.end() || static_cast<std::size_t>(which) >= found->second.size()) {
            mistake_.add(
                to.position,
                fmt::format("switch {} has {} to {}", in_quotes(switches_[from].name.name),
                            found == cables.end() ? "no cable" : fmt::format("only {} cables", found->second.size()),
                            in_quotes(to.name)),
                "name a switch that it has a cable to, and behind a colon which one of several");
            return -1;
        }
        return found->second[static_cast<std::size_t>(which)];
    }

    void add_routes(const CablesBetween& cables, const std::unordered_map<std::string_view, Machine>& machine_of,
                    FabricForwarding& forwarding) {
        for (std::size_t index = 0; index < switches_.size(); ++index) {
            std::vector<bool> listed(routes_[index].empty() ? 0 : machine_of.size(), false);
            for (const DeclaredRoute& route : routes_[index]) {
                const std::int32_t cable = cable_called(cables, index, route.by, route.cable);
                for (const DeclaredName& name : route.machines) {
                    const auto machine = machine_of.find(name.name);
                    if (machine == machine_of.end()) {
                        mistake_.add(name.position,
                                     fmt::format("{} is not a machine of this file", in_quotes(name.name)),
                                     "name machines as they are listed at their switches");
                        continue;
                    }
                    if (listed[static_cast<std::size_t>(machine->second)]) {
                        mistake_.add(name.position,
                                     fmt::format("a second route of switch {} to machine {}",
                                                 in_quotes(switches_[index].name.name), in_quotes(name.name)),
                                     "give every switch one route to a machine");
                    }
                    listed[static_cast<std::size_t>(machine->second)] = true;
                    forwarding.table.push_back({static_cast<Vertex>(index), machine->second, cable});
                }
            }
        }
    }

    FabricPorts declared_ports(const CablesBetween& cables) {
        FabricPorts ports;
        for (std::size_t index = 0; index < ports_.size(); ++index) {
            for (const DeclaredPort& port : ports_[index]) {
                ports[{static_cast<Vertex>(index), port.number}] = cable_called(cables, index, port.cable, port.which);
            }
        }
        return ports;
    }

    /// What a link says of its buffer, otherwise the switch whose port it is, otherwise the file; 0 if none does.
    [[nodiscard]] std::int64_t first_said(const DeclaredBuffer& of_link, const DeclaredBuffer& of_switch) const {
        return of_link ? *of_link : of_switch ? *of_switch : buffer_.value_or(0);
    }

    TopologyTables& tables_;
    FirstMistake mistake_;
    DeclaredNames names_;
    std::optional<double> speed_;
    DeclaredBuffer buffer_;
    std::int32_t mtu_bytes_ = usual_mtu_bytes;
    FabricPaths paths_ = FabricPaths::hashed;
    std::optional<std::string_view> dump_;                  ///< what is in the file of forwarding tables
    const toml::value<std::string>* tables_key_ = nullptr;  ///< null if there is none
    std::size_t cables_ = 0;                                ///< read so far
    std::vector<DeclaredSwitch> switches_;
    std::vector<std::vector<DeclaredUplink>> uplinks_;  ///< by switch
    std::vector<std::vector<DeclaredRoute>> routes_;    ///< by switch
    std::vector<std::vector<DeclaredPort>> ports_;      ///< by switch
};

}  // namespace

Expected<Network> read_fabric(const toml::table& root, TopologyTables& tables, std::optional<std::string_view> dump) {
    return FabricReader(tables).read(root, dump);
}

std::string path_beside(std::string_view file, std::string_view path) {
    return (std::filesystem::path(file).parent_path() / path).string();
}

}  // namespace aapc
