/// @file
/// What the readers of the network kinds share: mistakes with their places, speeds, machines, switches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/input/hostlist.hpp"
#include "input/toml_text.hpp"
#include "topology/switch_tree.hpp"

namespace aapc {

/// Reads pieces of one topology file and keeps the mistakes that it meets. A reader of a network kind asks it for what
/// its tables say and then for complaint(); only without one is what was read worth anything.
class TopologyTables {
  public:
    TopologyTables(Lines lines, std::string_view file)
        : lines_(std::move(lines)), file_(file), mistake_(file), absence_(file) {}

    [[nodiscard]] const std::string& file() const { return file_; }
    [[nodiscard]] Position position(const toml::node& node) { return lines_.position(node.source().begin); }

    /// Something that is wrong.
    void add_mistake(Position position, std::string problem, std::string advice) {
        mistake_.add(position, std::move(problem), std::move(advice));
    }
    /// Something that is missing. It counts only where nothing is wrong: a mistyped key is both, and better answered as
    /// the first.
    void add_absence(Position position, std::string problem, std::string advice) {
        absence_.add(position, std::move(problem), std::move(advice));
    }
    /// `what` has a value of the wrong type; `example` is what to write.
    void add_type_mistake(const toml::node& node, std::string_view what, std::string_view example);
    /// A mistake that a function of strings found inside the string `value`.
    void add_inside(const toml::value<std::string>& value, const Diagnostic& diagnostic);

    /// The first mistake in the file, otherwise the first thing that is missing, if any.
    [[nodiscard]] std::optional<Diagnostic> complaint() const {
        return mistake_.found() ? mistake_.found() : absence_.found();
    }

    /// Adds a mistake for every key of `table` that is not `known`; `where` is "in [network]".
    void check_keys(const toml::table& table, std::string_view where, std::span<const std::string_view> known) {
        aapc::check_keys(table, where, known, lines_, mistake_);
    }

    /// The table at `key` of the file; nothing, with or without a mistake, if there is none.
    [[nodiscard]] const toml::table* table_at(const toml::table& root, std::string_view key);
    /// The tables of the array `[[key]]`, at most max_machines of them. `plural`: "switches".
    [[nodiscard]] std::vector<const toml::table*> tables_of(const toml::node& array, std::string_view key,
                                                            std::string_view plural);
    /// The string at `key`; nothing, with or without a mistake, if there is none.
    [[nodiscard]] const toml::value<std::string>* string_at(const toml::table& table, std::string_view key,
                                                            std::string_view example);
    /// The same for a speed, in bits per second.
    [[nodiscard]] std::optional<double> speed_at(const toml::table& table, std::string_view key);
    /// The same for what a port can hold, in bytes.
    [[nodiscard]] std::optional<std::int64_t> buffer_at(const toml::table& table, std::string_view key);
    /// The `mtu` of a table, in bytes; usual_mtu_bytes if it has none.
    [[nodiscard]] std::int32_t mtu_at(const toml::table& table);
    /// The `uplink_links` of a table; 1 if it has none.
    [[nodiscard]] std::int32_t cables_at(const toml::table& table);
    /// The whole number at `key`, which must be from `least` to `most`; nothing, with or without a mistake, if there is
    /// none.
    [[nodiscard]] std::optional<std::int32_t> number_at(const toml::table& table, std::string_view key,
                                                        std::int32_t least, std::int32_t most,
                                                        std::string_view example);
    /// What a [[switch]] and a [[cluster]] say of links and ports, `speed` aside.
    void read_ports(const toml::table& table, DeclaredSwitch& declaration);
    /// The `name` of a table, which must be there. `what`: "switch".
    [[nodiscard]] DeclaredName name_at(const toml::table& table, std::string_view what);
    /// The `machines` of a table, none if it has no such key. At most max_machines machines and max_ranks ranks in the
    /// whole file.
    [[nodiscard]] std::vector<DeclaredMachine> machines_at(const toml::table& table);
    /// A [[switch]].
    [[nodiscard]] DeclaredSwitch read_switch(const toml::table& table);

  private:
    void read_hostlist(const toml::value<std::string>& text, std::vector<DeclaredMachine>& machines);

    Lines lines_;
    std::string file_;
    FirstMistake mistake_;
    FirstMistake absence_;
    std::int64_t machines_ = 0;  ///< read so far
    std::int64_t ranks_ = 0;
};

}  // namespace aapc
