#include "interpose/settings.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <utility>

#include "aapc/algorithm.hpp"
#include "aapc/synchronisation.hpp"
#include "aapc/topology_file.hpp"

namespace aapc::interpose {

namespace {

constexpr std::array settings_fields = {&Settings::topology_file, &Settings::topology_text, &Settings::algorithm,
                                        &Settings::synchronisation, &Settings::verbosity};

/// A variable that is set to nothing counts as not set.
std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : std::string(value);
}

Diagnostic about_variable(const char* name, Diagnostic diagnostic) {
    diagnostic.file = name;
    return diagnostic;
}

Expected<int> parse_verbosity(const std::string& text) {
    if (text.empty()) {
        return 0;
    }
    if (text.size() != 1 || text[0] < '0' || text[0] > '2') {
        return failure({"AAPC_VERBOSE", 0, 0, fmt::format("'{}' is no level", text), "give 0, 1 or 2"});
    }
    return text[0] - '0';
}

Expected<Forced> parse_forced(const Settings& settings, NetworkKind kind) {
    Forced forced;
    const auto slash = settings.algorithm.find('/');
    const std::string name = settings.algorithm.substr(0, slash);
    const std::string variant = slash == std::string::npos ? std::string() : settings.algorithm.substr(slash + 1);
    if (settings.algorithm == "native") {
        forced.native = true;
    } else if (!settings.algorithm.empty()) {
        const auto algorithm = find_algorithm(name);
        if (!algorithm) {
            Diagnostic diagnostic = about_variable("AAPC_ALGORITHM", algorithm.error());
            diagnostic.right += "; or native";
            return failure(std::move(diagnostic));
        }
        if (!(*algorithm)->is_for(kind)) {
            return failure({"AAPC_ALGORITHM", 0, 0,
                            fmt::format("'{}' is for a {}, the topology is a {}", name,
                                        to_string(*(*algorithm)->network), to_string(kind)),
                            "leave it unset or give native"});
        }
        forced.algorithm = *algorithm;
        for (const std::string_view known : (*algorithm)->variants) {
            if (known == variant) {
                forced.variant = known;
            }
        }
        if (slash != std::string::npos && forced.variant.empty()) {
            std::string names;
            for (const std::string_view known : (*algorithm)->variants) {
                names += fmt::format("{}{}/{}", names.empty() ? "" : ", ", name, known);
            }
            return failure({"AAPC_ALGORITHM", 0, 0, fmt::format("'{}' has no variant '{}'", name, variant),
                            fmt::format("give one of {}", names)});
        }
    }
    if (!settings.synchronisation.empty()) {
        const auto synchronisation = parse_synchronisation(settings.synchronisation);
        if (!synchronisation) {
            return failure(about_variable("AAPC_SYNCHRONISATION", synchronisation.error()));
        }
        forced.synchronisation = *synchronisation;
    }
    return forced;
}

void append_field(std::string& bytes, const std::string& field) {
    const std::uint64_t length = field.size();
    char header[sizeof length];
    std::memcpy(header, &length, sizeof length);
    bytes.append(header, sizeof length).append(field);
}

std::string take_field(std::string_view& bytes) {
    std::uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    bytes.remove_prefix(sizeof length);
    std::string field(bytes.substr(0, length));
    bytes.remove_prefix(length);
    return field;
}

std::string contents(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

}  // namespace

std::string giving_up(std::string_view why) { return fmt::format("{}; using the MPI's own MPI_Alltoall", why); }

Reading read_settings() {
    Settings settings{variable("AAPC_TOPOLOGY"), "", variable("AAPC_ALGORITHM"), variable("AAPC_SYNCHRONISATION"),
                      variable("AAPC_VERBOSE")};
    Reading reading;
    if (settings.topology_file.empty()) {
        if (!settings.algorithm.empty() || !settings.synchronisation.empty() || !variable("AAPC_TUNING").empty() ||
            !(settings.verbosity.empty() || settings.verbosity == "0")) {
            reading.remarks.push_back(
                giving_up("AAPC_TOPOLOGY is not set, so nothing is known of the network; give it a topology file"));
        }
        return reading;
    }
    // Read twice on purpose: the first reading has the complaints about files, the second the text that travels.
    const auto network = read_topology_file(settings.topology_file);
    if (!network) {
        reading.remarks.push_back(giving_up(to_string(network.error())));
        return reading;
    }
    settings.topology_text = contents(settings.topology_file);
    const auto configuration = configure(settings);
    if (!configuration) {
        reading.remarks.push_back(giving_up(to_string(configuration.error())));
        return reading;
    }
    if (!variable("AAPC_TUNING").empty()) {
        reading.remarks.push_back("AAPC_TUNING is set, but tuning files come later; it changes nothing");
    }
    reading.settings = std::move(settings);
    return reading;
}

Expected<Configuration> configure(const Settings& settings) {
    auto network = read_topology(settings.topology_text, settings.topology_file);
    if (!network) {
        return failure(network.error());
    }
    const auto verbosity = parse_verbosity(settings.verbosity);
    if (!verbosity) {
        return failure(verbosity.error());
    }
    const auto forced = parse_forced(settings, network->kind());
    if (!forced) {
        return failure(forced.error());
    }
    return Configuration{settings.topology_file, std::move(*network), *forced, *verbosity};
}

std::string encode(const Settings& settings) {
    std::string bytes;
    for (const auto field : settings_fields) {
        append_field(bytes, settings.*field);
    }
    return bytes;
}

Settings decode(std::string_view bytes) {
    Settings settings;
    for (const auto field : settings_fields) {
        settings.*field = take_field(bytes);
    }
    return settings;
}

}  // namespace aapc::interpose
