#include "topology/fabric_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>

#include "input/infiniband.hpp"
#include "input/wording.hpp"
#include "topology/fabric_links.hpp"

namespace aapc {

namespace {

using fabrics::index;
using infiniband::ForwardingEntry;
using infiniband::ForwardingTable;

constexpr std::string_view ports_to_write = "ports = { 21 = \"spine0\", 22 = \"spine0:2\" }";

/// Puts the names of tables and of a fabric together.
class FabricTableReader {
  public:
    FabricTableReader(const Network& fabric, FabricPorts ports, const std::string& file)
        : fabric_(fabric), ports_(std::move(ports)), file_(file), table_of_(fabric.vertices().size(), nullptr) {
        for (std::size_t vertex = 0; vertex < fabric.vertices().size(); ++vertex) {
            if (fabric.vertices()[vertex].is_switch) {
                switch_of_.emplace(fabric.vertices()[vertex].name, static_cast<Vertex>(vertex));
            }
        }
    }

    Expected<std::vector<TableEntry>> read(const std::vector<ForwardingTable>& tables) {
        for (const ForwardingTable& table : tables) {
            if (const Vertex at = switch_called(table.name, table.guid); at >= 0) {
                table_of_[index(at)] = &table;
            }
        }
        for (const auto& [name, vertex] : switch_of_) {
            if (table_of_[index(vertex)] == nullptr && fabric_.links_at(vertex).size() > 1) {
                return failure({.file = file_,
                                .problem = fmt::format("there is no table of switch {}", in_quotes(name)),
                                .advice = "give those of all switches; a switch has in the topology file the name that "
                                          "its table has in parentheses"});
            }
        }
        find_addresses();
        std::vector<TableEntry> entries;
        for (Vertex at = 0; at < static_cast<Vertex>(table_of_.size()); ++at) {
            if (table_of_[index(at)] == nullptr) {
                continue;
            }
            if (auto read = read_table(at, *table_of_[index(at)], entries); !read) {
                return failure(read.error());
            }
        }
        return entries;
    }

  private:
    tl::unexpected<Diagnostic> refuse(const ForwardingTable& table, std::string problem, std::string advice) const {
        return failure({.file = file_, .line = table.line, .problem = std::move(problem), .advice = std::move(advice)});
    }

    /// -1 if it is not in the fabric. A switch whose description is not its own is called by its number.
    [[nodiscard]] Vertex switch_called(std::string_view description, std::string_view guid) const {
        const auto by_name = switch_of_.find(infiniband::switch_name(description));
        const auto by_number = guid.empty() ? switch_of_.end() : switch_of_.find(fmt::format("S-{}", guid));
        return by_number != switch_of_.end() ? by_number->second : by_name != switch_of_.end() ? by_name->second : -1;
    }

    [[nodiscard]] Machine machine_called(std::string_view description) {
        const auto [known, is_new] = machine_of_.try_emplace(description, -1);
        if (is_new) {
            const std::string host = infiniband::host_port(description).host;
            known->second = host.empty() ? -1 : fabric_.find_machine(host);
        }
        return known->second;
    }

    [[nodiscard]] Vertex leaf_of(Machine machine) const {
        const Vertex vertex = fabric_.machines()[index(machine)].vertex;
        return fabric_.other_end(fabric_.links_at(vertex).front(), vertex);
    }

    /// Of each machine the address that its switch sends out of a port which has nothing else, otherwise the lowest.
    void find_addresses() {
        address_of_.assign(fabric_.machines().size(), -1);
        std::vector<bool> is_plugged(fabric_.machines().size(), false);
        for (Vertex at = 0; at < static_cast<Vertex>(table_of_.size()); ++at) {
            if (table_of_[index(at)] == nullptr) {
                continue;
            }
            std::map<int, std::set<std::string_view>> destinations;  // by port
            for (const ForwardingEntry& entry : table_of_[index(at)]->entries) {
                destinations[entry.port].insert(entry.description);
            }
            for (const ForwardingEntry& entry : table_of_[index(at)]->entries) {
                const Machine machine = entry.is_switch ? -1 : machine_called(entry.description);
                if (machine < 0) {
                    continue;
                }
                const bool plugged = leaf_of(machine) == at && destinations[entry.port].size() == 1;
                int& address = address_of_[index(machine)];
                if (address < 0 || (plugged && !is_plugged[index(machine)]) ||
                    (plugged == is_plugged[index(machine)] && entry.lid < address)) {
                    address = entry.lid;
                    is_plugged[index(machine)] = plugged;
                }
            }
        }
    }

