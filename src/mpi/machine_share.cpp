#include "mpi/machine_share.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cinttypes>
#include <cstdio>
#include <utility>

namespace aapc::mpi {

namespace {

std::int64_t nanoseconds() {
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return static_cast<std::int64_t>(now.tv_sec) * 1'000'000'000 + now.tv_nsec;
}

/// Two numbers of at most 20 characters fit.
using NameText = std::array<char, 64>;

NameText text_of(const SharedPages::Name& name) {
    NameText text{};
    std::snprintf(text.data(), text.size(), "/aapc-%" PRId64 "-%" PRId64, name.process, name.moment);
    return text;
}

std::uint64_t probe_value(const std::uint64_t* address) {
    const auto mixed = reinterpret_cast<std::uintptr_t>(address) ^ static_cast<std::uint64_t>(nanoseconds()) ^
                       (static_cast<std::uint64_t>(getpid()) << 32);
    return mixed * 0x9e3779b97f4a7c15ULL | 1U;
}

}  // namespace

SharedPages::~SharedPages() {
    if (data_ != nullptr) {
        munmap(data_, bytes_);
    }
}

SharedPages::Name SharedPages::create(std::size_t bytes) {
    // Processes of two containers may have one number, but hardly in the same nanosecond, and several times.
    constexpr int attempts = 8;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const Name name{getpid(), nanoseconds()};
        const int file = shm_open(text_of(name).data(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
        if (file < 0) {
            continue;
        }
        // Reserved now: a full file system would kill whoever touches a page later.
        const bool mapped = posix_fallocate(file, 0, static_cast<off_t>(bytes)) == 0 && map(file, bytes);
        close(file);
        if (mapped) {
            return name;
        }
        remove_name(name);
        break;
    }
    return {};
}

bool SharedPages::create_private(std::size_t bytes) {
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return keep(address, bytes);
}

bool SharedPages::attach(const Name& name, std::size_t bytes) {
    const int file = shm_open(text_of(name).data(), O_RDWR, 0);
    if (file < 0) {
        return false;
    }
    const bool mapped = map(file, bytes);
    close(file);
    return mapped;
}

void SharedPages::remove_name(const Name& name) { shm_unlink(text_of(name).data()); }

bool SharedPages::map(int file, std::size_t bytes) {
    return keep(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0), bytes);
}

bool SharedPages::keep(void* address, std::size_t bytes) {
    if (address == MAP_FAILED) {
        return false;
    }
    data_ = static_cast<std::byte*>(address);
    bytes_ = bytes;
    return true;
}

MachineMemory::Share::Share(std::vector<Rank> ranks, Rank own, Read reader)
    : ranks_(std::move(ranks)),
      own_(static_cast<std::size_t>(std::lower_bound(ranks_.begin(), ranks_.end(), own) - ranks_.begin())),
      read_(reader) {}

std::size_t MachineMemory::Share::bytes() const {
    return 2 * sizeof(machine::PortQueue) + ranks_.size() * sizeof(machine::Cell) +
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
}

MachineMemory::Share::Introduction MachineMemory::Share::introduce() {
    if (ranks_.size() == 1) {
        static_cast<void>(pages_.create_private(bytes()));  // meet() sees whether there are pages
    } else if (own_ == 0) {
        name_ = pages_.create(bytes());
    }
    probe_ = probe_value(&probe_);
    return {name_, getpid(), reinterpret_cast<std::uintptr_t>(&probe_), probe_};
}

SharedMemory MachineMemory::Share::meet(const std::vector<Introduction>& all) {
    const auto of_rank = [&](Rank rank) -> const Introduction& { return all[static_cast<std::size_t>(rank)]; };
    const SharedPages::Name& name = of_rank(ranks_.front()).pages;
    const bool there = own_ == 0 ? pages_.data() != nullptr : name.process != 0 && pages_.attach(name, bytes());
    if (!there) {
        return SharedMemory::nothing;
    }
    lay_out();
    cells_[own_].process = getpid();
    const bool can_read_all = std::all_of(ranks_.begin(), ranks_.end(),
                                          [&](Rank rank) { return rank == ranks_[own_] || can_read(of_rank(rank)); });
    return can_read_all ? SharedMemory::tickets_and_copies : SharedMemory::tickets;
}

bool MachineMemory::Share::can_read(const Introduction& other) const {
    std::uint64_t value = 0;
    return read(other.process, other.probe_address, reinterpret_cast<std::byte*>(&value), sizeof value) &&
           value == other.probe_value;
}

void MachineMemory::Share::remove_name() const {
    if (name_.process != 0) {
        SharedPages::remove_name(name_);
    }
}

}  // namespace aapc::mpi
