/// @file
/// The depot: how the ranks of a machine synchronise their copies into shared memory and out of it. The part that knows
/// no MPI.
///
/// An exchange is one round, or several if blocks are so long that they go piece by piece. Rounds are counted from 1
/// over all exchanges, identically on all ranks. Even and odd rounds have a half of the depot each. In a round a rank
/// puts its blocks into the half, parcel by parcel, and publishes after each how many it has filled. The rank that
/// sends a parcel starts when all have filled it. A rank may fill the next round's half as soon as that is free: its
/// copies then overlap with the others' messages on the wire. The receiver of a parcel publishes its arrival, and all
/// ranks take their blocks out. A rank also publishes when it is done with a round. No rank touches a half for a round
/// before all ranks are done with the round before the last.
///
/// It cannot deadlock. Of the rounds that are unfinished on some rank of any machine take the earliest, r. All ranks of
/// all machines are done with the rounds before r, so the half of r is free for all. All ranks put all their blocks,
/// since a waiting rank does all possible work. So all parcels of r are filled, sent, and, since their places were free
/// from the beginning of r on, received. (If parcels forward blocks of others, take the earliest phase in r first.) So
/// all blocks of r have arrived, and all ranks take them. A rank that has left an exchange is no longer needed for it:
/// it has put, sent, received and published all that others may wait for.
///
/// Order of memory: data that are put or received are written before their flag (release), and read after that flag has
/// been seen (acquire). Data that are taken are read before `done` is written (release). The place is written again by
/// a rank that has seen that `done` (acquire), or by a rank that has learned of it from that one.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "plan/intranode/tickets.hpp"

namespace aapc::machine {

/// What one rank shows the others. Zeros are a valid initial state.
struct alignas(cache_lines) DepotCell {
    std::atomic<std::uint64_t> filled{0};  ///< parts of all rounds that hold all that this rank has for them
    std::atomic<std::uint64_t> done{0};    ///< the latest round in which this rank has nothing left to do
    std::uint64_t block_bytes[2]{};        ///< of its blocks in even and odd rounds; 0: it has none
};

/// What the rank that made the depot says of its memory.
struct alignas(cache_lines) DepotStore {
    std::atomic<std::uint64_t> place_bytes{0};  ///< bytes of each place for which there is memory
    std::atomic<std::uint64_t> refused{0};      ///< the latest round for which there was not enough
};

/// One rank's part.
class Depot {
  public:
    /// Of a parcel: 2·round when it is there, one more where it is not as it should be.
    using Arrived = std::atomic<std::uint64_t>;

    /// `cells`: of all ranks of the machine. `arrived`: twice as many as parcels come in. `parts`: parcels that go out,
    /// and one for the blocks that stay. All outlive it.
    Depot(DepotStore& store, std::span<DepotCell> cells, std::span<Arrived> arrived, std::size_t own, std::size_t parts)
        : store_(store), cells_(cells), arrived_(arrived), own_(own), parts_(parts) {}

    [[nodiscard]] std::uint64_t round() const { return round_; }
    /// 0 or 1.
    [[nodiscard]] std::size_t half() const { return half_of(round_); }
    [[nodiscard]] static std::size_t half_of(std::uint64_t round) { return round % 2; }
    void next_round() { ++round_; }
    /// Whether the half of that round, this one or the next, is free.
    [[nodiscard]] bool is_free(std::uint64_t round) const {
        return std::all_of(cells_.begin(), cells_.end(), [&](const DepotCell& cell) {
            return cell.done.load(std::memory_order_acquire) + 2 >= round;
        });
    }

    /// Whether there is memory for places of that many bytes, according to the first rank, which allocates it. Also
    /// refused if that rank has continued without it, since its blocks are shorter.
    enum class Store : std::uint8_t { unknown, there, refused };
    [[nodiscard]] Store store_of(std::size_t place_bytes) const {
        const bool has_gone_on = has_filled(0, 0);
        if (store_.place_bytes.load(std::memory_order_acquire) >= place_bytes) {
            return Store::there;
        }
        return has_gone_on || store_.refused.load(std::memory_order_acquire) >= round_ ? Store::refused
                                                                                       : Store::unknown;
    }
    /// It stays there for later rounds.
    void provide(std::size_t place_bytes) {
        if (place_bytes > store_.place_bytes.load(std::memory_order_relaxed)) {
            store_.place_bytes.store(place_bytes, std::memory_order_release);
        }
    }
    void refuse() { store_.refused.store(round_, std::memory_order_release); }

    /// The length of this rank's blocks in that round, before it fills anything; 0: they are not to be had. This round
    /// or the next, whose half is free.
    void show(std::uint64_t round, std::size_t block_bytes) { cells_[own_].block_bytes[half_of(round)] = block_bytes; }
    /// All parts up to this one of that round hold all that this rank has for them; it has filled all of the rounds
    /// before.
    void fill(std::uint64_t round, std::size_t part) {
        cells_[own_].filled.store((round - 1) * parts_ + part + 1, std::memory_order_release);
    }
    [[nodiscard]] bool has_filled(std::size_t rank, std::size_t part) const {
        return cells_[rank].filled.load(std::memory_order_acquire) >= (round_ - 1) * parts_ + part + 1;
    }
    [[nodiscard]] bool all_have_filled(std::size_t part) const {
        for (std::size_t rank = 0; rank < cells_.size(); ++rank) {
            if (!has_filled(rank, part)) {
                return false;
            }
        }
        return true;
    }
    /// has_filled(rank, any) holds.
    [[nodiscard]] std::size_t block_bytes_of(std::size_t rank) const { return cells_[rank].block_bytes[half()]; }

    /// A parcel has come, or something that is none.
    void tell(std::size_t parcel, bool as_it_should_be) {
        arrived_[2 * parcel + half()].store(2 * round_ + (as_it_should_be ? 0 : 1), std::memory_order_release);
    }
    enum class Came : std::uint8_t { not_yet, well, not_well };
    [[nodiscard]] Came came(std::size_t parcel) const {
        const std::uint64_t said = arrived_[2 * parcel + half()].load(std::memory_order_acquire);
        return said < 2 * round_ ? Came::not_yet : said == 2 * round_ ? Came::well : Came::not_well;
    }

    /// This rank has nothing left to do in this round.
    void finish() { cells_[own_].done.store(round_, std::memory_order_release); }

  private:
    DepotStore& store_;
    std::span<DepotCell> cells_;
    std::span<Arrived> arrived_;
    std::size_t own_;
    std::size_t parts_;
    std::uint64_t round_ = 0;
};

}  // namespace aapc::machine
