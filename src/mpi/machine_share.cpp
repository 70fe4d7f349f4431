#include "mpi/machine_share.hpp"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <functional>
#include <utility>

#include "mpi/have_memory.hpp"
#include "plan/intranode/moment.hpp"

namespace aapc::mpi {

namespace {

std::uint64_t probe_value(const std::uint64_t* address) {
    const auto mixed = reinterpret_cast<std::uintptr_t>(address) ^ static_cast<std::uint64_t>(machine::this_moment()) ^
                       (static_cast<std::uint64_t>(getpid()) << 32);
    return mixed * 0x9e3779b97f4a7c15ULL | 1U;
}

}  // namespace

MachineMemory::Share::Share(std::vector<Rank> ranks, Rank own, Read reader)
    : ranks_(std::move(ranks)),
      own_(static_cast<std::size_t>(std::lower_bound(ranks_.begin(), ranks_.end(), own) - ranks_.begin())),
      read_(reader) {}

std::size_t MachineMemory::Share::bytes() const {
    return 2 * sizeof(machine::PortQueue) + sizeof(machine::SharedPages::Name) + ranks_.size() * sizeof(machine::Cell) +
           ranks_.size() * ranks_.size() * sizeof(machine::Handover::Refusal);
}

void MachineMemory::Share::lay_out() {
    std::byte* place = pages_.data();
    const auto take = [&place]<class Thing>(std::size_t count, Thing*) {
        auto* const first = reinterpret_cast<Thing*>(place);
        place += count * sizeof(Thing);
        return std::span<Thing>(first, count);
    };
    const auto queues = take(2, static_cast<machine::PortQueue*>(nullptr));
    sends.shared = &queues[0];
    receives.shared = &queues[1];
    cells_ = take(ranks_.size(), static_cast<machine::Cell*>(nullptr));
    const auto refusals = take(ranks_.size() * ranks_.size(), static_cast<machine::Handover::Refusal*>(nullptr));
    handover_.emplace(cells_, refusals, own_);
    shown_ = take(1, static_cast<machine::SharedPages::Name*>(nullptr)).data();
}

void MachineMemory::Share::show_pages(const machine::SharedPages::Name& name) {
    *shown_ = name;
    // MPI moves what orders this with the reading; a message is no atomic operation to the compiler.
    std::atomic_thread_fence(std::memory_order_release);
}

machine::SharedPages::Name MachineMemory::Share::shown_pages() const {
    std::atomic_thread_fence(std::memory_order_acquire);
    return *shown_;
}

MachineMemory::Share::Introduction MachineMemory::Share::introduce() {
    machine::SharedPages::Name name;
    if (ranks_.size() == 1) {
        static_cast<void>(pages_.create_private(bytes()));  // meet() sees whether there are pages
    } else if (own_ == 0) {
        name = pages_.create(bytes());
    }
    probe_ = probe_value(&probe_);
    machine::MemoryNode node = machine::unknown_node;
    if (ranks_.size() > 1) {
        static_cast<void>(have_memory_for([&] { node = machine::MemoryNodes::here().own(); }));
    }
    return {name, getpid(), reinterpret_cast<std::uintptr_t>(&probe_), probe_, node};
}

SharedMemory MachineMemory::Share::meet(const std::vector<Introduction>& all) {
    const auto of_rank = [&](Rank rank) -> const Introduction& { return all[static_cast<std::size_t>(rank)]; };
    const machine::SharedPages::Name& name = of_rank(ranks_.front()).pages;
    const bool there = own_ == 0 ? pages_.data() != nullptr : name.process != 0 && pages_.attach(name, bytes());
    if (!there) {
        return SharedMemory::nothing;
    }
    lay_out();
    cells_[own_].process = getpid();
    find_order_of_reading(all);
    const bool can_read_all = std::all_of(ranks_.begin(), ranks_.end(),
                                          [&](Rank rank) { return rank == ranks_[own_] || can_read(of_rank(rank)); });
    return can_read_all ? SharedMemory::tickets_and_copies : SharedMemory::tickets;
}

/// Where ranks sit at different nodes of memory.
void MachineMemory::Share::find_order_of_reading(const std::vector<Introduction>& all) {
    static_cast<void>(have_memory_for([&] {
        std::vector<machine::MemoryNode> nodes;
        nodes.reserve(ranks_.size());
        for (const Rank rank : ranks_) {
            nodes.push_back(static_cast<machine::MemoryNode>(all[static_cast<std::size_t>(rank)].node));
        }
        if (std::adjacent_find(nodes.begin(), nodes.end(), std::not_equal_to<>()) != nodes.end()) {
            order_of_reading_ = machine::order_of_reading(nodes, own_, machine::MemoryNodes::here());
        }
    }));
}

bool MachineMemory::Share::can_read(const Introduction& other) const {
    std::uint64_t value = 0;
    return read(other.process, other.probe_address, reinterpret_cast<std::byte*>(&value), sizeof value) &&
           value == other.probe_value;
}

}  // namespace aapc::mpi
