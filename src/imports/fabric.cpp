// Dumps that say who is plugged in where: ibnetdiscover and lldpctl.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <set>

#include "imports/imports.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

/// What one lane of InfiniBand carries, encoding taken off, in bits a second.
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

/// A name that topology files take, from a description such as "node01 HCA-1".
std::string machine_name(const std::string& description) {
    std::string name = description.substr(0, description.find(' '));
    std::erase_if(name, [](char character) { return !is_name_character(character); });
    return name;
}

/// Ethernet's media types begin with megabits, or with gigabits and a G: "1000BaseTFD", "10GigBaseSR".
double ethernet_speed(const std::string& type) {
    static const std::regex number(R"((\d+)(G?)(?:ig)?Base)", std::regex::icase);
    std::smatch found;
    if (!std::regex_search(type, found, number)) {
        return 0;
    }
    return std::stod(found[1]) * (found[2].length() > 0 ? 1e9 : 1e6);
}

using Json = nlohmann::json;

/// lldpctl writes one of a kind as itself and several as a list.
std::vector<Json> as_list(const Json& value) {
    if (value.is_array()) {
        return {value.begin(), value.end()};
    }
    return value.is_null() ? std::vector<Json>() : std::vector<Json>{value};
}

/// The neighbour at an interface: its name and the speed, or nothing.
std::optional<std::pair<std::string, double>> neighbour(const Json& interface) {
    if (!interface.is_object() || !interface.contains("chassis") || !interface["chassis"].is_object() ||
        interface["chassis"].empty()) {
        return std::nullopt;
    }
    const std::string name = interface["chassis"].begin().key();
    std::string type;
    const Json& port = interface.contains("port") ? interface["port"] : Json::object();
    if (port.is_object() && port.contains("auto-negotiation") && port["auto-negotiation"].is_object()) {
        type = port["auto-negotiation"].value("current", "");
    }
    return std::pair(name, ethernet_speed(type));
}

}  // namespace

Expected<FoundTree> read_ibnetdiscover(std::string_view text, const std::string& file) {
    static const std::regex record(R"re(^(Switch|Ca|Rt)\s+\d+\s+"([^"]+)"\s*#\s*"([^"]*)".*)re");
    static const std::regex port(
        R"re(^\[(\d+)\](?:\([0-9a-f]+\))?\s+"([^"]+)"\[(\d+)\].*?(?:\s(\d+)x([A-Z]+\d*))?\s*$)re");
    FoundCables cables;
    std::map<std::string, std::string> name_of;
    std::set<std::string> names;
    std::string current;
    struct End {
        std::string from, to;
        int from_port, to_port;
        double speed;
    };
    std::vector<End> ends;
    for (int line = 1; !text.empty(); ++line) {
        const std::string words(text.substr(0, text.find('\n')));
        text.remove_prefix(std::min(words.size() + 1, text.size()));
        std::smatch found;
        if (std::regex_match(words, found, record)) {
            current = found[2];
            const bool is_switch = found[1] == "Switch";
            std::string name = machine_name(found[3]);
            if (name.empty() || !is_name_start(name.front()) || (is_switch && names.contains(name))) {
                name = current;
            }
            names.insert(name);
            name_of[current] = name;
            auto& list = is_switch ? cables.switches : cables.machines;
            if (std::find(list.begin(), list.end(), name) == list.end()) {
                list.push_back(name);
            }
        } else if (std::regex_match(words, found, port)) {
            if (current.empty()) {
                return failure({.file = file,
                                .line = line,
                                .problem = "a port before any switch",
                                .advice = "give the output of ibnetdiscover from its beginning"});
            }
            const double lanes = found[4].matched ? std::stod(found[4]) : 0;
            ends.push_back(
                {current, found[2], std::stoi(found[1]), std::stoi(found[3]), lanes * lane_speed(found[5].str())});
        } else if (words.starts_with('[')) {
            return failure({.file = file,
                            .line = line,
                            .problem = "a port that cannot be read",
                            .advice = "write it as ibnetdiscover does: [1] \"S-0002c9\"[2] # \"name\" lid 4 4xEDR"});
        }
    }
    for (const End& end : ends) {
        // Each cable is seen from both its ends.
        if (std::tie(end.from, end.from_port) < std::tie(end.to, end.to_port) && name_of.contains(end.to)) {
            cables.cables.push_back({name_of[end.from], name_of[end.to], end.speed});
        }
    }
    auto tree = tree_of(cables, file);
    if (tree) {
        tree->source = "ibnetdiscover";
    }
    return tree;
}

Expected<FoundTree> read_lldp(std::string_view text, const std::string& file) {
    const Json document = Json::parse(text, nullptr, false);
    if (!document.is_object() || document.empty()) {
        return failure({.file = file,
                        .line = 1,
                        .problem = "it is no JSON object with hosts",
                        .advice = "write {\"n0\": what lldpctl -f json prints on n0, \"s0\": ...}"});
    }
    std::map<std::pair<std::string, std::string>, std::vector<double>> seen;  // from each end
    for (const auto& [host, printed] : document.items()) {
        const Json lldp = printed.is_object() ? printed.value("lldp", Json()) : Json();
        if (!lldp.is_object()) {
            return failure({.file = file,
                            .problem = fmt::format("host {} has no \"lldp\"", in_quotes(host)),
                            .advice = "give what lldpctl -f json prints there"});
        }
        for (const Json& entry : as_list(lldp.value("interface", Json()))) {
            for (const auto& [interface, described] : entry.items()) {
                if (const auto other = neighbour(described)) {
                    seen[{host, other->first}].push_back(other->second);
                }
            }
        }
    }
    // A switch is what nobody asked, or what sees more than one neighbour.
    std::map<std::string, std::set<std::string>> neighbours;
    for (const auto& [pair, speeds] : seen) {
        neighbours[pair.first].insert(pair.second);
        neighbours[pair.second].insert(pair.first);
    }
    FoundCables cables;
    for (const auto& [name, others] : neighbours) {
        const bool is_switch = !document.contains(name) || others.size() > 1;
        (is_switch ? cables.switches : cables.machines).push_back(name);
    }
    for (const auto& [pair, speeds] : seen) {
        const auto back = seen.find({pair.second, pair.first});
        if (back != seen.end() && pair.second < pair.first) {
            continue;  // it was seen from the other end
        }
        for (const double speed : speeds) {
            cables.cables.push_back({pair.first, pair.second, speed});
        }
    }
    auto tree = tree_of(cables, file);
    if (tree) {
        tree->source = "LLDP (lldpctl)";
    }
    return tree;
}

}  // namespace aapc::imports
