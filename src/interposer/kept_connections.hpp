/// @file
/// AAPC_LEARNED with AAPC_WIRE=tcp: connections of a communicator get the ports that they had in the job before, so
/// that a hash gives them the same paths, and begin with the shares that were learned.
#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "aapc/mpi/wire.hpp"
#include "aapc/topology/placement.hpp"
#include "archive/kept_paths.hpp"
#include "interposer/communicators.hpp"
#include "selection/settings.hpp"

namespace aapc::interposer {

/// Of one process.
class KeptConnections {
  public:
    explicit KeptConnections(const selection::Configuration& configuration) : configuration_(configuration) {}

    /// Reads what stands beside the file of what is learned; `learned` is empty if there is none. Nothing is believed
    /// of a file with a mistake; rank 0 says so in one line. Collective over the world.
    void read(const std::string& learned);
    /// What `rank` of a communicator with that placement is to have again; each communicator only once. Throws
    /// std::bad_alloc. For concurrent use.
    [[nodiscard]] mpi::Wire::Kept take(const Placement& placement, Rank rank);
    /// Writes what the communicators leave. Then nothing is on its way any more. True if ports should not be left in
    /// use; the same on all ranks. Collective over the world.
    [[nodiscard]] bool write(Communicators::States states);

  private:
    [[nodiscard]] std::string own_text(Communicators::States states) const;

    const selection::Configuration& configuration_;
    std::string path_;      ///< on rank 0
    bool is_kept_ = false;  ///< the same on all ranks
    std::mutex mutex_;
    std::vector<KeptPaths> before_;  ///< the same on all ranks, less what has been taken
};

}  // namespace aapc::interposer
