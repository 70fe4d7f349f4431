// Forwarding tables of InfiniBand put together with the cables that ibnetdiscover shows.
#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/imports/wiring.hpp"
#include "input/infiniband.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

/// A node's number without the zeros in front.
std::string_view without_zeros(std::string_view guid) {
    return guid.substr(std::min(guid.find_first_not_of('0'), guid.size()));
}

}  // namespace

Expected<void> add_forwarding(Wiring& wiring, std::string_view text, const std::string& file) {
    const auto tables = infiniband::read_forwarding_tables(text, file);
    if (!tables) {
        return failure(tables.error());
    }
    std::map<std::string_view, const infiniband::ForwardingTable*> table_of;
    for (const infiniband::ForwardingTable& table : *tables) {
        table_of[without_zeros(table.guid)] = &table;
    }
    std::map<std::pair<std::string, int>, std::size_t> cable_at;  // by switch and port
    for (std::size_t index = 0; index < wiring.cables.size(); ++index) {
        const Cable& cable = wiring.cables[index];
        cable_at[{cable.one, cable.one_port}] = index;
        cable_at[{cable.other, cable.other_port}] = index;
    }
    std::map<int, std::string> machine_at;  // by address
    for (const std::string& machine : wiring.machines) {
        const auto lid = wiring.lids.find(machine);
        if (lid == wiring.lids.end()) {
            return failure({.file = file,
                            .problem = fmt::format("the address (lid) of machine {} is not known", in_quotes(machine)),
                            .advice = "give what ibnetdiscover prints without options, or leave the machine out with "
                                      "--leave-out"});
        }
        machine_at[lid->second] = machine;
    }
    for (const std::string& name : wiring.switches) {
        const auto found = table_of.find(without_zeros(wiring.guids[name]));
        if (found == table_of.end()) {
            return failure({.file = file,
                            .problem = fmt::format("there is no table of switch {}, number 0x{}", in_quotes(name),
                                                   wiring.guids[name]),
                            .advice = "give those of all switches, or leave the switch out with --leave-out"});
        }
        std::map<std::string, std::size_t>& forwarding = wiring.forwarding[name];
        std::size_t reached = 0;
        for (const infiniband::ForwardingEntry& entry : found->second->entries) {
            const auto machine = machine_at.find(entry.lid);
            if (machine == machine_at.end()) {
                continue;
            }
            const auto cable = cable_at.find({name, entry.port});
            if (cable == cable_at.end()) {
                return failure({.file = file,
                                .line = found->second->line,
                                .problem = fmt::format("switch {} sends what is for machine {} out of port {}, where "
                                                       "no cable is known",
                                                       in_quotes(name), in_quotes(machine->second), entry.port),
                                .advice = "give tables and the output of ibnetdiscover of the same time"});
            }
            const Cable& taken = wiring.cables[cable->second];
            if (taken.one != machine->second && taken.other != machine->second) {
                forwarding[machine->second] = cable->second;
            }
            ++reached;
        }
        if (reached < wiring.machines.size()) {
            return failure({.file = file,
                            .line = found->second->line,
                            .problem = fmt::format("the table of switch {} has {} of {} machines", in_quotes(name),
                                                   reached, wiring.machines.size()),
                            .advice = "give complete tables, and the output of ibnetdiscover of the same time"});
        }
    }
    return {};
}

}  // namespace aapc::imports
