// What ibnetdiscover prints: records of nodes with their ports. A cable is seen from both its ends, and a node may be
// known only from the ports that lead to it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <optional>
#include <set>
#include <tuple>

#include "aapc/input/units.hpp"
#include "cli/imports/imports.hpp"
#include "cli/imports/numbers.hpp"
#include "input/infiniband.hpp"
#include "input/lines.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

/// What one lane of InfiniBand carries without its encoding, in bits per second; 0 if the rate is unknown.
double lane_speed(std::string_view rate) {
    constexpr std::array<std::pair<std::string_view, double>, 9> rates{{{"SDR", 2e9},
                                                                        {"DDR", 4e9},
                                                                        {"QDR", 8e9},
                                                                        {"FDR10", 10e9},
                                                                        {"FDR", 13.64e9},
                                                                        {"EDR", 25e9},
                                                                        {"HDR", 50e9},
                                                                        {"NDR", 100e9},
                                                                        {"XDR", 200e9}}};
    for (const auto& [name, speed] : rates) {
        if (name == rate) {
            return speed;
        }
    }
    return 0;
}

/// What stands between the next two quotation marks, and is taken off with them.
std::optional<std::string_view> take_quoted(std::string_view& text) {
    const std::size_t open = text.find('"');
    const std::size_t close = open == std::string_view::npos ? open : text.find('"', open + 1);
    if (close == std::string_view::npos) {
        return std::nullopt;
    }
    const std::string_view quoted = text.substr(open + 1, close - open - 1);
    text.remove_prefix(close + 1);
    return quoted;
}

/// "4xEDR" among the words of a remark, names taken out; in bits per second, 0 if there is none.
double link_speed(std::string_view remark) {
    std::string plain;
    bool quoted = false;
    for (const char character : remark) {
        quoted = quoted != (character == '"');
        plain += quoted || std::isspace(static_cast<unsigned char>(character)) != 0 ? ' ' : character;
    }
    std::string_view rest = plain;
    while (!rest.empty()) {
        rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
        std::string_view word = rest.substr(0, rest.find(' '));
        rest.remove_prefix(word.size());
        const auto lanes = take_number(word);
        if (lanes && word.starts_with('x') && lane_speed(word.substr(1)) > 0) {
            return *lanes * lane_speed(word.substr(1));
        }
    }
    return 0;
}

/// What else a text may be, from the tools beside ibnetdiscover; nullopt if it is none of these.
std::optional<std::string> other_tool(std::string_view words) {
    const std::string_view first = words.substr(0, words.find_first_of(" \t:"));
    std::string_view rest = words.substr(first.size());
    rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
    const bool is_listing = (first == "CA" || first == "SW" || first == "RT") && take_number(rest).has_value();
    if (is_listing) {
        return "it is what ibnetdiscover -p prints, a list of ports";
    }
    if (first == "Hca" || first == "switchguids") {
        return "it is a network of ibsim's";
    }
    if ((first == "Ca" || first == "Switch") && rest.starts_with(':')) {
        return words.find("ports") != std::string_view::npos ? "it is what ibnodes, ibhosts or ibswitches print"
                                                             : "it is what iblinkinfo prints";
    }
    if (first == "CA" && rest.starts_with(':')) {
        return "it is what iblinkinfo prints";
    }
    return std::nullopt;
}

/// Reads line by line, then puts together what is known of each node and cable.
class FabricReader {
  public:
    explicit FabricReader(std::string file) : file_(std::move(file)) {}

    Expected<void> read_line(std::string_view words, int line) {
        if (words.starts_with('[')) {
            return read_port(words, line);
        }
        if (const auto tool = other_tool(words)) {
            return refuse(line, *tool, "give what ibnetdiscover prints without options");
        }
        for (const std::string_view kind : {"Switch", "Ca", "Rt"}) {
            if (words.starts_with(kind) && words.size() > kind.size() &&
                std::isspace(static_cast<unsigned char>(words[kind.size()])) != 0) {
                return read_node(words, kind == "Switch", line);
            }
        }
        return {};
    }

