/// @file
/// What the readers of the network kinds share: mistakes with their places, speeds, machines, switches.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/hostlist.hpp"
#include "input/toml_reader.hpp"
#include "topology/switch_tree.hpp"

namespace aapc {

/// Reads pieces of one topology file. A reader of a network kind asks it for what its tables say and then for
/// complaint().
class TopologyTables : public TomlReader {
  public:
    using TomlReader::TomlReader;

    /// `what` has a value of the wrong type; `example` is what to write.
    void add_type_mistake(const toml::node& node, std::string_view what, std::string_view example);

    /// The table at `key` of the file; nothing, with or without a mistake, if there is none.
    [[nodiscard]] const toml::table* table_at(const toml::table& root, std::string_view key);
    /// The [network] of the file, as table_at(); neither at the top of the file nor in it are there other keys.
    [[nodiscard]] const toml::table* network_at(const toml::table& root, std::span<const std::string_view> root_keys,
                                                std::span<const std::string_view> network_keys);
    /// The tables of the array `[[key]]`, at most max_machines of them. `plural`: "switches".
    [[nodiscard]] std::vector<const toml::table*> tables_of(const toml::node& array, std::string_view key,
                                                            std::string_view plural);
    /// The tables of the array `[[key]]`, of which there must be one at least.
    [[nodiscard]] std::vector<const toml::table*> required_tables(const toml::table& root, std::string_view key,
                                                                  std::string_view plural);
    /// The string at `key`; nothing, with or without a mistake, if there is none.
    [[nodiscard]] const toml::value<std::string>* string_at(const toml::table& table, std::string_view key,
                                                            std::string_view example);
    /// The same for a speed, in bits per second.
    [[nodiscard]] std::optional<double> speed_at(const toml::table& table, std::string_view key);
    /// The same for a duration, in seconds.
    [[nodiscard]] std::optional<double> duration_at(const toml::table& table, std::string_view key);
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
    template <class Value>
    std::optional<Value> parsed_at(const toml::table& table, std::string_view key, std::string_view example,
                                   Expected<Value> (*parse)(std::string_view));
    void read_hostlist(const toml::value<std::string>& text, std::vector<DeclaredMachine>& machines);

    std::int64_t machines_ = 0;  ///< read so far
    std::int64_t ranks_ = 0;
};

}  // namespace aapc
