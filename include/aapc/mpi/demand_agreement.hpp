/// @file
/// What all ranks know of a call of unequal messages after one reduction: its bound, whether all can take part, and
/// whether what is sent is what is expected. Whatever is decided from it is decided alike everywhere.
#pragma once

#include <mpi.h>

#include <cstdint>
#include <span>
#include <vector>

#include "aapc/demand/link_loads.hpp"
#include "aapc/mpi/unequal_exchange.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::mpi {

/// What one rank brings.
struct DemandClaim {
    /// Without them (empty spans) the rank has nothing to say of its messages, and nothing is exchanged.
    MessageBytes bytes;
    /// By the other rank; what the bound is found from.
    std::span<const std::int64_t> wire_to;
    std::span<const std::int64_t> wire_from;
    bool refuses = false;               ///< its arguments are the MPI's to judge
    bool lacks_memory = false;          ///< it could not prepare
    std::int64_t last_nanoseconds = 0;  ///< what the last agreement took here; 0: there was none
    /// What the ranks want to know of the calls before, for those who learn from them; the largest counts.
    std::int64_t call_nanoseconds = 0;
    std::int64_t set_up_nanoseconds = 0;
};

/// What all ranks know then, the same on all.
struct AgreedDemand {
    DemandBound bound;
    bool refused = false;       ///< by some rank, or lengths that differ between sender and receiver
    bool lacks_memory = false;  ///< on some rank
    double cost_seconds = 0;    ///< what the last agreement took where it was shortest: waiting for nobody; 0: unknown
    double call_seconds = 0;    ///< as claimed, on the slowest rank
    double set_up_seconds = 0;  ///< the same

    [[nodiscard]] bool possible() const { return !refused && !lacks_memory; }
};

/// The reduction, for one communicator: sums and maxima, two at a time. 8 bytes a link that can bind, and nine numbers.
class DemandAgreement {
  public:
    /// Throws std::bad_alloc.
    DemandAgreement(LinkLoads loads, Rank rank);

    /// Collective over `comm`. Needs no memory of ours beyond what LinkLoads::write_share() takes: a rank that lacks
    /// that says so. Returns the first error code of an MPI call.
    [[nodiscard]] int agree(MPI_Comm comm, const DemandClaim& claim, AgreedDemand& agreed);
    /// What the last one took on this rank, the time that it waited for others included.
    [[nodiscard]] std::int64_t nanoseconds() const { return nanoseconds_; }

  private:
    LinkLoads loads_;
    Rank rank_;
    std::int64_t nanoseconds_ = 0;
    std::vector<std::int64_t> share_;  ///< of the links: sums, then the maximum
    std::vector<std::int64_t> mine_;   ///< what goes into the reduction of sums
    std::vector<std::int64_t> all_;
};

}  // namespace aapc::mpi
