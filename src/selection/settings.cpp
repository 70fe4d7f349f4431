#include "selection/settings.hpp"

#include <fmt/core.h>

#include <array>
#include <cstdint>
#include <cstring>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/methods/read_given_schedule.hpp"
#include "aapc/timetable/synchronisation.hpp"
#include "aapc/topology/detection.hpp"
#include "aapc/topology/topology_file.hpp"
#include "input/environment.hpp"
#include "input/text_file.hpp"
#include "input/wording.hpp"
#include "selection/variables.hpp"

namespace aapc::selection {

namespace {

constexpr std::array settings_fields = {
    &Settings::topology_file,  &Settings::topology_text,   &Settings::tuning_file,   &Settings::tuning_text,
    &Settings::algorithm,      &Settings::synchronisation, &Settings::verbosity,     &Settings::shared_memory,
    &Settings::buffer_limit,   &Settings::start,           &Settings::unequal,       &Settings::adapt,
    &Settings::schedule,       &Settings::learned_file,    &Settings::record,        &Settings::record_segments,
    &Settings::async_progress, &Settings::only_tuned,      &Settings::only_recorded, &Settings::wire};

Diagnostic about_variable(const char* name, Diagnostic diagnostic) {
    diagnostic.file = name;
    return diagnostic;
}

Expected<int> parse_verbosity(const std::string& text) {
    if (text.empty()) {
        return 0;
    }
    if (text.size() != 1 || text[0] < '0' || text[0] > '2') {
        return failure({.file = "AAPC_VERBOSE",
                        .problem = fmt::format("{} is no level", in_quotes(text)),
                        .advice = "give 0, 1 or 2"});
    }
    return text[0] - '0';
}

/// What a variable says that may be left out.
template <typename Value>
Expected<std::optional<Value>> parse_if_set(const char* variable, const std::string& text,
                                            Expected<Value> (*parse)(std::string_view)) {
    if (text.empty()) {
        return std::nullopt;
    }
    const auto value = parse(text);
    if (!value) {
        return failure(about_variable(variable, value.error()));
    }
    return *value;
}

/// A user who sets the start-up overhead wants reproducible runs; learning from times is not reproducible.
Expected<bool> parse_adapt(const std::string& text, bool start_is_said) {
    if (text.empty()) {
        return !start_is_said;
    }
    if (text == "1") {
        return true;
    }
    if (text == "0") {
        return false;
    }
    return failure({.file = "AAPC_ADAPT",
                    .problem = fmt::format("{} says neither yes nor no", in_quotes(text)),
                    .advice = "give 1 (learn in the program's own calls) or 0"});
}

/// What is off unless it is asked for; `what` it does.
Expected<bool> parse_wish(const char* variable, const std::string& text, const char* what) {
    if (text.empty() || text == "0" || text == "1") {
        return text == "1";
    }
    return failure({.file = variable,
                    .problem = fmt::format("{} says neither yes nor no", in_quotes(text)),
                    .advice = fmt::format("give 1 ({}) or 0", what)});
}

Expected<Forced> parse_forced(const Settings& settings, NetworkKind kind) {
    Forced forced;
    if (!settings.synchronisation.empty()) {
        const auto synchronisation = parse_synchronisation(settings.synchronisation);
        if (!synchronisation) {
            return failure(about_variable("AAPC_SYNCHRONISATION", synchronisation.error()));
        }
        forced.synchronisation = *synchronisation;
    }
    if (settings.algorithm.empty()) {
        return forced;
    }
    auto method = parse_method(settings.algorithm, kind);
    if (!method) {
        return failure(about_variable("AAPC_ALGORITHM", method.error()));
    }
    if (forced.synchronisation && settings.algorithm.find('+') != std::string::npos) {
        return failure(
            {.file = "AAPC_SYNCHRONISATION",
             .problem = fmt::format("AAPC_ALGORITHM names a synchronisation, too: {}", in_quotes(settings.algorithm)),
             .advice = "set it in one of the two"});
    }
    if (forced.synchronisation && !method->native()) {
        method->synchronisation = *forced.synchronisation;
    }
    forced.synchronisation = std::nullopt;
    forced.method = std::move(*method);
    if (!settings.only_recorded.empty()) {
        forced.native_reason = "no topology is given, and calls are recorded only";
    }
    return forced;
}

/// A network that ranks have yet to detect, as far as `topology` tells.
Expected<Network> network_to_detect(const std::string& topology) {
    const auto speed = detection_speed(topology);
    if (!speed) {
        return failure(about_variable("AAPC_TOPOLOGY", speed.error()));
    }
    return detect_network({}, *speed).network;
}

Expected<Network> parse_network(const Settings& settings) {
    return asks_for_detection(settings.topology_file) ? network_to_detect(settings.topology_file)
                                                      : read_topology(settings.topology_text, settings.topology_file);
}

Expected<std::optional<Tuning>> parse_tuning(const Settings& settings, NetworkKind kind) {
    if (settings.tuning_text.empty()) {
        return std::nullopt;
    }
    auto tuning = read_tuning(settings.tuning_text, settings.tuning_file, kind);
    if (!tuning) {
        return failure(tuning.error());
    }
    return std::move(*tuning);
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

/// What asked for detection when that tuning was made; empty if nothing did, or there is no such tuning.
std::string detection_of_tuning(const std::string& tuning_file) {
    if (tuning_file.empty()) {
        return "";
    }
    const auto tuning = read_tuning_file(tuning_file, NetworkKind::detected);
    return tuning && asks_for_detection(tuning->fingerprint.topology_file) ? tuning->fingerprint.topology_file : "";
}

/// The network of the settings, whose text is kept: it travels.
Expected<Network> network_of(Settings& settings) {
    if (asks_for_detection(settings.topology_file)) {
        return network_to_detect(settings.topology_file);
    }
    auto text = read_text_file(settings.topology_file, topology_file);
    if (text) {
        text = with_tables(std::move(*text), settings.topology_file);
    }
    if (!text) {
        return failure(text.error());
    }
    settings.topology_text = std::move(*text);
    return read_topology(settings.topology_text, settings.topology_file);
}

/// What that schedule file says for the network of the settings.
Expected<GivenSchedule> given_schedule(const std::string& file, const Settings& settings, const Network& network) {
    if (asks_for_detection(settings.topology_file)) {
        return failure({.file = "AAPC_SCHEDULE",
                        .problem = "nothing is known of the wires where machines are detected, so no schedule fits",
                        .advice = "set AAPC_TOPOLOGY to the topology file that it was made with"});
    }
    const auto text = read_text_file(file, schedule_document);
    if (!text) {
        return failure(text.error());
    }
    return read_given_schedule(*text, file, network, settings.topology_file);
}

/// Calls are also recorded without a topology: then all are native.
void only_record(Settings& settings) {
    Settings recording;
    recording.topology_file = "detect";
    recording.algorithm = "native";
    recording.only_recorded = "yes";
    recording.verbosity = settings.verbosity;
    recording.record = settings.record;
    settings = std::move(recording);
}

}  // namespace

std::string giving_up(std::string_view why) { return fmt::format("{}; using the MPI's own MPI_Alltoall", why); }

std::string deciding_without_file(std::string_view why) { return fmt::format("{}; deciding without it", why); }

Reading read_settings() {
    Reading reading;
    const auto off = parse_wish("AAPC_OFF", environment_variable("AAPC_OFF"), "everything is native");
    if (!off) {
        reading.remarks.push_back(giving_up(to_string(off.error())));
    }
    if (!off || *off) {
        return reading;
    }
    if (auto unknown = remark_on_unknown_variables(aapc_variables_of_process())) {
        reading.remarks.push_back(std::move(*unknown));
    }
    Settings settings;
    settings.topology_file = environment_variable("AAPC_TOPOLOGY");
    settings.tuning_file = environment_variable("AAPC_TUNING");
    settings.algorithm = environment_variable("AAPC_ALGORITHM");
    settings.synchronisation = environment_variable("AAPC_SYNCHRONISATION");
    settings.verbosity = environment_variable("AAPC_VERBOSE");
    settings.shared_memory = environment_variable("AAPC_SHARED_MEMORY");
    settings.buffer_limit = environment_variable("AAPC_BUFFER_LIMIT");
    settings.start = environment_variable("AAPC_START");
    settings.unequal = environment_variable("AAPC_ALLTOALLV");
    settings.adapt = environment_variable("AAPC_ADAPT");
    settings.learned_file = environment_variable("AAPC_LEARNED");
    settings.record = environment_variable("AAPC_RECORD");
    settings.record_segments = environment_variable("AAPC_RECORD_SEGMENTS");
    settings.async_progress = environment_variable("AAPC_ASYNC_PROGRESS");
    settings.wire = environment_variable("AAPC_WIRE");
    if (settings.topology_file.empty()) {
        settings.topology_file = detection_of_tuning(settings.tuning_file);
        settings.only_tuned = settings.topology_file.empty() ? "" : "yes";
    }
    if (settings.topology_file.empty()) {
        if (!settings.algorithm.empty() || !settings.synchronisation.empty() || !settings.tuning_file.empty() ||
            !settings.learned_file.empty() || !(settings.verbosity.empty() || settings.verbosity == "0")) {
            reading.remarks.push_back(
                giving_up("AAPC_TOPOLOGY is not set, so nothing is known of the network; give it a topology file, or "
                          "'detect'"));
        }
        if (settings.record.empty()) {
            return reading;
        }
        only_record(settings);
    }
    const auto network = network_of(settings);
    if (!network) {
        reading.remarks.push_back(giving_up(to_string(network.error())));
        return reading;
    }
    const auto configuration = configure(settings);
    if (!configuration) {
        reading.remarks.push_back(giving_up(to_string(configuration.error())));
        return reading;
    }
    if (!settings.learned_file.empty() && !configuration->adapt) {
        reading.remarks.emplace_back(
            "AAPC_LEARNED is set, but AAPC_ADAPT or AAPC_START says that nothing is learned; leaving the file alone");
    }
    if (!settings.tuning_file.empty()) {
        const auto tuning = read_tuning_file(settings.tuning_file, network->kind(), &settings.tuning_text);
        if (!tuning) {
            reading.remarks.push_back(deciding_without_file(to_string(tuning.error())));
            settings.tuning_text.clear();
        }
    }
    if (const std::string file = environment_variable("AAPC_SCHEDULE"); !file.empty()) {
        const auto given = given_schedule(file, settings, *network);
        if (given) {
            settings.schedule = pack(*given);
        } else {
            reading.remarks.push_back(deciding_without_file(to_string(given.error())));
        }
    }
    reading.settings = std::move(settings);
    return reading;
}

Expected<Configuration> configure(const Settings& settings) {
    auto network = parse_network(settings);
    if (!network) {
        return failure(network.error());
    }
    const NetworkKind kind = network->kind();
    // The first thing that is wrong is told; what is taken in its place is not used.
    std::optional<Diagnostic> wrong;
    const auto understood = [&wrong]<typename Value>(Expected<Value> parsed, const char* variable = nullptr) {
        if (!parsed && !wrong) {
            wrong = variable == nullptr ? std::move(parsed.error()) : about_variable(variable, parsed.error());
        }
        return parsed ? std::move(*parsed) : Value();
    };
    Configuration made{.topology_file = settings.topology_file,
                       .tuning_file = settings.tuning_file,
                       .network = std::move(*network),
                       .only_tuned = !settings.only_tuned.empty(),
                       .record = settings.record,
                       .topology_text = settings.record.empty() ? "" : settings.topology_text,
                       .only_records = !settings.only_recorded.empty()};
    made.verbosity = understood(parse_verbosity(settings.verbosity));
    made.shared_memory = understood(parse_shared_memory(settings.shared_memory), "AAPC_SHARED_MEMORY");
    made.buffer_limit = understood(parse_if_set("AAPC_BUFFER_LIMIT", settings.buffer_limit, parse_size));
    made.start_seconds = understood(parse_if_set("AAPC_START", settings.start, parse_given_duration));
    made.unequal = understood(parse_unequal_use(settings.unequal), "AAPC_ALLTOALLV");
    made.record_segments =
        understood(parse_wish("AAPC_RECORD_SEGMENTS", settings.record_segments, "note the segments of some exchanges"));
    made.async_progress = understood(
        parse_wish("AAPC_ASYNC_PROGRESS", settings.async_progress, "a thread carries out calls that do not block"));
    made.wire = understood(parse_wire_use(settings.wire), "AAPC_WIRE");
    made.adapt = understood(parse_adapt(settings.adapt, made.start_seconds.has_value()));
    made.learned_file = made.adapt ? settings.learned_file : "";
    made.forced = understood(parse_forced(settings, kind));
    made.tuning = understood(parse_tuning(settings, kind));
    if (wrong) {
        return failure(std::move(*wrong));
    }
    if (settings.unequal.empty() && made.forced.method && made.forced.method->native()) {
        made.unequal = UnequalUse::never;
    }
    if (!settings.schedule.empty()) {
        made.schedule = unpack_given_schedule(settings.schedule);
    }
    return made;
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

}  // namespace aapc::selection
