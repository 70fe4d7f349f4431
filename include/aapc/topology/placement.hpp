/// @file
/// The placement: who takes part in an exchange and on which machine each participant sits.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "aapc/topology/network.hpp"

namespace aapc {

/// Any subset of the cluster, any placement and any number of ranks on a machine: participants are numbered as the
/// communicator numbers them.
///
/// Every participant owes every other one message of one size (MPI_Alltoall), unless a demand
/// (aapc/topology/demand.hpp) says how many bytes each message has (MPI_Alltoallv).
struct Placement {
    std::vector<Machine> machine_of;  ///< index: Rank; value: where that rank runs

    [[nodiscard]] Rank participants() const { return static_cast<Rank>(machine_of.size()); }
};

/// The placement that a topology file describes by itself: all its machines, in file order, each with the ranks it
/// declares.
[[nodiscard]] Placement full_placement(const Network& network);

/// Those of the participants that `ranks` names, in that order, each on the machine that it has in `whole`: a
/// communicator among the ranks of another one. Ranks are in range. O(ranks). Throws std::bad_alloc.
[[nodiscard]] Placement placement_of(std::span<const Rank> ranks, const Placement& whole);

/// The participants on the machine of `rank`, itself included, ascending. O(participants).
[[nodiscard]] std::vector<Rank> ranks_beside(const Placement& placement, Rank rank);

/// A name for each participant: the machine's, or machine:k for the k-th of several ranks on one machine.
[[nodiscard]] std::vector<std::string> participant_names(const Network& network, const Placement& placement);

}  // namespace aapc
