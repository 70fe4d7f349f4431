/// @file
/// The harness: where methods are measured against each other, on one communicator, validated every time.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/mpi/wire.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "bench/sample.hpp"

namespace aapc::bench {

/// All functions but the observers are collective over the communicator, with equal arguments, and return the same on
/// all ranks, errors included.
class Harness {
  public:
    /// Places the ranks of `comm` on the machines of `network` by the names of their hosts. `network` must outlive the
    /// harness. An error names the host that the network lacks. The harness works on a duplicate of `comm`.
    [[nodiscard]] static Expected<std::unique_ptr<Harness>> create(MPI_Comm comm, const Network& network);
    /// The same where the machines of the ranks are known: `placement` is that of all ranks of `comm`.
    [[nodiscard]] static std::unique_ptr<Harness> create(MPI_Comm comm, const Network& network, Placement placement);
    Harness(const Harness&) = delete;
    Harness& operator=(const Harness&) = delete;
    ~Harness();

    /// Says why `method` cannot be run here, if so; sets up its exchange otherwise, which run_once() does as well at
    /// the first time.
    [[nodiscard]] Expected<void> prepare(const Method& method);

    /// Carries out one all-to-all with blocks of `block_bytes` (1 … 2^31-1) by `method`, whose algorithm is for this
    /// kind of network, and checks every received byte, outside the timed part. A wrong byte is an error that names
    /// both ranks and the offset. Native is the native routine even where the interposer is preloaded.
    [[nodiscard]] Expected<Sample> run_once(const Method& method, std::int64_t block_bytes);

    /// What an exchange by `method` takes beyond its schedule, in seconds: mpi::Exchange::measure_start().
    [[nodiscard]] Expected<double> measure_start(const Method& method);

    /// The same as run_once() through MPI_Alltoall, as a program calls it that knows nothing of aapc. An error where no
    /// interposer is preloaded, where one is and could not follow its settings or rejected a tuning, and where an
    /// algorithm or synchronisation is forced (AAPC_ALGORITHM, AAPC_SYNCHRONISATION) that did not run.
    [[nodiscard]] Expected<Sample> run_interposed_once(std::int64_t block_bytes);

    /// Frees the exchange of `method` (and its communicator, of which an MPI has few); it forgets the pace it found.
    void release(const Method& method);
    void release_all();

    /// Barriers and clock around one call of `run`, which returns an MPI error code, and behind it the judgement of the
    /// data that came.
    [[nodiscard]] Expected<Sample> measure(const std::string& what, const std::function<int()>& run,
                                           const std::function<std::optional<Diagnostic>()>& judge) const;
    /// What is said of a wrong byte on this rank.
    [[nodiscard]] Diagnostic wrong_data(const std::string& what, std::int64_t bytes, Rank from,
                                        std::size_t offset) const;
    /// Adds the worst of all ranks' reports; `agreement_seconds` is what this rank's exchange took besides, before its
    /// common start.
    void add_worst(const mpi::ExchangeReport& report, Sample& sample, double agreement_seconds = 0) const;
    /// Why calls would not be the interposer's to decide, if so.
    [[nodiscard]] Expected<void> check_interposer() const;
    /// Calls of this process that the interposer exchanged, where it is there; -1: it counts nothing.
    [[nodiscard]] static long calls_by_aapc();

    /// From now on that rank comes late.
    void let_be_late(const LateRank& late) { late_ = late; }

    [[nodiscard]] MPI_Comm communicator() const { return comm_; }
    [[nodiscard]] const Network& network() const { return network_; }
    [[nodiscard]] const Placement& placement() const { return placement_; }
    [[nodiscard]] const Bound& bound() const { return bound_; }
    /// Seconds that no exchange of blocks of this size can beat on Ethernet under TCP: the load of
    /// the busiest link, headers included. 0 where no message crosses a link.
    [[nodiscard]] double least_seconds(std::int64_t block_bytes) const;
    /// The name of each rank's host, as it calls itself.
    [[nodiscard]] const std::vector<std::string>& host_names() const { return host_names_; }
    [[nodiscard]] Rank rank() const { return rank_; }
    /// What the ranks of each machine share, made at the first use. Collective.
    [[nodiscard]] Expected<mpi::MachineMemory*> machine_memory();
    /// The wire for exchanges if AAPC_WIRE says so, as in the interposer. Collective: rank 0's variable counts.
    [[nodiscard]] Expected<std::optional<mpi::OwnWire>> own_wire();
    /// A diagnostic, the same on all ranks, if an exchange was to use the wire by AAPC_WIRE=tcp and could not: a
    /// measurement must not show figures of the MPI's connections instead.
    [[nodiscard]] Expected<void> check_wire() const;
    /// Whether an interposer is preloaded.
    [[nodiscard]] bool interposer_is_there() const;

  private:
    Harness(MPI_Comm comm, const Network& network);
    [[nodiscard]] std::optional<Diagnostic> place_ranks();

    MPI_Comm comm_ = MPI_COMM_NULL;  ///< our own
    const Network& network_;
    Rank rank_ = 0;
    std::vector<std::string> host_names_;
    Placement placement_;
    Bound bound_;
    std::string forced_;  ///< "AAPC_ALGORITHM=tree", which rank 0's environment forces on `interposed`; empty if none
    bool forced_native_ = false;
    LateRank late_;
    mutable std::map<std::string, long> calls_;  ///< of each candidate, if a rank is late
    /// Waits, where it is this rank's turn to be late.
    void be_late(const std::string& what) const;

    [[nodiscard]] Expected<mpi::Exchange*> exchange_of(const Method& method);
    /// Makes room for blocks of that size and fills the send buffer; on all ranks or on none.
    [[nodiscard]] Expected<void> make_blocks(std::int64_t block_bytes);
    /// What the received blocks have wrong, on this rank.
    [[nodiscard]] std::optional<Diagnostic> judge(const std::string& what) const;

    std::unique_ptr<mpi::MachineMemory> machine_memory_;               ///< outlives the exchanges
    mpi::Wire wire_;                                                   ///< the same
    bool wire_is_asked_for_ = false;                                   ///< by AAPC_WIRE=tcp
    std::map<std::string, std::unique_ptr<mpi::Exchange>> exchanges_;  ///< by the text of the method
    std::int64_t block_bytes_ = 0;
    std::vector<std::byte> send_;
    std::vector<std::byte> receive_;
};

}  // namespace aapc::bench
