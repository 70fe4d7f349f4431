#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <optional>

#include "aapc/input/hostlist.hpp"
#include "imports/imports.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

constexpr std::size_t most_names = 131'072;  // of machines and switches in a topology file

/// A line of topology.conf, or an entry of topology.yaml.
struct SlurmSwitch {
    std::string name;
    std::string nodes;
    std::string switches;
    int line = 0;
    std::string link_speed;
};

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return lower;
}

/// The key=value words of a line, comments cut off.
std::vector<std::pair<std::string, std::string>> words_of(std::string_view line) {
    line = line.substr(0, line.find('#'));
    std::vector<std::pair<std::string, std::string>> words;
    while (!line.empty()) {
        const std::size_t start = std::min(line.find_first_not_of(" \t\r"), line.size());
        line.remove_prefix(start);
        const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
        line.remove_prefix(word.size());
        if (!word.empty()) {
            const std::size_t equals = word.find('=');
            words.emplace_back(lower_case(word.substr(0, equals)),
                               equals == std::string_view::npos ? "" : std::string(word.substr(equals + 1)));
        }
    }
    return words;
}

/// Puts children below their switches, the highest first.
class TreeOfSwitches {
  public:
    TreeOfSwitches(std::vector<SlurmSwitch> switches, std::string file)
        : switches_(std::move(switches)), file_(std::move(file)) {}

    Expected<FoundTree> build(const std::string& source) {
        if (switches_.empty()) {
            return failure(
                {.file = file_,
                 .line = 1,
                 .problem = "it describes no switch",
                 .advice = "give the file of a tree, with a line SwitchName=s0 Nodes=n[0-3] for each switch"});
        }
        if (auto linked = find_uplinks(); !linked) {
            return failure(linked.error());
        }
        FoundTree tree{source, {}, {}};
        tree.remarks.emplace_back(
            "Slurm's file says nothing of speeds that could be relied on (LinkSpeed is a remark).");
        const auto roots = std::count_if(switches_.begin(), switches_.end(),
                                         [this](const SlurmSwitch& each) { return !uplink_of_.contains(each.name); });
        if (roots != 1) {
            const auto second = second_root();
            return failure({.file = file_,
                            .line = second->line,
                            .problem = roots == 0 ? "the switches are below one another in a ring"
                                                  : fmt::format("switch {} is below no other, nor is another one",
                                                                in_quotes(second->name)),
                            .advice = "connect them by a switch that has them in Switches="});
        }
        add_all(tree);
        if (tree.switches.size() != switches_.size()) {
            return failure({.file = file_,
                            .line = 1,
                            .problem = "some switches are below one another in a ring",
                            .advice = "let each be below one switch that leads to the top"});
        }
        return tree;
    }

  private:
    Expected<void> find_uplinks() {
        std::map<std::string, int> lines;
        for (const SlurmSwitch& each : switches_) {
            if (!lines.emplace(each.name, each.line).second) {
                return failure({.file = file_,
                                .line = each.line,
                                .problem = fmt::format("switch {} is there twice", in_quotes(each.name)),
                                .advice = "describe it once"});
            }
        }
        std::map<std::string, std::string> switch_of;
        for (const SlurmSwitch& each : switches_) {
            for (const auto& [list, what] : {std::pair(&each.switches, "switch"), std::pair(&each.nodes, "node")}) {
                if (list->empty()) {
                    continue;
                }
                auto names = expand_hostlist(*list);
                if (!names) {
                    names.error().file = file_;
                    names.error().line = each.line;
                    return failure(names.error());
                }
                names_ += names->size();
                if (names_ > most_names) {
                    return failure({.file = file_,
                                    .line = each.line,
                                    .problem = fmt::format("with these it has more than {} names", most_names),
                                    .advice = "a topology file describes no more; give a part"});
                }
                for (const HostlistEntry& entry : *names) {
                    const bool is_switch = what == std::string_view("switch");
                    if (is_switch && !lines.contains(entry.name)) {
                        return failure({.file = file_,
                                        .line = each.line,
                                        .problem = fmt::format("there is no switch {}", in_quotes(entry.name)),
                                        .advice = "add a line SwitchName= for it"});
                    }
                    auto& above = is_switch ? uplink_of_ : switch_of;
                    if (const auto [at, added] = above.emplace(entry.name, each.name); !added) {
                        return failure({.file = file_,
                                        .line = each.line,
                                        .problem = fmt::format("{} {} is below {} already", what, in_quotes(entry.name),
                                                               in_quotes(at->second)),
                                        .advice = "leave it to one switch: only a tree can be followed"});
                    }
                }
            }
        }
        return {};
    }

    [[nodiscard]] std::vector<SlurmSwitch>::const_iterator second_root() const {
        auto last = switches_.begin();
        for (auto each = switches_.begin(); each != switches_.end(); ++each) {
            if (!uplink_of_.contains(each->name)) {
                last = each;
            }
        }
        return last;
    }

