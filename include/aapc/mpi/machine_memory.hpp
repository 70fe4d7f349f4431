/// @file
/// Machine memory: what the ranks of one machine do for each other without messages.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <memory>

#include "aapc/plan/shared_memory.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc::mpi {

/// Whether some machine has two ranks. O(participants). Throws std::bad_alloc.
[[nodiscard]] bool some_machine_is_shared(const Placement& placement);

/// Memory that the ranks of each machine share, for the exchanges of one communicator. With it `ports:K` has tickets,
/// and a rank may copy its blocks straight out of the send buffers of the other ranks of its machine, one copy and no
/// message, where the system lets it (process_vm_readv).
///
/// Not an MPI-3 window: freeing one is collective and waits in both MPIs, but programs may free communicators, and
/// with them this, in any order; and a window takes a communicator, of which an MPI has few.
class MachineMemory {
  public:
    /// Reads `bytes` bytes at `address` of another process to `place`; false if that cannot be done.
    using Read = bool (*)(std::int64_t process, std::uintptr_t address, std::byte* place, std::size_t bytes);

    /// Collective over `comm`, whose ranks sit as `placement` says. What is not possible, or not wanted by some rank,
    /// is missing on all ranks. Copies take a machine with two ranks. Which ranks can share memory is tried and not
    /// asked of the MPI: where the placement has ranks of two hosts on one machine, nothing is available to any rank.
    /// Up to two all-reduces and an all-gather of 48 bytes per rank, no communicator. `read` is another one in tests
    /// only. Returns the error code of an MPI call that failed and leaves `memory` empty then; error handlers are the
    /// caller's matter.
    [[nodiscard]] static int create(MPI_Comm comm, const Placement& placement, SharedMemory wanted,
                                    std::unique_ptr<MachineMemory>& memory, Read read = read_process);
    MachineMemory(const MachineMemory&) = delete;
    MachineMemory& operator=(const MachineMemory&) = delete;
    /// Local: others may go on using it.
    ~MachineMemory();

    /// What there is, the same on all ranks.
    [[nodiscard]] SharedMemory available() const { return available_; }

    /// One copy, made by the kernel.
    [[nodiscard]] static bool read_process(std::int64_t process, std::uintptr_t address, std::byte* place,
                                           std::size_t bytes);

    /// For the executor, where anything is available.
    class Share;
    [[nodiscard]] Share& share() { return *share_; }

  private:
    MachineMemory(SharedMemory available, std::unique_ptr<Share> share);

    SharedMemory available_;
    std::unique_ptr<Share> share_;
};

}  // namespace aapc::mpi
