/// @file
/// Notes every all-to-all-like call of this process (AAPC_RECORD) and has rank 0 write them down when MPI ends.
///
/// A call is noted by rank 0 of its communicator alone, so each is in the record once, and nothing is sent until the
/// end. Memory is bounded: what there is no room for is counted.
#pragma once

#include <mpi.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/record.hpp"
#include "aapc/mpi/wire.hpp"
#include "interposer/demand_notes.hpp"
#include "interposer/gathered_record.hpp"
#include "interposer/routines.hpp"
#include "interposer/tally.hpp"
#include "interposer/traffic.hpp"
#include "interposer/unequal_call.hpp"
#include "mpi/segment_log.hpp"

namespace aapc::interposer {

class Recorder {
  public:
    /// What a call was served by: a number that method_number() gave.
    using MethodNumber = std::uint16_t;
    static constexpr MethodNumber native = 0;

    /// A call that has been carried out.
    struct Call {
        Routine routine;
        Outcome outcome;
        MethodNumber method = native;
        std::uint32_t exchange = 0;  ///< what note_segments() gave; 0: nothing
        std::int64_t bytes = 0;      ///< that this rank sent
        double waited_seconds = -1;  ///< for others; below 0: not known
        MPI_Comm comm = MPI_COMM_NULL;
    };

    /// Room for the calls of a rank, 4 MB where they are all used, and for its segments, 1.5 MB.
    static constexpr std::size_t most_calls = 100000;
    static constexpr std::size_t most_segments = 65536;
    /// So many are told apart.
    static constexpr std::size_t most_communicators = 1000;
    /// Connections of a rank whose paths are kept.
    static constexpr std::size_t most_paths = 65536;

    /// What is noted on all ranks, beyond calls.
    struct Extras {
        bool segments = false;
        bool paths = false;  ///< of TCP connections
    };
    Recorder(const Extras& extras, MPI_Group world);

    /// Whether MPI gives what it takes; local. Without it nothing is noted but sums.
    [[nodiscard]] bool register_key();

    /// Notes a call that began at `watch` and has just ended. Any thread; no memory of ours but at the first call on a
    /// communicator.
    void note(const Call& call, const Stopwatch& watch);

    /// Adds up the lengths of a call's messages, on every rank. The MPI has accepted the call. Any thread.
    void note_lengths(const UnequalCall& call);

    /// The number of a method of that name, the same for equal names. Without memory that of the MPI's own.
    [[nodiscard]] MethodNumber method_number(const std::string& name) noexcept;

    /// The name by which all ranks of `comm` know it, for its segments and paths: collective over `comm` where these
    /// are wanted. Below 0: they are not, or rank 0 has no room.
    [[nodiscard]] std::int64_t agree_on_name(MPI_Comm comm);

    /// Whether the segments of exchange number `exchange` (from 1 on) of a communicator are noted: of the first,
    /// second, fourth and so on, so that there are few and early ones as well as late ones.
    [[nodiscard]] bool wants_segments_of(std::uint32_t exchange) const {
        return segments_ && (exchange & (exchange - 1)) == 0;
    }
    /// While the result lives, this thread's exchange is noted.
    [[nodiscard]] std::optional<mpi::SegmentLog::Noting> note_segments(std::int64_t comm_name, std::uint32_t exchange,
                                                                       int rank);

    /// Keeps what rank `rank` of that communicator has learned of its paths. Beyond most_paths, and without memory,
    /// nothing is kept.
    void note_paths(std::int64_t comm_name, int rank, const mpi::Wire& wire) noexcept;

    /// How long this has been noting.
    [[nodiscard]] double seconds() const {
        return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin_).count();
    }

    /// Rank 0 gathers what all ranks have and writes the file, all or nothing; otherwise it says in one line why not.
    /// `head` holds on rank 0 what it knows of the job. Collective over the world; nobody notes any more.
    void write(const std::string& file, RecordHead head, const Tally::Totals& totals);

  private:
    /// Left uninitialised, so that nothing is touched before it is used.
    struct Note {
        std::int64_t start_nanoseconds;
        std::int64_t nanoseconds;
        std::int64_t waited_nanoseconds;
        std::int64_t bytes;
        std::uint32_t communicator;
        std::uint32_t exchange;
        Routine routine;
        Outcome outcome;
        MethodNumber method;
    };
    struct NotedExchange {
        std::int64_t communicator;
        std::uint32_t number;
        int rank;
    };
    static constexpr std::uint32_t no_communicator = UINT32_MAX;

    /// The name of the communicator of that number of this rank.
    [[nodiscard]] static std::int64_t name_in_record(std::uint32_t number);
    /// The number of a communicator of which this is rank 0, from 0 on, made at the first call on it.
    [[nodiscard]] std::uint32_t communicator_number(MPI_Comm comm);
    std::uint32_t keep_communicator(MPI_Comm comm);
    [[nodiscard]] std::size_t noted() const { return std::min(room_, count_.load()); }

    [[nodiscard]] std::string own_text(int world_rank) const;
    void append_calls(int world_rank, std::string& out) const;
    void append_segments(std::string& out) const;
    [[nodiscard]] RankRecord::Offer offer_of(const std::string& text, bool worded, const Tally::Totals& totals) const;

    MPI_Group world_;
    int key_ = MPI_KEYVAL_INVALID;
    std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
    std::unique_ptr<Note[]> notes_;
    std::size_t room_;
    std::atomic<std::size_t> count_ = 0;
    std::atomic<std::int64_t> waited_nanoseconds_ = 0;
    std::atomic<std::int64_t> calls_that_know_ = 0;
    std::optional<mpi::SegmentLog> segments_;
    DemandNotes demands_;
    bool wants_paths_;
    mutable std::mutex mutex_;  ///< guards what follows; never held while communicating
    std::vector<RecordedCommunicator> communicators_;
    std::array<std::uint32_t, most_communicators> numbers_{};  ///< what attributes point to: each holds its index
    std::size_t members_kept_ = 0;
    std::vector<std::string> methods_;
    std::vector<NotedExchange> noted_exchanges_;
    std::vector<RecordedPaths> paths_;
    std::size_t paths_kept_ = 0;
};

}  // namespace aapc::interposer
