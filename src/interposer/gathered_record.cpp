#include "interposer/gathered_record.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "input/file_writer.hpp"
#include "interposer/remarks.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

namespace {

using Offer = RankRecord::Offer;

constexpr std::int64_t most_text_bytes = 256LL << 20;  // of a record
constexpr int text_tag = 26215;

/// Appends the totals of all ranks.
void append_totals(const Tally::Totals& sums, std::string& out) {
    for (std::size_t index = 0; index < sums.size(); ++index) {
        const Tally::Total& total = sums[index];
        if (total.calls > 0) {
            append_line(RecordedTotal{routine_names[index / outcome_count], outcome_texts[index % outcome_count],
                                      total.calls, total.bytes, 1e-9 * static_cast<double>(total.nanoseconds)},
                        out);
        }
    }
}

/// What rank 0 does with what ranks offer: it takes texts as long as there is room for them.
class RecordWriting {
  public:
    /// For a file that rank 0 writes. Throws std::bad_alloc.
    void make_room(const std::string& file, int ranks) {
        file_ = file;
        offers_.resize(static_cast<std::size_t>(ranks));
        taken_.resize(offers_.size());
    }
    [[nodiscard]] Offer* offers() { return offers_.data(); }
    [[nodiscard]] int* taken() { return taken_.data(); }

    /// Opens the file and writes what rank 0 knows. `head` and the decision on each rank's text agree. False: nobody
    /// need send anything. Throws std::bad_alloc.
    bool begin(RecordHead head, const Tally::Totals& sums) {
        std::int64_t bytes = 0;
        std::int64_t longest = 0;
        for (std::size_t rank = 0; rank < offers_.size(); ++rank) {
            const Offer& offer = offers_[rank];
            taken_[rank] = bytes + offer.text_bytes <= most_text_bytes ? 1 : 0;
            bytes += taken_[rank] != 0 ? offer.text_bytes : 0;
            longest = std::max(longest, offer.text_bytes);
            head.dropped_calls += offer.dropped_calls + (taken_[rank] != 0 ? 0 : offer.calls);
            head.dropped_segments += offer.dropped_segments + (taken_[rank] != 0 ? 0 : offer.segments);
            head.hosts.emplace_back(offer.host.data());
        }
        std::string text;
        append_line(head, text);
        append_totals(sums, text);
        for (std::size_t rank = 0; rank < offers_.size(); ++rank) {
            const Offer& offer = offers_[rank];
            append_line(RecordedRank{static_cast<std::int64_t>(rank), offer.rank_calls,
                                     1e-9 * static_cast<double>(offer.rank_nanoseconds),
                                     1e-9 * static_cast<double>(offer.waited_nanoseconds), offer.calls_that_know},
                        text);
        }
        buffer_.resize(static_cast<std::size_t>(longest));
        out_.emplace(file_, Patience::bounded);
        return out_->write(text);
    }
    void nobody_sends() { std::fill(taken_.begin(), taken_.end(), 0); }

    /// Takes the texts that were decided on, rank by rank; its own is `own`.
    void take_texts(const std::string& own) {
        write(own.data(), taken_[0] != 0 ? own.size() : 0);
        for (std::size_t rank = 1; rank < offers_.size(); ++rank) {
            if (taken_[rank] != 0 && offers_[rank].text_bytes > 0) {
                const auto bytes = static_cast<int>(offers_[rank].text_bytes);
                const bool came = PMPI_Recv(buffer_.data(), bytes, MPI_BYTE, static_cast<int>(rank), text_tag,
                                            MPI_COMM_WORLD, MPI_STATUS_IGNORE) == MPI_SUCCESS;
                write(buffer_.data(), came ? static_cast<std::size_t>(bytes) : 0);
            }
        }
    }

    /// Makes it the file, or says why there is none.
    void end() {
        const Expected<void> written =
            out_ ? out_->finish()
                 : failure({.file = file_, .problem = fmt::format("cannot be written: {}", std::strerror(ENOMEM))});
        if (!written) {
            say(fmt::format("AAPC_RECORD: {}: {}; there is no record of this job", file_, written.error().problem));
        }
    }

  private:
    void write(const char* text, std::size_t bytes) {
        if (out_) {
            out_->write({text, bytes});
        }
    }

    std::string file_;
    std::vector<Offer> offers_;
    std::vector<int> taken_;
    std::string buffer_;
    std::optional<FileWriter> out_;  ///< nullopt until begin()
};

}  // namespace

void gather_record(const std::string& file, RecordHead head, const Tally::Totals& totals, const RankRecord& own) {
    const mpi::ReturnedErrors returned(MPI_COMM_WORLD);
    const int rank = mpi::rank_in(MPI_COMM_WORLD);
    RecordWriting writing;
    const bool room = mpi::have_memory_for([&] {
        if (rank == 0) {
            writing.make_room(file, mpi::ranks_in(MPI_COMM_WORLD));
        }
    });
    if (!mpi::all_agree(MPI_COMM_WORLD, room)) {
        return;
    }
    PMPI_Gather(&own.offer, sizeof own.offer, MPI_BYTE, writing.offers(), sizeof own.offer, MPI_BYTE, 0,
                MPI_COMM_WORLD);
    Tally::Totals sums;
    static_assert(sizeof(Tally::Total) == 3 * sizeof(std::int64_t));
    PMPI_Reduce(totals.data(), sums.data(), static_cast<int>(3 * totals.size()), MPI_INT64_T, MPI_SUM, 0,
                MPI_COMM_WORLD);
    bool begun = false;
    if (rank == 0) {
        static_cast<void>(mpi::have_memory_for([&] { begun = writing.begin(std::move(head), sums); }));
        if (!begun) {
            writing.nobody_sends();
        }
    }
    int sends = 0;
    PMPI_Scatter(writing.taken(), 1, MPI_INT, &sends, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        writing.take_texts(own.text);
        static_cast<void>(mpi::have_memory_for([&] { writing.end(); }));
    } else if (sends != 0 && !own.text.empty()) {
        PMPI_Send(own.text.data(), static_cast<int>(own.text.size()), MPI_BYTE, 0, text_tag, MPI_COMM_WORLD);
    }
}

}  // namespace aapc::interposer
