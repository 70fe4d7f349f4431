// Slurm's topology: topology.conf, what scontrol prints of it, and topology.yaml.
#include <fmt/format.h>
#include <yaml-cpp/yaml.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <map>
#include <optional>
#include <set>

#include "aapc/input/hostlist.hpp"
#include "aapc/input/units.hpp"
#include "cli/imports/imports.hpp"
#include "input/lines.hpp"
#include "input/wording.hpp"

namespace aapc::imports {

namespace {

constexpr std::size_t most_names = 131'072;            // of machines and switches in a topology file
constexpr std::size_t most_repeated = 8 * most_names;  // where spines list the same leaves, and scontrol nodes
constexpr int most_includes = 16;                      // within one another

/// A line of topology.conf, or an entry of topology.yaml.
struct SlurmSwitch {
    std::string name;
    std::string nodes;
    std::string switches;
    std::string link_speed;
    std::string file;
    int line = 0;
    bool has_level = false;  ///< as scontrol prints it: then nodes are also those below
};

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    return lower;
}

/// What a speed without a unit may mean; nullopt if the text is neither a speed nor a number above 1.
std::optional<std::string> speed_guess(const std::string& text) {
    if (const auto speed = parse_speed(text)) {
        return written_speed(*speed);
    }
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    const bool is_number = error == std::errc() && end == text.data() + text.size();
    if (!is_number || !(number > 1) || number > 1e15) {
        return std::nullopt;  // 1 is what Slurm prints if the file has no LinkSpeed
    }
    return written_speed(number < 1000 ? number * 1e9 : number < 1e7 ? number * 1e6 : number);
}

/// LinkSpeed as a hint with a question; empty if it says nothing.
std::string speed_question(const std::vector<SlurmSwitch>& switches) {
    std::map<std::string, std::vector<std::string>> of;
    std::vector<std::string> order;
    for (const SlurmSwitch& each : switches) {
        if (speed_guess(each.link_speed)) {
            std::vector<std::string>& names = of[each.link_speed];
            if (names.empty()) {
                order.push_back(each.link_speed);
            }
            names.push_back(each.name);
        }
    }
    std::string text;
    for (const std::string& value : order) {
        text += fmt::format("{}LinkSpeed={} of {} (does it mean {}?)", text.empty() ? "" : ", ", value,
                            listed(of[value]), *speed_guess(value));
    }
    return text.empty()
               ? ""
               : fmt::format("Slurm gives LinkSpeed no unit and does not use it, so it is not taken: {}.", text);
}

/// Puts nodes and switches below their switches as cables.
class SlurmTree {
  public:
    SlurmTree(std::vector<SlurmSwitch> switches, const Input& input) : switches_(std::move(switches)), input_(input) {}

    Expected<Wiring> build(const std::string& source) {
        if (switches_.empty()) {
            return failure({.file = input_.file,
                            .line = 1,
                            .problem = "no switch is in it",
                            .advice = "give Slurm's topology.conf or topology.yaml of a tree, with a line "
                                      "SwitchName=s0 Nodes=n[0-3] for each switch"});
        }
        wiring_.source = source;
        wiring_.speed_hint = speed_question(switches_);
        for (const SlurmSwitch& each : switches_) {
            if (const auto [at, added] = numbers_.emplace(each.name, wiring_.switches.size()); !added) {
                return refuse(each, fmt::format("switch {} is there twice", in_quotes(each.name)), "describe it once");
            }
            if (plain_name(each.name) != each.name) {
                return refuse(each, fmt::format("{} is no name for a switch in a topology file", in_quotes(each.name)),
                              "use letters, digits, '-', '_' and '.'");
            }
            wiring_.switches.push_back(each.name);
            if (each.file == input_.file) {
                wiring_.lines.emplace(each.name, each.line);
            }
        }
        for (const SlurmSwitch& each : switches_) {
            if (auto plugged = plug_switches(each); !plugged) {
                return failure(plugged.error());
            }
        }
        if (const SlurmSwitch* circular = in_a_ring()) {
            return refuse(*circular, fmt::format("switch {} is below itself, in a ring", in_quotes(circular->name)),
                          "let each be below switches that lead to the top");
        }
        for (const SlurmSwitch& each : switches_) {
            if (auto plugged = plug_nodes(each); !plugged) {
                return failure(plugged.error());
            }
        }
        for (const SlurmSwitch& each : switches_) {
            if (auto listed = expect_nodes_below(each); !listed) {
                return failure(listed.error());
            }
        }
        put_in_order();
        return std::move(wiring_);
    }

