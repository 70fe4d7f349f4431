#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <utility>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/hostlist.hpp"
#include "input/fnv1a.hpp"
#include "input/text_file.hpp"
#include "input/toml_reader.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr TomlFormat tuning_format{"a tuning file", "docs/tuning.md", "range"};
constexpr std::string_view format_name = "aapc-tuning/1";
constexpr std::string_view unequal_messages = "unequal";

/// The last lines of a file whose other lines are `content`.
std::string seal(std::string_view content) { return fmt::format("[end]\nchecksum = \"{}\"\n", fnv1a_text(content)); }

// ---- Writing ----

std::string quoted(std::string_view text) {
    std::string result = "\"";
    for (const char character : text) {
        const auto byte = static_cast<unsigned char>(character);
        if (character == '"' || character == '\\') {
            result += '\\';
            result += character;
        } else if (byte < 0x20 || byte == 0x7f) {
            fmt::format_to(std::back_inserter(result), "\\u{:04X}", byte);
        } else {
            result += character;
        }
    }
    return result + '"';
}

class Writer {
  public:
    void comment(std::string_view line) { fmt::format_to(std::back_inserter(text_), "# {}\n", line); }
    void heading(std::string_view heading) { fmt::format_to(std::back_inserter(text_), "\n{}\n", heading); }
    void fact(std::string_view key, std::string_view text) {
        fmt::format_to(std::back_inserter(text_), "{} = {}\n", key, quoted(text));
    }
    void fact(std::string_view key, std::int64_t number) {
        fmt::format_to(std::back_inserter(text_), "{} = {}\n", key, number);
    }
    void fact(std::string_view key, double number) {
        fmt::format_to(std::back_inserter(text_), "{} = {:.6g}\n", key, number);
    }
    [[nodiscard]] std::string sealed() {
        text_ += '\n';
        return text_ + seal(text_);
    }

  private:
    std::string text_;
};

void write_measured(Writer& writer, const MeasuredSize& measured) {
    writer.heading("[[range.measured]]");
    writer.fact("bytes", measured.bytes);
    writer.fact("native_seconds", measured.native_seconds);
    writer.fact("chosen_seconds", measured.chosen_seconds);
    writer.fact("lead", measured.lead.ratio);
    writer.fact("lead_low", measured.lead.low);
    writer.fact("lead_high", measured.lead.high);
    writer.fact("spread", measured.spread);
    writer.fact("repeats", measured.repeats);
    if (measured.runner_up) {
        writer.fact("runner_up", to_string(measured.runner_up->method));
        writer.fact("runner_up_seconds", measured.runner_up->seconds);
    }
}

// ---- Reading ----

/// What a number must be.
struct Limits {
    double least = 0;
    bool least_included = true;
    std::string_view words;  ///< "more than 0"
};

constexpr Limits any_from_zero{0, true, "0 or more"};
constexpr Limits more_than_zero{0, false, "more than 0"};
constexpr Limits one_or_more{1, true, "1 or more"};

class TuningReader : private TomlReader {
  public:
    TuningReader(Lines lines, std::string_view file, NetworkKind kind)
        : TomlReader(std::move(lines), file), kind_(kind) {}

    /// `text` is what `root` was made of.
    Expected<Tuning> read(const toml::table& root, std::string_view text) {
        // A file of another format would have many other mistakes as well.
        const auto* given = string_at(root, "format", "at the top of the file");
        if (given != nullptr && given->get() != format_name) {
            add_mistake(position(*given), fmt::format("the format is {}", in_quotes(given->get())),
                        fmt::format("'{}' is what this version reads; tune again with aapc tune", format_name));
            return failure(*complaint());
        }
        check_keys(root, "at the top of the file", root_keys);
        Tuning tuning;
        if (const toml::table* table = table_at(root, "fingerprint")) {
            read_fingerprint(*table, tuning.fingerprint);
        }
        if (const toml::table* table = table_at(root, "conditions")) {
            read_conditions(*table, tuning.conditions);
        }
        read_ranges(root, tuning.ranges);
        const toml::value<std::string>* sum = nullptr;
        if (const toml::table* end = table_at(root, "end")) {
            check_keys(*end, "in [end]", end_keys);
            sum = string_at(*end, "checksum", "in [end]");
        }
        if (!complaint()) {
            check_seal(text, *sum);
        }
        if (const auto first = complaint()) {
            return failure(*first);
        }
        return tuning;
    }

