/// @file
/// The executor: carries out one rank's plan with MPI point-to-point calls. Any MPI 3.1. Include an <mpi.h> and link
/// the aapc::mpi built for it.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>

#include "aapc/mpi/machine_memory.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/plan/plan.hpp"

/// What a machine's ranks put into memory that they share, and take out of it (src/plan/intranode/depot_plan.hpp).
namespace aapc::machine {
struct DepotPlan;
}

namespace aapc::mpi {

/// For tests: a rank's clock that is wrong, as another machine's may be. It is right for `after_seconds` seconds after
/// the exchange was made; from then on it is wrong by `shift_seconds` and by `skew` seconds per second.
struct ClockFault {
    double shift_seconds = 0;
    double skew = 0;
    double after_seconds = 0;
};

class Wire;

struct ExchangeOptions {
    /// `timed`: what its clock goes by, which must be known(). A longer slot is taken where the ranks wake up so late
    /// that they cannot keep Cadence::shortest_slot_seconds.
    Cadence cadence;
    /// Of the same ranks; outlives the exchange. Null if every message is one of MPI. `ports` must have its tickets.
    /// Exchanges that share one are run one after the other, in the same order on all ranks.
    MachineMemory* machine_memory = nullptr;
    /// Whether messages inside machines go through a depot, and this rank's part in it, which it may lack memory for.
    /// The plan has `window:W`, and machine memory is available then.
    bool through_depot = false;
    std::shared_ptr<const machine::DepotPlan> depot;
    /// The most memory for each rank of the machine; longer blocks go in several rounds.
    std::size_t depot_bytes_a_rank = std::size_t{4} << 20;
    ClockFault clock_fault;  ///< of this rank; `timed-grid`
    /// Open connections of the same ranks, for blocks (aapc/mpi/wire.hpp); outlive the exchange. Null, on all ranks or
    /// on none, if every message is one of MPI. Not used with `through_depot`.
    Wire* wire = nullptr;
};

struct Blocks;
class DepotMemory;
class Execution;
class LocalCopies;
class Transport;

/// What the last run() of a rank did, for benchmarks and AAPC_VERBOSE.
struct ExchangeReport {
    double pace = 0;               ///< `timed`: the pace that was used
    double late_seconds = 0;       ///< `timed`: how late this rank's last segment was against its slot
    double scheduled_seconds = 0;  ///< `timed`: from the common start to the end of the last slot
    double agreement_seconds = 0;  ///< `timed`: what the common start took; 0: on the grid, without one
};

/// An all-to-all exchange on one communicator by one plan, as often as wanted. Blocks between ranks of one machine are
/// copied while messages are under way, where the machine memory can do that and the plan knows the machine. Owns a
/// duplicate of the communicator, so its messages cannot meet the user's. Not for concurrent use, like any collective
/// on one communicator.
class Exchange {
  public:
    /// Collective over `comm`. All ranks pass a plan of the same timetable and synchronisation and equal options. On
    /// failure returns the MPI error code and leaves `exchange` empty. A rank without memory may be the only one that
    /// fails; the others do not wait for it. Ask them before the exchange is used, as make_exchange() does.
    [[nodiscard]] static int create(MPI_Comm comm, Plan plan, const ExchangeOptions& options,
                                    std::unique_ptr<Exchange>& exchange);
    Exchange(const Exchange&) = delete;
    Exchange& operator=(const Exchange&) = delete;
    /// Frees the duplicate communicator (collective in MPI's sense); skips that after MPI_Finalize.
    ~Exchange();

    /// Collective: sends block i of `send` to rank i and puts the block from rank i at block i of `receive`.
    /// Both hold participants·block_bytes bytes and do not overlap; block_bytes is the same on all ranks. Returns
    /// MPI_SUCCESS, `declined` or the first error code of an MPI call.
    ///
    /// Where something is wrong on a rank, such as no memory for the blocks that it forwards or blocks of another size,
    /// it still takes part, but with empty messages. So no rank waits for it forever. A rank that gets an empty message
    /// returns MPI_ERR_TRUNCATE, and no rank takes for data what is none. `timed` finds out at the common start and
    /// declines. Some mistakes are not found out, and ranks then wait forever: blocks of other sizes in exchanges on
    /// the grid; blocks that have another number of parts of 2^30 bytes or of rounds through a depot; blocks that are
    /// copied on one rank and go through a depot on another.
    [[nodiscard]] int run(const std::byte* send, std::byte* receive, std::size_t block_bytes);
    /// The same for a rank that knows before that it has nothing to send and nowhere to receive. Returns `declined` or
    /// an error code.
    [[nodiscard]] int run_mute(std::size_t block_bytes);
    /// On all ranks: one of them cannot take part, nothing was sent, and the receive buffer is as it was, except for
    /// the rank's block to itself.
    static constexpr int declined = -1;

    /// Collective: what an exchange takes beyond its schedule on this communicator, in seconds and equal on all ranks.
    /// That is the common start, late wake-ups, the messages' own cost and the end: the median of a few exchanges of a
    /// byte a block, after one in which the MPI makes its connections, and of the rank that it takes longest. `blocks`:
    /// 2·participants bytes to exchange.
    [[nodiscard]] int measure_start(std::byte* blocks, double& start_seconds);

    [[nodiscard]] const Plan& plan() const;
    [[nodiscard]] const ExchangeReport& report() const;

  private:
    /// What goes by the rank that needs most.
    struct Needs {
        bool able = true;         ///< there is memory for it
        std::int64_t phases = 0;  ///< that have messages on the wire
        std::int64_t late_nanoseconds = 0;
        std::int64_t less_than_longest_piece = 0;  ///< of a depot: the bytes that a piece is shorter
    };
    Exchange(MPI_Comm communicator, Plan plan);
    [[nodiscard]] int carry_out(const Blocks& blocks);
    /// Everything but the communicator that a rank can do by itself. Throws std::bad_alloc.
    [[nodiscard]] Needs prepare(const ExchangeOptions& options);
    void prepare_depot(const ExchangeOptions& options, Needs& needs);
    /// Where there is a depot: all ranks of a machine share it, or none has an exchange. Collective.
    [[nodiscard]] int share_depot(const ExchangeOptions& options, Needs& needs);
    /// The most of all ranks. Collective. Returns the MPI error code.
    [[nodiscard]] static int agree(MPI_Comm comm, Needs& needs);
    /// The rest, when `needs` are known of all ranks. Local. Throws std::bad_alloc.
    void complete(const ExchangeOptions& options, const Needs& needs);

    MPI_Comm communicator_;  ///< our own
    Plan plan_;
    std::optional<Plan> wire_plan_;  ///< without the messages that are copied; nullopt if none is
    std::unique_ptr<Transport> transport_;
    std::shared_ptr<const machine::DepotPlan> depot_plan_;
    int looks_ = 0;                        ///< looks without result before the processor is given away
    std::unique_ptr<DepotMemory> depot_;   ///< null if messages inside machines are messages, or copies
    std::unique_ptr<LocalCopies> copies_;  ///< null if every block is a message
    std::unique_ptr<Execution> execution_;
};

}  // namespace aapc::mpi
