/// @file
/// Memory that several processes of one machine map, and that is gone with the last of them however they end.
#pragma once

#include <cstddef>
#include <cstdint>

namespace aapc::machine {

/// A piece of memory that several processes have mapped, all zeros at first. Where it is offered to others it is a file
/// without a place in any file system (memfd_create), which they open through its maker's /proc/PID/fd. So a killed
/// process leaves no trace.
class SharedPages {
  public:
    SharedPages() = default;
    SharedPages(const SharedPages&) = delete;
    SharedPages& operator=(const SharedPages&) = delete;
    ~SharedPages();

    /// What others find it by. All zeros: nothing.
    struct Name {
        std::int64_t process = 0;
        std::int64_t file = 0;    ///< of that process
        std::int64_t moment = 0;  ///< nanoseconds
    };
    /// Memory of this process alone.
    [[nodiscard]] bool create_private(std::size_t bytes);
    /// Makes a new one and offers it; the name is all zeros if there is none to be had, as on systems other than Linux.
    [[nodiscard]] Name create(std::size_t bytes) { return create(bytes, bytes); }
    /// The same, with memory for the first `reserved` bytes alone: others are not to be touched before reserve().
    [[nodiscard]] Name create(std::size_t bytes, std::size_t reserved);
    /// Finds memory for `bytes` bytes from `offset` on: in the process that offers them, until withdraw(), or for
    /// private ones, where there is nothing to find. False if there is not enough of it.
    [[nodiscard]] bool reserve(std::size_t offset, std::size_t bytes);
    /// Maps what another process offers. False where that is not to be found: on another host than the one where it was
    /// made, in a container of its own, for another user.
    [[nodiscard]] bool attach(const Name& name, std::size_t bytes);
    /// No other process can attach from now on; it lives as long as a process has it mapped.
    void withdraw();

    /// Aligned to a page; null as long as there are none.
    [[nodiscard]] std::byte* data() const { return data_; }

  private:
    [[nodiscard]] bool map(int file, std::size_t bytes);
    [[nodiscard]] bool keep(void* address, std::size_t bytes);

    std::byte* data_ = nullptr;
    std::size_t bytes_ = 0;
    int offered_ = -1;  ///< the file, as long as others may attach
};

}  // namespace aapc::machine
