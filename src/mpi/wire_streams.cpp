#include "mpi/wire_streams.hpp"

#include <arpa/inet.h>
#include <linux/sockios.h>
#include <netinet/in.h>
#include <pthread.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cmath>
#include <ctime>
#include <mutex>
#include <optional>
#include <utility>

#include "mpi/open_files.hpp"

namespace aapc::mpi {

namespace {

/// Files that this process has open; nullopt if the system does not say. Takes a file for a moment.
std::optional<std::size_t> open_files() {
    std::size_t count = 0;
    return for_each_open_file([&count](int /*number*/) { ++count; }) ? std::optional(count) : std::nullopt;
}

std::uint32_t microseconds_now() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<std::uint32_t>(static_cast<std::uint64_t>(now.tv_sec) * 1'000'000U +
                                      static_cast<std::uint64_t>(now.tv_nsec) / 1000U);
}

/// Whether `left` comes before `right`, modulo 2^32.
bool is_before(std::uint32_t left, std::uint32_t right) { return static_cast<std::int32_t>(left - right) < 0; }

constexpr std::uint16_t unknown_share = 0xffff;
constexpr double shares = 0xfffe;  ///< that the whole schedule has

std::uint16_t share_of(double seconds, double scheduled_seconds) {
    if (std::isnan(seconds) || !(scheduled_seconds > 0)) {
        return unknown_share;
    }
    return static_cast<std::uint16_t>(std::lround(shares * std::clamp(seconds / scheduled_seconds, 0.0, 1.0)));
}

double seconds_of(std::uint16_t share, double scheduled_seconds) {
    return share == unknown_share ? PairPaths::unknown : scheduled_seconds * share / shares;
}

void append(WireMessage*& oldest, WireMessage*& newest, WireMessage& message) {
    message.next = nullptr;
    (oldest == nullptr ? oldest : newest->next) = &message;
    newest = &message;
}

/// False if it is not in that queue.
bool remove(WireMessage*& oldest, WireMessage*& newest, WireMessage& message) {
    WireMessage* before = nullptr;
    for (WireMessage* at = oldest; at != nullptr; before = at, at = at->next) {
        if (at == &message) {
            (before == nullptr ? oldest : before->next) = message.next;
            newest = newest == &message ? before : newest;
            message.next = nullptr;
            return true;
        }
    }
    return false;
}

void finish(WireMessage& message, WireMessage::End end) {
    message.end = end;
    message.next = nullptr;
    message.stream = nullptr;
}

}  // namespace

std::size_t WireStream::next_connection() noexcept {
    if (!has_choice()) {
        return connections_[0].is_open() ? 0 : 1;
    }
    return paths_.next();
}

void WireStream::add(WireMessage& message) noexcept {
    message.stream = this;
    message.moved = 0;
    message.number = next_number_++;
    if (broken_) {
        finish(message, WireMessage::End::broken);
        return;
    }
    if (sends_) {
        message.started = microseconds_now();
        Connection& connection = connections_[next_connection()];
        append(connection.oldest, connection.newest, message);
        move(connection);
        return;
    }
    append(oldest_, newest_, message);
    for (Connection& connection : connections_) {
        if (connection.is_open()) {
            move(connection);
        }
    }
}

bool WireStream::Connection::waits_for_acknowledgements() const {
    int bytes = 0;
    return ioctl(socket.number(), SIOCOUTQ, &bytes) == 0 && bytes > 0;
}

void WireStream::send_after_last() noexcept {
    for (Connection& connection : connections_) {
        WireMessage& head_alone = connection.after_last;
        if (!broken_ && connection.is_open() && head_alone.stream == nullptr &&
            connection.waits_for_acknowledgements()) {
            head_alone = {};
            head_alone.stream = this;
            append(connection.oldest, connection.newest, head_alone);
            move(connection);
        }
    }
}

void WireStream::move(Connection& connection) noexcept {
    if (!broken_) {
        sends_ ? move_out(connection) : move_in(connection);
    }
    if (broken_) {
        complete_all_broken();
    }
}

void WireStream::complete_all_broken() noexcept {
    const auto complete = [](WireMessage*& oldest) {
        while (oldest != nullptr) {
            WireMessage& message = *oldest;
            oldest = message.next;
            finish(message, WireMessage::End::broken);
        }
    };
    for (Connection& connection : connections_) {
        complete(connection.oldest);
        connection.coming = nullptr;
    }
    complete(oldest_);
}

