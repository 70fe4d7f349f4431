/// @file
/// MPI_Alltoallv at scheduled times: messages of any lengths, each in segments at an even rate, so that no link is
/// asked for more than it carries (docs/lattice.md, aapc/plan/unequal.hpp).
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/mpi/wire.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/plan/unequal.hpp"
#include "aapc/topology/link_loads.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::mpi {

/// How many bytes a rank has for each rank and gets from it, itself included; participants of each.
struct MessageBytes {
    std::span<const std::int64_t> sent;
    std::span<const std::int64_t> received;
};

/// Where they are. A message of no byte may be anywhere.
struct MessagePlaces {
    std::span<const std::byte* const> send;
    std::span<std::byte* const> receive;
};

/// An exchange of messages of any lengths on one communicator, as often as wanted. Every message but a rank's own, and
/// those that ranks of a machine copy, is one of MPI or of the wire. Owns a duplicate of the communicator. Not for
/// concurrent use.
class UnequalExchange {
  public:
    /// From a prepared method, the same on all ranks, or why there is none, which may be so on some ranks only. The
    /// method is time-triggered and forwards nothing. Collective over `comm`, whose ranks sit as `placement` says. An
    /// exchange on all ranks or the same diagnostic on all of them. Errors of MPI are returned while this lasts. With
    /// the network that it was prepared for, a rank spreads what it sends evenly over the links of its routes
    /// (docs/unequal.md). With the memory of the machines, which outlives it, ranks of one machine copy for each other
    /// what they can. With `own_wire`, on all ranks or on none, messages travel by the wire. If that cannot be opened,
    /// they travel by MPI on all ranks, and the wire has a complaint.
    [[nodiscard]] static Expected<std::unique_ptr<UnequalExchange>> make(
        MPI_Comm comm, const Expected<Prepared>& prepared, const Placement& placement, const Network* network = nullptr,
        MachineMemory* memory = nullptr, std::optional<OwnWire> own_wire = std::nullopt);
    UnequalExchange(const UnequalExchange&) = delete;
    UnequalExchange& operator=(const UnequalExchange&) = delete;
    /// Frees the duplicate communicator (collective in MPI's sense); skips that after MPI_Finalize.
    ~UnequalExchange();

    /// What this rank's messages put on the wire. Throws std::bad_alloc.
    [[nodiscard]] WireCounts on_the_wire(const MessageBytes& bytes) const;

    /// Cuts the messages and makes room for all that run() needs, which then allocates nothing itself. Local. Throws
    /// std::bad_alloc; the next call begins anew.
    void prepare(const MessageBytes& bytes);

    /// Collective, when prepare() has succeeded on all ranks: exchanges messages of those lengths. `bound` is that of
    /// their on_the_wire(), the same on all ranks. Buffers of one rank do not overlap. Returns MPI_SUCCESS, the first
    /// error code of an MPI call, or Exchange::declined on all ranks: connections have broken, and no message was sent.
    [[nodiscard]] int run(const MessageBytes& bytes, const MessagePlaces& places, const DemandBound& bound);

    /// What an exchange takes beyond its schedule, on the slowest rank: the median of three of short messages, which
    /// prepare() has been told of, after one that does not count. Collective. Returns an MPI error code, the same on
    /// all ranks.
    [[nodiscard]] int measure_start(const MessageBytes& bytes, const MessagePlaces& places, const DemandBound& bound,
                                    double& start_seconds);

    [[nodiscard]] const Method& method() const;
    [[nodiscard]] const Plan& plan() const;
    [[nodiscard]] const ExchangeReport& report() const;

  private:
    class Parts;
    explicit UnequalExchange(std::unique_ptr<Parts> parts);

    std::unique_ptr<Parts> parts_;
};

}  // namespace aapc::mpi
