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
#include "plan/intranode/handover.hpp"
#include "plan/intranode/memory_nodes.hpp"
#include "plan/intranode/shared_pages.hpp"
#include "plan/intranode/tickets.hpp"

namespace aapc::mpi {

/// The machine's queues and cells, and how many calls this rank has made.
class MachineMemory::Share {
  public:
    /// What the others must know of a rank, in plain numbers that travel.
    struct Introduction {
        machine::SharedPages::Name pages;  ///< that this rank has made for its machine
        std::int64_t process = 0;
        std::uint64_t probe_address = 0;            ///< of a number in that process ...
        std::uint64_t probe_value = 0;              ///< ... and the number
        std::int64_t node = machine::unknown_node;  ///< next to which the process runs
    };

    /// `ranks`: of this rank's machine, ascending, itself included.
    Share(std::vector<Rank> ranks, Rank own, Read reader);

    [[nodiscard]] const std::vector<Rank>& ranks() const { return ranks_; }
    /// The lowest rank of the machine makes its pages, under a name if there are others.
    [[nodiscard]] Introduction introduce();
    /// What there is for this rank, given the introductions of all ranks; it has its memory now if there is anything.
    [[nodiscard]] SharedMemory meet(const std::vector<Introduction>& all);
    /// Everybody has met.
    void withdraw() { pages_.withdraw(); }

    /// On the machine's lowest rank: memory for the others to attach to. All ranks agree on something after it, and
    /// once more when they have attached, before the next one is shown.
    void show_pages(const machine::SharedPages::Name& name);
    [[nodiscard]] machine::SharedPages::Name shown_pages() const;

    /// The other ranks of the machine, by their place on it, in the order in which this one should read what they have;
    /// empty: any is as good.
    [[nodiscard]] const std::vector<std::size_t>& order_of_reading() const { return order_of_reading_; }

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
    void find_order_of_reading(const std::vector<Introduction>& all);
    [[nodiscard]] bool can_read(const Introduction& other) const;

    std::vector<Rank> ranks_;
    std::size_t own_;
    Read read_;
    machine::SharedPages pages_;
    std::span<machine::Cell> cells_;
    machine::SharedPages::Name* shown_ = nullptr;  ///< in the pages
    std::optional<machine::Handover> handover_;
    std::vector<std::size_t> order_of_reading_;
    std::uint64_t probe_ = 0;  ///< what others read to try
};

}  // namespace aapc::mpi
