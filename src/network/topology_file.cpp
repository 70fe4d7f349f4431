#include "aapc/topology_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "network/switch_tree.hpp"
#include "network/toml_text.hpp"
#include "network/wording.hpp"

namespace aapc {

namespace {

constexpr TomlFormat format{"a topology file", "docs/topology-files.md", "switch"};

class TopologyReader {
  public:
    TopologyReader(Lines lines, std::string_view file)
        : lines_(std::move(lines)), file_(file), mistake_(file), absence_(file) {}

    Expected<Network> read(const toml::table& root) {
        if (const auto unsupported = unsupported_kind(root)) {
            return failure(*unsupported);
        }
        check_keys(root, "at the top of the file", root_keys, lines_, mistake_);
        read_network(root);
        read_switches(root);
        for (const FirstMistake* mistake : {&mistake_, &absence_}) {
            if (mistake->found()) {
                return failure(*mistake->found());
            }
        }
        return connect(tree_, file_);
    }

  private:
    static constexpr std::array<std::string_view, 2> root_keys{"network", "switch"};
    static constexpr std::array<std::string_view, 2> network_keys{"kind", "speed"};
    static constexpr std::array<std::string_view, 5> switch_keys{"name", "uplink", "speed", "machines",
                                                                 "machine_speed"};

    [[nodiscard]] Position position(const toml::node& node) { return lines_.position(node.source().begin); }

    /// Kinds that the format has but this program does not read yet. Everything else in such a file would look wrong.
    [[nodiscard]] std::optional<Diagnostic> unsupported_kind(const toml::table& root) {
        const auto* kind = root["network"]["kind"].as_string();
        if (kind == nullptr || (kind->get() != "torus" && kind->get() != "clusters")) {
            return std::nullopt;
        }
        const Position at = position(*kind);
        return Diagnostic{file_, at.line, at.column,
                          fmt::format("networks of kind \"{}\" are not supported yet", kind->get()),
                          "describe a tree of switches with kind = \"tree\""};
    }

    void add_type_mistake(const toml::node& node, std::string_view what, std::string_view example) {
        mistake_.add(position(node), fmt::format("{} is {}", what, describe_type(node)),
                     fmt::format("write {}", example));
    }

    /// The string at `key`; nothing, with or without a mistake, if there is none.
    const toml::value<std::string>* string_at(const toml::table& table, std::string_view key,
                                              std::string_view example) {
        const toml::node* node = table.get(key);
        if (node == nullptr) {
            return nullptr;
        }
        if (!node->is_string()) {
            add_type_mistake(*node, key, example);
        }
        return node->as_string();
    }

    /// Adds a mistake that a function of strings found inside the string `value`.
    void add_inside(const toml::value<std::string>& value, const Diagnostic& diagnostic) {
        mistake_.add(lines_.inside(position(value), value.get(), diagnostic.column), diagnostic.wrong,
                     diagnostic.right);
    }

    std::optional<double> read_speed(const toml::table& table, std::string_view key) {
        const auto* text =
            string_at(table, key, fmt::format("{} = \"100Mbit\", in quotation marks and with a unit", key));
        if (text == nullptr) {
            return std::nullopt;
        }
        const auto speed = parse_speed(text->get());
        if (!speed) {
            add_inside(*text, speed.error());
            return std::nullopt;
        }
        return *speed;
    }

    void read_network(const toml::table& root) {
        const toml::node* node = root.get("network");
        if (node == nullptr) {
            return;
        }
        const toml::table* network = node->as_table();
        if (network == nullptr) {
            add_type_mistake(*node, "network", "[network], in single brackets, once");
            return;
        }
        check_keys(*network, "in [network]", network_keys, lines_, mistake_);
        if (const auto* kind = string_at(*network, "kind", "kind = \"tree\"");
            kind != nullptr && kind->get() != "tree") {
            mistake_.add(position(*kind), fmt::format("unknown kind of network {}", in_quotes(kind->get())),
                         "the kind that is supported is \"tree\"");
        }
        tree_.speed = read_speed(*network, "speed");
    }

