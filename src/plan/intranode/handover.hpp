/// @file
/// How the ranks of one machine publish their send buffers to each other, and when these have been read. The part that
/// knows no MPI and does no copying.
///
/// A rank *opens* its send buffer at the start of a call. The others read their blocks and publish that they have
/// *finished*. No rank leaves the call before all have. So no rank is ever more than one call ahead: the call number in
/// a cell is that of the reader's call or the one before.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/intranode/tickets.hpp"

namespace aapc::machine {

/// What one rank shows the others. Zeros are a valid initial state.
struct alignas(cache_lines) Cell {
    std::atomic<std::uint64_t> opened{0};    ///< the number of its latest call; written after all that belongs to it
    std::atomic<std::uint64_t> finished{0};  ///< the latest call in which it has read all that it wants
    std::uintptr_t send_buffer = 0;          ///< of call `opened`, in the address space of `process`
    std::uint64_t block_bytes = 0;           ///< of its blocks; 0: there are none to be read
    std::int64_t process = 0;                ///< the rank's number in the operating system
};

/// One rank's part, for all its calls.
class Handover {
  public:
    using Refusal = std::atomic<std::uint64_t>;

    /// `cells`: of all ranks of the machine; `refusals`: [reader · ranks + owner], the latest call in which the reader
    /// could not read the owner's buffer. Both outlive it.
    Handover(std::span<Cell> cells, std::span<Refusal> refusals, std::size_t own)
        : cells_(cells), refusals_(refusals), own_(own) {}

    [[nodiscard]] std::size_t ranks() const { return cells_.size(); }
    [[nodiscard]] std::size_t own() const { return own_; }

    /// Starts a call: the others may read `send_buffer`, of blocks of `block_bytes` bytes, until all_finished().
    void open(const std::byte* send_buffer, std::size_t block_bytes) {
        Cell& cell = cells_[own_];
        cell.send_buffer = reinterpret_cast<std::uintptr_t>(send_buffer);
        cell.block_bytes = block_bytes;
        cell.opened.store(++call_, std::memory_order_release);
    }
    /// Whether the other rank is in this call, so that its cell can be looked at and its buffer read.
    [[nodiscard]] bool is_open(std::size_t other) const {
        return cells_[other].opened.load(std::memory_order_acquire) == call_;
    }
    /// is_open(other) holds.
    [[nodiscard]] const Cell& cell(std::size_t other) const { return cells_[other]; }

    /// Tells the owner of a buffer that cannot be read to send a message instead. Before finish().
    void refuse(std::size_t owner) { refusal(own_, owner).store(call_, std::memory_order_release); }
    /// Whether the reader wants a message from this rank in this call. Final once has_finished(reader).
    [[nodiscard]] bool is_refused_by(std::size_t reader) const {
        return refusal(reader, own_).load(std::memory_order_acquire) == call_;
    }

    /// This rank reads no other buffer in this call.
    void finish() { cells_[own_].finished.store(call_, std::memory_order_release); }
    [[nodiscard]] bool has_finished(std::size_t other) const {
        return cells_[other].finished.load(std::memory_order_acquire) >= call_;
    }

  private:
    [[nodiscard]] Refusal& refusal(std::size_t reader, std::size_t owner) const {
        return refusals_[reader * cells_.size() + owner];
    }

    std::span<Cell> cells_;
    std::span<Refusal> refusals_;
    std::size_t own_;
    std::uint64_t call_ = 0;
};

}  // namespace aapc::machine
