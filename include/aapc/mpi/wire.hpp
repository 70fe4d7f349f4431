/// @file
/// The wire: TCP connections of aapc between the ranks of one communicator, beside those of the MPI.
#pragma once

#include <mpi.h>

#include <array>
#include <cstdint>
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

/// The connections of one communicator. All its exchanges share them, which run one after the other in the same order
/// on all ranks. Each connection has one direction, and its sender opens it and so chooses its source port. Connections
/// are opened for the first exchange that needs them, and kept; where a pair has two, one of them may be moved to
/// another port later. Files are closed on exec; a forked child closes its copies and uses none. Not for concurrent
/// use.
class Wire {
  public:
    /// The ranks that this rank sends to and receives from by the wire, in order.
    struct Peers {
        std::vector<Rank> to;
        std::vector<Rank> from;
        /// For each peer and direction: 2 where connections may have several paths, if all ranks have files for them.
        /// Equal on all ranks.
        int connections = 1;
    };
    /// The peers of a plan on other machines; on a fabric with hashed paths only those at other leaf switches, since
    /// others have a single path, and two connections for each. O(participants · log participants + links). Throws
    /// std::bad_alloc.
    [[nodiscard]] static Peers peers_of(const Plan& plan, const Network& network, const Placement& placement);

    /// For tests: failures of this rank.
    struct Faults {
        bool no_files = false;
        bool refuses = false;           ///< stops listening before any peer connects
        bool knows_no_token = false;    ///< sends a wrong token
        double patience_seconds = 5.0;  ///< how long to wait for missing connections
        bool tries_again = false;       ///< although connections could not be opened before in this process
    };

    /// No memory and no file before the first open().
    Wire();
    explicit Wire(const Faults& faults);
    Wire(const Wire&) = delete;
    Wire& operator=(const Wire&) = delete;
    ~Wire();

    /// Opens missing connections, on all ranks or on none, and says so in `opened`. Collective over `comm`, which
    /// returns errors. `peers` of this rank, null if it has no memory for them. Ranks listen at one of their addresses
    /// meanwhile and accept connections that begin with a token, 128 random bits from rank 0. Takes a few seconds at
    /// most, and one all-reduce if no connection is missing. Returns an MPI error code.
    [[nodiscard]] int open(MPI_Comm comm, const Peers* peers, bool& opened);
    /// How many connections each pair has by the last successful open(): one if some rank has no files for two. Equal
    /// on all ranks.
    [[nodiscard]] int connections() const { return connections_; }
    /// Why the last open() failed: the complaint of the lowest rank that has one, on all ranks.
    [[nodiscard]] const std::optional<Diagnostic>& complaint() const { return complaint_; }
    /// Connections that should have another port get one, on all ranks that have any. Collective over `comm`, which
    /// returns errors, while no message is on its way. A connection that cannot be opened anew is missing from then on,
    /// and the other one of its pair carries everything. Returns an MPI error code.
    [[nodiscard]] int move(MPI_Comm comm);
    /// Closes all connections; local. No exchange uses them any more.
    void close();
    /// The same, without leaving their ports in use for a minute. What others have not read yet is lost.
    void close_at_once();

    /// One connection of a pair that has two, and what was learned of it.
    struct LearnedPath {
        Rank to = 0;
        std::uint16_t port = 0;  ///< its own; 0 if not known
        double share = 0;        ///< of the pair's segments
        double late = 0;         ///< its last known lateness, as a share of the schedule
    };
    struct LearnedPaths {
        double over_bound = 0;  ///< how many times as long as the bound the last schedule was
        std::vector<LearnedPath> paths;
    };
    /// What this rank has learned of the connections that it has open to others, by rank; no paths if it has learned
    /// nothing. O(ranks). Throws std::bad_alloc.
    [[nodiscard]] LearnedPaths learned_paths() const;

    /// The two connections of a pair, as one job leaves them for the next. A hash of addresses and ports gives them the
    /// same paths again.
    struct KeptPair {
        Rank to = 0;
        std::uint16_t listens = 0;             ///< the peer's port
        std::array<std::uint16_t, 2> ports{};  ///< this rank's
        double share = 0;                      ///< of the segments that the first connection carries
    };
    struct Kept {
        std::uint16_t listens = 0;    ///< this rank's port; 0 if not known
        std::vector<KeptPair> pairs;  ///< by rank
    };
    /// Before the first open(): the ports to have again where they are free, and the shares to begin with between ports
    /// that could be had. Ports that the system would not choose by itself are left out. Anything may be wrong in it.
    void expect(Kept kept);
    /// What another job may begin with: pairs from here that have learned something. O(ranks). Throws std::bad_alloc.
    [[nodiscard]] Kept kept() const;

    /// For the executor, after a successful open().
    [[nodiscard]] WireStreams& streams() { return *streams_; }

  private:
    class Opening;
    /// Null if nothing is expected of connections to that rank.
    [[nodiscard]] const KeptPair* expected_of(Rank rank) const;
    /// Shares that were expected, between ports that are as expected.
    void resume();

    Faults faults_;
    std::unique_ptr<WireStreams> streams_;
    std::optional<Diagnostic> complaint_;
    int connections_ = 1;
    Kept expected_;           ///< pairs by rank
    std::uint16_t port_ = 0;  ///< where this rank listens, so that a source port has the same path again; 0: not yet
};

/// A wire for an exchange, and the network that says whose messages gain by it. Both outlive the call, the wire the
/// exchange.
struct OwnWire {
    Wire& wire;
    const Network& network;
};

}  // namespace aapc::mpi
