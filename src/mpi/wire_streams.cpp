#include "mpi/wire_streams.hpp"

#include <dirent.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <mutex>
#include <optional>
#include <utility>

namespace aapc::mpi {

namespace {

/// Files that this process has open; nullopt if the system does not say. Takes a file for a moment.
std::optional<std::size_t> open_files() {
    DIR* const directory = opendir("/proc/self/fd");
    if (directory == nullptr) {
        return std::nullopt;
    }
    std::size_t entries = 0;
    while (readdir(directory) != nullptr) {
        ++entries;
    }
    closedir(directory);
    constexpr std::size_t not_ours = 3;  // ".", "..", and that of the directory itself
    return entries - std::min(entries, not_ours);
}

}  // namespace

void WireStream::add(WireMessage& message) noexcept {
    message.stream = this;
    message.next = nullptr;
    message.moved = 0;
    (oldest_ == nullptr ? oldest_ : newest_->next) = &message;
    newest_ = &message;
    move();
}

void WireStream::move() noexcept {
    while (oldest_ != nullptr) {
        if (broken_) {
            complete_oldest(WireMessage::End::broken);
        } else if (!ready_ || !(sends_ ? move_out(*oldest_) : move_in(*oldest_))) {
            if (!broken_) {
                return;
            }
        }
    }
}

bool WireStream::judge(long moved) noexcept {
    if (moved > 0) {
        return true;
    }
    if (moved < 0 && errno == EINTR) {
        return true;
    }
    if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        ready_ = false;
        return false;
    }
    // The other end is closed, or the connection was reset.
    note_broken();
    return false;
}

