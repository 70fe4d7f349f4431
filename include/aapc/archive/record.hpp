/// @file
/// The record of a job: every call of an all-to-all routine, as the interposer logged it (AAPC_RECORD). A document of
/// JSON lines, format "aapc-record/1" (docs/report.md).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"

namespace aapc {

/// The result of learning in the program's calls (docs/learning.md), on all communicators of rank 0.
struct RecordedLearning {
    std::int64_t calls = 0;
    double seconds = 0;      ///< of these calls
    double own_seconds = 0;  ///< that native calls would have taken, by measured native times
};

/// The job as a whole.
struct RecordHead {
    std::string aapc;                ///< version
    std::string mpi;                 ///< "openmpi" or "mpich"
    std::string library;             ///< what the MPI says of itself, its first line
    std::string program;             ///< the name of rank 0's program, without its directory
    std::string command;             ///< rank 0's command line, shortened if it is long; empty if not known
    std::string date;                ///< when MPI_Finalize was called, UTC: "2026-11-26T00:30:24Z"; empty if not known
    std::string job;                 ///< the batch system's name for the job, "Slurm 4711"; empty if there is none
    double seconds = 0;              ///< from MPI_Init to MPI_Finalize on rank 0
    std::string topology_file;       ///< as it was named; "detect" if there was none
    std::string topology_text;       ///< its content; empty if detected, or too long to be kept
    std::vector<std::string> hosts;  ///< of each rank of MPI_COMM_WORLD
    std::int64_t dropped_calls = 0;  ///< that there was no room for; they are in the totals
    std::int64_t dropped_segments = 0;
    std::optional<RecordedLearning> learned;
};

/// Sums over all ranks.
struct RecordedTotal {
    std::string routine;  ///< "MPI_Alltoall"
    std::string outcome;  ///< "exchanged", or why it was passed through
    std::int64_t calls = 0;
    std::int64_t bytes = 0;
    double seconds = 0;
};

/// Sums over the calls of one rank of MPI_COMM_WORLD.
struct RecordedRank {
    std::int64_t rank = 0;
    std::int64_t calls = 0;
    double seconds = 0;
    double waited_seconds = 0;     ///< as in RecordedCall, over the calls that know it
    std::int64_t calls_known = 0;  ///< that know how long they waited
};

struct RecordedCommunicator {
    std::string name;        ///< "R.K": the K-th communicator whose rank 0 is rank R of MPI_COMM_WORLD
    std::int64_t ranks = 0;  ///< of an intercommunicator: on this side
    std::vector<std::int32_t>
        members;  ///< ranks of MPI_COMM_WORLD, in order; empty if not known, or too many to be kept
};

/// One call, as rank 0 of its communicator saw it.
struct RecordedCall {
    std::string routine;
    std::string communicator;              ///< a RecordedCommunicator's name; empty if there were too many
    double at_seconds = 0;                 ///< when it began, after MPI_Init on that rank
    double seconds = 0;                    ///< on that rank; of a non-blocking call: until it returned
    std::optional<double> waited_seconds;  ///< of that: for other ranks, until all had begun; nullopt if not known
    std::int64_t bytes = 0;                ///< that the rank sent, to itself included
    std::string method;                    ///< "lattice/formula+timed", or "native"
    std::string reason;                    ///< why it was passed through; empty if it was not
    std::int64_t exchange = 0;             ///< if segments were logged: which exchange of its communicator
};

/// The segments of one rank in one time-triggered exchange: lists of equal length, in the order in which segments
/// started.
struct RecordedSegments {
    std::string communicator;
    std::int64_t exchange = 0;
    std::int64_t rank = 0;         ///< of the communicator
    std::vector<std::int32_t> to;  ///< ranks of the communicator
    std::vector<std::int64_t> bytes;
    std::vector<double> due;   ///< launch times: seconds after the common start; on the grid by the shared clock
    std::vector<double> late;  ///< seconds from its launch time to its start
};

/// What one rank has learned of the TCP connections that it sends by (docs/paths.md), as they were when its
/// communicator was freed or MPI ended: lists of equal length, one entry for each connection of a pair that has two.
struct RecordedPaths {
    std::string communicator;
    std::int64_t rank = 0;         ///< of the communicator
    double over_bound = 0;         ///< how many times as long as the even bound the last schedule was
    std::vector<std::int32_t> to;  ///< ranks of the communicator
    std::vector<std::int32_t> port;
    std::vector<double> share;  ///< of the pair's segments: 0 to 1
    std::vector<double> late;   ///< the last known lateness, as a share of the schedule: 0 to 1
};

/// The lengths of unequal messages: what one rank of a communicator sent to each, added up over the calls of a routine,
/// those number `phase`, `phase` + `period` and so on, counted from 0. Lists of equal length; ranks that it sent
/// nothing to are left out.
struct RecordedDemand {
    std::string communicator;
    std::string routine;
    std::int64_t rank = 0;  ///< of the communicator
    std::int64_t period = 1;
    std::int64_t phase = 0;
    std::int64_t calls = 0;
    std::vector<std::int32_t> to;  ///< ranks of the communicator, itself included
    std::vector<std::int64_t> bytes;
};

struct Record {
    RecordHead head;
    std::vector<RecordedTotal> totals;
    std::vector<RecordedRank> ranks;
    std::vector<RecordedCommunicator> communicators;
    std::vector<RecordedCall> calls;  ///< by communicator, in the order of the calls
    std::vector<RecordedSegments> segments;
    std::vector<RecordedPaths> paths;
    std::vector<RecordedDemand> demands;
};

/// Each appends its line to `out`. Bytes that are no UTF-8 become U+FFFD. Throw std::bad_alloc alone.
void append_line(const RecordHead& head, std::string& out);
void append_line(const RecordedTotal& total, std::string& out);
void append_line(const RecordedRank& rank, std::string& out);
void append_line(const RecordedCommunicator& communicator, std::string& out);
void append_line(const RecordedCall& call, std::string& out);
void append_line(const RecordedSegments& segments, std::string& out);
void append_line(const RecordedPaths& paths, std::string& out);
void append_line(const RecordedDemand& demand, std::string& out);

/// Reads a document; a mistake is named with its line. Lines of an unknown kind are also an error. O(text).
[[nodiscard]] Expected<Record> read_record(std::string_view text, std::string_view file);

}  // namespace aapc
