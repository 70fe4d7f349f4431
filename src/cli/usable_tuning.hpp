/// @file
/// The tuning file of `aapc explain`.
#pragma once

#include <optional>
#include <string>

#include "aapc/archive/tuning.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::cli {

/// A tuning, or why a job would go without it.
struct ExplainedTuning {
    std::optional<Tuning> tuning;
    std::string rejected;  ///< the interposer's remark; empty if it is used, or there is none
};

/// Reads a tuning, of equal or of unequal messages, and rejects it as the interposer would. What only a running job
/// knows, the version of its MPI and where MPI_COMM_WORLD is placed, is taken to be as tuned, and so is the MPI where
/// `mpi` is empty. Without a file (empty) there is none. `topology` is the network's file.
[[nodiscard]] ExplainedTuning read_explained_tuning(const std::string& file, const Network& network,
                                                    const std::string& topology, const std::string& mpi);

}  // namespace aapc::cli