bool WireStream::move_out(WireMessage& message) noexcept {
    if (head_moved_ == 0) {
        head_ = {message.bytes, 0};
    }
    std::array<iovec, 2> parts{iovec{reinterpret_cast<std::byte*>(&head_) + head_moved_, sizeof head_ - head_moved_},
                               iovec{message.place + message.moved, message.bytes - message.moved}};
    msghdr both{};
    both.msg_iov = parts.data();
    both.msg_iovlen = message.bytes > message.moved ? 2 : 1;
    const ssize_t moved = sendmsg(socket_.number(), &both, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (!judge(moved)) {
        return false;
    }
    const auto done = static_cast<std::uint32_t>(std::max<ssize_t>(moved, 0));
    const std::uint32_t of_head = std::min(done, static_cast<std::uint32_t>(sizeof head_) - head_moved_);
    head_moved_ += of_head;
    message.moved += done - of_head;
    if (head_moved_ == sizeof head_ && message.moved == message.bytes) {
        complete_oldest(WireMessage::End::well);
    }
    return true;
}

bool WireStream::read_head() noexcept {
    while (head_moved_ < sizeof head_) {
        const ssize_t moved = recv(socket_.number(), reinterpret_cast<std::byte*>(&head_) + head_moved_,
                                   sizeof head_ - head_moved_, MSG_DONTWAIT);
        if (!judge(moved)) {
            return false;
        }
        head_moved_ += static_cast<std::uint32_t>(std::max<ssize_t>(moved, 0));
        if (head_moved_ == sizeof head_) {
            content_left_ = head_.bytes;
        }
    }
    return true;
}

bool WireStream::move_in(WireMessage& message) noexcept {
    if (!read_head()) {
        return false;
    }
    while (content_left_ > 0) {
        std::array<std::byte, 4096> dropped;
        const std::uint32_t wanted = message.goes_nowhere ? 0 : message.bytes - message.moved;
        std::byte* const place = wanted > 0 ? message.place + message.moved : dropped.data();
        const std::size_t most =
            std::min<std::size_t>(content_left_, wanted > 0 ? std::size_t{wanted} : dropped.size());
        const ssize_t moved = recv(socket_.number(), place, most, MSG_DONTWAIT);
        if (!judge(moved)) {
            return false;
        }
        const auto done = static_cast<std::uint32_t>(std::max<ssize_t>(moved, 0));
        content_left_ -= done;
        message.moved += wanted > 0 ? done : 0;
    }
    complete_oldest(head_.bytes == message.bytes ? WireMessage::End::well : WireMessage::End::wrong_length);
    return true;
}

void WireStream::complete_oldest(WireMessage::End end) noexcept {
    WireMessage& message = *oldest_;
    oldest_ = message.next;
    head_moved_ = 0;
    message.end = end;
    message.next = nullptr;
    message.stream = nullptr;
}

void WireStream::withdraw(WireMessage& message) noexcept {
    if (&message == oldest_ && head_moved_ > 0) {
        note_broken();
    }
    WireMessage* before = nullptr;
    for (WireMessage* at = oldest_; at != nullptr; before = at, at = at->next) {
        if (at == &message) {
            (before == nullptr ? oldest_ : before->next) = message.next;
            newest_ = newest_ == &message ? before : newest_;
            break;
        }
    }
    message.next = nullptr;
    message.stream = nullptr;
    move();
}

void WireStream::break_off() noexcept {
    note_broken();
    move();
}

void WireStream::abandon() noexcept {
    note_broken();
    socket_.close();
}

/// The streams of this process, for its forked children, and the number of their sockets.
class WireStreams::Family {
  public:
    void add(WireStreams& one) {
        const std::lock_guard lock(mutex_);
        one.next_ = first_;
        first_ = &one;
        if (!std::exchange(is_told_of_forks_, true)) {
            pthread_atfork([] { family().mutex_.lock(); }, [] { family().mutex_.unlock(); },
                           [] {
                               for (WireStreams* at = family().first_; at != nullptr; at = at->next_) {
                                   at->abandon();
                               }
                               family().mutex_.unlock();
                           });
        }
    }
    void remove(WireStreams& one) {
        const std::lock_guard lock(mutex_);
        WireStreams** at = &first_;
        while (*at != &one) {
            at = &(*at)->next_;
        }
        *at = one.next_;
    }
    static Family& family() {
        static constinit Family only;
        return only;
    }

    std::mutex mutex_;  ///< held while streams come and go
    std::atomic<std::size_t> sockets_ = 0;

  private:
    WireStreams* first_ = nullptr;
    bool is_told_of_forks_ = false;
};

WireStreams::WireStreams(std::size_t ranks) : to_(ranks), from_(ranks), events_(epoll_create1(EPOLL_CLOEXEC)) {
    Family::family().add(*this);
}

WireStreams::~WireStreams() {
    Family::family().remove(*this);
    std::size_t sockets = 0;
    for (const auto* streams : {&to_, &from_}) {
        sockets += static_cast<std::size_t>(
            std::count_if(streams->begin(), streams->end(), [](const auto& stream) { return stream != nullptr; }));
    }
    give_back_sockets(sockets);
}

bool WireStreams::keep(Rank rank, Descriptor socket, bool sends) {
    auto stream = std::make_unique<WireStream>(std::move(socket), sends, broken_);
    epoll_event event{};
    event.events = (sends ? EPOLLOUT : EPOLLIN | EPOLLRDHUP) | EPOLLET;
    event.data.ptr = stream.get();
    if (epoll_ctl(events_.number(), EPOLL_CTL_ADD, stream->file(), &event) != 0) {
        return false;
    }
    const std::lock_guard lock(Family::family().mutex_);
    (sends ? to_ : from_)[static_cast<std::size_t>(rank)] = std::move(stream);
    return true;
}

void WireStreams::drop(Rank rank, bool sends) {
    const std::lock_guard lock(Family::family().mutex_);
    auto& stream = (sends ? to_ : from_)[static_cast<std::size_t>(rank)];
    if (stream) {
        // Closing is not enough while a child of the program has a copy, which it may have until it calls exec.
        epoll_ctl(events_.number(), EPOLL_CTL_DEL, stream->file(), nullptr);
        stream.reset();
        give_back_sockets(1);
    }
}

void WireStreams::advance() noexcept {
    constexpr int at_a_time = 64;
    std::array<epoll_event, at_a_time> events;
    int count = at_a_time;
    while (count == at_a_time) {
        count = epoll_wait(events_.number(), events.data(), at_a_time, 0);
        for (int index = 0; index < count; ++index) {
            static_cast<WireStream*>(events[static_cast<std::size_t>(index)].data.ptr)->go_on();
        }
    }
    if (count < 0 && errno != EINTR) {
        // The program has closed our file: no message would ever be complete.
        broken_ = true;
        for (const auto* streams : {&to_, &from_}) {
            for (const auto& stream : *streams) {
                if (stream) {
                    stream->break_off();
                }
            }
        }
    }
}

void WireStreams::abandon() noexcept {
    broken_ = true;
    for (const auto* streams : {&to_, &from_}) {
        for (const auto& stream : *streams) {
            if (stream) {
                stream->abandon();
            }
        }
    }
    events_.close();
}

bool WireStreams::reserve_sockets(std::size_t count) {
    // The program opens files as well: a connection of ours must not be what makes it fail.
    constexpr std::size_t left_for_others = 64;
    rlimit files{};
    const std::size_t most = getrlimit(RLIMIT_NOFILE, &files) == 0 ? static_cast<std::size_t>(files.rlim_cur) : 0;
    const std::optional<std::size_t> open = open_files();
    std::atomic<std::size_t>& used = Family::family().sockets_;
    const bool has_share = used.fetch_add(count) + count <= most / 2;
    if (has_share && (!open || *open + count + left_for_others <= most)) {
        return true;
    }
    used.fetch_sub(count);
    return false;
}

void WireStreams::give_back_sockets(std::size_t count) { Family::family().sockets_.fetch_sub(count); }

}  // namespace aapc::mpi
