/// @file
/// One rank's view of the memory of its machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "aapc/mpi/machine_memory.hpp"
#include "machine/handover.hpp"
#include "machine/tickets.hpp"

namespace aapc::mpi {

/// A piece of memory that several processes have mapped, all zeros at first.
class SharedPages {
  public:
    SharedPages() = default;
    SharedPages(const SharedPages&) = delete;
    SharedPages& operator=(const SharedPages&) = delete;
    ~SharedPages();

    /// Makes a new one and returns the name by which others find it; empty if there is none to be had.
    [[nodiscard]] std::string create(std::size_t bytes);
    [[nodiscard]] bool attach(const std::string& name, std::size_t bytes);
    /// Nobody else can attach from now on; it lives as long as somebody has it mapped.
    static void remove_name(const std::string& name);
    /// Memory of this process alone.
    [[nodiscard]] bool create_private(std::size_t bytes);

    /// Aligned to a page.
    [[nodiscard]] std::byte* data() const { return data_; }

  private:
    [[nodiscard]] bool map(int file, std::size_t bytes);

    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
};

/// The machine's queues and cells, and how many calls this rank has made.
class MachineMemory::Share {
  public:
    /// `ranks`: of this rank's machine, ascending, itself included.
    Share(std::vector<Rank> ranks, Rank own, Read reader);

    [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
    /// Bytes of memory that the ranks share.
    [[nodiscard]] std::size_t bytes() const;
    [[nodiscard]] SharedPages& pages() { return pages_; }
    /// The pages are there: lays queues and cells out in them. The zeros in them are their initial state.
    void lay_out();
    /// Shows the others where to try whether this process can be read.
    void show_probe();
    /// Whether the processes of all others can be read. All have shown their probes.
    [[nodiscard]] bool can_read_others() const;

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
    std::vector<Rank> ranks_;
    std::size_t own_;
    Read read_;
    SharedPages pages_;
    std::span<machine::Cell> cells_;
    std::optional<machine::Handover> handover_;
    std::uint64_t probe_ = 0;  ///< what others read to try
};

}  // namespace aapc::mpi
