#include "aapc/mpi/exchange.hpp"

#include <algorithm>
#include <cstring>
#include <new>
#include <optional>
#include <utility>

#include "intranode/wire_plan.hpp"
#include "mpi/execution.hpp"
#include "mpi/progress.hpp"

namespace aapc::mpi {

namespace {

/// Owns a communicator.
class OwnCommunicator {
  public:
    OwnCommunicator() = default;
    OwnCommunicator(OwnCommunicator&& other) noexcept
        : communicator_(std::exchange(other.communicator_, MPI_COMM_NULL)) {}
    OwnCommunicator(const OwnCommunicator&) = delete;
    OwnCommunicator& operator=(const OwnCommunicator&) = delete;
    OwnCommunicator& operator=(OwnCommunicator&&) = delete;
    ~OwnCommunicator() {
        int finalized = 0;
        PMPI_Finalized(&finalized);
        if (communicator_ != MPI_COMM_NULL && finalized == 0) {
            PMPI_Comm_free(&communicator_);
        }
    }

    /// A communicator of the same ranks as `comm`. Not MPI_Comm_dup: it would run the copy callbacks of the user's
    /// attributes.
    [[nodiscard]] int create_like(MPI_Comm comm) {
        MPI_Group group = MPI_GROUP_NULL;
        int error = PMPI_Comm_group(comm, &group);
        if (error != MPI_SUCCESS) {
            return error;
        }
        error = PMPI_Comm_create(comm, group, &communicator_);
        PMPI_Group_free(&group);
        return error == MPI_SUCCESS ? PMPI_Comm_set_errhandler(communicator_, MPI_ERRORS_RETURN) : error;
    }
    [[nodiscard]] MPI_Comm get() const { return communicator_; }

  private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
};

bool has_tickets(const Plan& plan, const ExchangeOptions& options) {
    return plan.tickets && options.machine_memory != nullptr &&
           options.machine_memory->available() != SharedMemory::nothing;
}

}  // namespace

class Exchange::Implementation {
  public:
    Implementation(OwnCommunicator communicator, Plan plan, const ExchangeOptions& options)
        : communicator_(std::move(communicator)), plan_(std::move(plan)), transport_(communicator_.get()) {
        if (copies_blocks(plan_, options)) {
            wire_plan_ = machine::wire_plan(plan_);
            copies_.emplace(options.machine_memory->share(), transport_, plan_);
        }
    }

    /// Collective, once, before run().
    int make_ready(const ExchangeOptions& options) {
        if (wire_plan_) {
            // Phases at the end in which there were only messages inside machines would be waited for in vain.
            const Phase mine = std::max<Phase>(machine::end_of_messages(*wire_plan_), 1);
            const int error = PMPI_Allreduce(&mine, &wire_plan_->phases, 1, MPI_INT64_T, MPI_MAX, communicator_.get());
            if (error != MPI_SUCCESS) {
                return error;
            }
        }
        execution_ =
            make_execution(transport_, wire_plan_ ? *wire_plan_ : plan_, options, copies_ ? &*copies_ : nullptr);
        return MPI_SUCCESS;
    }

    int run(const std::byte* send, std::byte* receive, std::size_t block_bytes) {
        if (block_bytes == 0) {
            return MPI_SUCCESS;
        }
        const Blocks blocks{send, receive, block_bytes};
        if (copies_) {
            copies_->start(blocks);
        }
        std::memcpy(blocks.from_rank(plan_.rank), blocks.for_rank(plan_.rank), block_bytes);
        const int error = execution_->run(blocks);
        return copies_ && error == MPI_SUCCESS ? finish_copies() : error;
    }

    [[nodiscard]] const Plan& plan() const { return plan_; }
    [[nodiscard]] const ExchangeReport& report() const { return execution_->report(); }

  private:
    /// The same on all ranks.
    static bool copies_blocks(const Plan& plan, const ExchangeOptions& options) {
        return options.machine_memory != nullptr &&
               options.machine_memory->available() == SharedMemory::tickets_and_copies && !plan.forwarding &&
               !plan.ranks_of_machine.empty();
    }

    int finish_copies() {
        return advance_until([&] { return copies_->complete(); },
                             [&](int& progress) { return copies_->advance(progress); });
    }

    OwnCommunicator communicator_;
    Plan plan_;
    std::optional<Plan> wire_plan_;  ///< without the messages that are copied
    Transport transport_;
    std::optional<LocalCopies> copies_;
    std::unique_ptr<Execution> execution_;
};

Exchange::Exchange(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}

Exchange::~Exchange() = default;

int Exchange::create(MPI_Comm comm, Plan plan, const ExchangeOptions& options, std::unique_ptr<Exchange>& exchange) {
    exchange.reset();
    if (plan.synchronisation.kind == Synchronisation::Kind::timed && !(options.bits_per_second > 0)) {
        return MPI_ERR_ARG;
    }
    if (uses_tickets(plan.synchronisation) && !has_tickets(plan, options)) {
        return MPI_ERR_ARG;
    }
    OwnCommunicator own;
    if (const int error = own.create_like(comm); error != MPI_SUCCESS) {
        return error;
    }
    try {
        auto implementation = std::make_unique<Implementation>(std::move(own), std::move(plan), options);
        if (const int error = implementation->make_ready(options); error != MPI_SUCCESS) {
            return error;
        }
        exchange.reset(new Exchange(std::move(implementation)));
    } catch (const std::bad_alloc&) {
        return MPI_ERR_NO_MEM;
    }
    return MPI_SUCCESS;
}

int Exchange::run(const std::byte* send, std::byte* receive, std::size_t block_bytes) {
    try {
        return implementation_->run(send, receive, block_bytes);
    } catch (const std::bad_alloc&) {
        return MPI_ERR_NO_MEM;
    }
}

const Plan& Exchange::plan() const { return implementation_->plan(); }

const ExchangeReport& Exchange::report() const { return implementation_->report(); }

}  // namespace aapc::mpi