    Wiring wiring() && {
        wiring_.source = "ibnetdiscover";
        wiring_.paths = "static";
        connect();
        name_switches();
        name_machines();
        choose_rail();
        plug();
        std::sort(wiring_.switches.begin(), wiring_.switches.end(), in_natural_order);
        std::sort(wiring_.machines.begin(), wiring_.machines.end(), in_natural_order);
        return std::move(wiring_);
    }

  private:
    struct Node {
        bool is_switch = false;
        bool has_record = false;
        std::string description;
        std::string name;  ///< in the topology file; empty if the node is left out
        infiniband::HostPort host;
    };
    using End = std::pair<std::string, int>;  // a node's id and its port's number

    /// A cable between two ports, the switch first if the other end is an adapter.
    struct Link {
        End one, other;
        double speed = 0;
    };

    tl::unexpected<Diagnostic> refuse(int line, std::string problem, std::string advice) const {
        return failure({.file = file_, .line = line, .problem = std::move(problem), .advice = std::move(advice)});
    }

    Expected<void> read_node(std::string_view words, bool is_switch, int line) {
        const auto id = take_quoted(words);
        const auto description = take_quoted(words);
        if (!id) {
            return refuse(line, "a node that cannot be read",
                          "write it as ibnetdiscover does: Switch 36 \"S-0002c9\" # \"leaf1\" base port 0 lid 1");
        }
        current_ = *id;
        if (!id->starts_with("S-") && !id->starts_with("H-") && !id->starts_with("R-")) {
            return refuse(
                line,
                fmt::format("node {} has no identifier of ibnetdiscover's, as in a network of ibsim's", in_quotes(*id)),
                "give what ibnetdiscover prints, with \"S-...\" and \"H-...\"");
        }
        Node& node = nodes_[current_];
        node.is_switch = is_switch;
        node.has_record = true;
        node.description = description.value_or("");
        return {};
    }

    /// [1](a1)  "H-a0"[1](b1)   # "node01 HCA-1" lid 5 4xEDR, the parts in parentheses not always there.
    Expected<void> read_port(std::string_view words, int line) {
        if (current_.empty()) {
            return refuse(line, "a port before any switch", "give the output of ibnetdiscover from its beginning");
        }
        words.remove_prefix(1);
        const auto from = take_number(words);
        const auto other = take_quoted(words);
        const bool has_port = words.starts_with('[');
        words.remove_prefix(has_port ? 1 : 0);
        const auto to = take_number(words);
        if (!from || !other || !has_port || !to) {
            return refuse(line, "a port that cannot be read",
                          "write it as ibnetdiscover does: [1] \"S-0002c9\"[2] # \"name\" lid 4 4xEDR");
        }
        words.remove_prefix(std::min(words.find('#'), words.size()));
        const double speed = link_speed(words);
        note_address(words.substr(0, words.find('"')), {current_, *from});
        note_address(words.substr(std::min(words.rfind('"'), words.size())), {std::string(*other), *to});
        Node& there = nodes_[std::string(*other)];
        if (!there.has_record) {
            there.is_switch = other->starts_with('S');
            there.description = take_quoted(words).value_or("");
        }
        const std::pair<End, End> ends =
            std::minmax(End{current_, *from}, End{std::string(*other), *to});  // each cable is seen from both its ends
        const auto [at, is_new] = speeds_.emplace(ends, speed);
        if (!is_new && speed > 0 && at->second > 0 && speed != at->second) {
            ++disagreeing_;
        }
        if (!is_new && speed > 0) {
            at->second = at->second > 0 ? std::min(at->second, speed) : speed;
        }
        return {};
    }

    /// "lid 5" somewhere in the words.
    void note_address(std::string_view words, const End& end) {
        static constexpr std::string_view before = " lid ";
        if (const std::size_t at = words.find(before); at != std::string_view::npos) {
            words.remove_prefix(at + before.size());
            if (const auto lid = take_number(words)) {
                lids_[end] = *lid;
            }
        }
    }

    void connect() {
        for (const auto& [ends, speed] : speeds_) {
            const auto& [one, other] = ends;
            const bool is_switch = nodes_.at(one.first).is_switch;
            links_.push_back(is_switch ? Link{one, other, speed} : Link{other, one, speed});
        }
        if (disagreeing_ > 0) {
            add_remark(
                wiring_.remarks,
                fmt::format("The ends of {} cables say different speeds; the slower one is taken.", disagreeing_));
        }
    }

