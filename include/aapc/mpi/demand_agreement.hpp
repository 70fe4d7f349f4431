/// @file
/// What all ranks know of a call of unequal messages after one reduction: its bound, whether all can take part, and
/// whether what is sent is what is expected. Whatever is decided from it is decided alike everywhere.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "aapc/mpi/agreement.hpp"
#include "aapc/mpi/unequal_exchange.hpp"
#include "aapc/topology/link_loads.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::mpi {

/// What one rank knows of calls that were carried out without an agreement.
struct PastClaim {
    std::size_t calls = 0;  ///< at least one; the same on all ranks
    MessageBytes bytes;     ///< their sums, of the messages alone
    bool unknown = false;   ///< this rank cannot describe them
    bool unlike = false;    ///< its bytes differ too much from call to call for their mean to stand for each
};

/// The same as it travels beside other numbers of a mpi::Claim.
struct PastNumbers {
    std::array<std::int64_t, 3> sums{};
    std::array<std::int64_t, 1> maxima{};
    std::span<const std::int64_t> loads;  ///< of links; valid until the next call of DemandAgreement
};

/// What all ranks know of these calls then, the same on all.
struct AgreedPast {
    bool described = false;  ///< by all ranks; otherwise what follows means nothing
    bool alike = false;      ///< on each rank the calls are much the same
    DemandBound bound;       ///< of their mean, for loads are linear
};

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
};

/// What all ranks know then, the same on all.
struct AgreedDemand {
    DemandBound bound;
    bool refused = false;       ///< by some rank, or lengths that differ between sender and receiver
    bool lacks_memory = false;  ///< on some rank
    double cost_seconds = 0;    ///< what the last agreement took on the rank that waited for no other; 0: unknown

    [[nodiscard]] bool possible() const { return !refused && !lacks_memory; }
};

/// The reduction, for one communicator: 16 bytes for each link that can bind and six numbers beside them.
class DemandAgreement {
  public:
    /// Throws std::bad_alloc.
    DemandAgreement(LinkLoads loads, Rank rank);
    DemandAgreement(const DemandAgreement&) = delete;
    DemandAgreement& operator=(const DemandAgreement&) = delete;
    ~DemandAgreement() = default;

    /// Collective over `comm`. Allocates nothing itself beyond what LinkLoads::write_share() takes: a rank that lacks
    /// that memory says so. Returns the first error code of an MPI call.
    [[nodiscard]] int agree(MPI_Comm comm, const DemandClaim& claim, AgreedDemand& agreed);
    /// Loads of links that an Agreement needs room for so that PastNumbers can travel in it.
    [[nodiscard]] std::size_t loads() const { return loads_.sums(); }
    /// This rank's share of what calls have put on the links. A rank without memory for it claims that they are
    /// unknown.
    [[nodiscard]] PastNumbers write_past(const PastClaim& claim);
    /// The result for `calls` calls, from `of`, whose latest result is `all`. Its sums and maxima have those of
    /// PastNumbers from the indices `first_sum` and `first_maximum` on.
    [[nodiscard]] AgreedPast read_past(const Agreement& of, const Agreed& all, std::size_t first_sum,
                                       std::size_t first_maximum, std::size_t calls);

    /// What the last one took on this rank, the time that it waited for others included.
    [[nodiscard]] std::int64_t nanoseconds() const { return nanoseconds_; }

  private:
    /// A share into share_ and, its sums, into mine_. False: no memory; all is 0 then.
    bool write_share(std::span<const std::int64_t> to, std::span<const std::int64_t> from);
    /// From the loads of all links.
    [[nodiscard]] DemandBound bound_of(const Agreement& of, std::int64_t maximum, std::int64_t own_mean);

    LinkLoads loads_;
    Rank rank_;
    std::int64_t nanoseconds_ = 0;
    std::vector<std::int64_t> share_;  ///< of the links: sums, then the maximum
    std::vector<std::int64_t> mine_;   ///< loads of the links
    Agreement agreement_;
};

}  // namespace aapc::mpi
