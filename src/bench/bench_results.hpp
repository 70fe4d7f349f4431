/// @file
/// What `aapc bench` found, and how it is written. Knows no MPI.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "bench/bench_options.hpp"
#include "bench/sample.hpp"

namespace aapc::bench {

/// Where and how a bench was run.
struct BenchFacts {
    std::string aapc_version;
    std::string mpi_version;  ///< its library's first line
    std::string date;         ///< UTC, "2026-01-31T12:00:00Z"
    std::string topology_digest;
    std::int64_t bound_messages = 0;
    std::vector<std::string> host_names;                           ///< of each rank
    std::string congestion_control;                                ///< rank 0's kernel's; empty if not known
    std::vector<std::pair<std::string, std::string>> environment;  ///< rank 0's AAPC_ variables
    BenchOptions options;
    std::vector<std::string> candidates;  ///< the reference first
};

/// What was measured with blocks of one size.
struct SizeResult {
    std::int64_t block_bytes = 0;
    double least_seconds = 0;                  ///< what no exchange can beat; 0: not known
    std::vector<std::vector<Sample>> samples;  ///< [candidate][round], at least one round, as many of each
};

/// The first lines of the table, and the lines of one size, newlines at the end.
[[nodiscard]] std::string table_head(const BenchFacts& facts);
[[nodiscard]] std::string table_rows(const BenchFacts& facts, const SizeResult& result);

/// Facts as comments ("# name: value"), then one line for each sample; docs/benchmarking.md has the columns.
[[nodiscard]] std::string csv_text(const BenchFacts& facts, const std::vector<SizeResult>& results);

/// Format "aapc-bench/1": facts, medians with their intervals, and every sample; docs/benchmarking.md.
[[nodiscard]] std::string json_text(const BenchFacts& facts, const std::vector<SizeResult>& results);

}  // namespace aapc::bench
