/// @file
/// TCP connections of aapc, and the queues of messages on them. Knows no MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "aapc/topology/network.hpp"
#include "input/descriptor.hpp"
#include "plan/paths.hpp"

namespace aapc::mpi {

class WireStream;

/// One message under way. The object must not move until the message is complete or withdrawn.
struct WireMessage {
    enum class End : std::uint8_t {
        well,
        wrong_length,  ///< it was not as long as its receiver expected; an excess is dropped
        broken,        ///< the connection broke
    };
    std::byte* place = nullptr;  ///< only read for a message that is sent
    std::uint32_t bytes = 0;     ///< to be sent, or expected
    bool goes_nowhere = false;   ///< received data are dropped
    End end = End::well;
    std::uint32_t moved = 0;
    std::uint32_t number = 0;      ///< of its stream
    std::uint32_t started = 0;     ///< of a message that is sent: the sender's clock, in microseconds modulo 2^32
    WireStream* stream = nullptr;  ///< null once it is complete
    WireMessage* next = nullptr;   ///< in the same queue
};

/// How late the messages of one exchange were on each connection, as it travels: in shares of the schedule.
using PathFeedback = std::array<std::uint16_t, PairPaths::connections>;

/// One direction between two ranks: a sequence of messages over one or two connections. Each message is preceded by its
/// number and length. Both ends know the length from the plan unless something is wrong. Messages of one connection
/// arrive in order, and the numbers say which message it is. The side that opened the connections sends, so the sender
/// chooses the paths, and by PairPaths which connection each message takes.
class WireStream {
  public:
    static constexpr std::size_t most_connections = PairPaths::connections;

    /// `some_are_broken`, which outlives it, becomes true when it breaks. `seed` is that of PairPaths.
    WireStream(bool sends, bool& some_are_broken, std::uint64_t seed)
        : sends_(sends), some_are_broken_(some_are_broken), paths_(seed) {
        for (Connection& connection : connections_) {
            connection.stream = this;
        }
    }
    WireStream(const WireStream&) = delete;
    WireStream& operator=(const WireStream&) = delete;
    ~WireStream() = default;

    /// Appends a message. It is complete at once if the kernel takes or has all of it, or if the stream is broken.
    void add(WireMessage& message) noexcept;
    /// Takes back a message that is not complete. If a part of it or a later message has moved already, the connections
    /// break.
    void withdraw(WireMessage& message) noexcept;
    /// Sends a head without a message on each connection that waits for acknowledgements. TCP notices within a round
    /// trip that a packet is missing, if a later one arrives. If the last one is missing, it waits for at least 0.2 s.
    void send_after_last() noexcept;
    /// Marks the connections broken: all messages are complete, and so are those added later.
    void break_off() noexcept;
    /// In a forked child: closes its copies of the files.
    void abandon() noexcept;

    /// The exchange that took `scheduled_seconds` has ended on this rank. For a stream that sends: `heard` is what its
    /// receiver said of the exchange before, `to_say` what this rank measured in the other direction.
    void end_sending(double scheduled_seconds, const PathFeedback& heard, const PathFeedback& to_say) noexcept;
    /// The same for a stream that receives: what it measured.
    [[nodiscard]] PathFeedback end_receiving(double scheduled_seconds) noexcept;
    /// What the sender's rank said last of the other direction; forgotten then.
    [[nodiscard]] PathFeedback take_heard() noexcept;
    static constexpr PathFeedback nothing_heard{0xffff, 0xffff};

    /// Of a stream that sends by two connections.
    [[nodiscard]] PairPaths& paths() { return paths_; }
    [[nodiscard]] const PairPaths& paths() const { return paths_; }
    [[nodiscard]] bool has_choice() const { return connections_[0].is_open() && connections_[1].is_open(); }

  private:
    friend class WireStreams;

    /// Precedes each message.
    struct Head {
        std::uint32_t bytes = 0;
        std::uint32_t number = 0;
        std::uint32_t started = 0;  ///< as in WireMessage
        PathFeedback feedback = nothing_heard;
    };
    static_assert(sizeof(Head) == 16);
    /// Head::bytes of a head without a message: send_after_last(). No message is as long.
    static constexpr std::uint32_t no_message = 0xffffffff;

    struct Connection {
        WireStream* stream = nullptr;
        Descriptor socket;
        bool ready = true;
        bool ended = false;              ///< between two messages, by the rank that sends
        Head head;                       ///< of the message that is on its way
        std::uint32_t head_moved = 0;    ///< bytes of it
        std::uint32_t content_left = 0;  ///< of a message that comes in, once its head is there
        WireMessage* coming = nullptr;   ///< that this is the content of; null if its receive is not posted yet
        WireMessage* oldest = nullptr;   ///< of those that go out
        WireMessage* newest = nullptr;
        WireMessage after_last;  ///< what stands for a head without a message in the queue

        [[nodiscard]] bool is_open() const { return socket.is_open(); }
        [[nodiscard]] bool waits_for_acknowledgements() const;
    };

