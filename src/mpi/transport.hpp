/// @file
/// Messages of any length between the ranks of one communicator.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <memory>

#include "aapc/mpi/wire.hpp"
#include "aapc/topology/network.hpp"
#include "input/polymorphic.hpp"
#include "mpi/pending.hpp"

namespace aapc::mpi {

/// What a message is for. Messages of different purposes never match each other.
enum class Tag : int {
    data = 1,
    token = 2,      ///< of `sender`, `receiver` and `ports`: empty
    agreement = 3,  ///< of `timed`: the common start
    dummy = 4,      ///< of `dummy`: content that nobody wants
    local = 5,      ///< inside a machine, where a copy could not be had
    clock = 6,      ///< of `timed-grid`: what time it is
    nothing = 7,    ///< that no message has
};

/// Starts sends and receives. A message longer than MPI's int counts reach travels in pieces that both ends cut alike.
/// PMPI_ names here and everywhere in this directory: a tool that wraps MPI shows the program's all-to-all, not how it
/// is made.
class Transport : public Polymorphic {
  public:
    static constexpr std::size_t longest_piece = std::size_t{1} << 30;
    /// Pieces of a block of the interposer's, which has less than 2^31 bytes.
    static constexpr std::size_t most_pieces = 2;

    /// `communicator` stays the caller's. `piece_bytes` (> 0, equal on all ranks) is smaller in tests only.
    explicit Transport(MPI_Comm communicator, std::size_t piece_bytes = longest_piece)
        : communicator_(communicator), piece_bytes_(piece_bytes) {}

    [[nodiscard]] MPI_Comm communicator() const { return communicator_; }
    [[nodiscard]] std::size_t piece_bytes() const { return piece_bytes_; }
    /// Requests that a message of `bytes` takes; at least 1, for an empty message is a message.
    [[nodiscard]] std::size_t pieces(std::size_t bytes) const {
        return bytes == 0 ? 1 : 1 + (bytes - 1) / piece_bytes_;
    }

    /// Lets MPI and the wire make progress. For a rank that waits for shared memory: the rank that is to write there
    /// may still be in an MPI call that ends only after progress of this rank's MPI.
    virtual void let_others_go_on() const = 0;
    /// Whether messages can be sent at all, as far as this rank knows.
    [[nodiscard]] virtual bool works() const = 0;

    /// All blocks of an exchange were given to send(). Local, and waits for nothing.
    virtual void end_sending() const {}
    /// What learned paths need; nothing where connections have no choice of paths. A time-triggered exchange of
    /// `scheduled_seconds` has ended on this rank, whose cycle was `over_bound` times the bound.
    virtual void end_exchange(double /*scheduled_seconds*/, double /*over_bound*/) const {}
    /// Whether exchanges still change the paths that messages take.
    [[nodiscard]] virtual bool is_learning() const { return false; }
    /// Whether some connection of this rank should move to another port.
    [[nodiscard]] virtual bool wants_moves() const { return false; }
    /// Collective, while no message is on its way; returns an MPI error code.
    [[nodiscard]] virtual int move_connections() const { return MPI_SUCCESS; }

    /// Of the exchange that is under way.
    [[nodiscard]] Trouble& trouble() const { return trouble_; }

    /// Adds pieces(bytes) requests to `pending`. The memory stays valid until they are complete. Returns the MPI error
    /// code. What belongs to blocks is as trouble() says.
    [[nodiscard]] virtual int send(const std::byte* content, std::size_t bytes, Rank to, Tag tag,
                                   Pending& pending) const = 0;
    [[nodiscard]] virtual int receive(std::byte* place, std::size_t bytes, Rank from, Tag tag,
                                      Pending& pending) const = 0;

  protected:
    /// A part of a message that has a request of its own.
    struct Piece {
        std::size_t offset;
        int length;
    };
    /// Piece `index` < pieces(bytes) of a message of `bytes`.
    [[nodiscard]] Piece piece(std::size_t bytes, std::size_t index) const {
        const std::size_t offset = index * piece_bytes_;
        return {offset, static_cast<int>(bytes - offset < piece_bytes_ ? bytes - offset : piece_bytes_)};
    }

  private:
    MPI_Comm communicator_;
    std::size_t piece_bytes_;
    mutable Trouble trouble_;
};

/// All messages are MPI's.
class MpiTransport : public Transport {
  public:
    /// `wire` makes progress whenever a message is tested; null if there is none.
    explicit MpiTransport(MPI_Comm communicator, std::size_t piece_bytes = longest_piece, WireStreams* wire = nullptr)
        : Transport(communicator, piece_bytes), wire_(wire) {}

    void let_others_go_on() const override;
    [[nodiscard]] bool works() const override { return true; }
    [[nodiscard]] int send(const std::byte* content, std::size_t bytes, Rank to, Tag tag,
                           Pending& pending) const override;
    [[nodiscard]] int receive(std::byte* place, std::size_t bytes, Rank from, Tag tag, Pending& pending) const override;

  private:
    WireStreams* wire_;
};

/// Blocks travel by the wire to and from ranks with a connection; all other messages are MPI's. Only blocks do, since a
/// stream delivers in order: a token could wait behind a block whose receive is not posted yet.
class TcpTransport final : public MpiTransport {
  public:
    /// `wire`, which is open, outlives it.
    explicit TcpTransport(MPI_Comm communicator, Wire& wire, std::size_t piece_bytes = longest_piece)
        : MpiTransport(communicator, piece_bytes, &wire.streams()), connections_(wire), wire_(wire.streams()) {}

    void let_others_go_on() const override;
    [[nodiscard]] bool works() const override { return wire_.works(); }
    void end_sending() const override { wire_.send_after_last(); }
    void end_exchange(double scheduled_seconds, double over_bound) const override {
        wire_.end_exchange(scheduled_seconds, over_bound);
    }
    [[nodiscard]] bool is_learning() const override { return wire_.is_learning(); }
    [[nodiscard]] bool wants_moves() const override { return wire_.wants_moves(); }
    [[nodiscard]] int move_connections() const override { return connections_.move(communicator()); }
    [[nodiscard]] int send(const std::byte* content, std::size_t bytes, Rank to, Tag tag,
                           Pending& pending) const override;
    [[nodiscard]] int receive(std::byte* place, std::size_t bytes, Rank from, Tag tag, Pending& pending) const override;

  private:
    Wire& connections_;
    WireStreams& wire_;
};

/// By `wire`, which is open and outlives it, or all by MPI if it is null. Throws std::bad_alloc.
[[nodiscard]] inline std::unique_ptr<Transport> make_transport(MPI_Comm communicator, Wire* wire) {
    if (wire == nullptr) {
        return std::make_unique<MpiTransport>(communicator);
    }
    return std::make_unique<TcpTransport>(communicator, *wire);
}

}  // namespace aapc::mpi