  private:
    static constexpr std::array<std::string_view, 5> root_keys{"format", "fingerprint", "conditions", "range", "end"};
    static constexpr std::array<std::string_view, 8> fingerprint_keys{
        "aapc", "mpi", "mpi_version", "topology", "topology_file", "ranks", "placement", "messages"};
    static constexpr std::array<std::string_view, 5> conditions_keys{"date", "duration_seconds", "congestion_control",
                                                                     "host", "calls"};
    static constexpr std::array<std::string_view, 3> range_keys{"from_bytes", "method", "measured"};
    static constexpr std::array<std::string_view, 10> measured_keys{
        "bytes",     "native_seconds", "chosen_seconds", "lead",      "lead_low",
        "lead_high", "spread",         "repeats",        "runner_up", "runner_up_seconds"};
    static constexpr std::array<std::string_view, 1> end_keys{"checksum"};

    void add_missing(const toml::table& table, std::string_view key, std::string_view where) {
        add_absence(position(table), fmt::format("'{}' is missing {}", key, where),
                    fmt::format("add it, or restore the file; {} shows the format", tuning_format.page));
    }

    void add_type_mistake(const toml::node& node, std::string_view key, std::string_view expected) {
        add_mistake(position(node), fmt::format("'{}' is {}", key, describe_type(node)),
                    fmt::format("it must be {}", expected));
    }

    const toml::table* table_at(const toml::table& root, std::string_view key) {
        const toml::node* node = root.get(key);
        if (node == nullptr) {
            // Such files are written from the top to the end, so what is missing has been cut off.
            add_absence(end_of_file(), fmt::format("the file has no [{}]", key),
                        "restore the file: it seems to be cut off");
            return nullptr;
        }
        if (!node->is_table()) {
            add_type_mistake(*node, key, fmt::format("a table, [{}]", key));
        }
        return node->as_table();
    }

    /// The tables of an array, and a mistake for all else in its place; `heading` is what stands above each of them.
    std::vector<const toml::table*> tables_in(const toml::node& array, std::string_view key, std::string_view heading) {
        const std::string expected = fmt::format("tables in double brackets, {}", heading);
        std::vector<const toml::table*> tables;
        if (!array.is_array()) {
            add_type_mistake(array, key, expected);
            return tables;
        }
        for (const toml::node& element : *array.as_array()) {
            if (const toml::table* table = element.as_table()) {
                tables.push_back(table);
            } else {
                add_type_mistake(element, key, expected);
            }
        }
        return tables;
    }

    const toml::value<std::string>* string_at(const toml::table& table, std::string_view key, std::string_view where) {
        const toml::node* node = table.get(key);
        if (node == nullptr) {
            add_missing(table, key, where);
            return nullptr;
        }
        if (!node->is_string()) {
            add_type_mistake(*node, key, "a string, in quotation marks");
        }
        return node->as_string();
    }

    std::string text_at(const toml::table& table, std::string_view key, std::string_view where) {
        const auto* text = string_at(table, key, where);
        return text == nullptr ? std::string() : text->get();
    }

    std::int64_t whole_number_at(const toml::table& table, std::string_view key, std::string_view where,
                                 const Limits& limits) {
        const toml::node* node = table.get(key);
        if (node == nullptr) {
            add_missing(table, key, where);
            return 0;
        }
        const auto* number = node->as_integer();
        if (number == nullptr) {
            add_type_mistake(*node, key, "a whole number");
            return 0;
        }
        check_limits(*node, key, static_cast<double>(number->get()), limits);
        return number->get();
    }

