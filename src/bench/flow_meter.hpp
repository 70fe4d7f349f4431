/// @file
/// How fast streams between machines go at once, and how long round trips take.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <vector>

#include "aapc/topology/placement.hpp"
#include "offline/discovery/latency.hpp"
#include "offline/discovery/switch_tree.hpp"

namespace aapc::bench {

/// Measures on the machines of a communicator. All functions are collective; what rank 0 asks for counts.
class FlowMeter {
  public:
    /// `placement`: that of all ranks of `comm`. Machines without ranks carry nothing.
    FlowMeter(MPI_Comm comm, const Placement& placement, Machine machines);

    /// Rounds one after the other, each for `seconds`, with what each flow carried (payload), on all ranks. A flow uses
    /// up to `most_lanes` ranks of each of its machines. What came in the first quarter of a round does not count:
    /// connections begin slowly.
    [[nodiscard]] std::vector<discovery::Round> measure(const std::vector<discovery::Round>& rounds, double seconds);

    /// The shortest round trips of small messages between the machines' first ranks, on all ranks, tried again and
    /// again for two seconds. Pairs of few machines are alone on the network; of many, all are at it at once.
    [[nodiscard]] discovery::RoundTrips round_trips();

    /// Sets the length of messages by what a flow carries: short enough to tell how fast it goes within `seconds`.
    void set_chunk(double bytes_per_second, double seconds);

    /// Whether any rank has been asked to end.
    [[nodiscard]] bool interrupted() const { return interrupted_; }

  private:
    [[nodiscard]] std::vector<discovery::Round> shared(const std::vector<discovery::Round>& rounds) const;
    /// What this rank received of its flow of that round, in bytes per second.
    [[nodiscard]] double take_part(const discovery::Round& round, double seconds, std::size_t& flow_received);
    [[nodiscard]] int lanes(Machine one, Machine other) const;
    void one_pass(std::vector<double>& trips);

    MPI_Comm comm_;
    std::vector<std::vector<Rank>> ranks_of_;  ///< by machine
    Machine machine_ = 0;                      ///< this rank's
    int lane_ = 0;                             ///< its place among the ranks of its machine
    std::int64_t chunk_bytes_;
    std::vector<std::byte> send_;
    std::vector<std::byte> receive_;
    bool interrupted_ = false;
};

}  // namespace aapc::bench
