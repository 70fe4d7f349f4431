#include "aapc/topology_file.hpp"

// The parser is compiled in, without exceptions: the core then throws nothing, and a preloaded interposer does not pull
// one more shared library into the user's program. The distribution's target asks for the opposite.
#undef TOML_HEADER_ONLY
#undef TOML_SHARED_LIB
#define TOML_HEADER_ONLY 1
#define TOML_EXCEPTIONS 0
#define TOML_ENABLE_FORMATTERS 0
#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <utility>

#include "network/switch_tree.hpp"
#include "network/wording.hpp"

namespace aapc {

namespace {

constexpr std::size_t most_bytes_in_file = std::size_t{16} << 20U;
constexpr int most_dots_on_a_line = 16;
constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";

/// The text by lines, to turn the parser's positions, which count characters, into ours, which count bytes.
class Lines {
  public:
    explicit Lines(std::string_view text) : text_(text), lines_{{0, true}} {
        for (std::size_t at = 0; at < text.size(); ++at) {
            if (text[at] == '\n') {
                lines_.push_back({at + 1, true});
            } else if (static_cast<unsigned char>(text[at]) >= 0x80) {
                lines_.back().is_ascii = false;
            }
        }
    }

    [[nodiscard]] Position position(const toml::source_position& given) {
        if (given.line < 1) {
            return {};
        }
        const std::size_t line = std::min<std::size_t>(given.line, lines_.size()) - 1;
        const std::size_t character = given.column < 1 ? 0 : given.column - 1;
        return {static_cast<int>(line) + 1, static_cast<int>(byte_of(line, character)) + 1};
    }

    /// The first byte outside ASCII on the line, from `position` on, if there is one; otherwise `position`.
    [[nodiscard]] Position next_outside_ascii(Position position) const {
        const std::size_t start = lines_[static_cast<std::size_t>(position.line) - 1].start;
        for (std::size_t at = start + static_cast<std::size_t>(position.column) - 1;
             at < text_.size() && text_[at] != '\n'; ++at) {
            if (static_cast<unsigned char>(text_[at]) >= 0x80) {
                return {position.line, static_cast<int>(at - start) + 1};
            }
        }
        return position;
    }

    /// The position of the character at `offset` in the string `value` that stands at `position`, or the string's own
    /// where escapes or several lines keep the two from agreeing.
    [[nodiscard]] Position inside(Position position, std::string_view value, int offset) const {
        const std::size_t start =
            lines_[static_cast<std::size_t>(position.line) - 1].start + static_cast<std::size_t>(position.column);
        if (start <= text_.size() && text_.substr(start, value.size()) == value &&
            value.find('\n') == std::string_view::npos) {
            position.column += offset;
        }
        return position;
    }

  private:
    struct Line {
        std::size_t start;
        bool is_ascii;
    };

    /// The byte of a line at which its character starts, both from 0; the line's end for characters beyond, such as
    /// those behind the end of the file that the parser counts.
    [[nodiscard]] std::size_t byte_of(std::size_t line, std::size_t character) {
        const std::size_t start = lines_[line].start;
        const std::size_t end = line + 1 < lines_.size() ? lines_[line + 1].start - 1 : text_.size();
        if (lines_[line].is_ascii) {
            return std::min(character, end - start);
        }
        // One line is kept, so that a file written on one long line costs no more than one of many lines.
        if (line != indexed_line_) {
            indexed_line_ = line;
            character_starts_.clear();
            for (std::size_t at = start; at < end; ++at) {
                if ((static_cast<unsigned char>(text_[at]) & 0xc0U) != 0x80) {
                    character_starts_.push_back(at - start);
                }
            }
            character_starts_.push_back(end - start);
        }
        return character_starts_[std::min(character, character_starts_.size() - 1)];
    }

