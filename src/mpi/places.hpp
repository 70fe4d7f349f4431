/// @file
/// Where ranks are, as they find out by themselves.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "aapc/topology/detection.hpp"

namespace aapc::mpi {

/// The place of each rank of `comm`, the same on all of them: which ranks share memory, and the names of their
/// processors, or AAPC_HOSTNAME. Those share memory that the MPI says do (MPI_COMM_TYPE_SHARED), or, if it says so of
/// none, those that run on one system. Collective; the MPI's own routines wait as they do. Nothing, on all ranks, where
/// one has no memory or the MPI refuses.
[[nodiscard]] std::optional<std::vector<RankPlace>> gather_places(MPI_Comm comm);

}  // namespace aapc::mpi
