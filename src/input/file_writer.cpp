#include "input/file_writer.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <utility>

namespace aapc {

namespace {

constexpr std::size_t buffer_bytes = 65'536;
constexpr int bounded_milliseconds = 10'000;

/// While it lives, a write into a pipe without a reader is an error (EPIPE) and no signal. It leaves alone what was
/// pending before, and other threads.
class WithoutPipeSignal {
  public:
    WithoutPipeSignal() {
        sigset_t pending;
        sigemptyset(&pending);
        sigpending(&pending);
        was_pending_ = sigismember(&pending, SIGPIPE) == 1;
        sigemptyset(&pipe_);
        sigaddset(&pipe_, SIGPIPE);
        pthread_sigmask(SIG_BLOCK, &pipe_, &before_);
    }
    WithoutPipeSignal(const WithoutPipeSignal&) = delete;
    WithoutPipeSignal& operator=(const WithoutPipeSignal&) = delete;
    ~WithoutPipeSignal() {
        const int error = errno;
        if (!was_pending_) {
            const timespec at_once{};
            while (sigtimedwait(&pipe_, nullptr, &at_once) < 0 && errno == EINTR) {
            }
        }
        pthread_sigmask(SIG_SETMASK, &before_, nullptr);
        errno = error;
    }

  private:
    sigset_t pipe_{};
    sigset_t before_{};
    bool was_pending_ = false;
};

/// The name of an open file without links, as the system has followed them. Empty if it cannot tell.
std::string name_of(int file) {
    std::array<char, PATH_MAX> name{};
    const ssize_t length = readlink(fmt::format("/proc/self/fd/{}", file).c_str(), name.data(), name.size());
    return length <= 0 || static_cast<std::size_t>(length) >= name.size()
               ? std::string()
               : std::string(name.data(), static_cast<std::size_t>(length));
}

/// A name beside `target` that another user cannot have prepared, within what a directory takes.
std::string temporary_name(const std::string& target, int attempt) {
    constexpr std::size_t longest_start = 200;
    const std::size_t slash = target.rfind('/');
    const std::size_t start = slash == std::string::npos ? 0 : slash + 1;
    timespec now{};
    clock_gettime(CLOCK_REALTIME, &now);
    return fmt::format("{}.{}.{:x}{:x}.tmp", target.substr(0, start + longest_start), ::getpid(), now.tv_nsec, attempt);
}

}  // namespace

FileWriter::FileWriter(std::string path, Patience patience)
    : path_(std::move(path)), patience_(patience), buffer_(std::make_unique<char[]>(buffer_bytes)) {
    open_file();
    opened_ = file_.is_open();
}

void FileWriter::open_file() {
    // The system follows links where it lets this user follow them, and says whether the file may be written.
    constexpr int write_only = O_WRONLY | O_NOCTTY | O_CLOEXEC;
    Descriptor existing(::open(path_.c_str(), write_only | O_NONBLOCK));
    if (!existing.is_open() && errno == ENXIO && patience_ == Patience::endless) {
        existing = Descriptor(::open(path_.c_str(), write_only));  // waits for the reader of a pipe
    }
    if (!existing.is_open()) {
        if (errno == ENOENT) {
            open_temporary(path_);
        } else {
            note_error(errno);
        }
        return;
    }
    struct stat status {};
    if (fstat(existing.number(), &status) != 0) {
        note_error(errno);
    } else if (S_ISREG(status.st_mode)) {
        const std::string name = name_of(existing.number());
        open_temporary(name.empty() ? path_ : name);
        keep_mode_and_owner(existing.number());
    } else {
        file_ = std::move(existing);
    }
}

void FileWriter::open_temporary(const std::string& target) {
    target_ = target;
    constexpr int attempts = 16;
    constexpr mode_t as_umask_says = 0666;
    for (int attempt = 0; attempt < attempts; ++attempt) {
        std::string name = temporary_name(target, attempt);
        file_ = Descriptor(::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, as_umask_says));
        if (file_.is_open()) {
            temporary_ = std::move(name);
            return;
        }
        if (errno != EEXIST) {
            break;
        }
    }
    note_error(errno);
}

void FileWriter::keep_mode_and_owner(int existing) {
    struct stat before {};
    struct stat now {};
    if (!file_.is_open() || fstat(existing, &before) != 0 || fstat(file_.number(), &now) != 0) {
        return;
    }
    constexpr mode_t permissions = 07777;
    mode_t mode = before.st_mode & permissions;
    if (before.st_uid != now.st_uid && fchown(file_.number(), before.st_uid, static_cast<gid_t>(-1)) != 0) {
        mode &= ~static_cast<mode_t>(S_ISUID);
    }
    if (before.st_gid != now.st_gid && fchown(file_.number(), static_cast<uid_t>(-1), before.st_gid) != 0) {
        // Another group is not to read what that of the file could.
        mode &= ~static_cast<mode_t>(S_ISGID | S_IRWXG);
    }
    if (fchmod(file_.number(), mode) != 0) {
        note_error(errno);
    }
}

FileWriter::~FileWriter() {
    if (!temporary_.empty()) {
        ::unlink(temporary_.c_str());
    }
}

void FileWriter::note_error(int error) noexcept {
    if (error_ == 0) {
        error_ = error;
    }
}

bool FileWriter::write_out(std::string_view piece) noexcept {
    const WithoutPipeSignal without_signal;
    while (!piece.empty()) {
        const ssize_t written = ::write(file_.number(), piece.data(), piece.size());
        if (written >= 0) {
            piece.remove_prefix(static_cast<std::size_t>(written));
        } else if (errno == EAGAIN) {
            pollfd ready{file_.number(), POLLOUT, 0};
            const int came = poll(&ready, 1, patience_ == Patience::bounded ? bounded_milliseconds : -1);
            if (came == 0 || (came < 0 && errno != EINTR)) {
                note_error(came == 0 ? ETIMEDOUT : errno);
                return false;
            }
        } else if (errno != EINTR) {
            note_error(errno);
            return false;
        }
    }
    return true;
}

bool FileWriter::flush() noexcept {
    const std::string_view rest(buffer_.get(), std::exchange(filled_, 0));
    return error_ == 0 && write_out(rest);
}

bool FileWriter::write(std::string_view piece) noexcept {
    while (error_ == 0 && !piece.empty()) {
        const std::size_t taken = std::min(piece.size(), buffer_bytes - filled_);
        piece.copy(buffer_.get() + filled_, taken);
        filled_ += taken;
        piece.remove_prefix(taken);
        if (filled_ == buffer_bytes) {
            flush();
        }
    }
    return error_ == 0;
}

Expected<void> FileWriter::finish() {
    flush();
    if (!file_.close()) {
        note_error(errno);
    }
    if (error_ == 0 && !temporary_.empty()) {
        if (std::rename(temporary_.c_str(), target_.c_str()) == 0) {
            temporary_.clear();
        } else {
            note_error(errno);
        }
    }
    if (error_ == 0) {
        return {};
    }
    if (!temporary_.empty()) {
        ::unlink(std::exchange(temporary_, std::string()).c_str());
    }
    const bool no_reader = !opened_ && error_ == ENXIO;
    return failure({.file = path_,
                    .problem = no_reader ? std::string("cannot be written: no program reads from this pipe")
                                         : fmt::format("cannot be written: {}", std::strerror(error_)),
                    .advice = no_reader ? "start the program that reads it first"
                              : opened_ ? "make room or give another file"
                                        : "give a file in a directory that exists and can be written"});
}

}  // namespace aapc
