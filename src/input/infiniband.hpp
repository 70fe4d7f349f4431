/// @file
/// How the tools of InfiniBand call switches and machines, and the forwarding tables that they print.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "input/text_file.hpp"

namespace aapc::infiniband {

/// A host's name and its adapter's, of a description such as "node01 HCA-1" or "node01 mlx5_0".
struct HostPort {
    std::string host;  ///< empty if no administrator or distribution has given the host a name of its own
    std::string adapter;
};

[[nodiscard]] HostPort host_port(std::string_view description);

/// A switch's name: "leaf1" of "MF0;leaf1:MSX6036/U1", "director-L01-U1" of "MF0;director:MCS7500/L01/U1", or the first
/// word; empty if there is none.
[[nodiscard]] std::string switch_name(std::string_view description);

/// What is for a port's address (LID) leaves a switch by that port of the switch, 0 being the switch itself.
struct ForwardingEntry {
    int lid = 0;
    int port = 0;
    bool is_switch = false;        ///< the destination is a switch
    std::string_view description;  ///< of the destination: "node01 mlx5_0"; empty if the tool did not say it
};

/// A switch's table. Refers to the text.
struct ForwardingTable {
    std::string_view guid;                 ///< digits of its number, without 0x
    std::string_view name;                 ///< its description
    int line = 0;                          ///< its first, from 1
    std::vector<ForwardingEntry> entries;  ///< in order of the text, unreachable destinations left out
};

/// A port number that stands for "unreachable".
inline constexpr int no_port = 255;

/// Tables of 4,096 machines and 320 switches have 100 MB.
inline constexpr FileKind forwarding_tables{"forwarding tables", 512};

/// What `ibroute`, `dump_lfts.sh`, `dump_fts` and OpenSM's `opensm-lfts.dump` print, of any number of switches; tables
/// of multicast are passed over. Fails with the line and column of what cannot be read, or if there is no table.
/// O(text). Source: ibroute(8), dump_fts(8) of rdma-core.
[[nodiscard]] Expected<std::vector<ForwardingTable>> read_forwarding_tables(std::string_view text,
                                                                            const std::string& file);

}  // namespace aapc::infiniband