    void read_switches(const toml::table& root) {
        const toml::node* node = root.get("switch");
        if (node == nullptr) {
            absence_.add({}, "the file describes no switch", "add a [[switch]] with a name and machines");
            return;
        }
        const toml::array* switches = node->as_array();
        if (switches == nullptr) {
            add_type_mistake(*node, "switch", "[[switch]], in double brackets, for every switch");
            return;
        }
        if (switches->empty()) {
            mistake_.add(position(*node), "the file describes no switch", "add a [[switch]] with a name and machines");
            return;
        }
        for (const toml::node& element : *switches) {
            if (tree_.switches.size() == static_cast<std::size_t>(max_machines)) {
                mistake_.add(position(element), fmt::format("more than {} switches", max_machines),
                             "describe fewer switches");
                return;
            }
            if (const toml::table* table = element.as_table()) {
                read_switch(*table);
            } else {
                add_type_mistake(element, "a switch", "[[switch]], in double brackets, for every switch");
            }
        }
    }

    void read_switch(const toml::table& table) {
        check_keys(table, "in [[switch]]", switch_keys, lines_, mistake_);
        DeclaredSwitch& declaration = tree_.switches.emplace_back();
        declaration.position = position(table);
        if (const auto* name = string_at(table, "name", "name = \"s0\"")) {
            declaration.name = {name->get(), position(*name)};
            if (const auto wrong = name_mistake(name->get(), "switch")) {
                add_inside(*name, *wrong);
            }
        } else if (!table.contains("name")) {
            absence_.add(declaration.position, "a switch without a name", "add name = \"s0\" to it");
        }
        if (const auto* uplink = string_at(table, "uplink", "uplink = \"s0\", the name of one switch")) {
            declaration.uplink = {uplink->get(), position(*uplink)};
        }
        declaration.speed = read_speed(table, "speed");
        declaration.machine_speed = read_speed(table, "machine_speed");
        if (const toml::node* speed = table.get("speed"); speed != nullptr && !table.contains("uplink")) {
            mistake_.add(position(*speed), "speed is that of the uplink, and this switch has none",
                         "add the uplink, or write machine_speed for the links of its machines");
        }
        if (const toml::node* machines = table.get("machines")) {
            read_machines(*machines, declaration);
        }
    }

    void read_machines(const toml::node& node, DeclaredSwitch& declaration) {
        constexpr std::string_view example = "machines = \"n[0-3]\" or machines = [\"n0\", \"n1\"]";
        if (const auto* text = node.as_string()) {
            read_hostlist(*text, declaration);
            return;
        }
        const toml::array* list = node.as_array();
        if (list == nullptr) {
            add_type_mistake(node, "machines", example);
            return;
        }
        for (const toml::node& element : *list) {
            if (const auto* text = element.as_string()) {
                read_hostlist(*text, declaration);
            } else {
                add_type_mistake(element, "a machine", example);
            }
        }
    }

    void read_hostlist(const toml::value<std::string>& text, DeclaredSwitch& declaration) {
        if (machines_ > max_machines || ranks_ > max_ranks) {
            return;  // said already; many such lists must not fill the memory
        }
        const auto entries = expand_hostlist(text.get());
        if (!entries) {
            add_inside(text, entries.error());
            return;
        }
        const Position start = position(text);
        machines_ += static_cast<std::int64_t>(entries->size());
        if (machines_ > max_machines) {
            mistake_.add(start, fmt::format("{} machines up to here", machines_),
                         fmt::format("describe at most {} machines in a file", max_machines));
            return;
        }
        for (const HostlistEntry& entry : *entries) {
            const Position at = lines_.inside(start, text.get(), entry.column);
            ranks_ += entry.ranks;
            if (ranks_ > max_ranks) {
                mistake_.add(at, fmt::format("{} ranks up to here", ranks_),
                             fmt::format("describe at most {} ranks in a file", max_ranks));
                return;
            }
            declaration.machines.push_back({{entry.name, at}, entry.ranks});
        }
    }

    Lines lines_;
    std::string file_;
    FirstMistake mistake_;
    /// What is missing counts only where nothing is wrong: a mistyped key is both, and better answered as the first.
    FirstMistake absence_;
    DeclaredTree tree_;
    std::int64_t machines_ = 0;
    std::int64_t ranks_ = 0;
};

}  // namespace

Expected<Network> read_topology(std::string_view text, std::string_view file) {
    text = without_byte_order_mark(text);
    Lines lines(text);
    const auto table = parse_toml(text, file, lines, format);
    if (!table) {
        return failure(table.error());
    }
    return TopologyReader(std::move(lines), file).read(*table);
}

Expected<Network> read_topology_file(const std::string& path) {
    const auto text = read_text_file(path, format.kind);
    if (!text) {
        return failure(text.error());
    }
    return read_topology(*text, path);
}

}  // namespace aapc