  private:
    static tl::unexpected<Diagnostic> refuse(const SlurmSwitch& at, std::string problem, std::string advice) {
        return failure({.file = at.file, .line = at.line, .problem = std::move(problem), .advice = std::move(advice)});
    }

    /// `counted` are the names so far, of which there are at most `most`.
    static Expected<std::vector<HostlistEntry>> names(const SlurmSwitch& each, const std::string& list,
                                                      std::size_t& counted, std::size_t most) {
        auto names = expand_hostlist(list);
        if (!names) {
            names.error().file = each.file;
            names.error().line = each.line;
            return names;
        }
        counted += names->size();
        if (counted > most) {
            return refuse(each, fmt::format("with these it has more than {} names", most),
                          "a topology file describes no more; give a part");
        }
        return names;
    }

    Expected<void> plug_switches(const SlurmSwitch& each) {
        if (each.switches.empty()) {
            return {};
        }
        const auto below = names(each, each.switches, repeated_, most_repeated);
        if (!below) {
            return failure(below.error());
        }
        std::set<std::string> listed_here;
        for (const HostlistEntry& entry : *below) {
            if (!numbers_.contains(entry.name)) {
                return refuse(each, fmt::format("there is no switch {}", in_quotes(entry.name)),
                              "add a line SwitchName= for it");
            }
            if (!listed_here.insert(entry.name).second) {
                return refuse(each, fmt::format("switch {} is listed twice", in_quotes(entry.name)), "list it once");
            }
            below_[each.name].push_back(entry.name);
            wiring_.cables.push_back({each.name, entry.name});
        }
        return {};
    }

    Expected<void> plug_nodes(const SlurmSwitch& each) {
        if (each.nodes.empty() || !each.switches.empty()) {
            return {};
        }
        const auto nodes = names(each, each.nodes, plugged_, most_names);
        if (!nodes) {
            return failure(nodes.error());
        }
        for (const HostlistEntry& entry : *nodes) {
            if (numbers_.contains(entry.name)) {
                return refuse(each, fmt::format("{} is a switch and a node", in_quotes(entry.name)),
                              "give the switch another name");
            }
            if (const auto [at, added] = switch_of_.emplace(entry.name, each.name); !added) {
                return refuse(each,
                              fmt::format("node {} is below {} already", in_quotes(entry.name), in_quotes(at->second)),
                              "leave it to one switch; of several rails describe one");
            }
            nodes_of_[each.name].push_back(entry.name);
            wiring_.cables.push_back({each.name, entry.name});
        }
        return {};
    }

    /// scontrol repeats at each switch the nodes of those below.
    Expected<void> expect_nodes_below(const SlurmSwitch& each) {
        if (each.nodes.empty() || each.switches.empty()) {
            return {};
        }
        const auto nodes = names(each, each.nodes, repeated_, most_repeated);
        if (!nodes) {
            return failure(nodes.error());
        }
        for (const HostlistEntry& entry : *nodes) {
            if (!switch_of_.contains(entry.name)) {
                return refuse(each,
                              fmt::format("node {} of switch {} is below none of its switches", in_quotes(entry.name),
                                          in_quotes(each.name)),
                              "list it at the switch that it is plugged into");
            }
        }
        return {};
    }

    /// A switch from which the lists of switches lead back to it; null if there is none.
    [[nodiscard]] const SlurmSwitch* in_a_ring() const {
        std::map<std::string, std::size_t> above;  // how many are not done
        for (const auto& [name, below] : below_) {
            for (const std::string& lower : below) {
                ++above[lower];
            }
        }
        std::vector<std::string> done;
        for (const SlurmSwitch& each : switches_) {
            if (!above.contains(each.name)) {
                done.push_back(each.name);
            }
        }
        for (std::size_t index = 0; index < done.size(); ++index) {
            const auto below = below_.find(done[index]);
            if (below == below_.end()) {
                continue;
            }
            for (const std::string& lower : below->second) {
                if (--above[lower] == 0) {
                    done.push_back(lower);
                }
            }
        }
        std::set<std::string> free(done.begin(), done.end());
        // What is left is in a ring or below one; the latter leads only to switches that are free.
        for (bool changed = true; changed;) {
            changed = false;
            for (const SlurmSwitch& each : switches_) {
                const auto below = below_.find(each.name);
                const bool is_end = below == below_.end() ||
                                    std::all_of(below->second.begin(), below->second.end(),
                                                [&](const std::string& lower) { return free.contains(lower); });
                changed = (is_end && free.insert(each.name).second) || changed;
            }
        }
        const auto stuck = std::find_if(switches_.begin(), switches_.end(),
                                        [&](const SlurmSwitch& each) { return !free.contains(each.name); });
        return stuck == switches_.end() ? nullptr : &*stuck;
    }

