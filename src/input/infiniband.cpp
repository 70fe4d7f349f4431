#include "input/infiniband.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

#include "input/lines.hpp"
#include "input/numbers.hpp"
#include "input/wording.hpp"

namespace aapc::infiniband {

namespace {

/// Names that hosts have before they are given one: of distributions, of adapters' models, of drivers' devices.
bool is_default_name(const std::string& name) {
    static constexpr std::array<std::string_view, 18> exact{
        "none", "linux", "debian",   "ubuntu",        "fedora",    "centos",  "rhel", "rocky",    "almalinux",
        "alma", "suse",  "opensuse", "ubuntu-server", "localhost", "unknown", "hca",  "mellanox", "infinihost"};
    std::string lower = name;
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char letter) { return static_cast<char>(std::tolower(letter)); });
    const std::string first = lower.substr(0, lower.find('.'));
    if (first.starts_with("localhost") || std::find(exact.begin(), exact.end(), first) != exact.end()) {
        return true;
    }
    // Devices as drivers number them: mlx5_0, hfi1_1, HCA-1.
    for (const std::string_view driver :
         {"mlx4_", "mlx5_", "mthca", "hfi1_", "qib", "ibp", "irdma", "bnxt_re", "hca-"}) {
        if (first.starts_with(driver) && first.size() > driver.size() &&
            first.find_first_not_of("0123456789", driver.size()) == std::string::npos) {
            return true;
        }
    }
    return false;
}

/// The text between the last `open` and the last `close` after it; nullopt if they are not there in this order.
std::optional<std::string_view> between(std::string_view text, std::string_view open, std::string_view close) {
    const std::size_t start = text.find(open);
    const std::size_t end = text.rfind(close);
    if (start == std::string_view::npos || end == std::string_view::npos || end < start + open.size()) {
        return std::nullopt;
    }
    return text.substr(start + open.size(), end - start - open.size());
}

/// Takes the next word off.
std::string_view take_word(std::string_view& text) {
    text.remove_prefix(std::min(text.find_first_not_of(" \t\r"), text.size()));
    const std::string_view word = text.substr(0, text.find_first_of(" \t\r"));
    text.remove_prefix(word.size());
    return word;
}

/// "0x001a" as a number; nullopt if it is none of 16 bits.
std::optional<int> hexadecimal(std::string_view word) {
    int number = 0;
    const auto [end, error] = std::from_chars(word.data() + 2, word.data() + word.size(), number, 16);
    const bool is_whole = error == std::errc() && end == word.data() + word.size() && word.size() > 2;
    return is_whole && number >= 0 && number <= 0xffff ? std::optional(number) : std::nullopt;
}

/// The first line of a table; nullopt if the line is none.
std::optional<ForwardingTable> table_of(std::string_view words, int line) {
    static constexpr std::string_view before_guid = " guid 0x";
    const std::size_t guid = words.find(before_guid);
    const auto name = between(words, "(", ")");
    if (guid == std::string_view::npos || !name) {
        return std::nullopt;
    }
    std::string_view rest = words.substr(guid + before_guid.size());
    std::string_view description = *name;
    if (description.size() > 1 && description.front() == '"' && description.back() == '"') {
        description = description.substr(1, description.size() - 2);
    }
    return ForwardingTable{take_word(rest), description, line, {}};
}

}  // namespace

HostPort host_port(std::string_view description) {
    HostPort found;
    const std::size_t space = description.find(' ');
    found.host = plain_name(std::string(description.substr(0, space)));
    if (space != std::string_view::npos) {
        found.adapter = std::string(trimmed(description.substr(space)));
    }
    const bool is_model = description.find("Mellanox") != std::string_view::npos ||
                          description.find("Technologies") != std::string_view::npos ||
                          description.find("Omni-Path") != std::string_view::npos;
    if (is_model || is_default_name(found.host)) {
        found.host.clear();
    }
    return found;
}

std::string switch_name(std::string_view description) {
    std::string name(description.substr(0, description.find(' ')));
    if (const std::size_t start = description.find(';'); start != std::string_view::npos) {
        const std::string_view rest = description.substr(start + 1);
        name = rest.substr(0, rest.find(':'));
        const std::size_t slash = rest.find('/');
        const std::string_view chip = slash == std::string_view::npos ? "" : rest.substr(slash + 1);
        name += chip.find('/') == std::string_view::npos ? "" : fmt::format("-{}", chip);
    }
    return plain_name(std::move(name));
}

Expected<std::vector<ForwardingTable>> read_forwarding_tables(std::string_view text, const std::string& file) {
    std::vector<ForwardingTable> tables;
    bool is_unicast = false;
    bool is_before_tables = true;
    for (int line = 1; !text.empty(); ++line) {
        std::string_view words = take_line(text);
        if (words.starts_with("Unicast lids ") || words.starts_with("Multicast mlids ")) {
            is_before_tables = false;
            is_unicast = words.front() == 'U';
            auto table = is_unicast ? table_of(words, line) : std::nullopt;
            if (is_unicast && !table) {
                return failure({.file = file,
                                .line = line,
                                .problem = "the first line of a table cannot be read",
                                .advice = "write it as ibroute does: Unicast lids [0x0-0x8] of switch Lid 2 guid "
                                          "0x0002c9 (leaf1):"});
            }
            if (table) {
                tables.push_back(std::move(*table));
            }
            continue;
        }
        if (!words.starts_with("0x") || (!is_unicast && !is_before_tables)) {
            continue;
        }
        const int column = 1 + static_cast<int>(words.find_first_of(" \t"));
        const auto lid = hexadecimal(take_word(words));
        const std::string_view port_word = take_word(words);
        const auto port = parse_number<int>(port_word);
        if (is_before_tables || !lid || (!port && port_word != "UNREACHABLE")) {
            return failure({.file = file,
                            .line = line,
                            .column = is_before_tables || !lid ? 0 : column,
                            .problem = is_before_tables ? "an entry before the first table"
                                                        : "an entry of a forwarding table that cannot be read",
                            .advice = "give what ibroute, dump_lfts.sh or dump_fts print: 0x0005 021 : (Channel "
                                      "Adapter portguid 0x0002c9: 'n0 mlx5_0')"});
        }
        if (port && *port < no_port) {
            const bool is_switch = words.find("Switch portguid") != std::string_view::npos;
            const std::string_view description = between(words, ": '", "'").value_or("");
            tables.back().entries.push_back({*lid, *port, is_switch, description});
        }
    }
    if (tables.empty()) {
        return failure({.file = file,
                        .line = 1,
                        .problem = "no forwarding table is in it",
                        .advice = "give what ibroute prints of each switch, or dump_lfts.sh or dump_fts of all"});
    }
    return tables;
}

}  // namespace aapc::infiniband
