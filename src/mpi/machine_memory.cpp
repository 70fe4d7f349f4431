#include "aapc/mpi/machine_memory.hpp"

#ifdef __linux__
#include <sys/uio.h>
#endif

#include <algorithm>
#include <new>
#include <unordered_set>
#include <utility>
#include <vector>

#include "aapc/mpi/agreement.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/machine_share.hpp"
#include "mpi/ranks.hpp"

namespace aapc::mpi {

namespace {

/// The least of all ranks' values.
int agree(MPI_Comm comm, SharedMemory& value) {
    const std::int64_t less = -static_cast<std::int64_t>(value);
    const Agreed agreed = Agreement().agree(comm, {.maxima = {&less, 1}});
    value = static_cast<SharedMemory>(-agreed.maxima[0]);
    return agreed.error;
}

/// Every rank's memory before anybody waits for the others; nothing where that fails.
struct Gathering {
    bool able = false;  ///< what follows is there
    bool some_machine_is_shared = false;
    std::unique_ptr<MachineMemory::Share> share;
    std::vector<MachineMemory::Share::Introduction> all;
};

Gathering prepare(const Placement& placement, Rank rank, MachineMemory::Read read) {
    Gathering gathering;
    gathering.able = have_memory_for([&] {
        gathering.some_machine_is_shared = mpi::some_machine_is_shared(placement);
        gathering.all.resize(placement.machine_of.size());
        gathering.share = std::make_unique<MachineMemory::Share>(ranks_beside(placement, rank), rank, read);
    });
    return gathering;
}

/// Collective: all ranks introduce themselves and find out what there is.
int find_out(MPI_Comm comm, Gathering& gathering, SharedMemory& available) {
    using Introduction = MachineMemory::Share::Introduction;
    const Introduction own = gathering.share->introduce();
    int error = PMPI_Allgather(&own, sizeof own, MPI_BYTE, gathering.all.data(), sizeof own, MPI_BYTE, comm);
    if (error == MPI_SUCCESS) {
        available = std::min(available, gathering.share->meet(gathering.all));
        error = agree(comm, available);
    }
    gathering.share->withdraw();
    return error;
}

}  // namespace

bool MachineMemory::read_process([[maybe_unused]] std::int64_t process, [[maybe_unused]] std::uintptr_t address,
                                 [[maybe_unused]] std::byte* place, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
    const iovec to{place, bytes};
    // NOLINTNEXTLINE(performance-no-int-to-ptr): it is a pointer, in the other process
    const iovec from{reinterpret_cast<void*>(address), bytes};
    return process_vm_readv(static_cast<pid_t>(process), &to, 1, &from, 1, 0) == static_cast<ssize_t>(bytes);
#else
    return false;
#endif
}

MachineMemory::MachineMemory(SharedMemory available, std::unique_ptr<Share> share)
    : available_(available), share_(std::move(share)) {}

MachineMemory::~MachineMemory() = default;

bool some_machine_is_shared(const Placement& placement) {
    const std::unordered_set<Machine> machines(placement.machine_of.begin(), placement.machine_of.end());
    return machines.size() < placement.machine_of.size();
}

int MachineMemory::create(MPI_Comm comm, const Placement& placement, SharedMemory wanted,
                          std::unique_ptr<MachineMemory>& memory, Read read) {
    memory.reset();
    const int rank = rank_in(comm);
    Gathering gathering = prepare(placement, rank, read);
    SharedMemory available = gathering.able ? wanted : SharedMemory::nothing;
    if (!gathering.some_machine_is_shared) {
        available = std::min(available, SharedMemory::tickets);  // there is nobody to copy from
    }
    if (const int error = agree(comm, available); error != MPI_SUCCESS) {
        return error;
    }
    if (available != SharedMemory::nothing) {
        if (const int error = find_out(comm, gathering, available); error != MPI_SUCCESS) {
            return error;
        }
    }
    memory.reset(new (std::nothrow) MachineMemory(available, std::move(gathering.share)));
    return memory ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

}  // namespace aapc::mpi
