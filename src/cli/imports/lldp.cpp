// What lldpctl prints on each host: its neighbours at each interface.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>

#include "aapc/input/units.hpp"
#include "cli/imports/imports.hpp"
#include "cli/imports/numbers.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

using Json = nlohmann::json;

/// Ethernet's media types begin with megabits, or with gigabits and a G: "1000BaseTFD", "10GigBaseSR", "100GbaseCR4".
/// In bits per second; 0 if the text is no type.
double ethernet_speed(std::string_view type) {
    const std::size_t start = std::min(type.find_first_of("0123456789"), type.size());
    type.remove_prefix(start);
    const auto number = take_number(type);
    if (!number) {
        return 0;
    }
    const bool gigabits = type.starts_with('G') || type.starts_with('g');
    type.remove_prefix(gigabits ? 1 : 0);
    type.remove_prefix(gigabits && type.starts_with("ig") ? 2 : 0);
    const bool is_type = type.starts_with("Base") || type.starts_with("base") || type.starts_with("BASE");
    return is_type ? *number * (gigabits ? 1e9 : 1e6) : 0;
}

/// -f json writes one of a kind as itself and several as a list, -f json0 always a list.
std::vector<Json> as_list(const Json& value) {
    if (value.is_array()) {
        return {value.begin(), value.end()};
    }
    return value.is_null() ? std::vector<Json>() : std::vector<Json>{value};
}

/// A member, the first one where there are several; null if there is none.
Json member(const Json& object, const char* key) {
    const Json found = object.is_object() && object.contains(key) ? object[key] : Json();
    return !found.is_array() ? found : found.empty() ? Json() : found.front();
}

/// A text, or what has one as its "value"; empty if it is neither.
std::string text_of(const Json& given) {
    const Json value = given.is_object() ? member(given, "value") : given;
    return value.is_string() ? value.get<std::string>() : "";
}

/// What a host sees at an interface.
struct Sighting {
    std::string interface;
    std::string neighbour;
    double speed = 0;
    bool is_station = false;  ///< the neighbour says that it is an end of the network, and no bridge
};

/// The chassis' name, or its identifier if it tells none; and the chassis itself.
std::pair<std::string, Json> named_chassis(const Json& interface) {
    const Json chassis = member(interface, "chassis");
    if (!chassis.is_object() || chassis.empty()) {
        return {"", Json()};
    }
    if (const std::string name = text_of(member(chassis, "name")); !name.empty()) {
        return {name, chassis};  // json0
    }
    if (const std::string id = text_of(member(chassis, "id")); !id.empty()) {
        return {id, chassis};  // no name in either form
    }
    return {chassis.begin().key(), chassis.begin().value()};
}

bool says_station(const Json& chassis) {
    bool is_station = false;
    bool is_bridge = false;
    for (const Json& capability :
         chassis.is_object() && chassis.contains("capability") ? as_list(chassis["capability"]) : std::vector<Json>()) {
        const Json enabled = member(capability, "enabled");
        const bool is_on = enabled.is_boolean() ? enabled.get<bool>() : text_of(enabled) == "on";
        const std::string type = text_of(member(capability, "type"));
        is_station = is_station || (type == "Station" && is_on);
        is_bridge = is_bridge || ((type == "Bridge" || type == "Router") && is_on);
    }
    return is_station && !is_bridge;
}

std::optional<Sighting> sighting_of(const std::string& interface, const Json& described) {
    const auto [name, chassis] = named_chassis(described);
    Sighting seen{interface, plain_name(name), 0, says_station(chassis)};
    if (seen.neighbour.empty()) {
        return std::nullopt;
    }
    seen.speed = ethernet_speed(text_of(member(member(member(described, "port"), "auto-negotiation"), "current")));
    return seen;
}

std::vector<Sighting> sightings_of(const Json& lldp) {
    std::vector<Sighting> all;
    if (!lldp.is_object() || !lldp.contains("interface")) {
        return all;
    }
    for (const Json& entry : as_list(lldp["interface"])) {
        if (!entry.is_object()) {
            continue;
        }
        if (entry.contains("name") && !text_of(entry["name"]).empty()) {  // json0
            if (const auto seen = sighting_of(text_of(entry["name"]), entry)) {
                all.push_back(*seen);
            }
            continue;
        }
        for (const auto& [interface, described] : entry.items()) {
            if (const auto seen = sighting_of(interface, described)) {
                all.push_back(*seen);
            }
        }
    }
    return all;
}

/// Decides which names are hosts, and which of a host's ports count.
class Neighbourhood {
  public:
    void add_asked(const std::string& name) { asked_.insert(name); }
    [[nodiscard]] bool is_asked(const std::string& name) const { return asked_.contains(name); }
    void add(const std::string& host, Sighting seen) { seen_[host].push_back(std::move(seen)); }