    /// The kernel reports that a socket is ready: moves as many bytes as possible.
    void go_on(Connection& connection) noexcept {
        connection.ready = true;
        move(connection);
    }
    /// Moves messages until the kernel has no more room, or no more data.
    void move(Connection& connection) noexcept;
    void move_out(Connection& connection) noexcept;
    void move_in(Connection& connection) noexcept;
    bool read_head(Connection& connection) noexcept;
    /// The other side has closed a connection that receives. True if another one may still bring messages.
    [[nodiscard]] bool end(Connection& connection) noexcept;
    bool read_content(Connection& connection, WireMessage& message) noexcept;
    /// Judges the result of a system call that should have moved bytes; true if the caller may go on.
    bool judge(Connection& connection, long moved) noexcept;
    void note_broken() noexcept { broken_ = some_are_broken_ = true; }
    void complete_all_broken() noexcept;
    [[nodiscard]] WireMessage* posted(std::uint32_t number) const noexcept;
    [[nodiscard]] std::size_t next_connection() noexcept;

    bool sends_;
    bool& some_are_broken_;
    bool broken_ = false;
    std::array<Connection, most_connections> connections_;
    WireMessage* oldest_ = nullptr;  ///< posted, of a stream that receives
    WireMessage* newest_ = nullptr;
    std::uint32_t next_number_ = 0;
    std::uint32_t begun_until_ = 0;  ///< no message of this number or a later one has moved
    PairPaths paths_;
    PathLateness lateness_;
    PathFeedback feedback_ = nothing_heard;  ///< sent with every message, or heard last
    double scheduled_before_ = 0;            ///< of the exchange that feedback is about
};

/// The streams of one communicator, and the file by which the kernel reports which are ready. Used by one thread at a
/// time. Streams of all communicators take at most half of the files that a process may have open.
class WireStreams {
  public:
    /// For that number of ranks. Throws std::bad_alloc. If the kernel gives no file, works() is false.
    explicit WireStreams(std::size_t ranks);
    WireStreams(const WireStreams&) = delete;
    WireStreams& operator=(const WireStreams&) = delete;
    ~WireStreams();

    /// False once a connection has broken.
    [[nodiscard]] bool works() const { return !broken_ && events_.is_open(); }
    /// Null if there is no connection.
    [[nodiscard]] WireStream* to(Rank rank) const { return to_[static_cast<std::size_t>(rank)].get(); }
    [[nodiscard]] WireStream* from(Rank rank) const { return from_[static_cast<std::size_t>(rank)].get(); }
    [[nodiscard]] std::size_t ranks() const { return to_.size(); }

    /// One of the connections with a rank.
    struct Way {
        Rank rank = 0;
        bool sends = false;
        std::size_t connection = 0;

        friend bool operator==(const Way&, const Way&) = default;
    };
    [[nodiscard]] bool has(const Way& way) const;
    /// The port that it is bound to here; 0 if it is not known.
    [[nodiscard]] std::uint16_t port_of(const Way& way) const;
    /// The port that it is bound to at the other end; 0 if it is not known.
    [[nodiscard]] std::uint16_t port_there(const Way& way) const;
    /// Takes over a connection; false if the kernel refuses to watch it. Throws std::bad_alloc.
    [[nodiscard]] bool keep(const Way& way, Descriptor socket);
    /// Closes that connection, if there is one, without leaving its port in use. Nothing is on its way there.
    void drop(const Way& way);

    /// Closes all connections as drop() does.
    void drop_all();

    /// WireStream::send_after_last() of all streams that send.
    void send_after_last() noexcept;
    /// A time-triggered exchange of `scheduled_seconds`, whose cycle was `over_bound` times the bound, has ended on
    /// this rank: shares follow what was heard.
    void end_exchange(double scheduled_seconds, double over_bound) noexcept;
    /// That of the last exchange; 0 if there was none.
    [[nodiscard]] double over_bound() const { return over_bound_; }
    /// Whether shares and ports of some stream from here are still being changed.
    [[nodiscard]] bool is_learning() const noexcept;
    /// Whether some stream from here has a connection that should move.
    [[nodiscard]] bool wants_moves() const noexcept;

    /// Moves as many bytes as possible. One system call if there are none.
    void advance() noexcept;
    /// Reserves that number of sockets, or none and returns false: if ours would take more than half of the files that
    /// the process may have open (RLIMIT_NOFILE), or leave fewer than 64 beside those that are open now.
    /// give_back_sockets() releases them, and so do the streams that keep() has made of them.
    [[nodiscard]] static bool reserve_sockets(std::size_t count);
    static void give_back_sockets(std::size_t count);

  private:
    class Family;
    void abandon() noexcept;
    [[nodiscard]] std::unique_ptr<WireStream>& stream_of(const Way& way) {
        return (way.sends ? to_ : from_)[static_cast<std::size_t>(way.rank)];
    }
    [[nodiscard]] const WireStream::Connection* connection_of(const Way& way) const;

    std::vector<std::unique_ptr<WireStream>> to_;
    std::vector<std::unique_ptr<WireStream>> from_;
    Descriptor events_;
    bool broken_ = false;
    double over_bound_ = 0;
    WireStreams* next_ = nullptr;  ///< in the list of the process
};

}  // namespace aapc::mpi
