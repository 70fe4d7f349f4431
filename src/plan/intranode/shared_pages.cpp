#include "plan/intranode/shared_pages.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <array>
#include <cinttypes>
#include <cstdio>
#include <string_view>

#include "plan/intranode/moment.hpp"

namespace aapc::machine {

namespace {

#ifdef __linux__
/// Two numbers of at most 20 characters fit.
using Label = std::array<char, 64>;
using Text = std::array<char, 128>;

Label label_of(const SharedPages::Name& name) {
    Label text{};
    std::snprintf(text.data(), text.size(), "aapc-%" PRId64 "-%" PRId64, name.process, name.moment);
    return text;
}

/// Where another process finds it.
Text path_of(const SharedPages::Name& name) {
    Text text{};
    std::snprintf(text.data(), text.size(), "/proc/%" PRId64 "/fd/%" PRId64, name.process, name.file);
    return text;
}

/// Processes of two hosts, or of two containers, may have one number, but hardly with a file of that label.
bool is_there(const SharedPages::Name& name) {
    Text wanted{};
    std::snprintf(wanted.data(), wanted.size(), "/memfd:%s (deleted)", label_of(name).data());
    Text found{};
    const auto length = readlink(path_of(name).data(), found.data(), found.size() - 1);
    return length > 0 && std::string_view(found.data()) == wanted.data();
}
#endif

}  // namespace

SharedPages::~SharedPages() {
    withdraw();
    if (data_ != nullptr) {
        munmap(data_, bytes_);
    }
}

SharedPages::Name SharedPages::create([[maybe_unused]] std::size_t bytes, [[maybe_unused]] std::size_t reserved) {
#ifdef __linux__
    Name name{getpid(), 0, this_moment()};
    const int file = memfd_create(label_of(name).data(), MFD_CLOEXEC);
    if (file < 0) {
        return {};
    }
    // Reserved now: a host without memory would kill a process that touches a page later.
    if (ftruncate(file, static_cast<off_t>(bytes)) == 0 &&
        posix_fallocate(file, 0, static_cast<off_t>(reserved)) == 0 && map(file, bytes)) {
        offered_ = file;
        name.file = file;
        return name;
    }
    close(file);
#endif
    return {};
}

bool SharedPages::reserve([[maybe_unused]] std::size_t offset, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
    if (offered_ >= 0) {
        return posix_fallocate(offered_, static_cast<off_t>(offset), static_cast<off_t>(bytes)) == 0;
    }
#endif
    return data_ != nullptr;
}

bool SharedPages::create_private(std::size_t bytes) {
    void* const address = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return keep(address, bytes);
}

bool SharedPages::attach([[maybe_unused]] const Name& name, [[maybe_unused]] std::size_t bytes) {
#ifdef __linux__
    if (!is_there(name)) {
        return false;
    }
    const int file = open(path_of(name).data(), O_RDWR | O_CLOEXEC);
    if (file < 0) {
        return false;
    }
    const bool mapped = map(file, bytes);
    close(file);
    return mapped;
#else
    return false;
#endif
}

void SharedPages::withdraw() {
    if (offered_ >= 0) {
        close(offered_);
        offered_ = -1;
    }
}

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

}  // namespace aapc::machine