    void name_switches() {
        std::set<std::string> taken;
        std::vector<std::string> unrecorded;
        for (auto& [id, node] : nodes_) {
            if (!node.is_switch) {
                continue;
            }
            node.name = infiniband::switch_name(node.description);
            if (node.name.empty() || !taken.insert(node.name).second) {
                node.name = plain_name(id);
                taken.insert(node.name);
            }
            if (!node.has_record) {
                unrecorded.push_back(node.name);
            }
            wiring_.switches.push_back(node.name);
            wiring_.guids[node.name] = id.substr(std::min(id.find('-') + 1, id.size()));
        }
        taken_ = taken;
        if (!unrecorded.empty()) {
            add_remark(wiring_.remarks, fmt::format("Switches without a Switch record, taken from the lines of others' "
                                                    "ports (the output is not complete): {}.",
                                                    listed(unrecorded)));
        }
    }

    /// Adapters are of one machine if they have its name, unless two of them would be the same adapter.
    void name_machines() {
        std::map<std::tuple<std::string, std::string>, int> same;  // by host and adapter
        for (auto& [id, node] : nodes_) {
            if (!node.is_switch) {
                node.host = infiniband::host_port(node.description);
                if (!node.host.host.empty() && !node.host.adapter.empty()) {
                    ++same[{node.host.host, node.host.adapter}];
                }
            }
        }
        std::set<std::string> shared;
        for (const auto& [key, count] : same) {
            if (count > 1) {
                shared.insert(std::get<0>(key));
            }
        }
        std::vector<std::string> unrecorded;
        std::vector<std::string> nameless;
        std::map<std::string, const Link*> first_link;  // by adapter
        for (const Link& link : links_) {
            first_link.emplace(link.other.first, &link);
        }
        for (auto& [id, node] : nodes_) {
            if (node.is_switch) {
                continue;
            }
            if (node.description.find("Aggregation Node") != std::string::npos) {
                ++aggregating_;  // a switch's own, which reduces on the way; no rank runs there
                continue;
            }
            if (id.starts_with("R-")) {
                ++routers_;
                continue;
            }
            node.name = shared.contains(node.host.host) ? "" : node.host.host;
            if (node.name.empty() || taken_.contains(node.name)) {
                const auto link = first_link.find(id);
                const bool has_switch = link != first_link.end() && nodes_.at(link->second->one.first).is_switch;
                node.name = has_switch ? plain_name(fmt::format("{}-p{}", nodes_.at(link->second->one.first).name,
                                                                link->second->one.second))
                                       : plain_name(id);
                node.name = taken_.insert(node.name).second ? node.name : plain_name(id);
                nameless.push_back(node.name);
            }
            if (!node.has_record) {
                unrecorded.push_back(node.name);
            }
        }
        if (aggregating_ > 0) {
            add_remark(wiring_.remarks, fmt::format("{} aggregation nodes of switches are left out.", aggregating_));
        }
        if (routers_ > 0) {
            add_remark(wiring_.remarks, fmt::format("{} routers to other subnets are left out.", routers_));
        }
        if (!nameless.empty()) {
            add_remark(
                wiring_.remarks,
                fmt::format("{} adapters do not say whose they are, or say a name that several hosts have; their "
                            "machines are named after switch and port. Write the hosts' names: {}.",
                            nameless.size(), listed(nameless)));
        }
        if (!unrecorded.empty()) {
            add_remark(
                wiring_.remarks,
                fmt::format("Machines without a Ca record, taken from their switch's lines: {}.", listed(unrecorded)));
        }
    }

    /// An adapter's name and port, which is one rail if many hosts have it.
    [[nodiscard]] std::pair<std::string, int> rail_of(const Link& link) const {
        return {nodes_.at(link.other.first).host.adapter, link.other.second};
    }

