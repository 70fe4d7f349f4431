/// @file
/// Where ranks are, as they find out by themselves.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "aapc/topology/detection.hpp"

namespace aapc::mpi {

/// The place of each rank of `comm`, the same on all of them: which ranks share memory as the MPI sees it
/// (MPI_COMM_TYPE_SHARED), and the names of their processors, or AAPC_HOSTNAME. Collective; the MPI's own routines
/// wait as they do. Nothing, on all ranks, where one has no memory or the MPI refuses.
[[nodiscard]] std::optional<std::vector<RankPlace>> gather_places(MPI_Comm comm);

}  // namespace aapc::mpi
