#include "cli/topology_argument.hpp"

#include "console/output.hpp"

namespace aapc::cli {

void add_topology_argument(Command& command, const std::string& place, std::string& topology) {
    command.option(place + ",--topology", topology, "topology file (docs/topology-files.md), or - for standard input")
        .type_name("FILE")
        .from_environment("AAPC_TOPOLOGY")
        .required();
}

Expected<Network> read_network(const std::string& topology) {
    if (topology != "-") {
        return read_topology_file(topology);
    }
    Expected<std::string> text = read_file(topology, topology_file);
    if (text) {
        text = with_tables(std::move(*text), topology);  // beside the current directory's files
    }
    return text ? read_topology(*text, shown_name(topology)) : failure(text.error());
}

}  // namespace aapc::cli
