/// @file
/// AAPC_LEARNED: what earlier jobs have learned is read at the start, and what this one has is added at the end.
#pragma once

#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::interposer {

/// What the file says of this network and MPI, on all ranks. Nothing where there is no file yet, or where it is
/// damaged; rank 0 says that in one line. `path` becomes absolute, and empty where it is the file of something else,
/// which nobody is to overwrite. `here` is rank 0's; its placement does not matter. Collective over the world.
[[nodiscard]] std::vector<Tuning> read_learned(std::string& path, const Fingerprint& here, NetworkKind kind);

/// Adds what the ranks have learned to the file, which other jobs may have changed since: all or nothing; rank 0 says
/// in one line if it cannot. `mine` is this rank's, of communicators of which it is the first rank; `here` is rank 0's.
/// Collective over the world.
void write_learned(const std::string& path, const std::vector<Tuning>& mine, const Fingerprint& here, NetworkKind kind);

}  // namespace aapc::interposer
