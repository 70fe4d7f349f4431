/// @file
/// What the environment, the topology file and the tuning file ask the interposer to do. Knows no MPI: rank 0 reads,
/// the text travels, and every rank makes the same configuration of it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/intranode/shared_memory.hpp"
#include "aapc/methods/given_schedule.hpp"
#include "aapc/selection/tuning.hpp"
#include "aapc/topology/network.hpp"
#include "selection/rule.hpp"
#include "selection/unequal_rule.hpp"
#include "selection/wire_use.hpp"

namespace aapc::selection {

/// The AAPC_ variables as rank 0 found them and the texts of the files.
struct Settings {
    std::string topology_file;    ///< AAPC_TOPOLOGY, or what asks for detection
    std::string topology_text;    ///< what is in it; empty under detection
    std::string tuning_file;      ///< AAPC_TUNING; empty: not set
    std::string tuning_text;      ///< what is in it; empty: not set, or not to be used
    std::string algorithm;        ///< AAPC_ALGORITHM: a method or the beginning of one; empty: not set
    std::string synchronisation;  ///< AAPC_SYNCHRONISATION; empty: not set
    std::string verbosity;        ///< AAPC_VERBOSE; empty: not set
    std::string shared_memory;    ///< AAPC_SHARED_MEMORY; empty: not set
    std::string buffer_limit;     ///< AAPC_BUFFER_LIMIT; empty: not set
    std::string start;            ///< AAPC_START; empty: not set
    std::string unequal;          ///< AAPC_ALLTOALLV; empty: not set
    std::string adapt;            ///< AAPC_ADAPT; empty: not set
    std::string learned_file;     ///< AAPC_LEARNED; empty: not set
    std::string schedule;         ///< what the file of AAPC_SCHEDULE says, packed; empty: not set, or not to be used
    std::string record;           ///< AAPC_RECORD: the file that calls are noted in; empty: not set
    std::string record_segments;  ///< AAPC_RECORD_SEGMENTS; empty: not set
    std::string wire;             ///< AAPC_WIRE; empty: not set
    std::string async_progress;   ///< AAPC_ASYNC_PROGRESS; empty: not set
    /// Not empty: AAPC_TOPOLOGY is not set, and the tuning was made under detection. Where it does not hold, nothing is
    /// done.
    std::string only_tuned;
    std::string only_recorded;  ///< not empty: no topology is given, and calls are noted only

    friend bool operator==(const Settings&, const Settings&) = default;
};

/// Settings, understood.
struct Configuration {
    std::string topology_file;
    std::string tuning_file;
    Network network;                    ///< without machines as long as it is yet to be detected
    std::optional<Tuning> tuning = {};  ///< of what it was made for, nothing is known to hold here yet
    Forced forced = {};
    bool only_tuned = false;                                        ///< as in Settings
    int verbosity = 0;                                              ///< 0, 1 or 2
    SharedMemory shared_memory = SharedMemory::tickets_and_copies;  ///< what to use where it can be had
    std::optional<std::int64_t> buffer_limit = {};  ///< bytes for forwarded blocks; nothing: as many as it takes
    std::optional<double> start_seconds = {};       ///< what a start costs; nothing: it is measured
    UnequalUse unequal = UnequalUse::automatic;     ///< never where the user insists on the MPI's own, too
    std::optional<GivenSchedule> schedule = {};     ///< of what was made for its machines, in the place of a search
    bool adapt = true;                              ///< learn in the program's own calls, where the rule would decide
    std::string learned_file = {};                  ///< where what is learned is kept; empty: nowhere
    std::string record;                             ///< the file that calls are noted in; empty: they are not
    std::string topology_text;                      ///< for the record; empty where nothing is recorded
    bool record_segments = false;                   ///< with the segments of some exchanges by the clock

    WireUse wire = WireUse::automatic;
    bool async_progress = false;  ///< threads of ours carry out calls that do not block

    [[nodiscard]] const GivenSchedule* given_schedule() const { return schedule ? &*schedule : nullptr; }
};

/// What reading the settings came to.
struct Reading {
    std::optional<Settings> settings;  ///< nothing: every call goes to the MPI's own routine
    std::vector<std::string> remarks;  ///< lines for standard error, without the leading "aapc: "
};

/// Reads the process's environment and the files and tries whether they can be understood; says in one remark what is
/// wrong if they cannot. A tuning or schedule file that is wrong is dropped as a whole, with one remark, and the
/// rest is used without it. Without any AAPC_ variable there is neither a setting nor a remark.
[[nodiscard]] Reading read_settings();

/// Makes a configuration of settings: a function of the settings alone.
[[nodiscard]] Expected<Configuration> configure(const Settings& settings);

/// Settings as one string of bytes, and back; decode(encode(s)) == s.
[[nodiscard]] std::string encode(const Settings& settings);
[[nodiscard]] Settings decode(std::string_view bytes);

/// The remark that tells why nothing is scheduled.
[[nodiscard]] std::string giving_up(std::string_view why);

/// The remark that tells why a file is not used, of a tuning, a schedule or what was learned.
[[nodiscard]] std::string deciding_without_file(std::string_view why);

}  // namespace aapc::selection