    double number_at(const toml::table& table, std::string_view key, std::string_view where, const Limits& limits) {
        const toml::node* node = table.get(key);
        if (node == nullptr) {
            add_missing(table, key, where);
            return 0;
        }
        const std::optional<double> number = node->is_number() ? node->value<double>() : std::nullopt;
        if (!number) {
            add_type_mistake(*node, key, "a number");
            return 0;
        }
        check_limits(*node, key, *number, limits);
        return *number;
    }

    void check_limits(const toml::node& node, std::string_view key, double number, const Limits& limits) {
        const bool inside = limits.least_included ? number >= limits.least : number > limits.least;
        if (!inside || !std::isfinite(number)) {
            add_mistake(position(node), fmt::format("'{}' is {}", key, number),
                        fmt::format("it must be {}", limits.words));
        }
    }

    /// The method of that key; native, with a mistake, if it is none.
    Method method_at(const toml::table& table, std::string_view key, std::string_view where) {
        const auto* text = string_at(table, key, where);
        if (text == nullptr) {
            return {};
        }
        const Expected<Method> method = parse_method(text->get(), kind_);
        if (!method) {
            add_mistake(position(*text), fmt::format("'{}': {}", key, method.error().problem), method.error().advice);
            return {};
        }
        return *method;
    }

    void read_fingerprint(const toml::table& table, Fingerprint& fingerprint) {
        constexpr std::string_view where = "in [fingerprint]";
        check_keys(table, where, fingerprint_keys);
        fingerprint.aapc_version = text_at(table, "aapc", where);
        fingerprint.mpi = text_at(table, "mpi", where);
        fingerprint.mpi_version = text_at(table, "mpi_version", where);
        fingerprint.topology_digest = text_at(table, "topology", where);
        fingerprint.topology_file = text_at(table, "topology_file", where);
        fingerprint.unequal = table.contains("messages");
        if (fingerprint.unequal && text_at(table, "messages", where) != unequal_messages) {
            add_type_mistake(*table.get("messages"), "messages", "\"unequal\", or left out");
        }
        const std::int64_t ranks = whole_number_at(table, "ranks", where, one_or_more);
        const auto* placement = string_at(table, "placement", where);
        if (placement == nullptr) {
            return;
        }
        const auto entries = expand_hostlist(placement->get());
        if (!entries) {
            add_inside(*placement, entries.error());
            return;
        }
        place_ranks(*placement, *entries, ranks, fingerprint.machine_of);
    }

    void place_ranks(const toml::node& node, const std::vector<HostlistEntry>& entries, std::int64_t ranks,
                     std::vector<std::string>& machine_of) {
        std::int64_t placed = 0;
        for (const HostlistEntry& entry : entries) {
            placed += entry.ranks;
        }
        if (placed != ranks) {
            add_mistake(position(node), fmt::format("the placement is of {} ranks, 'ranks' says {}", placed, ranks),
                        "make both the same");
            return;
        }
        for (const HostlistEntry& entry : entries) {
            machine_of.insert(machine_of.end(), static_cast<std::size_t>(entry.ranks), entry.name);
        }
    }

    void read_conditions(const toml::table& table, TuningConditions& conditions) {
        constexpr std::string_view where = "in [conditions]";
        check_keys(table, where, conditions_keys);
        conditions.date = text_at(table, "date", where);
        conditions.duration_seconds = number_at(table, "duration_seconds", where, any_from_zero);
        if (table.contains("congestion_control")) {
            conditions.congestion_control = text_at(table, "congestion_control", where);
        }
        conditions.host = text_at(table, "host", where);
        if (table.contains("calls")) {
            conditions.calls = whole_number_at(table, "calls", where, one_or_more);
        }
    }