    /// From the top down, each switch followed by those below it, in the order of the file.
    void add_all(FoundTree& tree) const {
        std::map<std::string, std::vector<const SlurmSwitch*>> below;
        for (const SlurmSwitch& each : switches_) {
            const auto uplink = uplink_of_.find(each.name);
            below[uplink == uplink_of_.end() ? "" : uplink->second].push_back(&each);
        }
        std::vector<const SlurmSwitch*> to_add = below[""];
        while (!to_add.empty()) {
            const SlurmSwitch& each = *to_add.back();
            to_add.pop_back();
            const auto uplink = uplink_of_.find(each.name);
            FoundSwitch found;
            found.name = each.name;
            found.uplink = uplink == uplink_of_.end() ? "" : uplink->second;
            if (!each.nodes.empty()) {
                found.machines.push_back(each.nodes);
            }
            tree.switches.push_back(found);
            if (!each.link_speed.empty()) {
                tree.remarks.push_back(fmt::format("{}: LinkSpeed={}", each.name, each.link_speed));
            }
            const std::vector<const SlurmSwitch*>& next = below[each.name];
            to_add.insert(to_add.end(), next.rbegin(), next.rend());
        }
    }

    std::vector<SlurmSwitch> switches_;
    std::string file_;
    std::map<std::string, std::string> uplink_of_;
    std::size_t names_ = 0;
};

std::string scalar(const YAML::Node& node, const char* key) {
    const YAML::Node value = node[key];
    return value && value.IsScalar() ? value.as<std::string>() : "";
}

/// The switches of a tree; nothing where it is none.
std::optional<std::vector<SlurmSwitch>> switches_of(const YAML::Node& topology) {
    const YAML::Node tree = topology["tree"];
    if (!tree || !tree.IsMap() || !tree["switches"] || !tree["switches"].IsSequence()) {
        return std::nullopt;
    }
    std::vector<SlurmSwitch> switches;
    for (const YAML::Node& each : tree["switches"]) {
        if (!each.IsMap()) {
            return std::nullopt;
        }
        switches.push_back(
            {scalar(each, "switch"), scalar(each, "nodes"), scalar(each, "children"), each.Mark().line + 1, ""});
    }
    return switches;
}

}  // namespace

Expected<FoundTree> read_slurm_conf(std::string_view text, const std::string& file) {
    std::vector<SlurmSwitch> switches;
    for (int line = 1; !text.empty(); ++line) {
        const std::string_view words = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(words.size() + 1, text.size()));
        SlurmSwitch found{"", "", "", line, ""};
        for (const auto& [key, value] : words_of(words)) {
            if (key == "switchname") {
                found.name = value;
            } else if (key == "nodes") {
                found.nodes = value;
            } else if (key == "switches") {
                found.switches = value;
            } else if (key == "linkspeed") {
                found.link_speed = value;
            } else {
                return failure(
                    {.file = file,
                     .line = line,
                     .problem = fmt::format("{} is no word of a tree in topology.conf", in_quotes(key)),
                     .advice = "write SwitchName=, Nodes= and Switches=; blocks have no switches to follow"});
            }
        }
        if (found.name.empty() && words_of(words).empty()) {
            continue;
        }
        if (found.name.empty() || found.nodes.empty() == found.switches.empty()) {
            return failure({.file = file,
                            .line = line,
                            .problem = found.name.empty() ? "a switch without a name"
                                                          : fmt::format("switch {} has neither nodes nor switches, or "
                                                                        "both",
                                                                        in_quotes(found.name)),
                            .advice = "write SwitchName=s0 Nodes=n[0-3] or SwitchName=s0 Switches=s[1-2]"});
        }
        switches.push_back(std::move(found));
    }
    return TreeOfSwitches(std::move(switches), file).build("Slurm's topology.conf");
}

Expected<FoundTree> read_slurm_yaml(std::string_view text, const std::string& file) {
    try {
        const YAML::Node document = YAML::Load(std::string(text));
        YAML::Node chosen;
        if (document.IsSequence()) {
            for (const YAML::Node& each : document) {
                const bool is_default = each.IsMap() && scalar(each, "cluster_default") == "true";
                if (!chosen.IsMap() || is_default) {
                    chosen.reset(each);
                }
            }
        }
        auto switches = chosen.IsMap() ? switches_of(chosen) : std::nullopt;
        if (!switches) {
            return failure({.file = file,
                            .line = chosen.IsMap() ? chosen.Mark().line + 1 : 1,
                            .problem = "no tree of switches is described",
                            .advice = "give a topology.yaml with - topology: and under it tree: switches:"});
        }
        for (const SlurmSwitch& each : *switches) {
            if (each.name.empty() || each.nodes.empty() == each.switches.empty()) {
                return failure({.file = file,
                                .line = each.line,
                                .problem = "a switch without a name, or with neither or both of nodes and children",
                                .advice = "write switch: s0 and either nodes: n[0-3] or children: s[1-2]"});
            }
        }
        return TreeOfSwitches(std::move(*switches), file).build("Slurm's topology.yaml");
    } catch (const YAML::Exception& error) {
        // The library reads what is no text as some encoding, and counts columns that are not there.
        const bool is_inside = error.mark.pos >= 0 && error.mark.column <= static_cast<std::ptrdiff_t>(text.size());
        return failure({.file = file,
                        .line = error.mark.line + 1,
                        .column = is_inside ? error.mark.column + 1 : 0,
                        .problem = fmt::format("it is no YAML: {}", error.msg),
                        .advice = "give Slurm's topology.yaml as it is"});
    }
}

}  // namespace aapc::imports
