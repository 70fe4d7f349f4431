/// @file
/// The options of `aapc bench`, for the command that checks them and the MPI program that obeys them. Knows no MPI.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/topology/detection.hpp"
#include "aapc/topology/network.hpp"
#include "bench/sample.hpp"
#include "console/command_line.hpp"

namespace aapc::bench {

/// The candidate that is MPI_Alltoall as an unmodified program calls it, under the interposer.
inline constexpr std::string_view interposed = "interposed";

struct BenchOptions {
    std::string mpi;  ///< "openmpi", "mpich"; empty for the launcher's
    std::string topology = std::string(detection_word);
    std::vector<std::string> sizes = {"8Ki:512Ki:x4"};
    std::vector<std::string> candidates;  ///< empty for default_candidates()
    int repeats = 12;                     ///< at least 6 give an interval of 95 %
    int warm_up = 2;
    int teach = 0;             ///< calls of `interposed` alone before that
    double most_seconds = 30;  ///< for each size
    std::string pattern;       ///< of unequal messages, whose mean size the sizes are; empty if blocks are equal
    std::uint64_t seed = 1;
    std::string late;  ///< as parse_late_rank() reads it; empty if no rank is late
    std::string format = "table";
    std::string output;
};

void add_bench_options(cli::Command& command, BenchOptions& options);

/// What takes part in a bench: a method, or `interposed`.
struct Candidate {
    std::string name;  ///< as to_string() writes methods
    Method method;     ///< of no meaning for `interposed`

    [[nodiscard]] bool is_interposed() const { return name == interposed; }
};

/// Native, then every algorithm for that kind of network as it is run by default.
[[nodiscard]] std::vector<std::string> default_candidates(NetworkKind kind);

/// With unequal messages: native, the algorithms of MPI libraries, and time-triggered methods.
[[nodiscard]] std::vector<std::string> default_unequal_candidates();

/// Whether there is such a pattern; the diagnostic has no file.
[[nodiscard]] Expected<void> check_pattern(const std::string& pattern);

/// The candidates by their names, each once; the diagnostic has no file.
[[nodiscard]] Expected<std::vector<Candidate>> parse_candidates(const std::vector<std::string>& names,
                                                                NetworkKind kind);

/// From "RANK:TIME:EVERY", for a job of `ranks` ranks; no rank is late if the text is empty. The diagnostic has no
/// file.
[[nodiscard]] Expected<LateRank> parse_late_rank(std::string_view text, int ranks);

/// Block sizes from words such as "8Ki" and "1:1Mi:x4" (from, to at most, each times a factor of at least 2), in
/// ascending order, each once; at least one, each from 1 to 2^31-1. The diagnostic has no file.
[[nodiscard]] Expected<std::vector<std::int64_t>> parse_sizes(const std::vector<std::string>& words);

}  // namespace aapc::bench
