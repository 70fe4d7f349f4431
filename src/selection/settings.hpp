/// @file
/// The settings of the interposer from the environment, the topology file and the tuning file. Knows no MPI: rank 0
/// reads, the text is broadcast, and every rank makes the same configuration of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/given_schedule.hpp"
#include "aapc/plan/shared_memory.hpp"
#include "aapc/topology/network.hpp"
#include "selection/rule.hpp"
#include "selection/unequal_rule.hpp"
#include "selection/wire_use.hpp"

namespace aapc::selection {

/// The AAPC_ variables as rank 0 found them and the texts of the files.
struct Settings {
    std::string topology_file;    ///< AAPC_TOPOLOGY, or the word for detection
    std::string topology_text;    ///< its content; empty under detection
    std::string tuning_file;      ///< AAPC_TUNING; empty if not set
    std::string tuning_text;      ///< its content; empty if not set, or not to be used
    std::string algorithm;        ///< AAPC_ALGORITHM: a method or the beginning of one; empty if not set
    std::string synchronisation;  ///< AAPC_SYNCHRONISATION; empty if not set
    std::string verbosity;        ///< AAPC_VERBOSE; empty if not set
    std::string shared_memory;    ///< AAPC_SHARED_MEMORY; empty if not set
    std::string buffer_limit;     ///< AAPC_BUFFER_LIMIT; empty if not set
    std::string start;            ///< AAPC_START; empty if not set
    std::string unequal;          ///< AAPC_ALLTOALLV; empty if not set
    std::string adapt;            ///< AAPC_ADAPT; empty if not set
    std::string learned_file;     ///< AAPC_LEARNED; empty if not set
    std::string schedule;         ///< the content of AAPC_SCHEDULE's file, packed; empty if not set, or not to be used
    std::string record;           ///< AAPC_RECORD: the file for records of calls; empty if not set
    std::string record_segments;  ///< AAPC_RECORD_SEGMENTS; empty if not set
    std::string wire;             ///< AAPC_WIRE; empty if not set
    std::string async_progress;   ///< AAPC_ASYNC_PROGRESS; empty if not set
    /// Not empty if AAPC_TOPOLOGY is not set, and the tuning was made under detection. If it does not hold, calls are
    /// native.
    std::string only_tuned;
    std::string only_recorded;  ///< not empty if no topology is given, and calls are only recorded

    friend bool operator==(const Settings&, const Settings&) = default;
};

/// Settings, understood.
struct Configuration {
    std::string topology_file;
    std::string tuning_file;
    Network network;                    ///< without machines until it has been detected
    std::optional<Tuning> tuning = {};  ///< not yet matched with this job
    Forced forced = {};
    bool only_tuned = false;                                        ///< as in Settings
    int verbosity = 0;                                              ///< 0, 1 or 2
    SharedMemory shared_memory = SharedMemory::tickets_and_copies;  ///< what to use where possible
    std::optional<std::int64_t> buffer_limit = {};  ///< bytes for forwarded blocks; nullopt if unlimited
    std::optional<double> start_seconds = {};       ///< the start-up overhead; nullopt if it is measured
    UnequalUse unequal = UnequalUse::automatic;     ///< never also where the user forces native
    std::optional<GivenSchedule> schedule = {};     ///< replaces a search on its machines
    bool adapt = true;                              ///< learn in the program's calls, where the rule would decide
    std::string learned_file = {};                  ///< the file that keeps learned evidence; empty if none
    std::string record;                             ///< the file for records of calls; empty if none
    std::string topology_text;                      ///< for the record; empty where nothing is recorded
    bool record_segments = false;                   ///< with the segments of some time-triggered exchanges
    bool only_records = false;                      ///< no topology is given, and every call is native

    WireUse wire = WireUse::automatic;
    bool async_progress = false;  ///< internal threads carry out non-blocking calls

    [[nodiscard]] const GivenSchedule* given_schedule() const { return schedule ? &*schedule : nullptr; }
};

/// The result of reading the settings.
struct Reading {
    std::optional<Settings> settings;  ///< nullopt if every call is native
    std::vector<std::string> remarks;  ///< lines for standard error, without the leading "aapc: "
};

/// Reads the process's environment and the files and tries to interpret them; one remark says what is wrong if that
/// fails. A tuning or schedule file that is wrong is dropped as a whole, with one remark, and the rest is used without
/// it. Without any AAPC_ variable there is neither a setting nor a remark.
[[nodiscard]] Reading read_settings();

/// Makes a configuration of settings: a function of the settings alone.
[[nodiscard]] Expected<Configuration> configure(const Settings& settings);

/// Settings as one string of bytes, and back; decode(encode(s)) == s.
[[nodiscard]] std::string encode(const Settings& settings);
[[nodiscard]] Settings decode(std::string_view bytes);

/// The remark with the reason why calls are native.
[[nodiscard]] std::string giving_up(std::string_view why);

/// The remark with the reason why a file is not used: a tuning, a schedule or learned evidence.
[[nodiscard]] std::string deciding_without_file(std::string_view why);

}  // namespace aapc::selection