    /// From the top down, each switch followed by those below it, in the order of the file.
    void put_in_order() {
        std::set<std::string> has_uplink;
        for (const auto& [name, below] : below_) {
            has_uplink.insert(below.begin(), below.end());
        }
        std::vector<std::string> to_add;
        for (auto each = switches_.rbegin(); each != switches_.rend(); ++each) {
            if (!has_uplink.contains(each->name)) {
                to_add.push_back(each->name);
            }
        }
        std::vector<std::string> ordered;
        std::set<std::string> added;
        while (!to_add.empty()) {
            const std::string name = to_add.back();
            to_add.pop_back();
            if (!added.insert(name).second) {
                continue;
            }
            ordered.push_back(name);
            const std::vector<std::string>& nodes = nodes_of_[name];
            wiring_.machines.insert(wiring_.machines.end(), nodes.begin(), nodes.end());
            std::vector<std::string>& below = below_[name];
            std::sort(below.begin(), below.end(), [&](const std::string& one, const std::string& other) {
                return numbers_.at(one) > numbers_.at(other);
            });
            to_add.insert(to_add.end(), below.begin(), below.end());
        }
        wiring_.switches = std::move(ordered);
    }

    std::vector<SlurmSwitch> switches_;
    const Input& input_;
    Wiring wiring_;
    std::map<std::string, std::size_t> numbers_;
    std::map<std::string, std::vector<std::string>> below_;
    std::map<std::string, std::vector<std::string>> nodes_of_;
    std::map<std::string, std::string> switch_of_;
    std::size_t plugged_ = 0;
    std::size_t repeated_ = 0;
};

/// A key and its value, as Slurm's parser takes them: spaces around the equals sign, quotation marks around the value.
struct Word {
    std::string key;  ///< in lower case
    std::string value;
    bool has_value = false;
};

/// Reads topology.conf and what scontrol shows, which has the same words.
class ConfReader {
  public:
    explicit ConfReader(const Input& input) : input_(input) {}

    Expected<void> read(std::string_view text, const std::string& file, int depth) {
        for (int next = 1; !text.empty();) {
            const int line = next;
            std::string joined;
            for (bool goes_on = true; goes_on && !text.empty(); ++next) {
                std::string_view part = without_remark(take_line(text));
                goes_on = part.ends_with('\\');
                part.remove_suffix(goes_on ? 1 : 0);
                joined += part;
                joined += goes_on ? " " : "";
            }
            if (auto taken = read_line(joined, {file, line}, depth); !taken) {
                return taken;
            }
        }
        return {};
    }

    [[nodiscard]] bool is_printed() const { return is_printed_; }
    std::vector<SlurmSwitch> switches() && { return std::move(switches_); }

  private:
    struct Place {
        const std::string& file;
        int line;
    };

    static tl::unexpected<Diagnostic> refuse(const Place& at, std::string problem, std::string advice) {
        return failure({.file = at.file, .line = at.line, .problem = std::move(problem), .advice = std::move(advice)});
    }

    /// Up to a # that has no backslash before it, without spaces at the end.
    static std::string_view without_remark(std::string_view line) {
        std::size_t end = line.find('#');
        while (end != std::string_view::npos && end > 0 && line[end - 1] == '\\') {
            end = line.find('#', end + 1);
        }
        line = line.substr(0, end);
        return line.substr(0, line.find_last_not_of(" \t\r") + 1);
    }

