/// @file
/// The options of `aapc tune`, for the command that checks them and the MPI program that obeys them. Knows no MPI.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "aapc/topology/detection.hpp"
#include "console/command_line.hpp"

namespace aapc::bench {

struct TuneOptions {
    std::string mpi;  ///< "openmpi", "mpich"; empty for the launcher's
    std::string topology = std::string(detection_word);
    std::string output = "tuning.toml";
    std::vector<std::string> sizes = {"1:1Mi:x4"};
    double minutes = 12;
    std::string state;  ///< empty for the output's name followed by .state
    bool restart = false;
    std::string pattern;              ///< of unequal messages; empty for equal ones
    std::uint64_t seed = 1;           ///< of what the pattern draws
    std::vector<std::string> models;  ///< FILE or CLUSTER=FILE (model_files.hpp); empty if no model

    [[nodiscard]] std::string state_file() const { return state.empty() ? output + ".state" : state; }
};

void add_tune_options(cli::Command& command, TuneOptions& options);

}  // namespace aapc::bench
