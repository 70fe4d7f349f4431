#include "mpi/machine_share.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <new>
#include <string>

namespace aapc::mpi {

namespace {

/// Names that two processes cannot choose, unless they call themselves by one number in two worlds: then one of them
/// finds the name taken and tries another.
std::string new_name(int attempt) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return "/aapc-" + std::to_string(getpid()) + "-" + std::to_string(now.tv_nsec) + "-" + std::to_string(attempt);
}

std::uint64_t probe_value(const std::uint64_t* address) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const auto mixed = reinterpret_cast<std::uintptr_t>(address) ^ static_cast<std::uint64_t>(now.tv_nsec) ^
                       (static_cast<std::uint64_t>(getpid()) << 32);
    return mixed * 0x9e3779b97f4a7c15ULL | 1U;
}

}  // namespace

SharedPages::~SharedPages() {
    if (data_ != nullptr) {
        munmap(data_, bytes_);
    }
}

std::string SharedPages::create(std::size_t bytes) {
    constexpr int attempts = 8;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        const std::string name = new_name(attempt);
        const int file = shm_open(name.c_str(), O_RDWR | O_CREAT | O_EXCL, S_IRUSR | S_IWUSR);
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
    return "";
}

bool SharedPages::attach(const std::string& name, std::size_t bytes) {
    const int file = shm_open(name.c_str(), O_RDWR, 0);
    if (file < 0) {
        return false;
    }
    const bool mapped = map(file, bytes);
    close(file);
    return mapped;
}

void SharedPages::remove_name(const std::string& name) { shm_unlink(name.c_str()); }

bool SharedPages::create_private(std::size_t bytes) {
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (address == MAP_FAILED) {
        return false;
    }
    data_ = static_cast<std::byte*>(address);
    bytes_ = bytes;
    return true;
}

bool SharedPages::map(int file, std::size_t bytes) {
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
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

void MachineMemory::Share::show_probe() {
    probe_ = probe_value(&probe_);
    machine::Cell& cell = cells_[own_];
    cell.process = getpid();
    cell.probe = reinterpret_cast<std::uintptr_t>(&probe_);
    cell.probe_value = probe_;
}

bool MachineMemory::Share::can_read_others() const {
    return std::all_of(cells_.begin(), cells_.end(), [&](const machine::Cell& cell) {
        std::uint64_t value = 0;
        return &cell == &cells_[own_] ||
               (read(cell.process, cell.probe, reinterpret_cast<std::byte*>(&value), sizeof value) &&
                value == cell.probe_value);
    });
}

}  // namespace aapc::mpi
