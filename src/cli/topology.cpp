#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/algorithms/torus_model.hpp"
#include "aapc/input/units.hpp"
#include "aapc/methods/buffer_limit.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/clusters.hpp"
#include "aapc/topology/fabric.hpp"
#include "aapc/topology/topology_file.hpp"
#include "aapc/topology/torus.hpp"
#include "cli/bounds_text.hpp"
#include "cli/command.hpp"
#include "cli/topology_argument.hpp"
#include "cli/topology_command.hpp"
#include "cli/topology_ports.hpp"
#include "selection/rule.hpp"

namespace aapc::cli {

namespace {

using nlohmann::ordered_json;

struct TopologyOptions {
    std::string file;
    std::string format = "text";
};

/// What all three formats show.
struct Description {
    const Network& network;
    Placement placement;
    Bound bound;

    [[nodiscard]] const Link& link(const LinkLoad& load) const {
        return network.links()[static_cast<std::size_t>(load.link)];
    }
    [[nodiscard]] const NetworkVertex& vertex(Vertex index) const {
        return network.vertices()[static_cast<std::size_t>(index)];
    }
    [[nodiscard]] const std::string& name(Vertex index) const { return vertex(index).name; }
    [[nodiscard]] bool is_busiest(const LinkLoad& load) const {
        return load.seconds_per_byte == bound.links.front().seconds_per_byte;
    }
};

constexpr std::size_t most_links_shown = 8;
constexpr double example_bytes = 32.0 * 1024;

/// To the microsecond's thousandth, so that columns of it line up.
std::string time_in_full(double seconds) { return duration_text(seconds, decimals(3)); }

std::string bound_text(const Description& shown) {
    const Bound& bound = shown.bound;
    if (bound.links.empty()) {
        return "no message crosses a link\n";
    }
    std::string text =
        fmt::format("bound     {} messages on the busiest directed link{}\n", bound.messages, about_bound(bound.kind)) +
        fmt::format("          at least {} for each MB of message size; {} for messages of 32 KiB\n",
                    time_in_full(bound.seconds_per_byte * 1e6), time_in_full(bound.seconds_per_byte * example_bytes));
    if (const auto hashed = hashed_bounds(shown.network, shown.placement)) {
        text += expected_text(*hashed, bound.seconds_per_byte);
    }
    // Rounding aside, phases of equal length last as long as a message on the slowest link.
    const double equal_phases = static_cast<double>(bound.messages) * 8 / bound.slowest_bits_per_second;
    if (const double ratio = equal_phases / bound.seconds_per_byte; ratio > 1 + 1e-9) {
        text += fmt::format(
            "\nEqual phases cannot reach this bound: each of the {} phases lasts as long as a message on the slowest\n"
            "link ({}), {} for each MB in all, which is {:.3g} times the bound.\n",
            bound.messages, written_speed(bound.slowest_bits_per_second), time_in_full(equal_phases * 1e6), ratio);
    }
    return text;
}

std::string links_text(const Description& shown) {
    const std::vector<LinkLoad>& loads = shown.bound.links;
    const std::size_t rows = std::min(loads.size(), most_links_shown);
    if (rows == 0) {
        return "";
    }
    std::vector<std::string> ends;
    std::size_t width = std::string_view("busiest links").size();
    for (std::size_t row = 0; row < rows; ++row) {
        const Link& link = shown.link(loads[row]);
        ends.push_back(fmt::format("{} - {}", shown.name(link.lower), shown.name(link.upper)));
        width = std::max(width, ends.back().size());
    }
    std::string text =
        fmt::format("\n{:<{}}  {:>12}  {:>10}  {:>12}\n", "busiest links", width, "messages", "speed", "time per MB");
    for (std::size_t row = 0; row < rows; ++row) {
        text += fmt::format("{:<{}}  {:>12}  {:>10}  {:>12}\n", ends[row], width, loads[row].messages,
                            speed_of(shown.link(loads[row])), time_in_full(loads[row].seconds_per_byte * 1e6));
    }
    if (loads.size() > rows) {
        text += fmt::format("... and {} with less or the same to carry\n",
                            count_text(loads.size() - rows, "link", "links"));
    }
    return text;
}

/// The sides of a torus, those of 1 left out.
std::vector<std::int32_t> sides_of(const Network& network) {
    const auto wiring = network.kind() == NetworkKind::torus ? TorusWiring::find(network) : std::nullopt;
    return wiring ? wiring->grid().sides() : std::vector<std::int32_t>();
}

/// A cluster with what it has.
struct DescribedCluster {
    const std::string& name;
    const Link& link;  ///< to the wide area
    std::int32_t machines;
    std::int64_t ranks;
};

/// The clusters of a network of that kind; none of others.
std::vector<DescribedCluster> clusters_of(const Description& shown) {
    std::vector<DescribedCluster> described;
    if (shown.network.kind() != NetworkKind::clusters) {
        return described;
    }
    const Clusters clusters = find_clusters(shown.network);
    std::vector<std::int64_t> ranks(clusters.switch_of.size(), 0);
    for (const Machine machine : shown.placement.machine_of) {
        ++ranks[static_cast<std::size_t>(clusters.cluster_of[static_cast<std::size_t>(machine)])];
    }
    for (std::size_t cluster = 0; cluster < ranks.size(); ++cluster) {
        const auto link = static_cast<std::size_t>(shown.network.links_at(0)[cluster]);
        described.push_back({shown.name(clusters.switch_of[cluster]), shown.network.links()[link],
                             clusters.machines_of[cluster], ranks[cluster]});
    }
    return described;
}

/// From any cluster to any other.
double latency_of(const std::vector<DescribedCluster>& clusters) { return 2 * clusters.front().link.latency_seconds; }

std::string clusters_text(const Description& shown) {
    const std::vector<DescribedCluster> clusters = clusters_of(shown);
    std::string text;
    for (const DescribedCluster& cluster : clusters) {
        text +=
            fmt::format("cluster   {}: {}, {}, {} to the wide area\n", cluster.name,
                        count_text(static_cast<std::size_t>(cluster.machines), "machine", "machines"),
                        count_text(static_cast<std::size_t>(cluster.ranks), "rank", "ranks"), speed_of(cluster.link));
    }
    return clusters.empty()
               ? text
               : text + fmt::format("latency   {} from one cluster to another\n", time_in_full(latency_of(clusters)));
}

/// An algorithm for the torus, and what it takes there.
struct TorusAlgorithm {
    std::string method;
    TorusWork work;
    std::optional<std::int64_t> buffer_blocks;  ///< of the rank that needs most; nullopt if there are too many ranks
};

/// The buffers are those of every rank's plan, which take seconds for more machines than these.
constexpr std::int32_t most_machines_planned = 256;

std::optional<std::int64_t> buffers_of(const Description& shown, const TorusCandidate& candidate) {
    if (candidate.work.buffer_blocks == 0) {
        return 0;
    }
    if (shown.placement.participants() > most_machines_planned) {
        return std::nullopt;
    }
    const auto method = parse_method(candidate.method, NetworkKind::torus);
    if (!method) {
        return std::nullopt;
    }
    const auto timetable = build_timetable(*method->algorithm, method->variant, shown.network, shown.placement);
    return timetable ? std::optional(largest_buffer_blocks(**timetable, method->synchronisation)) : std::nullopt;
}

/// None where the network is no torus or a machine has several ranks.
std::vector<TorusAlgorithm> torus_algorithms(const Description& shown) {
    std::vector<TorusAlgorithm> algorithms;
    const std::vector<std::int32_t> sides = sides_of(shown.network);
    const bool one_rank_each = std::all_of(shown.network.machines().begin(), shown.network.machines().end(),
                                           [](const NetworkMachine& machine) { return machine.ranks == 1; });
    if (!sides.empty() && one_rank_each) {
        for (const TorusCandidate& candidate : torus_candidates(TorusGrid(sides))) {
            algorithms.push_back({candidate.method, candidate.work, buffers_of(shown, candidate)});
        }
    }
    return algorithms;
}

std::string torus_algorithms_text(const Description& shown) {
    const std::vector<TorusAlgorithm> algorithms = torus_algorithms(shown);
    if (algorithms.empty()) {
        return "";
    }
    std::string text = fmt::format("\n{:<20}  {:>9}  {:>11}  {:>13}  {:>18}\n", "algorithms", "start-ups",
                                   "blocks sent", "buffer blocks", "buffers for 32 KiB");
    for (const TorusAlgorithm& algorithm : algorithms) {
        const std::optional<std::int64_t>& blocks = algorithm.buffer_blocks;
        text +=
            fmt::format("{:<20}  {:>9}  {:>11}  {:>13}  {:>18}\n", algorithm.method, algorithm.work.start_ups,
                        algorithm.work.sent_blocks, blocks ? std::to_string(*blocks) : "-",
                        blocks ? fmt::format("{:.0f} KiB", static_cast<double>(*blocks) * example_bytes / 1024) : "-");
    }
    return text;
}

void add_torus_algorithms(const Description& shown, ordered_json& document) {
    ordered_json list = ordered_json::array();
    for (const TorusAlgorithm& algorithm : torus_algorithms(shown)) {
        list.push_back(
            {{"method", algorithm.method},
             {"start_ups", algorithm.work.start_ups},
             {"sent_blocks", algorithm.work.sent_blocks},
             {"buffer_blocks", algorithm.buffer_blocks ? ordered_json(*algorithm.buffer_blocks) : ordered_json()}});
    }
    if (!list.empty()) {
        document["algorithms"] = std::move(list);
    }
}

/// What `aapc exec` does with MPI_Alltoall on all ranks, and why, in the interposer's own words.
std::string what_exec_does(const Description& shown) {
    return selection::explain(shown.placement,
                              selection::decide(shown.network, shown.placement, shown.bound, {}, nullptr));
}

std::string as_text(const Description& shown) {
    const std::size_t machines = shown.network.machines().size();
    const std::size_t switches = shown.network.vertices().size() - machines;
    const std::string shape = shown.network.kind() == NetworkKind::torus ? TorusGrid(sides_of(shown.network)).text()
                                                                         : count_text(switches, "switch", "switches");
    const std::string paths = shown.network.kind() == NetworkKind::fabric
                                  ? fmt::format(", paths {}", to_string(shown.network.forwarding().paths))
                                  : "";
    return fmt::format("{:<9} {}, {}, {}{}\n", to_string(shown.network.kind()), shape,
                       count_text(machines, "machine", "machines"),
                       count_text(static_cast<std::size_t>(shown.placement.participants()), "rank", "ranks"), paths) +
           clusters_text(shown) + ports_text(shown.network) + bound_text(shown) + links_text(shown) +
           torus_algorithms_text(shown) + fmt::format("\naapc exec: {}\n", what_exec_does(shown));
}

/// A whole number where it is one, so that readers need not care.
ordered_json speed_json(double bits_per_second) {
    const auto whole = static_cast<std::int64_t>(bits_per_second);
    return static_cast<double>(whole) == bits_per_second ? ordered_json(whole) : ordered_json(bits_per_second);
}

/// Each machine with its switch and the link between them.
ordered_json machines_at_switches(const Description& shown, const std::vector<const Link*>& link_above) {
    ordered_json machines = ordered_json::array();
    for (const NetworkMachine& machine : shown.network.machines()) {
        const Link& cable = *link_above[static_cast<std::size_t>(machine.vertex)];
        machines.push_back({{"name", shown.name(machine.vertex)},
                            {"switch", shown.name(cable.upper)},
                            {"ranks", machine.ranks},
                            {"speed", speed_json(cable.bits_per_second)}});
    }
    return machines;
}

/// Row by row, so that the sides say where each is.
ordered_json machines_of_torus(const Description& shown) {
    ordered_json machines = ordered_json::array();
    for (const NetworkMachine& machine : shown.network.machines()) {
        machines.push_back({{"name", shown.name(machine.vertex)}, {"ranks", machine.ranks}});
    }
    return machines;
}

void add_clusters(const Description& shown, ordered_json& document) {
    const std::vector<DescribedCluster> clusters = clusters_of(shown);
    if (clusters.empty()) {
        return;
    }
    ordered_json list = ordered_json::array();
    for (const DescribedCluster& cluster : clusters) {
        list.push_back({{"name", cluster.name},
                        {"machines", cluster.machines},
                        {"ranks", cluster.ranks},
                        {"speed", speed_json(cluster.link.bits_per_second)}});
    }
    document["clusters"] = std::move(list);
    document["wide_area"] = {{"switch", shown.name(0)}, {"latency_seconds", latency_of(clusters)}};
}

std::string as_json(const Description& shown) {
    const Network& network = shown.network;
    // The link upwards of every vertex; the topmost switch has none.
    std::vector<const Link*> link_above(network.vertices().size(), nullptr);
    for (const Link& link : network.links()) {
        link_above[static_cast<std::size_t>(link.lower)] = &link;
    }
    const bool is_fabric = network.kind() == NetworkKind::fabric;
    ordered_json switches = ordered_json::array();
    for (std::size_t vertex = 0; vertex < network.vertices().size(); ++vertex) {
        if (!network.vertices()[vertex].is_switch) {
            continue;
        }
        if (is_fabric) {
            ordered_json uplinks = ordered_json::array();
            for (const std::int32_t number : network.links_at(static_cast<Vertex>(vertex))) {
                const Link& link = network.links()[static_cast<std::size_t>(number)];
                if (link.lower == static_cast<Vertex>(vertex)) {
                    uplinks.push_back(
                        {{"switch", shown.name(link.upper)}, {"speed", speed_json(link.bits_per_second)}});
                }
            }
            switches.push_back({{"name", network.vertices()[vertex].name}, {"uplinks", std::move(uplinks)}});
            continue;
        }
        const Link* uplink = link_above[vertex];
        switches.push_back({{"name", network.vertices()[vertex].name},
                            {"uplink", uplink == nullptr ? ordered_json() : ordered_json(shown.name(uplink->upper))},
                            {"speed", uplink == nullptr ? ordered_json() : speed_json(uplink->bits_per_second)}});
    }
    ordered_json links = ordered_json::array();
    for (const LinkLoad& load : shown.bound.links) {
        const Link& link = shown.link(load);
        ordered_json& shown_link =
            links.emplace_back(ordered_json{{"lower", shown.name(link.lower)},
                                            {"upper", shown.name(link.upper)},
                                            {"bits_per_second", speed_json(link.bits_per_second)},
                                            {"messages", load.messages},
                                            {"seconds_per_byte", load.seconds_per_byte}});
        add_ports(link, shown_link);
    }
    const bool is_torus = network.kind() == NetworkKind::torus;
    ordered_json document{{"format", "aapc-topology/1"}, {"kind", to_string(network.kind())}};
    if (is_torus) {
        document["sides"] = sides_of(network);
    } else {
        document["switches"] = std::move(switches);
    }
    if (is_fabric) {
        document["paths"] = to_string(network.forwarding().paths);
    }
    document["machines"] = is_torus ? machines_of_torus(shown) : machines_at_switches(shown, link_above);
    document["ranks"] = shown.placement.participants();
    add_mtu(network, document);
    document["bound"] = {{"messages", shown.bound.messages},
                         {"seconds_per_byte", shown.bound.seconds_per_byte},
                         {"slowest_bits_per_second", speed_json(shown.bound.slowest_bits_per_second)}};
    add_bounds(shown.bound.kind, hashed_bounds(network, shown.placement), document["bound"]);
    document["links"] = std::move(links);
    add_clusters(shown, document);
    add_torus_algorithms(shown, document);
    document["exec"] = what_exec_does(shown);
    return document.dump(2) + "\n";
}

std::string dot_string(std::string_view text) {
    std::string result = "\"";
    for (const char character : text) {
        if (character == '"' || character == '\\') {
            result.push_back('\\');
        }
        result.push_back(character);
    }
    return result + '"';
}

std::string as_dot(const Description& shown) {
    const Network& network = shown.network;
    std::string text = "graph topology {\n    node [shape=box, style=filled, fillcolor=lightgrey];\n";
    for (const NetworkVertex& vertex : network.vertices()) {
        if (vertex.is_switch) {
            text += fmt::format("    {};\n", dot_string(vertex.name));
        }
    }
    text += "    node [shape=ellipse, style=solid];\n";
    for (const NetworkMachine& machine : network.machines()) {
        const std::string& name = shown.name(machine.vertex);
        const std::string label = machine.ranks == 1 ? name : fmt::format("{}, {} ranks", name, machine.ranks);
        text += fmt::format("    {} [label={}];\n", dot_string(name), dot_string(label));
    }
    std::vector<const LinkLoad*> load_of(network.links().size(), nullptr);
    for (const LinkLoad& load : shown.bound.links) {
        load_of[static_cast<std::size_t>(load.link)] = &load;
    }
    for (std::size_t index = 0; index < network.links().size(); ++index) {
        const Link& link = network.links()[index];
        const LinkLoad* load = load_of[index];
        const std::string label = fmt::format("{}, {} messages", speed_of(link), load == nullptr ? 0 : load->messages);
        text += fmt::format("    {} -- {} [label={}{}];\n", dot_string(shown.name(link.upper)),
                            dot_string(shown.name(link.lower)), dot_string(label),
                            load != nullptr && shown.is_busiest(*load) ? ", color=red, penwidth=3" : "");
    }
    return text + "}\n";
}

int run_topology(const TopologyOptions& options) {
    const Expected<Network> network = read_network(options.file);
    if (!network) {
        return complain(network.error());
    }
    Placement placement = full_placement(*network);
    Bound bound = network_bound(*network, placement);
    const Description shown{*network, std::move(placement), std::move(bound)};
    return write_output("", options.format == "json"  ? as_json(shown)
                            : options.format == "dot" ? as_dot(shown)
                                                      : as_text(shown));
}

}  // namespace

void add_topology_command(Command& program, Invocation& invocation) { add_topology(program, invocation, {}); }

Command add_topology(Command& program, Invocation& invocation, const TopologyInstead& instead) {
    Command command =
        program.subcommand("topology", "Say what a topology file describes, its bound and its busiest links");
    auto options = std::make_shared<TopologyOptions>();
    add_topology_argument(command, "FILE", options->file);
    command
        .option("--format", options->format,
                "text for people, json for programs, dot for a picture (aapc topology FILE --format dot | dot -Tsvg)")
        .one_of({"text", "json", "dot"})
        .show_default();
    command.footer(
        "The bound is the number of messages that cross the busiest directed link when every rank sends one to every "
        "other; no all-to-all takes less time than that link needs for them. A MB is 10^6 bytes.\n"
        "For a torus with one rank a machine also what its algorithms take: steps with a message, the blocks in the "
        "largest message of each, and memory for blocks that are forwarded, on the rank that needs most (up to 256 "
        "machines; aapc schedule --algorithm torus --divisions K says it for any number).\n"
        "In the end, what aapc exec would do with MPI_Alltoall on all ranks and why; aapc explain says more.");
    command.example("aapc topology cluster.toml", "the network, its bound and its busiest links");
    command.example("aapc topology cluster.toml --format dot | dot -Tsvg > cluster.svg", "a picture");
    command.on_run([options, instead, &invocation] {
        const std::optional<int> status = instead ? instead(options->file) : std::nullopt;
        invocation.status = status ? *status : run_topology(*options);
    });
    return command;
}

}  // namespace aapc::cli
