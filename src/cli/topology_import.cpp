// `aapc topology --from TOOL`: a topology file from what a site has.
#include <memory>
#include <string>

#include "aapc/input/units.hpp"
#include "aapc/topology/topology_file.hpp"
#include "cli/topology_command.hpp"
#include "console/output.hpp"
#include "imports/imports.hpp"

namespace aapc::cli {

namespace {

struct ImportOptions {
    std::string from;
    std::string speed;
};

/// topology.yaml is a list, topology.conf has words with equals signs.
bool is_yaml(const std::string& text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n-");
    return text.find("topology:") != std::string::npos && first != std::string::npos &&
           text.find("SwitchName") == std::string::npos;
}

Expected<imports::FoundTree> read(const std::string& text, const std::string& from, const std::string& file) {
    if (from == "slurm") {
        return is_yaml(text) ? imports::read_slurm_yaml(text, file) : imports::read_slurm_conf(text, file);
    }
    return from == "lldp"      ? imports::read_lldp(text, file)
           : from == "simgrid" ? imports::read_simgrid(text, file)
                               : imports::read_ibnetdiscover(text, file);
}

int import(const ImportOptions& options, const std::string& file) {
    double speed = 0;
    if (!options.speed.empty()) {
        auto given = parse_speed(options.speed);
        if (!given) {
            given.error().file = "--speed";
            return complain(given.error());
        }
        speed = *given;
    }
    const Expected<std::string> text = read_file(file, {"the description of a network", 64});
    if (!text) {
        return complain(text.error());
    }
    const auto tree = read(*text, options.from, shown_name(file));
    if (!tree) {
        return complain(tree.error());
    }
    const std::string topology = imports::topology_text(*tree, speed);
    // What is still to be filled in makes it no topology file yet; anything else wrong with it is said here.
    const bool complete = topology.find("\n# speed") == std::string::npos;
    if (const auto network = read_topology(topology, shown_name(file)); complete && !network) {
        return complain(
            {.file = shown_name(file), .problem = network.error().problem, .advice = network.error().advice});
    }
    return write_output("", topology);
}

}  // namespace

void add_importing_topology_command(Command& program, Invocation& invocation) {
    const auto options = std::make_shared<ImportOptions>();
    Command command = add_topology(program, invocation, [options](const std::string& file) -> std::optional<int> {
        if (options->from.empty() && !options->speed.empty()) {
            return complain(
                {.file = "--speed", .problem = "it is for --from only", .advice = "write it into the file"});
        }
        return options->from.empty() ? std::nullopt : std::optional(import(*options, file));
    });
    command
        .option("--from", options->from,
                "what FILE is, to write a topology file from it: slurm (topology.conf or topology.yaml), ibnetdiscover "
                "(its output), lldp (lldpctl -f json of all hosts, in one object by their names), simgrid (a platform "
                "file)")
        .one_of({"slurm", "ibnetdiscover", "lldp", "simgrid"});
    command.option("--speed", options->speed, "with --from: of all links of which no speed is known")
        .type_name("SPEED");
    command.example("aapc topology --from slurm /etc/slurm/topology.conf --speed 25Gbit > cluster.toml",
                    "the switches that Slurm knows");
    command.example("ibnetdiscover | aapc topology --from ibnetdiscover - > cluster.toml", "of an InfiniBand fabric");
}

}  // namespace aapc::cli
