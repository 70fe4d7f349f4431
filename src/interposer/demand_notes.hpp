/// @file
/// The lengths of unequal messages, for the record: how many bytes this rank had for each other one, added up over the
/// calls of a routine on a communicator. No call communicates for it; ranks find the names of their communicators when
/// the record is written.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "aapc/archive/record.hpp"
#include "interposer/routines.hpp"
#include "interposer/unequal_call.hpp"

namespace aapc::interposer {

/// The ranks of `comm` as ranks of the group `world`, in order. Empty if a rank is of another world, or if `comm` is an
/// intercommunicator. Throws std::bad_alloc.
[[nodiscard]] std::vector<std::int32_t> world_ranks_of(MPI_Comm comm, MPI_Group world);

class DemandNotes {
  public:
    /// The name of a communicator that this rank does not know, since it is not its rank 0.
    static constexpr std::int64_t no_name = -1;
    /// Room for lengths: a rank keeps 8 bytes for each, and all ranks together keep at most 2^23, 64 MB.
    static constexpr std::size_t most_lengths = 65536;
    static constexpr std::size_t most_lengths_together = std::size_t{1} << 23U;
    static constexpr std::size_t most_communicators = 1000;

    DemandNotes(MPI_Group world, int world_ranks);

    /// Calls of a routine in a row whose lengths have sums of their own on a communicator of so many ranks: 12, 4, 2 or
    /// 1, the same on all ranks.
    [[nodiscard]] static std::size_t period_for(std::size_t ranks, std::size_t world_ranks);

    /// Whether MPI gives what it takes; local. Without it nothing is noted.
    [[nodiscard]] bool register_key();
    void free_key();

    /// Adds the lengths of a call that the MPI has accepted. `name` is that of the communicator in the record on its
    /// rank 0, otherwise no_name. Any thread. Where there is no room or no memory for the communicator's lengths,
    /// nothing is kept. Threads that use communicators of the same ranks in different orders may confuse these.
    void note(const UnequalCall& call, std::int64_t name) noexcept;

    /// The lines of this rank. Collective over the world: ranks collect the names that rank 0 of each communicator
    /// gave. Empty if that fails. No rank notes any more.
    [[nodiscard]] std::string lines() noexcept;

  private:
    /// All calls of a routine. Programs repeat short sequences of different exchanges, so the k-th call of every
    /// `period` has a sum of its own.
    struct Row {
        Routine routine;
        std::int64_t calls = 0;
        std::size_t period = 1;
        std::vector<std::int64_t> bytes;  ///< period · ranks

        [[nodiscard]] std::int64_t calls_of(std::size_t phase) const;
        [[nodiscard]] double mean(std::size_t phase, std::size_t peer) const;
        /// The shortest divisor of `period` that tells the same calls apart.
        [[nodiscard]] std::size_t shortest_period() const;
    };
    struct Kept {
        std::uint64_t identity = 0;  ///< the same on all ranks of the communicator: its ranks, and how many such before
        std::int64_t name = no_name;
        std::int64_t rank = 0;
        std::vector<Row> rows;
    };
    /// What rank 0 of a communicator publishes.
    struct Name {
        std::uint64_t identity;
        std::int64_t name;
    };
    static constexpr std::uint32_t no_number = UINT32_MAX;

    [[nodiscard]] std::uint32_t number_of(MPI_Comm comm, std::int64_t name);
    void add(Kept& kept, const UnequalCall& call);
    [[nodiscard]] std::vector<Name> own_names() const;
    void append_lines(const std::vector<Name>& names, std::string& out) const;
    static void append_lines(const Row& row, RecordedDemand demand, std::string& out);

    MPI_Group world_;
    std::size_t world_ranks_;
    std::size_t room_;  ///< for lengths
    int key_ = MPI_KEYVAL_INVALID;
    std::mutex mutex_;  ///< guards what follows; never held while communicating
    std::vector<Kept> kept_;
    std::array<std::uint32_t, most_communicators> numbers_{};  ///< what attributes point to: each holds its index
    std::map<std::uint64_t, std::uint64_t> with_same_ranks_;   ///< communicators so far, by a digest of their ranks
};

}  // namespace aapc::interposer
