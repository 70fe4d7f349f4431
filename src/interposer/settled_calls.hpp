/// @file
/// Calls that are left to the MPI's own routine without asking again.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>

#include "interposer/routines.hpp"
#include "learning/learner.hpp"
#include "learning/size_class.hpp"

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

/// The latest calls that went to the MPI's own routine, by their arguments: what has become of them becomes of their
/// like, until a communicator is gone or learning wants to know what such calls take. Not for concurrent use, so only
/// programs that do not call MPI from several threads at once have it.
class SettledCalls {
  public:
    void allow() { allowed_ = true; }
    [[nodiscard]] bool allowed() const { return allowed_; }

    /// What becomes of such a call, counted where it is learned from; null: not known. A few instructions.
    [[nodiscard]] const Outcome* find(MPI_Comm comm, std::int64_t count, MPI_Datatype type) {
        const Entry& entry = entries_[place_of(count)];
        if (entry.comm != comm || entry.count != count || entry.type != type) {
            return nullptr;
        }
        if (entry.learned != nullptr) {
            if (!entry.learned->resting() || entry.learned->winner() != 0) {
                return nullptr;
            }
            entry.learned->skip();
        }
        return &entry.outcome;
    }

    /// A call of `count` elements of a predefined type, whose handle never means another one. `learned` is null where
    /// nothing is learned from it; the MPI's own is the first of its prospects. Only where allowed().
    void keep(MPI_Comm comm, std::int64_t count, MPI_Datatype type, Outcome outcome, learning::SizeClass* learned) {
        entries_[place_of(count)] = {comm, type, count, outcome, learned};
    }

    /// Handles of communicators are used again. Nothing is kept where several threads may free some.
    void clear() {
        if (allowed_) {
            entries_.fill({});
        }
    }

  private:
    struct Entry {
        MPI_Comm comm = MPI_COMM_NULL;
        MPI_Datatype type = MPI_DATATYPE_NULL;
        std::int64_t count = -1;
        Outcome outcome = Outcome::size;
        learning::SizeClass* learned = nullptr;
    };
    static constexpr int place_bits = 3;
    [[nodiscard]] static std::size_t place_of(std::int64_t count) {
        constexpr std::uint32_t golden = 2654435769U;
        return static_cast<std::uint32_t>(count) * golden >> (32 - place_bits);
    }

    bool allowed_ = false;
    std::array<Entry, std::size_t{1} << place_bits> entries_;
};

}  // namespace aapc::interposer