bool WireStream::judge(Connection& connection, long moved) noexcept {
    if (moved > 0) {
        return true;
    }
    if (moved < 0 && errno == EINTR) {
        return true;
    }
    if (moved < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) {
        connection.ready = false;
        return false;
    }
    // The other end is closed, or the connection was reset.
    note_broken();
    return false;
}

/// The sender may leave as soon as the kernel has all that it sends, when messages are still to be read from its other
/// connection.
bool WireStream::end(Connection& connection) noexcept {
    connection.ready = false;
    connection.ended = true;
    return std::any_of(connections_.begin(), connections_.end(),
                       [](const Connection& one) { return one.is_open() && !one.ended; });
}

void WireStream::move_out(Connection& connection) noexcept {
    while (connection.ready && connection.oldest != nullptr) {
        WireMessage& message = *connection.oldest;
        Head& head = connection.head;
        const bool is_message = &message != &connection.after_last;
        if (connection.head_moved == 0) {
            head = {is_message ? message.bytes : no_message, message.number, message.started, feedback_};
        }
        std::array<iovec, 2> parts{
            iovec{reinterpret_cast<std::byte*>(&head) + connection.head_moved, sizeof head - connection.head_moved},
            iovec{message.place + message.moved, message.bytes - message.moved}};
        msghdr both{};
        both.msg_iov = parts.data();
        both.msg_iovlen = message.bytes > message.moved ? 2 : 1;
        const ssize_t moved = sendmsg(connection.socket.number(), &both, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (!judge(connection, moved)) {
            return;
        }
        const auto done = static_cast<std::uint32_t>(std::max<ssize_t>(moved, 0));
        const std::uint32_t of_head = std::min(done, static_cast<std::uint32_t>(sizeof head) - connection.head_moved);
        connection.head_moved += of_head;
        message.moved += done - of_head;
        if (is_message && done > 0 && is_before(begun_until_, message.number + 1)) {
            begun_until_ = message.number + 1;
        }
        if (connection.head_moved == sizeof head && message.moved == message.bytes) {
            connection.head_moved = 0;
            connection.oldest = message.next;
            finish(message, WireMessage::End::well);
        }
    }
}

WireMessage* WireStream::posted(std::uint32_t number) const noexcept {
    WireMessage* at = oldest_;
    while (at != nullptr && at->number != number) {
        at = at->next;
    }
    return at;
}

bool WireStream::read_head(Connection& connection) noexcept {
    Head& head = connection.head;
    while (connection.head_moved < sizeof head) {
        const ssize_t moved =
            recv(connection.socket.number(), reinterpret_cast<std::byte*>(&head) + connection.head_moved,
                 sizeof head - connection.head_moved, MSG_DONTWAIT);
        if (moved == 0 && connection.head_moved == 0 && end(connection)) {
            return false;
        }
        if (!judge(connection, moved)) {
            return false;
        }
        connection.head_moved += static_cast<std::uint32_t>(std::max<ssize_t>(moved, 0));
        if (connection.head_moved == sizeof head) {
            connection.head_moved = head.bytes == no_message ? 0 : connection.head_moved;
            connection.content_left = head.bytes;
        }
    }
    return true;
}

bool WireStream::read_content(Connection& connection, WireMessage& message) noexcept {
    while (connection.content_left > 0) {
        std::array<std::byte, 4096> dropped;
        const std::uint32_t wanted = message.goes_nowhere ? 0 : message.bytes - message.moved;
        std::byte* const place = wanted > 0 ? message.place + message.moved : dropped.data();
        const std::size_t most =
            std::min<std::size_t>(connection.content_left, wanted > 0 ? std::size_t{wanted} : dropped.size());
        const ssize_t moved = recv(connection.socket.number(), place, most, MSG_DONTWAIT);
        if (!judge(connection, moved)) {
            return false;
        }
        const auto done = static_cast<std::uint32_t>(std::max<ssize_t>(moved, 0));
        connection.content_left -= done;
        message.moved += wanted > 0 ? done : 0;
    }
    return true;
}

void WireStream::move_in(Connection& connection) noexcept {
    // Nothing is read that no receive is posted for, but one head of each connection.
    while (connection.ready && oldest_ != nullptr && read_head(connection)) {
        if (connection.coming == nullptr) {
            if (is_before(connection.head.number, oldest_->number)) {
                note_broken();  // no message of ours
                return;
            }
            connection.coming = posted(connection.head.number);
            if (connection.coming == nullptr) {
                return;
            }
            if (is_before(begun_until_, connection.head.number + 1)) {
                begun_until_ = connection.head.number + 1;
            }
        }
        WireMessage& message = *connection.coming;
        if (!read_content(connection, message)) {
            return;
        }
        connection.coming = nullptr;
        connection.head_moved = 0;
        feedback_ = connection.head.feedback;
        lateness_.note(static_cast<std::size_t>(&connection - connections_.data()),
                       microseconds_now() - connection.head.started);
        static_cast<void>(remove(oldest_, newest_, message));
        finish(message,
               connection.head.bytes == message.bytes ? WireMessage::End::well : WireMessage::End::wrong_length);
    }
}

void WireStream::withdraw(WireMessage& message) noexcept {
    if (is_before(message.number, begun_until_)) {
        note_broken();
    } else {
        --next_number_;
    }
    const auto lower_later = [&](WireMessage* at) {
        for (; at != nullptr; at = at->next) {
            at->number -= is_before(message.number, at->number) ? 1 : 0;
        }
    };
    for (Connection& connection : connections_) {
        static_cast<void>(remove(connection.oldest, connection.newest, message));
        connection.coming = connection.coming == &message ? nullptr : connection.coming;
        lower_later(connection.oldest);
    }
    static_cast<void>(remove(oldest_, newest_, message));
    lower_later(oldest_);
    message.stream = nullptr;
    for (Connection& connection : connections_) {
        if (connection.is_open()) {
            move(connection);
        }
    }
}

void WireStream::break_off() noexcept {
    note_broken();
    complete_all_broken();
}

void WireStream::abandon() noexcept {
    note_broken();
    for (Connection& connection : connections_) {
        connection.socket.close();
    }
}

void WireStream::end_sending(double scheduled_seconds, const PathFeedback& heard, const PathFeedback& to_say) noexcept {
    // A peer that says nothing counts as an exchange also, so that learning ends.
    if (has_choice()) {
        paths_.observe({seconds_of(heard[0], scheduled_before_), seconds_of(heard[1], scheduled_before_)},
                       scheduled_before_);
    }
    feedback_ = to_say;
    scheduled_before_ = scheduled_seconds;
}

PathFeedback WireStream::end_receiving(double scheduled_seconds) noexcept {
    const auto late = lateness_.take();
    return {share_of(late[0], scheduled_seconds), share_of(late[1], scheduled_seconds)};
}

PathFeedback WireStream::take_heard() noexcept { return std::exchange(feedback_, nothing_heard); }

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
        for (const auto& stream : *streams) {
            sockets += !stream ? 0
                               : static_cast<std::size_t>(
                                     std::count_if(stream->connections_.begin(), stream->connections_.end(),
                                                   [](const auto& connection) { return connection.is_open(); }));
        }
    }
    give_back_sockets(sockets);
}

