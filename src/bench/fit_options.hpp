/// @file
/// The options of `aapc fit`, for the command that reads samples and the MPI program that measures them. Knows no MPI.
#pragma once

#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/network.hpp"
#include "console/command_line.hpp"
#include "input/text_file.hpp"

namespace aapc::bench {

inline constexpr FileKind samples_file{"samples as CSV", 64};

struct FitOptions {
    std::string mpi;       ///< "openmpi", "mpich"; empty for the launcher's
    std::string samples;   ///< CSV to read; empty if it measures
    std::string topology;  ///< of the cluster to measure; empty if it reads
    double alpha = -1;     ///< below 0: not given
    double beta = -1;
    std::string method = "native";
    std::vector<std::string> sizes = {"256:256Ki:x4"};
    std::vector<Rank> ranks;  ///< empty for all, three quarters and half of them
    int repeats = 5;
    int next = 0;
    double minutes = 10;
    std::string csv = "samples.csv";
    bool restart = false;
    std::string format = "text";
    std::string output;
    std::string plot;

    [[nodiscard]] bool measures() const { return !topology.empty(); }
};

void add_fit_options(cli::Command& command, FitOptions& options);

/// What contradicts itself, with the option as its file; nothing is opened.
[[nodiscard]] Expected<void> check_fit_options(const FitOptions& options);

/// Samples of one part of a network, with the name of their file.
struct SamplesOfPart {
    std::string name;  ///< of the cluster; empty for the whole network
    std::vector<ContentionSample> samples;
};

/// Writes the fit and, if asked for, the pictures, one for each part. The status of the program.
[[nodiscard]] int write_fit(const FitOptions& options, const NetworkModel& model,
                            const std::vector<SamplesOfPart>& parts);

/// How many ranks take part in turn: what was asked for, or all, three quarters and half of `available`; ascending,
/// each at least 3 and at most `available`. The diagnostic says what is not possible.
[[nodiscard]] Expected<std::vector<Rank>> rank_counts(const std::vector<Rank>& asked_for, Rank available);

/// `count` of the `available` ranks, spread evenly, so that a part is spread over the switches like the whole.
/// 1 <= count <= available.
[[nodiscard]] std::vector<Rank> spread_evenly(Rank count, Rank available);

}  // namespace aapc::bench
