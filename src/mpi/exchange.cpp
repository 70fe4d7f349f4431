#include "aapc/mpi/exchange.hpp"

#include <cstring>
#include <new>
#include <utility>

#include "mpi/execution.hpp"

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

}  // namespace

class Exchange::Implementation {
  public:
    Implementation(OwnCommunicator communicator, Plan plan, const ExchangeOptions& options)
        : communicator_(std::move(communicator)),
          plan_(std::move(plan)),
          transport_(communicator_.get()),
          execution_(make_execution(transport_, plan_, options)) {}

    int run(const std::byte* send, std::byte* receive, std::size_t block_bytes) {
        if (block_bytes == 0) {
            return MPI_SUCCESS;
        }
        const Blocks blocks{send, receive, block_bytes};
        std::memcpy(blocks.from_rank(plan_.rank), blocks.for_rank(plan_.rank), block_bytes);
        return execution_->run(blocks);
    }

    [[nodiscard]] const Plan& plan() const { return plan_; }
    [[nodiscard]] const ExchangeReport& report() const { return execution_->report(); }

  private:
    OwnCommunicator communicator_;
    Plan plan_;
    Transport transport_;
    std::unique_ptr<Execution> execution_;
};

Exchange::Exchange(std::unique_ptr<Implementation> implementation) : implementation_(std::move(implementation)) {}

Exchange::~Exchange() = default;

int Exchange::create(MPI_Comm comm, Plan plan, const ExchangeOptions& options, std::unique_ptr<Exchange>& exchange) {
    exchange.reset();
    if (plan.synchronisation.kind == Synchronisation::Kind::timed && !(options.bits_per_second > 0)) {
        return MPI_ERR_ARG;
    }
    OwnCommunicator own;
    if (const int error = own.create_like(comm); error != MPI_SUCCESS) {
        return error;
    }
    try {
        exchange.reset(new Exchange(std::make_unique<Implementation>(std::move(own), std::move(plan), options)));
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
