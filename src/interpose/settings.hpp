/// @file
/// What the environment and the topology file ask the interposer to do. Knows no MPI: rank 0 reads, the text travels,
/// and every rank makes the same configuration of it.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/diagnostic.hpp"
#include "aapc/network.hpp"
#include "interpose/choice.hpp"

namespace aapc::interpose {

/// The AAPC_ variables as rank 0 found them and the text of the topology file.
struct Settings {
    std::string topology_file;    ///< AAPC_TOPOLOGY
    std::string topology_text;    ///< what is in it
    std::string algorithm;        ///< AAPC_ALGORITHM: `name` or `name/variant`; empty: not set
    std::string synchronisation;  ///< AAPC_SYNCHRONISATION; empty: not set
    std::string verbosity;        ///< AAPC_VERBOSE; empty: not set

    friend bool operator==(const Settings&, const Settings&) = default;
};

/// Settings, understood.
struct Configuration {
    std::string topology_file;
    Network network;
    Forced forced;
    int verbosity = 0;  ///< 0, 1 or 2
};

/// What reading the settings came to.
struct Reading {
    std::optional<Settings> settings;  ///< nothing: every call goes to the MPI's own routine
    std::vector<std::string> remarks;  ///< lines for standard error, without the leading "aapc: "
};

/// Reads the process's environment and the topology file and tries whether they can be understood; says in one remark
/// what is wrong if they cannot. Without any AAPC_ variable there is neither a setting nor a remark.
[[nodiscard]] Reading read_settings();

/// Makes a configuration of settings: a function of the settings alone.
[[nodiscard]] Expected<Configuration> configure(const Settings& settings);

/// Settings as one string of bytes, and back; decode(encode(s)) == s.
[[nodiscard]] std::string encode(const Settings& settings);
[[nodiscard]] Settings decode(std::string_view bytes);

/// The remark that tells why nothing is scheduled.
[[nodiscard]] std::string giving_up(std::string_view why);

}  // namespace aapc::interpose
