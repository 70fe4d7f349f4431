/// @file
/// What `aapc doctor` makes of what it found. Knows no MPI.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <vector>

#include "console/command_line.hpp"

namespace aapc::bench {

struct DoctorOptions {
    std::string mpi;       ///< "openmpi", "mpich"; empty for the launcher's
    std::string topology;  ///< file; empty or detect: nothing is declared
    double round = 0.25;   ///< seconds that streams go
    std::string format = "table";
    std::string output;  ///< file; empty for standard output
};

void add_doctor_options(cli::Command& command, DoctorOptions& options);

/// What a rank finds out about itself and its machine, as it travels. What could not be found out is -1, or empty.
struct RankFacts {
    std::array<char, 256> host{};
    std::array<char, 32> congestion_control{};
    std::int32_t interposer = 0;    ///< 1: loaded
    std::int32_t in_topology = -1;  ///< 0: the topology file does not have this host
    std::int32_t slow_start_after_idle = -1;
    std::int32_t path_mtu = -1;     ///< to the next machine; -1 its name is not resolved, 0: there is none
    std::int64_t send_buffer = -1;  ///< the most that TCP takes by itself, in bytes
    std::int64_t receive_buffer = -1;
    std::int64_t shared_memory_free = -1;  ///< in /dev/shm
    double clock_resolution = -1;          ///< seconds
    double wall_offset = 0;                ///< of its wall clock to rank 0's, seconds
    double clock_drift = 0;                ///< of its steady clock against rank 0's, seconds a second
    double drift_uncertainty = -1;
    double round_trip = -1;      ///< to rank 0's machine, the shortest; -1: it is there
    double late = -1;            ///< waking from a nap of 100 µs: the median
    double late_sometimes = -1;  ///< one time in a hundred later than that
};

/// A stream that had the network to itself, or nearly.
struct SpeedFact {
    std::string from;
    std::string to;
    double declared = 0;  ///< bits per second of the slowest link on the way; 0: nothing is declared
    double measured = 0;  ///< of the wire: payload and what goes with it
};

struct DoctorFacts {
    std::string mpi;       ///< the library's version
    std::string library;   ///< "libaapc-openmpi.so"
    std::string topology;  ///< the file; empty if none was given
    int declared_mtu = 0;  ///< 0: no topology
    bool several_on_a_machine = false;
    int shared_memory = 0;  ///< what ranks of a machine do for each other: 0 nothing, 1 tickets, 2 copies as well
    std::vector<RankFacts> ranks;
    std::vector<SpeedFact> speeds;
    double reduction_seconds = -1;  ///< of 8 bytes over all ranks, the median; -1: there is one rank
    double start_seconds = -1;      ///< of a scheduled exchange; -1: it could not be measured
};

enum class Finding : std::uint8_t { good, remark, bad };

/// A line of the table.
struct DoctorLine {
    std::string check;
    Finding finding = Finding::good;
    std::string found;
    std::string advice;  ///< empty where all is well
};

/// All checks, in the order of the table.
[[nodiscard]] std::vector<DoctorLine> diagnose(const DoctorFacts& facts);

/// The table for people.
[[nodiscard]] std::string doctor_table(const std::vector<DoctorLine>& lines);

/// The same lines for programs, with the facts behind them rank by rank (aapc-doctor/1). What could not be found out is
/// null.
[[nodiscard]] std::string doctor_json(const DoctorFacts& facts, const std::vector<DoctorLine>& lines);

}  // namespace aapc::bench