    /// An interface at which several neighbours are seen, as "eth0 of n1"; empty if there is none.
    [[nodiscard]] std::string crowded_interface() const {
        for (const auto& [host, sightings] : seen_) {
            std::map<std::string, std::set<std::string>> at;
            for (const Sighting& seen : sightings) {
                if (at[seen.interface].insert(seen.neighbour).second && at[seen.interface].size() > 1) {
                    return fmt::format("{} of {}", seen.interface, host);
                }
            }
        }
        return "";
    }

    Wiring wiring() && {
        unify_names();
        find_neighbours();
        Wiring wiring;
        wiring.source = "LLDP (lldpctl)";
        for (const auto& [name, others] : neighbours_) {
            (is_switch(name) ? wiring.switches : wiring.machines).push_back(name);
        }
        for (const std::string& name : asked_) {
            if (!neighbours_.contains(name)) {
                wiring.machines.push_back(name);  // has no neighbour; found_network() says so
            }
        }
        const std::set<std::string> machines(wiring.machines.begin(), wiring.machines.end());
        plug(wiring, machines);
        for (const std::string& name : wiring.switches) {
            if (!asked_.contains(name)) {
                wiring.unseen.insert(name);
            }
        }
        join_unseen_parts(wiring);
        std::sort(wiring.switches.begin(), wiring.switches.end(), in_natural_order);
        std::sort(wiring.machines.begin(), wiring.machines.end(), in_natural_order);
        return wiring;
    }

  private:
    struct Port {
        std::string other;
        double speed = 0;
    };

    /// A neighbour that was asked under its short name, or under its long one, is the same.
    void unify_names() {
        const auto short_name = [](const std::string& name) { return name.substr(0, name.find('.')); };
        std::map<std::string, std::vector<std::string>> asked_by_short;
        for (const std::string& name : asked_) {
            asked_by_short[short_name(name)].push_back(name);
        }
        for (auto& [host, sightings] : seen_) {
            for (Sighting& seen : sightings) {
                const auto same = asked_by_short.find(short_name(seen.neighbour));
                const bool is_same = same != asked_by_short.end() && same->second.size() == 1 &&
                                     (same->second.front().find('.') == std::string::npos ||
                                      seen.neighbour.find('.') == std::string::npos);
                seen.neighbour = is_same ? same->second.front() : seen.neighbour;
            }
            // The same neighbour is told by several protocols at one interface.
            std::set<std::pair<std::string, std::string>> told;
            std::erase_if(sightings, [&told, &host = host](const Sighting& seen) {
                return seen.neighbour == host || !told.emplace(seen.interface, seen.neighbour).second;
            });
        }
    }

    void find_neighbours() {
        for (const auto& [host, sightings] : seen_) {
            for (const Sighting& seen : sightings) {
                neighbours_[host].insert(seen.neighbour);
                neighbours_[seen.neighbour].insert(host);
                seen_by_[seen.neighbour].insert(host);
                if (seen.is_station) {
                    stations_.insert(seen.neighbour);
                }
            }
        }
    }

    /// What was not asked is a switch, and so is what is an uplink: the only neighbour of something, or what something
    /// sees that nobody sees. Of two that see each other the one with fewer neighbours is the host.
    [[nodiscard]] bool is_switch(const std::string& name) const {
        if (stations_.contains(name)) {
            return false;
        }
        if (!asked_.contains(name)) {
            return true;
        }
        const auto by = seen_by_.find(name);
        if (by == seen_by_.end()) {
            return false;
        }
        const std::set<std::string>& around = neighbours_.at(name);
        std::size_t fewest = std::string::npos;
        for (const std::string& other : around) {
            const std::size_t count = neighbours_.at(other).size();
            fewest = std::min(fewest, count);
            const bool is_end = asked_.contains(other) && (!seen_by_.contains(other) || stations_.contains(other));
            if (is_end && by->second.contains(other)) {
                return true;
            }
        }
        return around.size() > 1 && around.size() >= fewest;
    }

    void plug(Wiring& wiring, const std::set<std::string>& machines) const {
        std::map<std::string, std::vector<Port>> ports;  // of machines
        for (const auto& [host, sightings] : seen_) {
            for (const Sighting& seen : sightings) {
                const std::string& other = seen.neighbour;
                const bool is_machine = machines.contains(host);
                const auto back = seen_.find(other);
                const bool is_seen_back = back != seen_.end() && std::any_of(back->second.begin(), back->second.end(),
                                                                             [&host = host](const Sighting& each) {
                                                                                 return each.neighbour == host;
                                                                             });
                if (is_machine && machines.contains(other)) {
                    continue;
                }
                if (is_machine) {
                    ports[host].push_back({other, seen.speed});
                } else if (machines.contains(other)) {
                    if (!is_seen_back) {
                        ports[other].push_back({host, seen.speed});
                    }
                } else if (!is_seen_back || host < other) {
                    wiring.cables.push_back({host, other, seen.speed});
                }
            }
        }
        std::map<std::string, std::vector<std::string>> slower;  // by the switch: what each has there
        std::map<double, int> dropped;
        for (auto& [machine, its_ports] : ports) {
            keep_fastest(machine, its_ports, slower);
            for (const Port& port : its_ports) {
                wiring.cables.push_back({port.other, machine, port.speed});
            }
        }
        for (const auto& [where, whose] : slower) {
            add_remark(
                wiring.remarks,
                fmt::format("Links to {} are left out, since faster ones lead elsewhere (a management network?): "
                            "of {}.",
                            where, listed(whose)));
        }
    }

