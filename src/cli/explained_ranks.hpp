/// @file
/// The communicator that `aapc explain` decides for: its ranks, and what it shares with others.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "aapc/topology/siblings.hpp"
#include "console/command_line.hpp"

namespace aapc::cli {

/// What the user asked for.
struct RankOptions {
    std::string machines;
    Rank ranks = 0;  ///< 0: all
    std::string members;
    std::string record;
    std::string communicator;  ///< of the record; empty for the one in whose calls most time passed
};

/// Adds the five options.
void add_rank_options(Command& command, RankOptions& options);

struct ExplainedRanks {
    Placement placement;
    double share_of_ranks = 1;          ///< of all ranks of the job, that are in the communicator
    std::optional<SharedLinks> shared;  ///< nullopt if it is taken to have its links to itself
    std::string name;                   ///< which communicator of which job; empty if it is only known by its machines
    std::string in_record;              ///< whether the record has its siblings exchange with it; empty without one
};

/// The ranks of --members or of a record's communicator among those of MPI_COMM_WORLD. Without either: the ranks of
/// --machines, or the tuned ones, or all of the topology; of those the first --ranks. Links are shared with siblings as
/// in a job, unless `tuning`, which may be null, is for these ranks.
[[nodiscard]] Expected<ExplainedRanks> explained_ranks(const RankOptions& options, const Network& network,
                                                       const Tuning* tuning);

/// Numbers of ranks below `ranks`, as in "0,4,8", "0-3" or "0-12:4", in this order. A diagnostic for what is no such
/// list, and for a rank that comes twice or is not there.
[[nodiscard]] Expected<std::vector<Rank>> parse_members(const std::string& text, Rank ranks);

}  // namespace aapc::cli