const WireStream::Connection* WireStreams::connection_of(const Way& way) const {
    const WireStream* const stream = way.sends ? to(way.rank) : from(way.rank);
    return stream != nullptr && stream->connections_[way.connection].is_open() ? &stream->connections_[way.connection]
                                                                               : nullptr;
}

bool WireStreams::has(const Way& way) const { return connection_of(way) != nullptr; }

namespace {

/// The port that one end of a socket is bound to, which `name` says: getsockname or getpeername.
std::uint16_t port_by(decltype(&getsockname) name, const Descriptor* socket) {
    sockaddr_in6 bound{};  // IPv4 has its port at the same place
    socklen_t length = sizeof bound;
    if (socket == nullptr || name(socket->number(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
        return 0;
    }
    return ntohs(bound.sin6_port);
}

}  // namespace

std::uint16_t WireStreams::port_of(const Way& way) const {
    const WireStream::Connection* const connection = connection_of(way);
    return port_by(getsockname, connection == nullptr ? nullptr : &connection->socket);
}

std::uint16_t WireStreams::port_there(const Way& way) const {
    const WireStream::Connection* const connection = connection_of(way);
    return port_by(getpeername, connection == nullptr ? nullptr : &connection->socket);
}

bool WireStreams::keep(const Way& way, Descriptor socket) {
    std::unique_ptr<WireStream>& stream = stream_of(way);
    if (!stream) {
        const std::uint64_t seed = (std::uint64_t{microseconds_now()} << 32U) ^ static_cast<std::uint64_t>(way.rank) ^
                                   (static_cast<std::uint64_t>(getpid()) << 16U);
        auto made = std::make_unique<WireStream>(way.sends, broken_, seed);
        const std::lock_guard lock(Family::family().mutex_);
        stream = std::move(made);
    }
    WireStream::Connection& connection = stream->connections_[way.connection];
    epoll_event event{};
    event.events = (way.sends ? EPOLLOUT : EPOLLIN | EPOLLRDHUP) | EPOLLET;
    event.data.ptr = &connection;
    if (epoll_ctl(events_.number(), EPOLL_CTL_ADD, socket.number(), &event) != 0) {
        return false;
    }
    const std::lock_guard lock(Family::family().mutex_);
    connection.socket = std::move(socket);
    connection.ready = true;
    connection.ended = false;
    connection.head_moved = 0;
    connection.coming = nullptr;
    connection.oldest = connection.newest = nullptr;
    connection.after_last = {};
    return true;
}

void WireStreams::drop(const Way& way) {
    const std::lock_guard lock(Family::family().mutex_);
    std::unique_ptr<WireStream>& stream = stream_of(way);
    if (!has(way)) {
        return;
    }
    WireStream::Connection& connection = stream->connections_[way.connection];
    // Closing is not enough while a child of the program has a copy, which it may have until it calls exec.
    epoll_ctl(events_.number(), EPOLL_CTL_DEL, connection.socket.number(), nullptr);
    // At once, and without keeping the port: it may be wanted again.
    const linger at_once{1, 0};
    setsockopt(connection.socket.number(), SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    connection.socket.close();
    give_back_sockets(1);
    if (!stream->connections_[0].is_open() && !stream->connections_[1].is_open()) {
        stream.reset();
    }
}

void WireStreams::drop_all() {
    for (std::size_t peer = 0; peer < to_.size(); ++peer) {
        for (const bool sends : {true, false}) {
            for (std::size_t connection = 0; connection < WireStream::most_connections; ++connection) {
                drop({static_cast<Rank>(peer), sends, connection});
            }
        }
    }
}

void WireStreams::send_after_last() noexcept {
    for (const std::unique_ptr<WireStream>& stream : to_) {
        if (stream) {
            stream->send_after_last();
        }
    }
}

void WireStreams::end_exchange(double scheduled_seconds, double over_bound) noexcept {
    send_after_last();
    over_bound_ = over_bound;
    for (std::size_t peer = 0; peer < to_.size(); ++peer) {
        PathFeedback heard = WireStream::nothing_heard;
        PathFeedback to_say = WireStream::nothing_heard;
        if (from_[peer]) {
            heard = from_[peer]->take_heard();
            to_say = from_[peer]->end_receiving(scheduled_seconds);
        }
        if (to_[peer]) {
            to_[peer]->end_sending(scheduled_seconds, heard, to_say);
        }
    }
}

bool WireStreams::is_learning() const noexcept {
    return std::any_of(to_.begin(), to_.end(),
                       [](const auto& stream) { return stream && stream->has_choice() && !stream->paths().settled(); });
}

bool WireStreams::wants_moves() const noexcept {
    return std::any_of(to_.begin(), to_.end(), [](const auto& stream) {
        return stream && stream->has_choice() && stream->paths().wanted().has_value();
    });
}

void WireStreams::advance() noexcept {
    constexpr int at_a_time = 64;
    std::array<epoll_event, at_a_time> events;
    int count = at_a_time;
    while (count == at_a_time) {
        count = epoll_wait(events_.number(), events.data(), at_a_time, 0);
        for (int index = 0; index < count; ++index) {
            auto& connection = *static_cast<WireStream::Connection*>(events[static_cast<std::size_t>(index)].data.ptr);
            connection.stream->go_on(connection);
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
