/// @file
/// A wire of our own: TCP connections between the ranks of one communicator, beside those of the MPI.
#pragma once

#include <mpi.h>

#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::mpi {

class WireStreams;

/// The connections of one communicator's ranks, for all its exchanges, which are run one after the other and in the
/// same order on all ranks. Each has one direction and is opened by the rank that sends, which so has another source
/// port for each. Opened when an exchange is made that needs them, and kept. Files are closed on exec; a forked child
/// closes its copies and uses none. Not for concurrent use.
class Wire {
  public:
    /// Whom a rank sends to and receives from by the wire.
    struct Peers {
        std::vector<Rank> to;
        std::vector<Rank> from;
    };
    /// Those of a plan that sit on other machines; on a fabric whose paths are hashed, behind other switches: others
    /// have one path. O(participants + links). Throws std::bad_alloc.
    [[nodiscard]] static Peers peers_of(const Plan& plan, const Network& network, const Placement& placement);

    /// For tests: what a rank lacks.
    struct Faults {
        bool no_files = false;
        bool refuses = false;           ///< closes its door before anybody comes
        bool knows_no_token = false;    ///< says another one than it was told
        double patience_seconds = 5.0;  ///< how long to wait for missing connections
        bool tries_again = false;       ///< although connections could not be opened before in this process
    };

    /// No memory and no file before the first open().
    Wire();
    explicit Wire(const Faults& faults);
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    ~Wire();

    /// Opens the connections that are missing, on all ranks or on none; says so in `opened`. Collective over `comm`,
    /// whose errors are returned. `peers` of this rank, null: it has no memory for them. Ranks listen at one address of
    /// theirs while this lasts, and let in who says the token, 128 random bits that rank 0 has drawn. A few seconds at
    /// most. One all-reduce where nothing is missing. Returns the code of an MPI error.
    [[nodiscard]] int open(MPI_Comm comm, const Peers* peers, bool& opened);
    /// Why the last open() has opened nothing: what the lowest rank has to complain of, the same on all ranks.
    [[nodiscard]] const std::optional<Diagnostic>& complaint() const { return complaint_; }
    /// Closes all connections; local. No exchange uses them any more.
    void close();

    /// For the executor, where it is open.
    [[nodiscard]] WireStreams& streams() { return *streams_; }

  private:
    class Opening;

    Faults faults_;
    std::unique_ptr<WireStreams> streams_;
    std::optional<Diagnostic> complaint_;
};

}  // namespace aapc::mpi