    static Expected<std::vector<Word>> words_of(std::string_view rest, const Place& at) {
        constexpr std::string_view spaces = " \t\r";
        const auto skip = [&] { rest.remove_prefix(std::min(rest.find_first_not_of(spaces), rest.size())); };
        std::vector<Word> words;
        for (skip(); !rest.empty(); skip()) {
            Word word;
            const std::string_view key = rest.substr(0, rest.find_first_of(" \t\r="));
            rest.remove_prefix(key.size());
            word.key = lower_case(key);
            skip();
            word.has_value = rest.starts_with('=');
            if (word.has_value) {
                rest.remove_prefix(1);
                skip();
                if (rest.starts_with('"')) {
                    const std::size_t close = rest.find('"', 1);
                    if (close == std::string_view::npos) {
                        return refuse(at, fmt::format("the quotation mark after {}= is not closed", key),
                                      "add one after the value");
                    }
                    word.value = rest.substr(1, close - 1);
                    rest.remove_prefix(close + 1);
                } else {
                    word.value = rest.substr(0, rest.find_first_of(spaces));
                    rest.remove_prefix(word.value.size());
                }
            }
            words.push_back(std::move(word));
        }
        return words;
    }

    Expected<void> read_line(std::string_view text, const Place& at, int depth) {
        const auto words = words_of(text, at);
        if (!words) {
            return failure(words.error());
        }
        if (words->empty()) {
            return {};
        }
        if (words->front().key == "include" && !words->front().has_value) {
            return include(text, at, depth);
        }
        // What scontrol prints may go on in a line that is indented.
        const bool goes_on = !switches_.empty() && switches_.back().has_level && text.starts_with(' ') &&
                             words->front().key != "switchname";
        SlurmSwitch found = goes_on ? std::move(switches_.back()) : SlurmSwitch{};
        if (goes_on) {
            switches_.pop_back();
        } else {
            found.file = at.file;
            found.line = at.line;
        }
        for (const auto& [key, value, has_value] : *words) {
            std::string* const into = key == "switchname"  ? &found.name
                                      : key == "nodes"     ? &found.nodes
                                      : key == "switches"  ? &found.switches
                                      : key == "linkspeed" ? &found.link_speed
                                                           : nullptr;
            if (key == "level") {
                found.has_level = true;
                is_printed_ = true;
            } else if (into == nullptr || !has_value) {
                return refuse(at,
                              key.starts_with("block") ? "it describes blocks, which say nothing of switches"
                                                       : fmt::format("unknown key {}", in_quotes(key)),
                              "expected SwitchName=, Nodes=, Switches= or LinkSpeed=");
            } else {
                *into = value == "(null)" ? "" : value;
            }
        }
        const bool has_both = !found.nodes.empty() && !found.switches.empty();
        const bool has_none = found.nodes.empty() && found.switches.empty();
        if (found.name.empty() || (!found.has_level && (has_both || has_none))) {
            return refuse(at,
                          found.name.empty()
                              ? std::string("a switch without a name")
                              : fmt::format("switch {} has {}", in_quotes(found.name),
                                            has_both ? "both nodes and switches" : "neither nodes nor switches"),
                          "write SwitchName=s0 Nodes=n[0-3] or SwitchName=s0 Switches=s[1-2]");
        }
        switches_.push_back(std::move(found));
        return {};
    }

    Expected<void> include(std::string_view text, const Place& at, int depth) {
        std::string_view path = trimmed(text);
        path.remove_prefix(std::string_view("include").size());
        path = trimmed(path);
        if (path.size() > 1 && path.starts_with('"') && path.ends_with('"')) {
            path = path.substr(1, path.size() - 2);
        }
        if (path.empty() || !input_.include || depth >= most_includes) {
            return refuse(at,
                          path.empty() ? std::string("Include without a file")
                          : !input_.include
                              ? std::string("Include cannot be followed here")
                              : fmt::format("files include one another more than {} times", most_includes),
                          "write the lines of that file here");
        }
        const std::string name(path);
        const auto included = input_.include(name);
        if (!included) {
            return refuse(at, fmt::format("cannot include {}: {}", in_quotes(name), included.error().problem),
                          "give a path from the directory of this file, or the lines of that file here");
        }
        return read(*included, name, depth + 1);
    }