    void read_ranges(const toml::table& root, std::vector<TunedRange>& ranges) {
        const toml::node* node = root.get("range");
        const toml::array* array = node == nullptr ? nullptr : node->as_array();
        if (node == nullptr) {
            add_absence(end_of_file(), "the file has no [[range]]", "restore the file: it seems to be cut off");
            return;
        }
        if (array == nullptr || array->empty()) {
            add_type_mistake(*node, "range", "at least one table in double brackets, [[range]]");
            return;
        }
        for (const toml::table* table : tables_in(*array, "range", "[[range]]")) {
            read_range(*table, ranges);
        }
    }

    void read_range(const toml::table& table, std::vector<TunedRange>& ranges) {
        constexpr std::string_view where = "in [[range]]";
        check_keys(table, where, range_keys);
        TunedRange range;
        range.from_bytes = whole_number_at(table, "from_bytes", where, any_from_zero);
        range.method = method_at(table, "method", where);
        if (const toml::node* from = table.get("from_bytes")) {
            check_order(*from, range.from_bytes, ranges);
        }
        if (const toml::node* measured = table.get("measured")) {
            for (const toml::table* one : tables_in(*measured, "measured", "[[range.measured]]")) {
                read_measured(*one, range);
            }
        }
        ranges.push_back(std::move(range));
    }

    /// Ranges say where they begin and end where the next begins, so there is no other way to a gap or an overlap than
    /// these two.
    void check_order(const toml::node& from, std::int64_t from_bytes, std::vector<TunedRange>& ranges) {
        if (ranges.empty() && from_bytes != 0) {
            add_mistake(position(from), fmt::format("the first range begins at {} bytes", from_bytes),
                        "let it begin at 0, so that no size is left out");
        }
        if (ranges.empty()) {
            return;
        }
        TunedRange& previous = ranges.back();
        if (from_bytes <= previous.from_bytes) {
            add_mistake(position(from),
                        fmt::format("a range from {} bytes follows one from {} bytes", from_bytes, previous.from_bytes),
                        "write ranges in ascending order, none twice");
        } else if (!previous.measured.empty() && previous.measured.back().bytes >= from_bytes) {
            add_mistake(position(from),
                        fmt::format("the range begins at {} bytes, and the one before it has a measurement at {}",
                                    from_bytes, previous.measured.back().bytes),
                        "put the measurement into the range that holds its size");
        }
    }

    void read_measured(const toml::table& table, TunedRange& range) {
        constexpr std::string_view where = "in [[range.measured]]";
        check_keys(table, where, measured_keys);
        MeasuredSize measured;
        measured.bytes = whole_number_at(table, "bytes", where, one_or_more);
        measured.native_seconds = number_at(table, "native_seconds", where, more_than_zero);
        measured.chosen_seconds = number_at(table, "chosen_seconds", where, more_than_zero);
        measured.lead = read_lead(table, where);
        measured.spread = number_at(table, "spread", where, any_from_zero);
        measured.repeats = whole_number_at(table, "repeats", where, one_or_more);
        if (table.contains("runner_up") || table.contains("runner_up_seconds")) {
            measured.runner_up = RunnerUp{method_at(table, "runner_up", where),
                                          number_at(table, "runner_up_seconds", where, more_than_zero)};
        }
        const std::int64_t least = range.measured.empty() ? range.from_bytes : range.measured.back().bytes + 1;
        if (const toml::node* bytes = table.get("bytes"); bytes != nullptr && measured.bytes < least) {
            add_mistake(position(*bytes), fmt::format("a measurement at {} bytes here", measured.bytes),
                        fmt::format("at least {} can follow: sizes ascend, inside their range", least));
        }
        range.measured.push_back(std::move(measured));
    }

    Lead read_lead(const toml::table& table, std::string_view where) {
        const Lead lead{number_at(table, "lead", where, more_than_zero),
                        number_at(table, "lead_low", where, more_than_zero),
                        number_at(table, "lead_high", where, more_than_zero)};
        const toml::node* node = table.get("lead");
        if (node != nullptr && table.contains("lead_low") && table.contains("lead_high") &&
            !(lead.low <= lead.ratio && lead.ratio <= lead.high)) {
            add_mistake(position(*node), fmt::format("'lead' is {}", lead.ratio),
                        fmt::format("it must lie between 'lead_low', {}, and 'lead_high', {}", lead.low, lead.high));
        }
        return lead;
    }

