/// @file
/// TCP connections of our own, and the messages that wait for them. Knows no MPI.
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

/// One message on its way. Stays where it is until it is complete or withdrawn.
struct WireMessage {
    enum class End : std::uint8_t {
        well,
        wrong_length,  ///< it was another one than its receiver expected; the rest of it is dropped
        broken,        ///< the connection is
    };
    std::byte* place = nullptr;  ///< of a message that is sent it is only read
    std::uint32_t bytes = 0;     ///< that are sent, or expected
    bool goes_nowhere = false;   ///< what comes is dropped
    End end = End::well;
    std::uint32_t moved = 0;
    WireStream* stream = nullptr;  ///< null: it is complete
    WireMessage* next = nullptr;   ///< on the same stream
};

/// One direction of one connection: messages follow each other, each with its length in front, which both ends know
/// anyway unless something is wrong. Sends whoever opened the connection, so he chooses its path.
class WireStream {
  public:
    /// `some_are_broken`, which outlives it, becomes true when it breaks.
    WireStream(Descriptor socket, bool sends, bool& some_are_broken)
        : socket_(std::move(socket)), sends_(sends), some_are_broken_(some_are_broken) {}
    WireStream(const WireStream&) = delete;
    WireStream& operator=(const WireStream&) = delete;
    ~WireStream() = default;

    /// Begins a message behind those that wait. It is complete at once if it can be moved, or if nothing can any more.
    void add(WireMessage& message) noexcept;
    /// The kernel says that something can be moved again. Moves what can be.
    void go_on() noexcept {
        ready_ = true;
        move();
    }
    /// Takes back a message that is not complete. One of which a part has moved takes the connection with it.
    void withdraw(WireMessage& message) noexcept;
    /// Ends the connection: what waits is complete, and so is what is added from now on.
    void break_off() noexcept;
    /// In a process that has been forked: the file belongs to the other one.
    void abandon() noexcept;

    [[nodiscard]] int file() const { return socket_.number(); }

  private:
    /// Until the kernel has no more room, or no more data. False: it has not, or the stream is broken.
    void move() noexcept;
    bool move_out(WireMessage& message) noexcept;
    bool move_in(WireMessage& message) noexcept;
    bool read_head() noexcept;
    /// What the kernel said to a call that should have moved something: whether to try again.
    bool judge(long moved) noexcept;
    void note_broken() noexcept { broken_ = some_are_broken_ = true; }
    void complete_oldest(WireMessage::End end) noexcept;

    /// In front of each message. The rest is for what receivers tell senders.
    struct Head {
        std::uint32_t bytes = 0;
        std::uint32_t reserved = 0;
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

/// The streams of one communicator, and where the kernel says which of them can go on. Used by one thread at a time.
/// At most a half of the files that a process may have open are sockets of ours, on all communicators together.
class WireStreams {
  public:
    /// For so many ranks. Throws std::bad_alloc. Where the kernel gives no file, works() is false.
    explicit WireStreams(std::size_t ranks);
    WireStreams(const WireStreams&) = delete;
    WireStreams& operator=(const WireStreams&) = delete;
    ~WireStreams();

    /// No connection has broken.
    [[nodiscard]] bool works() const { return !broken_ && events_.is_open(); }
    /// Null: there is no connection.
    [[nodiscard]] WireStream* to(Rank rank) const { return to_[static_cast<std::size_t>(rank)].get(); }
    [[nodiscard]] WireStream* from(Rank rank) const { return from_[static_cast<std::size_t>(rank)].get(); }

    /// Takes a connection in use; false: the kernel does not want to watch it. Throws std::bad_alloc.
    [[nodiscard]] bool keep(Rank rank, Descriptor socket, bool sends);
    /// Closes the connection with that rank in that direction.
    void drop(Rank rank, bool sends);

    /// Moves what can be moved. One system call where nothing can.
    void advance() noexcept;
    /// Sets so many sockets aside, or none: false then. They are given back by give_back(), or with the streams that
    /// they have become.
    [[nodiscard]] static bool reserve_sockets(std::size_t count);
    static void give_back_sockets(std::size_t count);

  private:
    class Family;
    void abandon() noexcept;

    std::vector<std::unique_ptr<WireStream>> to_;
    std::vector<std::unique_ptr<WireStream>> from_;
    Descriptor events_;
    bool broken_ = false;
    WireStreams* next_ = nullptr;  ///< of the process
};

}  // namespace aapc::mpi
