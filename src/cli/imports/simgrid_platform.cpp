// SimGrid's platform files: XML to zones, links and routes.
#include "cli/imports/simgrid_platform.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <pugixml.hpp>

#include "cli/imports/imports.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

constexpr int deepest_zone = 64;
constexpr std::size_t most_machines = 65'536;  // of a topology file

/// Thrown within this file only.
struct PlatformMistake {
    Diagnostic diagnostic;
};

std::vector<std::string> split_at(std::string_view text, char separator) {
    std::vector<std::string> parts(1);
    for (const char character : text) {
        if (character == separator) {
            parts.emplace_back();
        } else {
            parts.back().push_back(character);
        }
    }
    return parts;
}

template <class Number>
std::optional<Number> number_in(std::string_view text) {
    Number number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// A number and one of `units`, each with its factor; the number alone where the unit is left out.
template <std::size_t Count>
std::optional<double> measure(const std::string& text,
                              const std::array<std::pair<std::string_view, double>, Count>& units, double alone) {
    const std::size_t end = std::min(text.find_last_of("0123456789.") + 1, text.size());
    const auto number = number_in<double>(std::string_view(text).substr(0, end));
    const std::string_view unit = std::string_view(text).substr(end);
    const auto known =
        std::find_if(units.begin(), units.end(), [unit](const auto& each) { return each.first == unit; });
    if (!number || !std::isfinite(*number) || *number < 0 || (known == units.end() && !unit.empty())) {
        return std::nullopt;
    }
    return *number * (unit.empty() ? alone : known->second);
}

/// A name as a comment may have it.
std::string shown(std::string id) {
    std::replace_if(
        id.begin(), id.end(), [](char character) { return !is_name_character(character); }, '-');
    return in_quotes(id);
}

/// Bits a second. SimGrid's own unit is bytes a second.
std::optional<double> bandwidth(std::string text) {
    double scale = 1;
    const std::size_t unit = text.size() < 3 ? std::string::npos : text.size() - 3;
    const bool bits = unit != std::string::npos && text.compare(unit, 3, "bps") == 0;
    if (bits || (unit != std::string::npos && text.compare(unit, 3, "Bps") == 0)) {
        text.resize(unit);
        const bool binary = !text.empty() && text.back() == 'i';
        text.resize(text.size() - (binary ? 1 : 0));
        const std::string_view letters = "kMGTPE";
        const char letter = text.empty() ? ' ' : text.back() == 'K' ? 'k' : text.back();
        if (const std::size_t power = letters.find(letter); power != std::string_view::npos) {
            scale = std::pow(binary ? 1024.0 : 1000.0, static_cast<double>(power + 1));
            text.pop_back();
        } else if (binary) {
            return std::nullopt;
        }
    }
    const auto number = number_in<double>(text);
    const double speed = number.value_or(0) * scale * (bits ? 1 : 8);
    return number && std::isfinite(speed) && speed > 0 ? std::optional(speed) : std::nullopt;
}

std::optional<double> latency(const std::string& text) {
    static constexpr std::array<std::pair<std::string_view, double>, 9> units{{{"w", 604800},
                                                                               {"d", 86400},
                                                                               {"h", 3600},
                                                                               {"m", 60},
                                                                               {"s", 1},
                                                                               {"ms", 1e-3},
                                                                               {"us", 1e-6},
                                                                               {"ns", 1e-9},
                                                                               {"ps", 1e-12}}};
    return measure(text, units, 1);
}

class PlatformReader {
  public:
    PlatformReader(std::string_view text, std::string file) : text_(text), file_(std::move(file)) {}

    Platform read() {
        pugi::xml_document document;
        const pugi::xml_parse_result parsed =
            document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
        if (!parsed) {
            refuse(parsed.offset, fmt::format("it is no XML: {}", parsed.description()),
                   "give a platform file of SimGrid's, as it is");
        }
        const pugi::xml_node root = document.document_element();
        if (std::string_view(root.name()) != "platform") {
            refuse(root, fmt::format("{} is no platform", in_quotes(root.name())),
                   "give a platform file of SimGrid's, which begins with <platform version=\"4.1\">");
        }
        if (const double version = root.attribute("version").as_double(); version < 4 || version >= 5) {
            refuse(
                root,
                fmt::format("version {} of platform files is not read", in_quotes(root.attribute("version").value())),
                "bring it to version 4.1 with simgrid_update_xml");
        }
        platform_.all.line = line_of(root);
        read_elements(root, platform_.all, 0);
        return std::move(platform_);
    }

  private:
    [[noreturn]] void refuse(std::ptrdiff_t offset, std::string problem, std::string advice) const {
        const auto end = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(offset, 0, std::ssize(text_)));
        const std::string_view before = text_.substr(0, end);
        const auto start = before.rfind('\n') == std::string_view::npos ? 0 : before.rfind('\n') + 1;
        throw PlatformMistake{{.file = file_,
                               .line = static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1,
                               .column = static_cast<int>(end - start) + 1,
                               .problem = std::move(problem),
                               .advice = std::move(advice)}};
    }

    [[noreturn]] void refuse(const pugi::xml_node& node, std::string problem, std::string advice) const {
        refuse(node.offset_debug(), std::move(problem), std::move(advice));
    }

    /// Nodes are read in the order of the file, so each newline is passed once.
    int line_of(const pugi::xml_node& node) {
        const auto offset =
            static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(node.offset_debug(), 0, std::ssize(text_)));
        if (offset < counted_to_) {
            counted_to_ = 0;
            line_ = 1;
        }
        line_ += static_cast<int>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_to_),
                                             text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
        counted_to_ = offset;
        return line_;
    }

    std::string required(const pugi::xml_node& node, const char* name) const {
        std::string value = node.attribute(name).value();
        if (value.empty()) {
            refuse(node, fmt::format("<{}> has no {}", node.name(), name), fmt::format("write {}=\"...\"", name));
        }
        return value;
    }

    double speed_of(const pugi::xml_node& node, const char* name) const {
        const std::string value = required(node, name);
        const auto speed = bandwidth(value);
        if (!speed || *speed > 1e15) {
            refuse(node, fmt::format("{} is no bandwidth", in_quotes(value)),
                   "write a number and its unit, such as 125MBps or 1Gbps");
        }
        return *speed;
    }

    /// 0 where it is left out. Noted, since the topology file has no word for it.
    double delay_of(const pugi::xml_node& node, const char* name, const std::string& of) {
        const std::string value = node.attribute(name).value();
        const auto delay = latency(value.empty() ? "0" : value);
        if (!delay) {
            refuse(node, fmt::format("{} is no latency", in_quotes(value)),
                   "write a number and its unit, such as 50us");
        }
        if (*delay > 0) {
            platform_.delays[*delay].push_back(of);
        }
        return *delay;
    }

    Sharing sharing_of(const pugi::xml_node& node, const char* name, std::string_view unless_given) const {
        const std::string_view value = node.attribute(name) ? node.attribute(name).value() : unless_given;
        if (value == "SHARED") {
            return Sharing::both_directions;
        }
        if (value == "SPLITDUPLEX" || value == "FULLDUPLEX") {
            return Sharing::each_direction;
        }
        if (value != "FATPIPE") {
            refuse(node, fmt::format("links that are {} have no place in a topology file", in_quotes(value)),
                   "topology files know wires: SHARED, SPLITDUPLEX or FATPIPE");
        }
        return Sharing::nothing;
    }

    void read_elements(const pugi::xml_node& parent, PlatformZone& zone, int depth) {
        for (const pugi::xml_node& node : parent.children()) {
            if (node.type() == pugi::node_element) {
                read_element(node, zone, depth);
            }
        }
    }

    void read_element(const pugi::xml_node& node, PlatformZone& zone, int depth) {
        static constexpr std::array<std::string_view, 13> without_meaning{"config",        "prop",         "trace",
                                                                          "trace_connect", "process",      "actor",
                                                                          "storage",       "storage_type", "mount",
                                                                          "model_prop",    "disk",         "random",
                                                                          "host_link"};  // host_link: plug_in_hosts()
        const std::string_view name = node.name();
        if (name == "zone" || name == "AS") {
            read_zone(node, zone, depth + 1);
        } else if (name == "cluster" || name == "cabinet") {
            read_cluster(node, zone);
        } else if (name == "host") {
            count_machines(node, 1);
            zone.hosts.push_back(required(node, "id"));
        } else if (name == "router") {
            zone.routers.push_back(required(node, "id"));
        } else if (name == "link") {
            read_link(node);
        } else if (name == "route" || name == "zoneRoute" || name == "ASroute") {
            read_route(node, zone);
        } else if (name == "backbone") {
            zone.backbone = speed_of(node, "bandwidth");
            delay_of(node, "latency", "the backbone of " + shown(zone.id));
        } else if (std::find(without_meaning.begin(), without_meaning.end(), name) == without_meaning.end()) {
            refuse(node, fmt::format("<{}> has no counterpart in a topology file", name),
                   "only hosts, clusters, zones, links, routes and routers can be followed");
        }
    }

    void read_zone(const pugi::xml_node& node, PlatformZone& around, int depth) {
        if (depth > deepest_zone) {
            refuse(node, fmt::format("zones are within one another more than {} times", deepest_zone),
                   "describe fewer levels");
        }
        PlatformZone zone;
        zone.id = required(node, "id");
        zone.line = line_of(node);
        const std::string routing = required(node, "routing");
        static constexpr std::array<std::string_view, 6> known{"Full",          "Floyd",   "Dijkstra",
                                                               "DijkstraCache", "Cluster", "None"};
        if (std::find(known.begin(), known.end(), routing) == known.end()) {
            refuse(node,
                   fmt::format("zones with routing {} have no wires that a topology file could describe",
                               in_quotes(routing)),
                   fmt::format("these can be followed: {}", fmt::join(known, ", ")));
        }
        read_elements(node, zone, depth);
        if (routing == "Cluster") {
            zone.kind = ZoneKind::star;
            plug_in_hosts(node, zone);
        }
        around.zones.push_back(std::move(zone));
    }

    /// The hosts of a zone with routing "Cluster" have links to its middle.
    void plug_in_hosts(const pugi::xml_node& node, PlatformZone& zone) {
        for (const pugi::xml_node& link : node.children("host_link")) {
            const std::string up = required(link, "up");
            const std::string down = required(link, "down");
            const PlatformLink* const one = platform_.find(up);
            const PlatformLink* const other = platform_.find(down);
            if (one == nullptr || other == nullptr) {
                refuse(link, fmt::format("there is no link {}", in_quotes(one == nullptr ? up : down)),
                       "describe it before it is used");
            }
            const bool half = up == down && one->sharing == Sharing::both_directions;
            zone.ports.push_back({required(link, "id"), std::min(one->speed, other->speed) / (half ? 2 : 1)});
        }
        if (zone.hosts.size() + zone.zones.size() > zone.ports.size()) {
            refuse(node, fmt::format("zone {} has members without a <host_link>", in_quotes(zone.id)),
                   "give each host one; zones within such a zone cannot be followed");
        }
        zone.hosts.clear();
    }

    void read_link(const pugi::xml_node& node) {
        const std::string id = required(node, "id");
        const double delay = delay_of(node, "latency", "link " + shown(id));
        const PlatformLink link{speed_of(node, "bandwidth"), delay, sharing_of(node, "sharing_policy", "SHARED")};
        if (!platform_.links.emplace(id, link).second) {
            refuse(node, fmt::format("link {} is there twice", in_quotes(id)), "describe it once");
        }
    }

    void read_route(const pugi::xml_node& node, PlatformZone& zone) {
        PlatformRoute route{required(node, "src"),
                            required(node, "dst"),
                            node.attribute("gw_src").value(),
                            node.attribute("gw_dst").value(),
                            {},
                            true,
                            line_of(node)};
        const std::string symmetrical = node.attribute("symmetrical").value();
        route.both_ways = symmetrical != "NO" && symmetrical != "no";
        for (const pugi::xml_node& part : node.children()) {
            if (std::string_view(part.name()) == "link_ctn") {
                route.links.push_back(required(part, "id"));
                if (platform_.find(route.links.back()) == nullptr) {
                    refuse(part, fmt::format("there is no link {}", in_quotes(route.links.back())),
                           "describe it before it is used");
                }
            }
        }
        zone.routes.push_back(std::move(route));
    }

    void count_machines(const pugi::xml_node& node, std::size_t more) {
        machines_ += more;
        if (machines_ > most_machines) {
            refuse(node, fmt::format("with these it has more than {} machines", most_machines),
                   "a topology file describes no more; give a part");
        }
    }

    /// "0-3,7"
    std::vector<int> numbers_of(const pugi::xml_node& node) {
        const std::string radical = required(node, "radical");
        std::vector<int> numbers;
        for (const std::string& part : split_at(radical, ',')) {
            const auto ends = split_at(part, '-');
            const auto first = number_in<int>(ends.front());
            const auto last = number_in<int>(ends.back());
            if (!first || !last || ends.size() > 2 || *first < 0 || *last < *first) {
                refuse(node, fmt::format("{} is no radical", in_quotes(radical)),
                       "write numbers and ranges, such as 0-3,7");
            }
            count_machines(node, static_cast<std::size_t>(*last - *first) + 1);
            for (int number = *first; number <= *last; ++number) {
                numbers.push_back(number);
            }
        }
        return numbers;
    }

    void read_cluster(const pugi::xml_node& node, PlatformZone& around) {
        PlatformZone zone;
        zone.id = required(node, "id");
        zone.line = line_of(node);
        zone.kind = ZoneKind::star;
        const std::string prefix = node.attribute("prefix").value();
        const std::string suffix = node.attribute("suffix").value();
        double speed = speed_of(node, "bw");
        speed /= sharing_of(node, "sharing_policy", "SPLITDUPLEX") == Sharing::both_directions ? 2 : 1;
        if (node.attribute("limiter_link")) {  // both directions of a machine's messages go through it
            speed = std::min(speed, speed_of(node, "limiter_link") / 2);
        }
        for (const int number : numbers_of(node)) {
            zone.ports.push_back({fmt::format("{}{}{}", prefix, number, suffix), speed});
        }
        delay_of(node, "lat", "the links of " + shown(zone.id));
        if (*node.attribute("bb_bw").value() != '\0') {
            delay_of(node, "bb_lat", "the backbone of " + shown(zone.id));
        }
        const std::string router = node.attribute("router_id").value();
        zone.routers.push_back(router.empty() ? fmt::format("{}{}_router{}", prefix, zone.id, suffix) : router);
        const std::string_view inside = node.attribute("topology") ? node.attribute("topology").value() : "FLAT";
        if (inside == "TORUS" || inside == "FAT_TREE") {
            read_parameters(node, zone, inside == "TORUS");
        } else if (inside != "FLAT") {
            refuse(node, fmt::format("clusters that are a {} cannot be followed", in_quotes(inside)),
                   "FLAT, FAT_TREE and TORUS can");
        } else if (*node.attribute("bb_bw").value() != '\0' &&
                   sharing_of(node, "bb_sharing_policy", "SHARED") != Sharing::nothing) {
            zone.backbone = speed_of(node, "bb_bw");
        }
        if (std::string_view(node.name()) == "cabinet") {  // a part of the zone it is in
            around.kind = ZoneKind::star;
            around.ports.insert(around.ports.end(), zone.ports.begin(), zone.ports.end());
        } else {
            around.zones.push_back(std::move(zone));
        }
    }

    /// "4,4,2" of a torus; "2;4,4;1,2;1,2" of a fat tree: levels, then for each level who is below, who above, cables.
    void read_parameters(const pugi::xml_node& node, PlatformZone& zone, bool torus) {
        const std::string parameters = required(node, "topo_parameters");
        std::vector<std::vector<int>> lists;
        bool good = true;
        for (const std::string& list : split_at(parameters, ';')) {
            lists.emplace_back();
            for (const std::string& word : split_at(list, ',')) {
                const auto number = number_in<int>(word);
                good = good && number && *number >= 1 && *number <= static_cast<int>(most_machines);
                lists.back().push_back(number.value_or(1));
            }
        }
        const std::size_t levels = torus ? 0 : static_cast<std::size_t>(lists[0][0]);
        good = good && (torus ? lists.size() == 1
                              : lists.size() == 4 && lists[1].size() == levels && lists[2].size() == levels &&
                                    lists[3].size() == levels);
        std::size_t machines = 1;
        for (const int side : good ? lists[torus ? 0 : 1] : std::vector<int>()) {
            machines = std::min(machines * static_cast<std::size_t>(side), most_machines + 1);
        }
        if (!good || machines != zone.ports.size()) {
            refuse(node, fmt::format("{} are no parameters for {} machines", in_quotes(parameters), zone.ports.size()),
                   torus ? "write sides whose product they are, such as 4,4,2" : "write them as in 2;4,4;1,2;1,2");
        }
        zone.kind = torus ? ZoneKind::torus : ZoneKind::fat_tree;
        zone.sides = torus ? lists[0] : std::vector<int>();
        for (std::size_t level = 0; level < levels; ++level) {
            zone.levels.push_back({lists[1][level], lists[2][level], lists[3][level]});
        }
    }

    std::string_view text_;
    std::string file_;
    Platform platform_;
    std::size_t machines_ = 0;
    std::size_t counted_to_ = 0;
    int line_ = 1;
};

}  // namespace

const PlatformLink* Platform::find(std::string_view id) const {
    if (const auto found = links.find(id); found != links.end()) {
        return &found->second;
    }
    for (const std::string_view direction : {"_UP", "_DOWN"}) {
        if (id.ends_with(direction)) {
            const auto found = links.find(id.substr(0, id.size() - direction.size()));
            return found != links.end() && found->second.sharing == Sharing::each_direction ? &found->second : nullptr;
        }
    }
    return nullptr;
}

std::size_t machines_in(const PlatformZone& zone) {
    std::size_t machines = zone.hosts.size() + zone.ports.size();
    for (const PlatformZone& each : zone.zones) {
        machines += machines_in(each);
    }
    return machines;
}

Expected<Platform> read_platform(std::string_view text, const std::string& file) {
    try {
        return PlatformReader(text, file).read();
    } catch (const PlatformMistake& mistake) {
        return failure(mistake.diagnostic);
    }
}

}  // namespace aapc::imports