    /// Of hosts with several ports the same one for all: what most hosts have, of these the fastest, then the first.
    void choose_rail() {
        std::map<std::string, std::vector<const Link*>> links_of;
        for (const Link& link : links_) {
            const Node& adapter = nodes_.at(link.other.first);
            if (nodes_.at(link.one.first).is_switch && !adapter.is_switch && !adapter.name.empty()) {
                links_of[adapter.name].push_back(&link);
            }
        }
        struct Rail {
            std::set<std::string> hosts;
            double speed = 0;
        };
        std::map<std::pair<std::string, int>, Rail> rails;
        std::size_t most = 1;
        std::size_t with_several = 0;
        for (const auto& [machine, links] : links_of) {
            most = std::max(most, links.size());
            with_several += links.size() > 1 ? 1 : 0;
            for (const Link* link : links) {
                Rail& rail = rails[rail_of(*link)];
                rail.hosts.insert(machine);
                rail.speed += link->speed;
            }
        }
        const auto best = std::max_element(rails.begin(), rails.end(), [](const auto& one, const auto& other) {
            return std::pair(one.second.hosts.size(), one.second.speed) <
                   std::pair(other.second.hosts.size(), other.second.speed);
        });
        std::vector<std::string> elsewhere;
        for (const auto& [machine, links] : links_of) {
            const auto on_rail = std::find_if(links.begin(), links.end(),
                                              [&](const Link* link) { return rail_of(*link) == best->first; });
            const auto chosen = on_rail != links.end()
                                    ? on_rail
                                    : std::min_element(links.begin(), links.end(), [&](auto* one, auto* other) {
                                          return rail_of(*one) < rail_of(*other);
                                      });
            if (on_rail == links.end() && links.size() > 1) {
                elsewhere.push_back(machine);
            }
            chosen_[machine] = *chosen;
        }
        if (with_several == 0) {
            return;
        }
        add_remark(
            wiring_.remarks,
            fmt::format("{} machines have up to {} ports (rails); this is the network of {}port {}, the same for "
                        "all, and the other ports are left out.",
                        with_several, most, best->first.first.empty() ? "" : best->first.first + " ",
                        best->first.second));
        if (!elsewhere.empty()) {
            add_remark(wiring_.remarks, fmt::format("These do not have that port, and their first one is taken: {}.",
                                                    listed(elsewhere)));
        }
    }

    void plug() {
        std::set<std::string> machines;  // also those whose links are down
        for (const auto& [id, node] : nodes_) {
            if (!node.is_switch && !node.name.empty()) {
                machines.insert(node.name);
            }
        }
        wiring_.machines.assign(machines.begin(), machines.end());
        for (const auto& [machine, link] : chosen_) {
            wiring_.cables.push_back(
                {nodes_.at(link->one.first).name, machine, link->speed, 1, "", link->one.second, link->other.second});
            if (const auto lid = lids_.find(link->other); lid != lids_.end()) {
                wiring_.lids[machine] = lid->second;
            }
        }
        for (const Link& link : links_) {
            const Node& one = nodes_.at(link.one.first);
            const Node& other = nodes_.at(link.other.first);
            if (one.is_switch && other.is_switch && link.one.first != link.other.first) {
                wiring_.cables.push_back(
                    {one.name, other.name, link.speed, 1,
                     fmt::format("{}[{}] - {}[{}]", one.name, link.one.second, other.name, link.other.second),
                     link.one.second, link.other.second});
            }
        }
    }

    std::string file_;
    Wiring wiring_;
    std::map<std::string, Node> nodes_;  // by id
    std::map<std::pair<End, End>, double> speeds_;
    std::map<End, int> lids_;
    std::vector<Link> links_;
    std::map<std::string, const Link*> chosen_;  // by machine
    std::set<std::string> taken_;
    std::string current_;
    int aggregating_ = 0;
    int routers_ = 0;
    int disagreeing_ = 0;
};

}  // namespace

Expected<Wiring> read_ibnetdiscover(const Input& input) {
    FabricReader reader(input.file);
    std::string_view text = input.text;
    for (int line = 1; !text.empty(); ++line) {
        if (const auto read = reader.read_line(take_line(text), line); !read) {
            return failure(read.error());
        }
    }
    return std::move(reader).wiring();
}

}  // namespace aapc::imports
