#include "interposer/handshake.hpp"

#include <mpi.h>

#include <algorithm>
#include <array>
#include <cstdlib>

#include "interposer/remarks.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"

namespace aapc::interposer {

namespace {

/// Messages of MPI_COMM_WORLD. All of them are received before MPI_Init returns, unless the job ends.
enum Tag : int { speaks = 26214, asks = 26215, answers = 26216 };

/// MPI_Init leaves ranks behind it within moments, so this is long. AAPC_TEST_HANDSHAKE_SECONDS is for tests.
double patience_seconds() {
    constexpr double usual = 60;
    const char* const text = std::getenv("AAPC_TEST_HANDSHAKE_SECONDS");
    return text == nullptr ? usual : std::strtod(text, nullptr);
}

/// Waits until `complete()` holds, but not for longer than that. A clock that jumps, and a process that was stopped,
/// must not end a job: between two looks at it no more than a moment has passed.
template <class Complete>
bool is_within(double seconds, Complete complete) {
    constexpr double moment = 0.05;
    double waited = 0;
    double last = mpi::now_seconds();
    mpi::Patience patience;
    while (!complete()) {
        const double now = mpi::now_seconds();
        waited += std::clamp(now - last, 0.0, moment);
        last = now;
        if (waited > seconds) {
            return false;
        }
        patience.rest();
    }
    return true;
}

bool is_complete(MPI_Request& request) {
    int complete = 0;
    return PMPI_Test(&request, &complete, MPI_STATUS_IGNORE) != MPI_SUCCESS || complete != 0;
}

/// Whether the rank before this one waits, too, and is left to speak. On a busy machine it may have begun to wait later
/// than this one by about as long as anybody waits. Nobody minds these messages: the job ends.
bool another_speaks() {
    const int rank = mpi::rank_in(MPI_COMM_WORLD);
    MPI_Request to_next = MPI_REQUEST_NULL;
    MPI_Request from_previous = MPI_REQUEST_NULL;
    if (rank + 1 < mpi::ranks_in(MPI_COMM_WORLD)) {
        PMPI_Isend(nullptr, 0, MPI_BYTE, rank + 1, speaks, MPI_COMM_WORLD, &to_next);
    }
    if (rank == 0) {
        return false;
    }
    PMPI_Irecv(nullptr, 0, MPI_BYTE, rank - 1, speaks, MPI_COMM_WORLD, &from_previous);
    constexpr double longest = 10;
    return is_within(std::min(2 * patience_seconds(), longest), [&] { return is_complete(from_previous); });
}

/// For a rank that has waited long enough.
void end_job() {
    if (another_speaks()) {
        return;
    }
    say("not all ranks of MPI_COMM_WORLD have this library in them; preload it on all of them or on none "
        "(mpirun -x LD_PRELOAD, or 'aapc exec' in front of every program); ending the job");
    // Launchers drop what they have not passed on when the job ends.
    constexpr double time_to_be_heard = 0.5;
    mpi::rest_until(mpi::now_seconds() + time_to_be_heard, time_to_be_heard);
    PMPI_Abort(MPI_COMM_WORLD, 1);
}

/// What the rank says that is `rank` without its last bit.
std::uint64_t ask_below(int rank) {
    const int below = rank & (rank - 1);
    std::uint64_t word = 0;
    MPI_Request answer = MPI_REQUEST_NULL;
    MPI_Request question = MPI_REQUEST_NULL;
    PMPI_Irecv(&word, 1, MPI_UINT64_T, below, answers, MPI_COMM_WORLD, &answer);
    PMPI_Isend(nullptr, 0, MPI_BYTE, below, asks, MPI_COMM_WORLD, &question);
    while (!is_within(patience_seconds(), [&] { return is_complete(answer); })) {
        end_job();
    }
    PMPI_Wait(&question, MPI_STATUS_IGNORE);
    return word;
}

/// The ranks that ask this one: those that are it without their last bit.
class Above {
  public:
    explicit Above(int rank) : rank_(rank) {
        const int ranks = mpi::ranks_in(MPI_COMM_WORLD);
        bool behind_last_bit = true;
        for (std::size_t bit = 0; bit < questions_.size(); ++bit) {
            questions_[bit] = MPI_REQUEST_NULL;
            const std::int64_t asker = rank_ + (std::int64_t{1} << bit);
            behind_last_bit = behind_last_bit && (rank_ >> bit & 1) == 0;
            if (behind_last_bit && asker < ranks) {
                PMPI_Irecv(nullptr, 0, MPI_BYTE, static_cast<int>(asker), asks, MPI_COMM_WORLD, &questions_[bit]);
            }
        }
    }

    /// Answers those that have asked by now; says whether all have.
    bool answer(std::uint64_t word) {
        bool all = true;
        for (std::size_t bit = 0; bit < questions_.size(); ++bit) {
            if (questions_[bit] != MPI_REQUEST_NULL && is_complete(questions_[bit])) {
                answer_one(bit, word);
            }
            all = all && questions_[bit] == MPI_REQUEST_NULL;
        }
        return all;
    }

    /// Nobody is waited for any more.
    void give_up(std::uint64_t word) {
        for (std::size_t bit = 0; bit < questions_.size(); ++bit) {
            if (questions_[bit] != MPI_REQUEST_NULL) {
                MPI_Status status;
                int cancelled = 0;
                PMPI_Cancel(&questions_[bit]);
                PMPI_Wait(&questions_[bit], &status);
                PMPI_Test_cancelled(&status, &cancelled);
                if (cancelled == 0) {
                    answer_one(bit, word);
                }
            }
        }
    }

  private:
    /// Who has asked is ready for the answer.
    void answer_one(std::size_t bit, std::uint64_t word) const {
        PMPI_Send(&word, 1, MPI_UINT64_T, rank_ + (1 << bit), answers, MPI_COMM_WORLD);
    }

    int rank_;
    std::array<MPI_Request, 31> questions_;
};

}  // namespace

std::uint64_t word_of_rank_0(std::uint64_t mine) {
    const int rank = mpi::rank_in(MPI_COMM_WORLD);
    Above above(rank);
    const std::uint64_t word = rank == 0 ? mine : ask_below(rank);
    while (!is_within(patience_seconds(), [&] { return above.answer(word); })) {
        if (word == 0) {
            above.give_up(word);
            say("not all ranks of MPI_COMM_WORLD have this library in them; nothing is set, so nothing is done");
            break;
        }
        end_job();
    }
    return word;
}

}  // namespace aapc::interposer
