/// @file
/// Calls that go to the native routine without a new decision.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>

#include "interposer/verdict.hpp"
#include "learning/learner.hpp"

namespace aapc::interposer {

/// The first calls of a program on MPI_COMM_WORLD are the MPI's own where blocks are small, and nothing is set up for
/// them: a short program has nothing of us and is to lose nothing. All ranks count the same calls.
class Opening {
  public:
    void allow() { left_ = learning::opening_calls; }
    /// Whether a call of blocks of so many bytes on that communicator is such a one; it is counted then. Threads that
    /// call on other communicators at the same time touch nothing.
    [[nodiscard]] bool takes(MPI_Comm comm, std::int64_t block_bytes) {
        if (comm != MPI_COMM_WORLD || left_ == 0 || block_bytes > most_bytes) {
            return false;
        }
        --left_;
        ++made_;
        return true;
    }
    [[nodiscard]] std::int64_t made() const { return made_; }

  private:
    static constexpr std::int64_t most_bytes = 4096;
    std::int64_t left_ = 0;
    std::int64_t made_ = 0;
};

/// Cache of calls that are known to go to the native routine, by their arguments. It owns all that an entry needs and
/// points into no communicator. What a communicator learns from is lent to an entry: the calls of a rest. The
/// communicator counts those that have been made, by count_on() and end(), before it decides on another call. Not for
/// concurrent use, so only programs that do not call MPI from several threads at once have it.
class CallCache {
  public:
    void allow() { allowed_ = true; }
    [[nodiscard]] bool allowed() const { return allowed_; }

    /// What becomes of such a call, counted where it is learned from; null if it is not known. A few instructions.
    [[nodiscard]] const Outcome* find(MPI_Comm comm, std::int64_t count, MPI_Datatype type) {
        Entry& entry = entries_[place_of(count)];
        if (entry.comm != comm || entry.count != count || entry.type != type || entry.epoch != epoch_) {
            return nullptr;
        }
        if (std::optional<Rest>& rest = entry.verdict.rest) {
            if (rest->calls == 0) {
                return nullptr;
            }
            --rest->calls;
            ++entry.made;
        }
        return &entry.verdict.outcome;
    }

    /// Keeps a call of `count` elements of a predefined type, whose handle never means another one. Its rest is what
    /// the communicator lends; no other entry may have a rest of that class. Only where allowed(), and after
    /// count_on().
    void keep(MPI_Comm comm, std::int64_t count, MPI_Datatype type, const Verdict& verdict) {
        entries_[place_of(count)] = {comm, type, count, epoch_, verdict, 0};
    }

    /// Calls `count(comm, size_class, calls)` for the calls of each rest that were made since the last time.
    template <class Count>
    void count_on(Count count) {
        for (Entry& entry : entries_) {
            if (entry.made > 0 && entry.epoch == epoch_) {
                count(entry.comm, entry.verdict.rest->size_class, entry.made);
                entry.made = 0;
            }
        }
    }

    /// Takes back the rest of a size class of `comm`. Calls of it that are not counted are lost.
    void end(MPI_Comm comm, int size_class) {
        for (Entry& entry : entries_) {
            if (entry.verdict.rest && entry.comm == comm && entry.verdict.rest->size_class == size_class) {
                entry = {};
            }
        }
    }

    /// Forgets all calls, since handles of communicators are used again. Calls that are not counted are lost.
    void clear() { ++epoch_; }

  private:
    struct Entry {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        std::int64_t count = -1;
        std::uint64_t epoch = 0;
        Verdict verdict;        ///< with what is left of its rest
        std::int64_t made = 0;  ///< calls that the communicator has not counted yet
    };
    static constexpr int place_bits = 3;
    [[nodiscard]] static std::size_t place_of(std::int64_t count) {
        constexpr std::uint32_t golden = 2654435769U;
        return static_cast<std::uint32_t>(count) * golden >> (32 - place_bits);
    }

    bool allowed_ = false;
    std::uint64_t epoch_ = 1;  ///< entries of earlier ones are void
    std::array<Entry, std::size_t{1} << place_bits> entries_;
};

}  // namespace aapc::interposer
