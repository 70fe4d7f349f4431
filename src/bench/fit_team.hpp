/// @file
/// Some of the ranks of an harness exchange among themselves, the others wait.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "bench/harness.hpp"

namespace aapc::bench {

/// All functions are collective over the communicator of `world`, with equal arguments, and return the same on all its
/// ranks, errors included.
class Team {
  public:
    /// `members`: ranks of the harness, ascending, at least two. `world` must outlive the team.
    [[nodiscard]] static Expected<std::unique_ptr<Team>> create(Harness& world, const std::vector<Rank>& members);
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;
    ~Team();

    /// One exchange among the members, validated; what the slowest of them took, and whether any rank of the world was
    /// asked to end.
    [[nodiscard]] Expected<Sample> run_once(const Method& method, std::int64_t block_bytes);

  private:
    explicit Team(Harness& world) : world_(world) {}

    Harness& world_;
    MPI_Comm comm_ = MPI_COMM_NULL;     ///< of the members; null on the others
    std::unique_ptr<Harness> harness_;  ///< null on the others
};

}  // namespace aapc::bench