    /// Nothing but the two lines of the seal may stand at the end, or something could be added without being noticed.
    void check_seal(std::string_view text, const toml::value<std::string>& sum) {
        const std::size_t start = text.rfind("[end]\n");
        if (start == std::string_view::npos || start == 0 || text[start - 1] != '\n') {
            add_mistake(position(sum), "the lines of [end] are not as they were written", seal_advice(text));
            return;
        }
        const std::string_view content = text.substr(0, start);
        if (sum.get() != fnv1a_text(content)) {
            add_mistake(position(sum), "the file has changed since this checksum was made",
                        fmt::format("restore it or tune again; if the change is meant, write checksum = \"{}\"",
                                    fnv1a_text(content)));
        } else if (text.substr(start) != seal(content)) {
            add_mistake(position(sum), "the lines of [end] are not as they were written", seal_advice(text));
        }
    }

    static std::string seal_advice(std::string_view text) {
        const std::size_t start = std::min(text.rfind("\n[end]"), text.size() - 1);
        return fmt::format("let the file end with two whole lines, [end] and checksum = \"{}\"",
                           fnv1a_text(text.substr(0, start + 1)));
    }

    NetworkKind kind_;
};

}  // namespace

std::string tuning_text(const Tuning& tuning) {
    Writer writer;
    writer.comment("Which method serves which message sizes on one cluster, and on what evidence: see docs/tuning.md.");
    writer.comment(tuning.conditions.calls > 0 ? "Learned in a program's own calls: see docs/learning.md."
                                               : "Written by aapc tune. Whoever edits it gets the new checksum from "
                                                 "the message that refuses it.");
    writer.fact("format", format_name);

    const Fingerprint& fingerprint = tuning.fingerprint;
    writer.heading("[fingerprint]");
    writer.fact("aapc", fingerprint.aapc_version);
    writer.fact("mpi", fingerprint.mpi);
    writer.fact("mpi_version", fingerprint.mpi_version);
    writer.fact("topology", fingerprint.topology_digest);
    writer.fact("topology_file", fingerprint.topology_file);
    writer.fact("ranks", static_cast<std::int64_t>(fingerprint.machine_of.size()));
    writer.fact("placement", compact_hostlist(fingerprint.machine_of));
    if (fingerprint.unequal) {
        writer.fact("messages", unequal_messages);
    }

    writer.heading("[conditions]");
    writer.fact("date", tuning.conditions.date);
    writer.fact("duration_seconds", tuning.conditions.duration_seconds);
    if (!tuning.conditions.congestion_control.empty()) {
        writer.fact("congestion_control", tuning.conditions.congestion_control);
    }
    writer.fact("host", tuning.conditions.host);
    if (tuning.conditions.calls > 0) {
        writer.fact("calls", tuning.conditions.calls);
    }

    for (const TunedRange& range : tuning.ranges) {
        writer.heading("[[range]]");
        writer.fact("from_bytes", range.from_bytes);
        writer.fact("method", to_string(range.method));
        for (const MeasuredSize& measured : range.measured) {
            write_measured(writer, measured);
        }
    }
    return writer.sealed();
}

Expected<Tuning> read_tuning(std::string_view text, std::string_view file, NetworkKind kind) {
    Lines lines(text);
    const auto table = parse_toml(text, file, lines, tuning_format);
    if (!table) {
        return failure(table.error());
    }
    return TuningReader(std::move(lines), file, kind).read(*table, text);
}

Expected<Tuning> read_tuning_file(const std::string& path, NetworkKind kind, std::string* text) {
    auto contents = read_text_file(path, {tuning_format.kind});
    if (!contents) {
        return failure(contents.error());
    }
    auto tuning = read_tuning(*contents, path, kind);
    if (text != nullptr) {
        *text = std::move(*contents);
    }
    return tuning;
}

}  // namespace aapc