    const Input& input_;
    std::vector<SlurmSwitch> switches_;
    bool is_printed_ = false;
};

std::string scalar(const YAML::Node& node, const char* key) {
    const YAML::Node value = node[key];
    return value && value.IsScalar() ? value.as<std::string>() : "";
}

/// As Slurm reads it: of any case, quoted or not.
bool is_true(const std::string& value) {
    const std::string lower = lower_case(value);
    return lower == "true" || lower == "yes" || lower == "on" || lower == "y" || lower == "t" || lower == "1";
}

/// The switches of a tree; nullopt if the topology is none.
std::optional<std::vector<SlurmSwitch>> switches_of(const YAML::Node& topology, const std::string& file) {
    const YAML::Node tree = topology["tree"];
    if (!tree || !tree.IsMap() || !tree["switches"] || !tree["switches"].IsSequence()) {
        return std::nullopt;
    }
    std::vector<SlurmSwitch> switches;
    for (const YAML::Node& each : tree["switches"]) {
        if (!each.IsMap()) {
            return std::nullopt;
        }
        switches.push_back({scalar(each, "switch"), scalar(each, "nodes"), scalar(each, "children"), "", file,
                            each.Mark().line + 1, false});
    }
    return switches;
}

Expected<Wiring> read_conf(const Input& input) {
    ConfReader reader(input);
    if (const auto read = reader.read(input.text, input.file, 0); !read) {
        return failure(read.error());
    }
    const std::string source = reader.is_printed() ? "scontrol show topology" : "Slurm's topology.conf";
    return SlurmTree(std::move(reader).switches(), input).build(source);
}

/// The topology that counts: the default one, else the first.
Expected<YAML::Node> chosen_topology(const YAML::Node& document, const std::string& file) {
    YAML::Node chosen;
    bool has_default = false;
    if (document.IsSequence()) {
        for (const YAML::Node& each : document) {
            const bool is_default = each.IsMap() && is_true(scalar(each, "cluster_default"));
            if (is_default && has_default) {
                return failure({.file = file,
                                .line = each.Mark().line + 1,
                                .problem = "a second topology is the default",
                                .advice = "let one have cluster_default: true"});
            }
            if (!chosen.IsMap() || is_default) {
                chosen.reset(each);
            }
            has_default = has_default || is_default;
        }
    }
    return chosen;
}

Expected<Wiring> read_yaml(const Input& input) {
    const std::string& file = input.file;
    try {
        const YAML::Node document = YAML::Load(std::string(input.text));
        const auto chosen = chosen_topology(document, file);
        if (!chosen) {
            return failure(chosen.error());
        }
        auto switches = chosen->IsMap() ? switches_of(*chosen, file) : std::nullopt;
        if (!switches) {
            return failure({.file = file,
                            .line = chosen->IsMap() ? chosen->Mark().line + 1 : 1,
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
        auto wiring = SlurmTree(std::move(*switches), input).build("Slurm's topology.yaml");
        if (wiring && document.size() > 1) {
            add_remark(wiring->remarks, fmt::format("It describes {} topologies; this is '{}'.", document.size(),
                                                    plain_name(scalar(*chosen, "topology"))));
        }
        return wiring;
    } catch (const YAML::Exception& error) {
        // The library reads what is no text as some encoding, and counts columns that are not there.
        const bool is_inside =
            error.mark.pos >= 0 && error.mark.column <= static_cast<std::ptrdiff_t>(input.text.size());
        return failure({.file = file,
                        .line = error.mark.line + 1,
                        .column = is_inside ? error.mark.column + 1 : 0,
                        .problem = fmt::format("it is no YAML: {}", error.msg),
                        .advice = "give Slurm's topology.yaml as it is"});
    }
}

/// The lines of topology.conf begin with a key and an equals sign, those of YAML with a dash or a key and a colon.
bool is_yaml(std::string_view text) {
    while (!text.empty()) {
        const std::string_view line = trimmed(take_line(text));
        if (line.empty() || line.starts_with('#')) {
            continue;
        }
        const std::size_t mark = line.find_first_of(":=");
        return line.starts_with('-') || line.starts_with('[') || (mark != std::string_view::npos && line[mark] == ':');
    }
    return false;
}

}  // namespace

Expected<Wiring> read_slurm(const Input& input) { return is_yaml(input.text) ? read_yaml(input) : read_conf(input); }

}  // namespace aapc::imports
