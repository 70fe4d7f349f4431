#include "interposer/long_calls.hpp"

#include <fmt/core.h>

#include <atomic>
#include <cstdlib>
#include <string>

#include "interposer/remarks.hpp"
#include "mpi/long_wait.hpp"
#include "mpi/ranks.hpp"

namespace aapc::interposer {

namespace {

struct Current {
    const char* routine = nullptr;  ///< null: no call is carried out
    MPI_Comm comm = MPI_COMM_NULL;
    std::int64_t block_bytes = 0;
};

thread_local Current current;
std::atomic<bool> all_ranks_say_so = false;
std::atomic_flag said = ATOMIC_FLAG_INIT;

/// AAPC_TEST_LONG_WAIT_SECONDS is for tests.
double long_wait_seconds() {
    constexpr double usual = 60;
    const char* const text = std::getenv("AAPC_TEST_LONG_WAIT_SECONDS");
    return text == nullptr ? usual : std::strtod(text, nullptr);
}

void say_who_waits(double seconds) noexcept {
    if (current.routine == nullptr) {
        return;
    }
    const int rank = mpi::rank_in(current.comm);
    if ((rank != 0 && !all_ranks_say_so) || said.test_and_set()) {
        return;
    }
    static_cast<void>(mpi::have_memory_for([&] {
        const std::string blocks =
            current.block_bytes < 0 ? "" : fmt::format(" with blocks of {} bytes", current.block_bytes);
        say(
            fmt::format("rank {} of {} has waited for {:.0f} s in {}{}; if this does not end: all ranks have to call "
                        "it, {}, and AAPC_VERBOSE=1 has every rank say where it waits",
                        rank, mpi::ranks_in(current.comm), seconds, current.routine, blocks,
                        current.block_bytes < 0 ? "with counts that match" : "with blocks of the same size"));
    }));
}

}  // namespace

CarriedOut::CarriedOut(const char* routine, MPI_Comm comm, std::int64_t block_bytes) {
    current = {routine, comm, block_bytes};
}

CarriedOut::~CarriedOut() { current.routine = nullptr; }

void report_long_calls(bool says_more) {
    all_ranks_say_so = says_more;
    mpi::listen_for_long_waits(say_who_waits, long_wait_seconds());
}

}  // namespace aapc::interposer