    /// A management network is slower. Where a speed is not known, all ports count.
    static void keep_fastest(const std::string& machine, std::vector<Port>& ports,
                             std::map<std::string, std::vector<std::string>>& slower) {
        double fastest = 0;
        for (const Port& port : ports) {
            fastest = std::max(fastest, port.speed);
        }
        std::erase_if(ports, [&](const Port& port) {
            const bool is_slower = port.speed > 0 && port.speed < fastest;
            if (is_slower) {
                std::vector<std::string>& whose = slower[fmt::format("{} ({})", port.other, speed_text(port.speed))];
                if (whose.empty() || whose.back() != machine) {
                    whose.push_back(machine);
                }
            }
            return is_slower;
        });
    }

    std::set<std::string> asked_;
    std::map<std::string, std::vector<Sighting>> seen_;  // by the host that sees them
    std::map<std::string, std::set<std::string>> neighbours_;
    std::map<std::string, std::set<std::string>> seen_by_;
    std::set<std::string> stations_;
};

/// What lldpctl prints in other forms; nullopt if the text is none of these.
std::optional<Diagnostic> other_form(std::string_view text, const std::string& file) {
    const std::string_view start = trimmed(text.substr(0, 4096));
    const bool is_plain = start.starts_with("----") && start.find("LLDP neighbors") != std::string_view::npos;
    const bool is_xml = start.starts_with("<?xml") || start.starts_with("<lldp");
    if (!is_plain && !is_xml && !start.starts_with("lldp.")) {
        return std::nullopt;
    }
    return Diagnostic{.file = file,
                      .line = 1,
                      .problem = "it is what lldpctl prints on one host, in a form for people or for other programs",
                      .advice =
                          "run lldpctl -f json on each host, and put what it prints under the host's name: "
                          "{\"n0\": ..., \"n1\": ...}"};
}

}  // namespace

Expected<Wiring> read_lldp(const Input& input) {
    if (const auto other = other_form(input.text, input.file)) {
        return failure(*other);
    }
    const Json document = Json::parse(input.text, nullptr, false);
    if (!document.is_object() || document.empty()) {
        return failure({.file = input.file,
                        .line = 1,
                        .problem = "it is no JSON object with hosts",
                        .advice = "write {\"n0\": what lldpctl -f json prints on n0, \"n1\": ...}"});
    }
    const Json raw = member(document, "lldp");
    if (document.contains("lldp") && document.size() == 1 && !raw.contains("lldp")) {
        return failure(
            {.file = input.file,
             .line = 1,
             .problem = "this is one host's output, and other hosts' are missing",
             .advice = "put it under the host's name, with those of the others: {\"n0\": ..., \"n1\": ...}"});
    }
    Neighbourhood neighbourhood;
    for (const auto& [key, printed] : document.items()) {
        const std::string host = plain_name(key);
        const bool has_lldp = printed.is_object() && printed.contains("lldp");
        if (host.empty() || !has_lldp || neighbourhood.is_asked(host)) {
            return failure({.file = input.file,
                            .problem = host.empty() ? fmt::format("{} is no host's name", in_quotes(key))
                                       : !has_lldp  ? fmt::format("host {} has no \"lldp\"", in_quotes(key))
                                                    : fmt::format("host {} is there twice", in_quotes(key)),
                            .advice = "give under each host's name what lldpctl -f json prints there"});
        }
        neighbourhood.add_asked(host);
        for (Sighting& seen : sightings_of(member(printed, "lldp"))) {
            neighbourhood.add(host, std::move(seen));
        }
    }
    const std::string crowded = neighbourhood.crowded_interface();
    Wiring wiring = std::move(neighbourhood).wiring();
    if ((wiring.switches.empty() || wiring.machines.empty()) && !crowded.empty()) {
        return failure({.file = input.file,
                        .problem = fmt::format("several neighbours are seen at {}: the switch between them does not "
                                               "speak LLDP",
                                               in_quotes(crowded)),
                        .advice = "describe it by hand, or let aapc discover measure"});
    }
    return wiring;
}

}  // namespace aapc::imports
