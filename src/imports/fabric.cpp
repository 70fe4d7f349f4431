// Dumps that say who is plugged in where: ibnetdiscover and lldpctl.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <nlohmann/json.hpp>
#include <optional>
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

/// What topology files take of a name; other characters become '-'.
std::string plain_name(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](char character) { return !is_name_character(character); }, '-');
    name.resize(std::min(name.size(), max_name_length));
    return name;
}

/// A machine's name from a description such as "node01 HCA-1" or "node01 mlx5_0"; empty where no host has set it.
std::string machine_name(std::string_view description) {
    std::string name = plain_name(std::string(description.substr(0, description.find(' '))));
    const bool is_model = name.starts_with("MT") && description.find("Mellanox") != std::string_view::npos;
    return is_model || name == "localhost" || name.empty() || !is_name_start(name.front()) ? "" : name;
}

/// A switch's name: "leaf1" of "MF0;leaf1:MSX6036/U1", "director-L01-U1" of "MF0;director:MCS7500/L01/U1", or the first
/// word; empty where there is none.
std::string switch_name(std::string_view description) {
    std::string name(description.substr(0, description.find(' ')));
    if (const std::size_t start = description.find(';'); start != std::string_view::npos) {
        const std::string_view rest = description.substr(start + 1);
        name = rest.substr(0, rest.find(':'));
        const std::size_t slash = rest.find('/');
        const std::string_view chip = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
        name += chip.find('/') == std::string_view::npos ? "" : fmt::format("-{}", chip);
    }
    name = plain_name(std::move(name));
    return name.empty() || !is_name_start(name.front()) ? "" : name;
}

/// The digits at the start of `text`, which are taken off; nothing where there are none or more than fit.
std::optional<int> take_number(std::string_view& text) {
    int number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0) {
        return std::nullopt;
    }
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return number;
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

/// Ethernet's media types begin with megabits, or with gigabits and a G: "1000BaseTFD", "10GigBaseSR", "100GbaseCR4".
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

using Json = nlohmann::json;

/// lldpctl writes one of a kind as itself and several as a list.
std::vector<Json> as_list(const Json& value) {
    if (value.is_array()) {
        return {value.begin(), value.end()};
    }
    return value.is_null() ? std::vector<Json>() : std::vector<Json>{value};
}

/// A chassis has its system's name as its only member, or what describes it where it told no name.
std::string chassis_name(const Json& chassis) {
    if (!chassis.is_object() || chassis.empty()) {
        return "";
    }
    const Json& first = chassis.contains("id") ? chassis["id"] : Json();
    const bool is_nameless = first.is_object() && first.contains("value") && first["value"].is_string();
    std::string name = plain_name(is_nameless ? first["value"].get<std::string>() : chassis.begin().key());
    return name.empty() || !is_name_start(name.front()) ? "" : name;
}

/// The neighbour at an interface: its name and the speed, or nothing.
std::optional<std::pair<std::string, double>> neighbour(const Json& interface) {
    if (!interface.is_object() || !interface.contains("chassis")) {
        return std::nullopt;
    }
    const std::string name = chassis_name(interface["chassis"]);
    if (name.empty()) {
        return std::nullopt;
    }
    const Json port = interface.value("port", Json());
    const Json negotiated = port.is_object() ? port.value("auto-negotiation", Json()) : Json();
    const Json type = negotiated.is_object() ? negotiated.value("current", Json()) : Json();
    return std::pair(name, type.is_string() ? ethernet_speed(type.get<std::string>()) : 0);
}

/// Reads what ibnetdiscover prints, line by line.
class FabricReader {
  public:
    explicit FabricReader(std::string file) : file_(std::move(file)) {}

    Expected<void> read_line(std::string_view words, int line) {
        if (words.starts_with('[')) {
            return read_port(words, line);
        }
        for (const std::string_view kind : {"Switch", "Ca", "Rt"}) {
            if (words.starts_with(kind) && words.size() > kind.size() &&
                std::isspace(static_cast<unsigned char>(words[kind.size()])) != 0) {
                read_node(words, kind == "Switch");
            }
        }
        return {};
    }

