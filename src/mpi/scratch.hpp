/// @file
/// Memory that is kept between exchanges.
#pragma once

#include <cstddef>
#include <memory>

namespace aapc::mpi {

/// Grows when more is wanted and never shrinks: programs exchange the same sizes again and again.
class Scratch {
  public:
    /// At least `bytes` bytes of whatever they hold, valid until more are wanted. Throws std::bad_alloc, which
    /// Exchange::run() turns into an error code.
    [[nodiscard]] std::byte* at_least(std::size_t bytes) {
        if (bytes > size_) {
            // Given back first: the old content is not wanted, so the two need not fit into memory together.
            memory_.reset();
            size_ = 0;
            memory_ = std::make_unique_for_overwrite<std::byte[]>(bytes);
            size_ = bytes;
        }
        return memory_.get();
    }

  private:
    std::unique_ptr<std::byte[]> memory_;
    std::size_t size_ = 0;
};

}  // namespace aapc::mpi
