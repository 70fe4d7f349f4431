#include "aapc/mpi/machine_memory.hpp"

#ifdef __linux__
#include <sys/uio.h>
#endif

#include <algorithm>
#include <array>
#include <new>
#include <string>
#include <unordered_set>
#include <utility>

#include "mpi/machine_share.hpp"

namespace aapc::mpi {

namespace {

/// A communicator that is needed for a while.
class TemporaryCommunicator {
  public:
    TemporaryCommunicator() = default;
    TemporaryCommunicator(const TemporaryCommunicator&) = delete;
    TemporaryCommunicator& operator=(const TemporaryCommunicator&) = delete;
    ~TemporaryCommunicator() {
        if (communicator_ != MPI_COMM_NULL) {
            PMPI_Comm_free(&communicator_);
        }
    }
    [[nodiscard]] MPI_Comm* place() { return &communicator_; }
    [[nodiscard]] MPI_Comm get() const { return communicator_; }

  private:
    MPI_Comm communicator_ = MPI_COMM_NULL;
};

bool some_machine_is_shared(const Demand& demand) {
    const std::unordered_set<Machine> machines(demand.machine_of.begin(), demand.machine_of.end());
    return machines.size() < demand.machine_of.size();
}

/// The least of all ranks' values.
int agree(MPI_Comm comm, SharedMemory& value) {
    const int mine = static_cast<int>(value);
    int least = 0;
    const int error = PMPI_Allreduce(&mine, &least, 1, MPI_INT, MPI_MIN, comm);
    value = static_cast<SharedMemory>(least);
    return error;
}

/// The ranks of `comm` that share memory and, as the demand says, a machine with this one, in the order of their ranks.
int split_by_machine(MPI_Comm comm, Machine machine, TemporaryCommunicator& mates) {
    TemporaryCommunicator host;
    const int error = PMPI_Comm_split_type(comm, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, host.place());
    return error == MPI_SUCCESS ? PMPI_Comm_split(host.get(), machine, 0, mates.place()) : error;
}

/// The lowest rank of the machine makes the pages, under a name that it tells the others, and they attach.
class PagesName {
  public:
    explicit PagesName(MPI_Comm mates) : mates_(mates) { PMPI_Comm_rank(mates_, &rank_); }
    PagesName(const PagesName&) = delete;
    PagesName& operator=(const PagesName&) = delete;
    /// When everybody has attached who ever will.
    ~PagesName() {
        if (rank_ == 0 && name_[0] != '\0') {
            SharedPages::remove_name(name_.data());
        }
    }

    /// Collective over the machine. `there`: whether this rank has the pages.
    [[nodiscard]] int map(SharedPages& pages, std::size_t bytes, bool& there) {
        if (rank_ == 0) {
            const std::string created = pages.create(bytes);
            created.copy(name_.data(), name_.size() - 1);
            there = !created.empty();
        }
        const int error = PMPI_Bcast(name_.data(), static_cast<int>(name_.size()), MPI_CHAR, 0, mates_);
        if (error == MPI_SUCCESS && rank_ != 0) {
            there = name_[0] != '\0' && pages.attach(name_.data(), bytes);
        }
        return error;
    }

  private:
    MPI_Comm mates_;
    int rank_ = 0;
    std::array<char, 64> name_{};  ///< three numbers fit
};

/// Collective: gives the share its memory or finds that there is none. `available` becomes the same on all ranks.
int find_memory(MPI_Comm comm, Machine machine, MachineMemory::Share& share, SharedMemory& available) {
    TemporaryCommunicator mates;
    if (const int error = split_by_machine(comm, machine, mates); error != MPI_SUCCESS) {
        return error;
    }
    int size = 0;
    PMPI_Comm_size(mates.get(), &size);
    bool there = false;
    PagesName name(mates.get());
    if (static_cast<std::size_t>(size) == share.ranks().size()) {
        if (const int error = name.map(share.pages(), share.bytes(), there); error != MPI_SUCCESS) {
            return error;
        }
    }
    if (there) {
        share.lay_out();
        share.show_probe();
    } else {
        available = SharedMemory::nothing;
    }
    return agree(comm, available);
}

/// Collective: finds out what there is of what is wanted.
int find_out(MPI_Comm comm, const Demand& demand, Rank rank, MachineMemory::Share* share, SharedMemory& available) {
    const bool shared = some_machine_is_shared(demand);
    if (share == nullptr || (!shared && !share->pages().create_private(share->bytes()))) {
        available = SharedMemory::nothing;
    }
    if (!shared) {
        available = std::min(available, SharedMemory::tickets);  // there is nobody to copy from
    }
    if (const int error = agree(comm, available); error != MPI_SUCCESS || available == SharedMemory::nothing) {
        return error;
    }
    if (!shared) {
        share->lay_out();
        return MPI_SUCCESS;
    }
    const Machine machine = demand.machine_of[static_cast<std::size_t>(rank)];
    if (const int error = find_memory(comm, machine, *share, available);
        error != MPI_SUCCESS || available != SharedMemory::tickets_and_copies) {
        return error;
    }
    if (!share->can_read_others()) {
        available = SharedMemory::tickets;
    }
    return agree(comm, available);
}

}  // namespace

bool MachineMemory::read_process([[maybe_unused]] std::int64_t process, [[maybe_unused]] std::uintptr_t address,
                                 [[maybe_unused]] std::byte* place, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
    const iovec to{place, bytes};
    const iovec from{reinterpret_cast<void*>(address),
                     bytes};  // NOLINT(performance-no-int-to-ptr): it is one, elsewhere
    return process_vm_readv(static_cast<pid_t>(process), &to, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
#else
    return false;
#endif
}

MachineMemory::MachineMemory(SharedMemory wanted) : available_(wanted) {}

MachineMemory::~MachineMemory() = default;

int MachineMemory::create(MPI_Comm comm, const Demand& demand, SharedMemory wanted,
                          std::unique_ptr<MachineMemory>& memory, Read read) {
    memory.reset();
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    try {
        std::unique_ptr<MachineMemory> made(new MachineMemory(wanted));
        try {
            made->share_ = std::make_unique<Share>(ranks_beside(demand, rank), rank, read);
        } catch (const std::bad_alloc&) {
            made->share_.reset();  // the others must not wait for this rank, so it joins in without
        }
        const int error = find_out(comm, demand, rank, made->share_.get(), made->available_);
        if (error == MPI_SUCCESS) {
            memory = std::move(made);
        }
        return error;
    } catch (const std::bad_alloc&) {
        return MPI_ERR_NO_MEM;
    }
}

}  // namespace aapc::mpi
