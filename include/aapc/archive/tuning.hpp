/// @file
/// Tuning files: which method serves which message sizes on one cluster and placement of the ranks, and on what
/// evidence. `aapc tune` writes them, the interposer and `aapc explain` obey them; docs/tuning.md has the format.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/input/hostlist.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// What a tuning was measured with. A tuning holds only for the same fingerprint.
struct Fingerprint {
    std::string aapc_version;             ///< "0.1.0"
    std::string mpi;                      ///< the name in the interposer's file: "openmpi", "mpich"
    std::string mpi_version;              ///< the MPI's version text, on one line: mpi_version_line()
    std::string topology_digest;          ///< network_digest()
    std::string topology_file;            ///< as the user gave it; a remark, not compared
    std::vector<std::string> machine_of;  ///< index: Rank; value: the name of its machine in the topology
    /// Whether it is for messages of unequal lengths. Their size is that of a block of equal messages whose bound is as
    /// long.
    bool unequal = false;

    friend bool operator==(const Fingerprint&, const Fingerprint&) = default;
};

/// The first line of MPI_Get_library_version(), blanks and tabs made single spaces.
[[nodiscard]] std::string mpi_version_line(std::string_view library_version);

/// The fingerprint of this version of aapc, this network and this placement under the MPI called `mpi` with the version
/// text `library_version`. `topology_file` is the remark. O(network + participants).
[[nodiscard]] Fingerprint make_fingerprint(const Network& network, const Placement& placement, std::string_view mpi,
                                           std::string_view library_version, std::string_view topology_file);

/// Provenance for people, not compared.
struct TuningConditions {
    std::string date;                ///< "2026-11-21T07:15:00Z"
    double duration_seconds = 0;     ///< of the search
    std::string congestion_control;  ///< of TCP on the host of rank 0; empty if not known
    std::string host;                ///< the host name of rank 0
    std::int64_t calls = 0;          ///< of the programs that it was learned from; 0 if `aapc tune` measured it

    friend bool operator==(const TuningConditions&, const TuningConditions&) = default;
};

/// How many times as fast as native a method is: the median of native/method, pair by pair, and its confidence
/// interval.
struct Lead {
    double ratio = 1;
    double low = 1;
    double high = 1;

    friend bool operator==(const Lead&, const Lead&) = default;
};

/// The second best method that was measured at a size; it may be native.
struct RunnerUp {
    Method method;
    double seconds = 0;  ///< median

    friend bool operator==(const RunnerUp&, const RunnerUp&) = default;
};

/// What was measured at one message size; all times are those of the slowest rank.
struct MeasuredSize {
    std::int64_t bytes = 0;     ///< of one block; at least 1
    double native_seconds = 0;  ///< median of native calls; more than 0
    double chosen_seconds = 0;  ///< median of the range's method, which may be native; more than 0
    Lead lead;                  ///< of the range's method over native
    double spread = 0;          ///< interquartile range of the range's method over its median
    std::int64_t repeats = 0;   ///< that the chosen median comes from; at least 1
    std::optional<RunnerUp> runner_up;

    friend bool operator==(const MeasuredSize&, const MeasuredSize&) = default;
};

/// Blocks of `from_bytes` up to the next range's beginning, or of any size from there on, use `method`.
struct TunedRange {
    std::int64_t from_bytes = 0;
    Method method;
    std::vector<MeasuredSize> measured;  ///< ascending sizes, all inside the range; may be empty

    friend bool operator==(const TunedRange&, const TunedRange&) = default;
};

struct Tuning {
    Fingerprint fingerprint;
    TuningConditions conditions;
    std::vector<TunedRange> ranges;  ///< ascending, the first from 0

    friend bool operator==(const Tuning&, const Tuning&) = default;
};

/// The file's text: the same for the same tuning, one fact per line, in a fixed order, sealed by a checksum. Numbers
/// that are no whole numbers are rounded to six significant digits. Names without control characters are expected.
/// O(text).
[[nodiscard]] std::string tuning_text(const Tuning& tuning);

/// Reads a tuning file for networks of that kind. `file` is only used in diagnostics. A tuning is returned only if all
/// of it is right: the TOML, every key and type, ascending ranges from 0, known methods, sensible numbers and the
/// checksum over every byte before it; so a file that was cut off or edited by accident is refused as a whole. One
/// mistake is reported, with its position, by the same rules as for topology files; a wrong checksum only if there is
/// no other mistake, together with the right one, for users who edited the file on purpose. O(text + ranks).
[[nodiscard]] Expected<Tuning> read_tuning(std::string_view text, std::string_view file, NetworkKind kind);

/// Reads the file of that name and then its text as above. A directory, an unreadable file or one over 16 MiB is also a
/// diagnostic. `text`, if given, gets the text read.
[[nodiscard]] Expected<Tuning> read_tuning_file(const std::string& path, NetworkKind kind, std::string* text = nullptr);

/// The first thing in which `here` differs from what the tuning was made for, with both values: the version of aapc,
/// the MPI, its version, the topology, the number of ranks, their placement, equal messages or not. The diagnostic has
/// no file. Nullopt if the tuning holds here.
[[nodiscard]] std::optional<Diagnostic> mismatch(const Tuning& tuning, const Fingerprint& here);

/// Names in order as a Slurm-style hostlist with counts, "n[0-7]:2": expand_hostlist() gives the names back, each as
/// many times as it says, wherever the names are names of machines. O(names).
[[nodiscard]] std::string compact_hostlist(const std::vector<std::string>& names);

}  // namespace aapc
