/// @file
/// A file descriptor with an owner, and what kind of file it is.
#pragma once

#include <sys/stat.h>
#include <unistd.h>

#include <utility>

namespace aapc {

/// Owns an open file descriptor and closes it. Negative if no file is open.
class Descriptor {
  public:
    Descriptor() = default;
    explicit Descriptor(int number) : number_(number) {}
    Descriptor(Descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
    Descriptor& operator=(Descriptor&& other) noexcept {
        std::swap(number_, other.number_);
        return *this;
    }
    ~Descriptor() { static_cast<void>(close()); }

    [[nodiscard]] bool is_open() const { return number_ >= 0; }
    [[nodiscard]] int number() const { return number_; }
    /// False if the system reports an error then (errno), as it does where a remote disk is full.
    bool close() {
        const int number = std::exchange(number_, -1);
        return number < 0 || ::close(number) == 0;
    }

  private:
    int number_ = -1;
};

/// "a directory", "a pipe", "a device" or "a socket"; null for a regular file.
[[nodiscard]] inline const char* special_kind(mode_t mode) {
    return S_ISREG(mode)    ? nullptr
           : S_ISDIR(mode)  ? "a directory"
           : S_ISFIFO(mode) ? "a pipe"
           : S_ISSOCK(mode) ? "a socket"
                            : "a device";
}

}  // namespace aapc