    /// Each cable is seen from both its ends.
    FoundCables cables() && {
        for (const End& end : ends_) {
            const auto from = name_of_.find(end.from);
            const auto to = name_of_.find(end.to);
            if (std::tie(end.from, end.from_port) < std::tie(end.to, end.to_port) && from != name_of_.end() &&
                to != name_of_.end()) {
                found_.cables.push_back({from->second, to->second, end.speed});
            }
        }
        return std::move(found_);
    }

    std::vector<std::string> remarks() const {
        std::vector<std::string> remarks;
        if (aggregating_ > 0) {
            remarks.push_back(fmt::format("{} aggregation nodes of switches are left out.", aggregating_));
        }
        if (nameless_ > 0) {
            remarks.push_back(
                fmt::format("{} adapters do not say whose they are; their machines are named after their "
                            "identifiers. Write the hosts' names.",
                            nameless_));
        }
        return remarks;
    }

  private:
    struct End {
        std::string from, to;
        int from_port, to_port;
        double speed;
    };

    void read_node(std::string_view words, bool is_switch) {
        const auto id = take_quoted(words);
        const auto description = take_quoted(words);
        if (!id) {
            return;
        }
        current_ = *id;
        if (!is_switch && description && description->find("Aggregation Node") != std::string_view::npos) {
            ++aggregating_;  // a switch's own, which reduces on the way; no rank runs there
            return;
        }
        std::string name = is_switch ? switch_name(description.value_or("")) : machine_name(description.value_or(""));
        nameless_ += name.empty() && !is_switch ? 1 : 0;
        if (name.empty() || (is_switch && names_.contains(name))) {
            name = plain_name(current_);
        }
        name_of_[current_] = name;
        if (names_.insert(name).second) {
            (is_switch ? found_.switches : found_.machines).push_back(name);
        }
    }

    /// [1](a1)  "H-a0"[1](b1)   # "node01 HCA-1" lid 5 4xEDR, the parts in parentheses not always there.
    Expected<void> read_port(std::string_view words, int line) {
        if (current_.empty()) {
            return failure({.file = file_,
                            .line = line,
                            .problem = "a port before any switch",
                            .advice = "give the output of ibnetdiscover from its beginning"});
        }
        words.remove_prefix(1);
        const auto from = take_number(words);
        const auto other = take_quoted(words);
        const bool has_port = words.starts_with('[');
        words.remove_prefix(has_port ? 1 : 0);
        const auto to = take_number(words);
        if (!from || !other || !has_port || !to) {
            return failure({.file = file_,
                            .line = line,
                            .problem = "a port that cannot be read",
                            .advice = "write it as ibnetdiscover does: [1] \"S-0002c9\"[2] # \"name\" lid 4 4xEDR"});
        }
        const std::size_t remark = std::min(words.find('#'), words.size());
        words.remove_prefix(remark);
        ends_.push_back({current_, std::string(*other), *from, *to, link_speed(words)});
        return {};
    }

    /// "4xEDR" among the words of a remark, names taken out.
    static double link_speed(std::string_view remark) {
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

    std::string file_;
    FoundCables found_;
    std::vector<End> ends_;
    std::map<std::string, std::string> name_of_;
    std::set<std::string> names_;
    std::string current_;
    int aggregating_ = 0;
    int nameless_ = 0;
};

}  // namespace

Expected<FoundTree> read_ibnetdiscover(std::string_view text, const std::string& file) {
    FabricReader reader(file);
    for (int line = 1; !text.empty(); ++line) {
        const std::string_view words = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(words.size() + 1, text.size()));
        if (const auto read = reader.read_line(words, line); !read) {
            return failure(read.error());
        }
    }
    const std::vector<std::string> remarks = reader.remarks();
    auto tree = tree_of(std::move(reader).cables(), file);
    if (tree) {
        tree->source = "ibnetdiscover";
        tree->remarks.insert(tree->remarks.begin(), remarks.begin(), remarks.end());
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
            if (!entry.is_object()) {
                continue;
            }
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