    /// The links from a switch to its neighbours of which no port is known, by neighbour, in order.
    [[nodiscard]] std::map<Vertex, std::vector<std::int32_t>> unknown_cables(Vertex at) const {
        std::set<std::int32_t> known;
        for (auto port = ports_.lower_bound({at, 0}); port != ports_.end() && port->first.first == at; ++port) {
            known.insert(port->second);
        }
        std::map<Vertex, std::vector<std::int32_t>> cables;
        for (const std::int32_t link : fabric_.links_at(at)) {
            const Vertex next = fabric_.other_end(link, at);
            if (fabric_.vertices()[index(next)].is_switch && !known.contains(link)) {
                cables[next].push_back(link);
            }
        }
        return cables;
    }

    /// A switch's own address leaves its neighbour by a cable between the two.
    Expected<void> find_ports_to_switches(Vertex at, const ForwardingTable& table) {
        std::map<Vertex, std::vector<std::int32_t>> unknown = unknown_cables(at);
        for (const ForwardingEntry& entry : table.entries) {
            const Vertex next = entry.is_switch ? switch_called(entry.description, "") : -1;
            const auto cables = unknown.find(next);
            if (entry.port == 0 || cables == unknown.end() || cables->second.empty()) {
                continue;
            }
            const auto [port, is_new] = ports_.try_emplace({at, entry.port}, cables->second.front());
            if (is_new) {
                cables->second.erase(cables->second.begin());
            } else if (fabric_.other_end(port->second, at) != next) {
                const Vertex other = fabric_.other_end(port->second, at);
                return refuse(table,
                              fmt::format("port {} of switch {} leads to both {} and {}", entry.port,
                                          in_quotes(name(at)), in_quotes(name(other)), in_quotes(name(next))),
                              fmt::format("say at that switch of the topology file which cables its ports have: {}",
                                          ports_to_write));
            }
        }
        return {};
    }

    Expected<void> read_table(Vertex at, const ForwardingTable& table, std::vector<TableEntry>& entries) {
        if (auto found = find_ports_to_switches(at, table); !found) {
            return found;
        }
        std::vector<int> port_to(fabric_.machines().size(), -1);
        std::set<int> unknown_ports;
        for (const ForwardingEntry& entry : table.entries) {
            const Machine machine = entry.is_switch ? -1 : machine_called(entry.description);
            if (machine >= 0 && entry.lid == address_of_[index(machine)] && leaf_of(machine) != at) {
                port_to[index(machine)] = entry.port;
                if (!ports_.contains({at, entry.port})) {
                    unknown_ports.insert(entry.port);
                }
            }
        }
        std::map<Vertex, std::vector<std::int32_t>> unknown = unknown_cables(at);
        std::erase_if(unknown, [](const auto& cables) { return cables.second.empty(); });
        if (!unknown_ports.empty() && (unknown.size() != 1 || unknown.begin()->second.size() < unknown_ports.size())) {
            return refuse(table,
                          fmt::format("which cable port {} of switch {} has cannot be seen from the tables",
                                      *unknown_ports.begin(), in_quotes(name(at))),
                          fmt::format("say it at that switch of the topology file: {}", ports_to_write));
        }
        std::size_t taken = 0;
        for (const int port : unknown_ports) {
            ports_[{at, port}] = unknown.begin()->second[taken++];
        }
        for (Machine machine = 0; machine < static_cast<Machine>(port_to.size()); ++machine) {
            if (leaf_of(machine) == at) {
                continue;
            }
            if (port_to[index(machine)] < 0) {
                return refuse(table,
                              fmt::format("the table of switch {} has no port for machine {}", in_quotes(name(at)),
                                          in_quotes(fabric_.machine_name(machine))),
                              "give complete tables with names of hosts, as ibroute prints without -n; a machine "
                              "has in the topology file the first word of its description");
            }
            entries.push_back({at, machine, ports_.at({at, port_to[index(machine)]})});
        }
        return {};
    }

    [[nodiscard]] const std::string& name(Vertex vertex) const { return fabric_.vertices()[index(vertex)].name; }

    const Network& fabric_;
    FabricPorts ports_;
    const std::string& file_;
    std::map<std::string, Vertex> switch_of_;
    std::vector<const ForwardingTable*> table_of_;  ///< by vertex; null if there is none
    std::unordered_map<std::string_view, Machine> machine_of_;
    std::vector<int> address_of_;  ///< by machine
};

}  // namespace

Expected<std::vector<TableEntry>> fabric_tables(const Network& fabric, FabricPorts ports, std::string_view text,
                                                const std::string& file) {
    const auto tables = infiniband::read_forwarding_tables(text, file);
    if (!tables) {
        return failure(tables.error());
    }
    return FabricTableReader(fabric, std::move(ports), file).read(*tables);
}

}  // namespace aapc
