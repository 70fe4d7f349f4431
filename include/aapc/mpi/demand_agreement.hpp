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

#include "aapc/demand/link_loads.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/mpi/unequal_exchange.hpp"
#include "aapc/topology/network.hpp"

namespace aapc::mpi {

/// What one rank noted of calls that were carried out without an agreement, since the latest one.
struct PastClaim {
    static constexpr std::size_t most_calls = 4;

    std::size_t calls = 0;  ///< the same on all ranks; 0: there was none
    MessageBytes bytes;     ///< their sums, of the messages alone
    /// When each began and ended by this rank's clock, in nanoseconds since it left the latest agreement.
    std::array<std::int64_t, most_calls> begins{};
    std::array<std::int64_t, most_calls> ends{};
    bool unknown = false;  ///< this rank cannot say what they were
    bool unlike = false;   ///< what it sends and receives differs too much from call to call for one to stand for all
};

/// What all ranks know of these calls then, the same on all.
struct AgreedPast {
    std::size_t calls = 0;
    bool described = false;  ///< by all ranks; otherwise what follows means nothing
    bool known = false;      ///< and much the same on each of them
    DemandBound bound;       ///< of their mean, for loads are linear
    /// From when the last rank came until the last one was through: nobody is to blame for others who are late.
    std::array<double, PastClaim::most_calls> seconds{};
    bool timed = false;  ///< clocks of different computers cannot have been wrong by more than a 20th of these
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
    /// What the ranks want to know of the calls before, for those who learn from them; the largest counts.
    std::int64_t call_nanoseconds = 0;
    std::int64_t set_up_nanoseconds = 0;
    PastClaim past;
};

/// What all ranks know then, the same on all.
struct AgreedDemand {
    DemandBound bound;
    bool refused = false;       ///< by some rank, or lengths that differ between sender and receiver
    bool lacks_memory = false;  ///< on some rank
    double cost_seconds = 0;    ///< what the last agreement took where it was shortest: waiting for nobody; 0: unknown
    double call_seconds = 0;    ///< as claimed, on the slowest rank
    double set_up_seconds = 0;  ///< the same
    AgreedPast past;

    [[nodiscard]] bool possible() const { return !refused && !lacks_memory; }
};

/// The reduction, for one communicator: 16 bytes for each link that can bind and some 15 numbers beside them; as many
/// links again where there are calls to tell of.
class DemandAgreement {
  public:
    /// Throws std::bad_alloc.
    DemandAgreement(LinkLoads loads, Rank rank);
    DemandAgreement(const DemandAgreement&) = delete;
    DemandAgreement& operator=(const DemandAgreement&) = delete;
    /// Waits for what is being told.
    ~DemandAgreement() = default;

    /// Collective over `comm`. Needs no memory of ours beyond what LinkLoads::write_share() takes: a rank that lacks
    /// that says so. Returns the first error code of an MPI call.
    [[nodiscard]] int agree(MPI_Comm comm, const DemandClaim& claim, AgreedDemand& agreed);
    /// Begins to tell of the calls before, of which there are some, and waits for nobody. Collective over `comm`, which
    /// is there until hear() has returned. Needs memory as agree() does. Returns an MPI error code.
    [[nodiscard]] int tell(MPI_Comm comm, const PastClaim& claim);
    /// On all ranks alike: tell() has been called, and hear() has not.
    [[nodiscard]] bool is_telling() const { return telling_.is_posted(); }
    /// What all ranks have told then, as soon as the last one has come to its tell(). Returns an MPI error code.
    [[nodiscard]] int hear(AgreedPast& past);

    /// What the last one took on this rank, the time that it waited for others included.
    [[nodiscard]] std::int64_t nanoseconds() const { return nanoseconds_; }

    /// All ranks have just left a collective that nobody leaves before all have entered it: at about the same moment.
    /// agree() does this itself.
    void note_common_moment();
    /// That was at `seconds` of this rank's clock (now_seconds()).
    void note_common_moment(double seconds) { common_moment_ = seconds; }
    /// Since then, on this rank.
    [[nodiscard]] std::int64_t nanoseconds_since_common_moment() const;

  private:
    struct Numbers;

    /// A share into share_ and, its sums, to `sums`. False: no memory; all is 0 then.
    bool write_share(std::span<const std::int64_t> to, std::span<const std::int64_t> from,
                     std::span<std::int64_t> sums_of_links);
    /// This rank's share of the loads of links and of the numbers; all of these are 0 before.
    void write_past(const PastClaim& claim, std::span<std::int64_t> links, Numbers& numbers);
    /// From the loads of all links, of which that is the first.
    [[nodiscard]] DemandBound bound_of(const Agreement& of, std::size_t first_link, std::int64_t maximum,
                                       std::int64_t own_mean);
    [[nodiscard]] AgreedPast read_past(const Agreement& of, std::size_t first_link, std::size_t calls,
                                       const Agreed& all);

    LinkLoads loads_;
    Rank rank_;
    std::int64_t nanoseconds_ = 0;
    double common_moment_ = 0;
    std::vector<std::int64_t> share_;  ///< of the links: sums, then the maximum
    std::vector<std::int64_t> mine_;   ///< loads of the links, then those of the past
    Agreement agreement_;
    Agreement telling_;
    std::size_t told_calls_ = 0;  ///< of what is being told
};

}  // namespace aapc::mpi