    std::string_view text_;
    std::vector<Line> lines_;
    std::size_t indexed_line_ = static_cast<std::size_t>(-1);
    std::vector<std::size_t> character_starts_;
};

/// The offset behind the TOML string that starts at `at`, as far as it goes.
std::size_t skip_string(std::string_view text, std::size_t at) {
    const std::string delimiter(text.substr(at, 3) == std::string(3, text[at]) ? 3 : 1, text[at]);
    const bool is_one_line = delimiter.size() == 1;
    const bool has_escapes = text[at] == '"';
    at += delimiter.size();
    while (at < text.size() && !(is_one_line && text[at] == '\n')) {
        if (has_escapes && text[at] == '\\') {
            at += 2;
        } else if (text.substr(at, delimiter.size()) == delimiter) {
            at += delimiter.size();
            // Up to two quotation marks before the three that end a string belong to it.
            for (int extra = 0; !is_one_line && extra < 2 && at < text.size() && text[at] == delimiter[0]; ++extra) {
                ++at;
            }
            return at;
        } else {
            ++at;
        }
    }
    return std::min(at, text.size());
}

/// The first line with a key of very many dotted parts, or 0. The parser makes a nested table of each part and takes
/// them down recursively, so such a line could overflow the stack. Dots in strings and comments do not count.
int line_with_deep_key(std::string_view text) {
    int dots = 0;
    for (std::size_t at = 0; at < text.size();) {
        const char character = text[at];
        if (character == '"' || character == '\'') {
            at = skip_string(text, at);
            continue;
        }
        if (character == '#') {
            at = std::min(text.find('\n', at), text.size());
            continue;
        }
        if (character == '\n') {
            dots = 0;
        } else if (character == '.' && ++dots > most_dots_on_a_line) {
            return static_cast<int>(std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n')) + 1;
        }
        ++at;
    }
    return 0;
}

std::string_view describe_type(const toml::node& node) {
    switch (node.type()) {
        case toml::node_type::table:
            return "a table";
        case toml::node_type::array:
            return "an array";
        case toml::node_type::string:
            return "a string";
        case toml::node_type::integer:
            return "an integer";
        case toml::node_type::floating_point:
            return "a floating-point number";
        case toml::node_type::boolean:
            return "a boolean";
        default:
            return "a date or time";
    }
}

class TopologyReader {
  public:
    TopologyReader(std::string_view text, std::string_view file)
        : lines_(text), file_(file), mistake_(file), absence_(file) {}

    Expected<Network> read(const toml::table& root) {
        if (const auto unsupported = unsupported_kind(root)) {
            return failure(*unsupported);
        }
        check_keys(root, "at the top of the file", root_keys);
        read_network(root);
        read_switches(root);
        for (const FirstMistake* mistake : {&mistake_, &absence_}) {
            if (mistake->found()) {
                return failure(*mistake->found());
            }
        }
        return connect(tree_, file_);
    }

    [[nodiscard]] Diagnostic syntax_mistake(const toml::parse_error& error) {
        Position position = lines_.position(error.source().begin);
        std::string what(error.description());
        const auto mentions = [&](std::string_view part) { return what.find(part) != std::string::npos; };
        std::string right = "correct it; docs/topology-files.md shows the format";
        if (mentions("end-of-file")) {
            right = "complete it: the file seems to be cut off here";
        } else if (mentions("could not determine value type")) {
            right = "put text in quotation marks, as in name = \"s0\"";
        } else if (mentions("redefine") && mentions("'switch'")) {
            right = "start every switch with [[switch]], in double brackets";
        } else if (mentions("redefine")) {
            right = "keep one of the two";
        } else if (mentions("utf-8")) {
            right = "save the file as UTF-8 text";
            position = lines_.next_outside_ascii(position);  // the parser points at the last character it could read
        }
        return {file_, position.line, position.column, fmt::format("not valid TOML: {}", what), std::move(right)};
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

    void check_keys(const toml::table& table, std::string_view where, std::span<const std::string_view> known) {
        for (auto&& [key, value] : table) {
            if (std::find(known.begin(), known.end(), key.str()) == known.end()) {
                const auto nearest = nearest_word(key.str(), known);
                mistake_.add(lines_.position(key.source().begin),
                             fmt::format("unknown key {} {}", in_quotes(key.str()), where),
                             nearest ? fmt::format("did you mean '{}'?", *nearest)
                                     : fmt::format("known here: {}", fmt::join(known, ", ")));
            }
        }
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
        check_keys(*network, "in [network]", network_keys);
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
        check_keys(table, "in [[switch]]", switch_keys);
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

Diagnostic file_mistake(const std::string& path, std::string wrong, std::string right) {
    return {path, 0, 0, std::move(wrong), std::move(right)};
}

Diagnostic too_large(std::string_view file) {
    return file_mistake(std::string(file), "it is larger than 16 MiB", "give a topology file");
}

}  // namespace

Expected<Network> read_topology(std::string_view text, std::string_view file) {
    if (text.size() > most_bytes_in_file) {
        return failure(too_large(file));
    }
    if (text.starts_with(byte_order_mark)) {
        text.remove_prefix(byte_order_mark.size());
    }
    if (const int line = line_with_deep_key(text); line > 0) {
        return failure({std::string(file), line, 1,
                        fmt::format("more than {} dots outside strings on this line", most_dots_on_a_line),
                        "the format has no keys of several parts"});
    }
    TopologyReader reader(text, file);
    const toml::parse_result result = toml::parse(text);
    if (!result) {
        return failure(reader.syntax_mistake(result.error()));
    }
    return reader.read(result.table());
}

Expected<Network> read_topology_file(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) {
        return failure(file_mistake(path, "it is a directory", "give the name of a topology file"));
    }
    std::ifstream stream(path, std::ios::binary);
    if (!stream) {
        return failure(file_mistake(path, fmt::format("cannot be opened: {}", std::strerror(errno)),
                                    "give the name of a topology file that can be read"));
    }
    std::string text;
    std::array<char, 65'536> piece;
    while (text.size() <= most_bytes_in_file && stream.read(piece.data(), piece.size()).gcount() > 0) {
        text.append(piece.data(), static_cast<std::size_t>(stream.gcount()));
    }
    if (stream.bad()) {
        return failure(file_mistake(path, "cannot be read", "give the name of a topology file that can be read"));
    }
    return read_topology(text, path);
}

}  // namespace aapc
