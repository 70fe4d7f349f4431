/// @file
/// TCP connections of aapc, and the queues of messages on them. Knows no MPI.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include "aapc/topology/network.hpp"
#include "input/descriptor.hpp"

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
    WireStream* stream = nullptr;  ///< null once it is complete
    WireMessage* next = nullptr;   ///< on the same stream
};

/// One direction of one connection: a sequence of messages, each preceded by its length. Both ends know the length from
/// the plan unless something is wrong. The side that opened the connection sends, so the sender chooses the path.
class WireStream {
  public:
    /// `some_are_broken`, which outlives it, becomes true when it breaks.
    WireStream(Descriptor socket, bool sends, bool& some_are_broken)
        : socket_(std::move(socket)), sends_(sends), some_are_broken_(some_are_broken) {}
    WireStream(const WireStream&) = delete;
    WireStream& operator=(const WireStream&) = delete;
    ~WireStream() = default;

    /// Appends a message. It is complete at once if the kernel takes or has all of it, or if the stream is broken.
    void add(WireMessage& message) noexcept;
    /// The kernel reports that the socket is ready: moves as many bytes as possible.
    void go_on() noexcept {
        ready_ = true;
        move();
    }
    /// Takes back a message that is not complete. If a part of it has moved already, the connection breaks.
    void withdraw(WireMessage& message) noexcept;
    /// Marks the connection broken: all its messages are complete, and so are those added later.
    void break_off() noexcept;
    /// In a forked child: closes its copy of the file.
    void abandon() noexcept;

    [[nodiscard]] int file() const { return socket_.number(); }

  private:
    /// Moves messages until the kernel has no more room, or no more data.
    void move() noexcept;
    /// False if the kernel has no more room or data, or the stream is broken.
    bool move_out(WireMessage& message) noexcept;
    bool move_in(WireMessage& message) noexcept;
    bool read_head() noexcept;
    /// Judges the result of a system call that should have moved bytes; true if the caller may go on.
    bool judge(long moved) noexcept;
    void note_broken() noexcept { broken_ = some_are_broken_ = true; }
    void complete_oldest(WireMessage::End end) noexcept;

    /// Precedes each message.
    struct Head {
        std::uint32_t bytes = 0;
        std::uint32_t reserved = 0;  ///< for feedback from receivers
    };
    static_assert(sizeof(Head) == 8);

    Descriptor socket_;
    bool sends_;
    bool& some_are_broken_;
    bool ready_ = true;
    bool broken_ = false;
    WireMessage* oldest_ = nullptr;
    WireMessage* newest_ = nullptr;
    Head head_;                       ///< of the oldest message
    std::uint32_t head_moved_ = 0;    ///< bytes of it
    std::uint32_t content_left_ = 0;  ///< of a message that comes in, once its head is there
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

    /// Takes over a connection; false if the kernel refuses to watch it. Throws std::bad_alloc.
    [[nodiscard]] bool keep(Rank rank, Descriptor socket, bool sends);
    /// Closes the connection with that rank in that direction.
    void drop(Rank rank, bool sends);

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

    std::vector<std::unique_ptr<WireStream>> to_;
    std::vector<std::unique_ptr<WireStream>> from_;
    Descriptor events_;
    bool broken_ = false;
    WireStreams* next_ = nullptr;  ///< in the list of the process
};

}  // namespace aapc::mpi
