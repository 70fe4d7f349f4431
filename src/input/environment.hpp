/// @file
/// What the programs and the interposer ask of the process's surroundings. Not for the core, which looks at its
/// arguments alone.
#pragma once

#include <unistd.h>

#include <array>
#include <cstdlib>
#include <string>

namespace aapc {

/// The variable's value; empty if it is not set, so that one that is set to nothing counts as not set.
[[nodiscard]] inline std::string environment_variable(const char* name) {
    const char* const value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

/// No host name is longer, its final zero included.
inline constexpr std::size_t longest_host_name = 256;

/// The name of this host, cut off if it is too long. AAPC_HOSTNAME stands in for it, for tests and for containers that
/// are all called alike.
[[nodiscard]] inline std::string host_name() {
    if (const std::string given = environment_variable("AAPC_HOSTNAME"); !given.empty()) {
        return given.substr(0, longest_host_name - 1);
    }
    std::array<char, longest_host_name> name{};
    gethostname(name.data(), name.size() - 1);
    return name.data();
}

}  // namespace aapc
