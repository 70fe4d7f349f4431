#include "interposer/own_calls.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "mpi/have_memory.hpp"

namespace aapc::interposer {

namespace {

/// More than a turn needs. Ranks make sure of it before they agree, so that all of them can take what they agree on.
constexpr std::size_t memory_of_a_turn = 65536;
constexpr double clock_grain_seconds = 1e-9;

}  // namespace

bool OwnCalls::knows(std::int64_t block_bytes) {
    const int key = learning::class_of(block_bytes);
    if (key == current_key_) {
        return true;
    }
    const auto found = classes_.find(key);
    if (found == classes_.end()) {
        return false;
    }
    current_key_ = key;
    current_ = &found->second;
    return true;
}

void OwnCalls::begin(std::int64_t block_bytes, const Candidates& candidates) {
    learning::Beginning beginning;
    beginning.size = block_bytes;
    for (std::size_t index = 0; index < candidates.slots.size(); ++index) {
        beginning.prospects.push_back(
            {candidates.slots[index], candidates.set_up[index] ? 0 : set_up_seconds_, candidates.least[index]});
    }
    beginning.least_seconds = candidates.least_seconds;
    beginning.winner = candidates.winner;
    beginning.calls = std::exchange(calls_before_, 0);
    learning::SizeClass& made = learner_.begin(std::move(beginning));
    classes_[learning::class_of(block_bytes)].size_class = &made;
}

/// What the ranks say is combined by its maximum; of waiting its negative, since whoever comes last has waited least.
bool OwnCalls::agree(MPI_Comm comm, learning::Measured& measured) {
    std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[memory_of_a_turn]);
    const std::array<double, 4> mine = {current_->seconds, current_->set_up_seconds, -current_->waiting_seconds,
                                        memory ? 0.0 : 1.0};
    std::array<double, 4> all{};
    const double before = PMPI_Wtime();
    if (PMPI_Allreduce(mine.data(), all.data(), 4, MPI_DOUBLE, MPI_MAX, comm) != MPI_SUCCESS || all[3] > 0) {
        return false;
    }
    current_->waiting_seconds = PMPI_Wtime() - before;
    waited_seconds_ = std::max(waited_seconds_, 0.0) + current_->waiting_seconds;
    current_->set_up_seconds = 0;
    measured = {std::max(all[0], clock_grain_seconds), std::max(-all[2], 0.0), all[1]};
    if (measured.set_up_seconds > 0) {
        set_up_seconds_ = measured.set_up_seconds;
    }
    return true;
}

std::optional<OwnCalls::Turn> OwnCalls::take_turn(MPI_Comm comm, std::int64_t block_bytes) {
    waited_seconds_ = -1;
    if (!knows(block_bytes)) {
        return std::nullopt;
    }
    std::optional<learning::Measured> last;
    if (current_->size_class->awaits_time()) {
        learning::Measured measured;
        if (!agree(comm, measured)) {
            return std::nullopt;
        }
        last = measured;
    }
    learning::Turn turn;
    if (!mpi::have_memory_for([&] { turn = learner_.next(*current_->size_class, last); })) {
        return std::nullopt;
    }
    current_->candidate = turn.candidate;
    learning::Measured nothing;
    if (turn.measured && !last && !agree(comm, nothing)) {
        return std::nullopt;
    }
    return Turn{slot_of(turn.candidate), turn.measured};
}

void OwnCalls::withdraw(std::int64_t block_bytes) {
    if (knows(block_bytes)) {
        current_->size_class->withdraw(current_->candidate);
        current_->set_up_seconds = 0;
    }
}

}  // namespace aapc::interposer
