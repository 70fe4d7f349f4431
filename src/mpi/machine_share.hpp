/// @file
/// One rank's view of the memory of its machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aapc/mpi/machine_memory.hpp"
#include "intranode/handover.hpp"
#include "intranode/tickets.hpp"

namespace aapc::mpi {

/// A piece of memory that several processes have mapped, all zeros at first.
class SharedPages {
  public:
    SharedPages() = default;
    SharedPages(const SharedPages&) = delete;
    SharedPages& operator=(const SharedPages&) = delete;
    ~SharedPages();

    /// What others find it by. All zeros: nothing.
    struct Name {
        std::int64_t process = 0;
        std::int64_t moment = 0;  ///< nanoseconds
    };
    /// Memory of this process alone.
    [[nodiscard]] bool create_private(std::size_t bytes);
    /// Makes a new one; the name is all zeros if there is none to be had.
    [[nodiscard]] Name create(std::size_t bytes);
    /// False on another host than the one where it was made, too.
    [[nodiscard]] bool attach(const Name& name, std::size_t bytes);
    /// Nobody else can attach from now on; it lives as long as somebody has it mapped.
    static void remove_name(const Name& name);

    /// Aligned to a page; null as long as there are none.
    [[nodiscard]] std::byte* data() const { return data_; }

  private:
    [[nodiscard]] bool map(int file, std::size_t bytes);
    [[nodiscard]] bool keep(void* address, std::size_t bytes);

    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// The machine's queues and cells, and how many calls this rank has made.
class MachineMemory::Share {
  public:
    /// What the others must know of a rank, in plain numbers that travel.
    struct Introduction {
        SharedPages::Name pages;  ///< that this rank has made for its machine
        std::int64_t process = 0;
        std::uint64_t probe_address = 0;  ///< of a number in that process ...
        std::uint64_t probe_value = 0;    ///< ... and the number
    };

    /// `ranks`: of this rank's machine, ascending, itself included.
    Share(std::vector<Rank> ranks, Rank own, Read reader);

    [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
    /// The lowest rank of the machine makes its pages, under a name if there are others.
    [[nodiscard]] Introduction introduce();
    /// What there is for this rank, given the introductions of all ranks; it has its memory now if there is anything.
    [[nodiscard]] SharedMemory meet(const std::vector<Introduction>& all);
    /// Everybody has met.
    void remove_name() const;

    [[nodiscard]] machine::Handover& handover() { return *handover_; }
    [[nodiscard]] bool read(std::int64_t process, std::uintptr_t address, std::byte* place, std::size_t bytes) const {
        return read_(process, address, place, bytes);
    }

    /// One of the two queues, and how many messages calls so far have put through it.
    struct Queue {
        machine::PortQueue* shared = nullptr;
        std::uint64_t before = 0;
    };
    Queue sends;
    Queue receives;

  private:
    [[nodiscard]] std::size_t bytes() const;
    /// Queues and cells in the pages. The zeros in them are their initial state.
    void lay_out();
    [[nodiscard]] bool can_read(const Introduction& other) const;

    std::vector<Rank> ranks_;
    std::size_t own_;
    Read read_;
    SharedPages pages_;
    SharedPages::Name name_;  ///< of what this rank has made
    std::span<machine::Cell> cells_;
    std::optional<machine::Handover> handover_;
    std::uint64_t probe_ = 0;  ///< what others read to try
};

}  // namespace aapc::mpi
