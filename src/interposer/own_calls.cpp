#include "interposer/own_calls.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <new>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "mpi/compared_clocks.hpp"
#include "mpi/have_memory.hpp"

namespace aapc::interposer {

namespace {

/// More than a turn needs. Ranks make sure of it before they agree, so that all of them can take what they agree on.
constexpr std::size_t memory_of_a_turn = 65536;
constexpr double clock_grain_seconds = 1e-9;

}  // namespace

OwnCalls::OwnCalls(double expected_set_up_seconds, learning::Learner shown)
    : learner_(std::move(shown)), set_up_seconds_(expected_set_up_seconds), calls_before_(0) {
    for (const auto& [key, one] : learner_.classes()) {
        classes_[key].size_class = learner_.find(key);
    }
}

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

void OwnCalls::skip(int size_class, std::int64_t calls) {
    if (const auto found = classes_.find(size_class); found != classes_.end()) {
        found->second.size_class->skip(std::min(calls, found->second.size_class->resting_calls()));
    }
}

void OwnCalls::note_later_common_moment() {
    note_common_moment();
    for (auto& [key, one] : classes_) {
        one.size_class->forget_pending();
    }
}

bool OwnCalls::has_pending() const {
    return std::any_of(classes_.begin(), classes_.end(),
                       [](const auto& one) { return one.second.size_class->pending() > 0; });
}

void OwnCalls::note(double seconds) {
    const std::size_t pending = current_->size_class->pending();
    if (pending == 0) {
        return;
    }
    const double end = PMPI_Wtime() - common_moment_;
    current_->spans[pending - 1] = current_->apart ? Span{end - seconds, end} : Span{0, seconds};
}

/// What the ranks say is combined by its maximum; of waiting its negative, since whoever comes last has waited least.
/// An exchange lasts from when the last rank comes until the last one is through.
bool OwnCalls::agree(MPI_Comm comm, std::size_t turns) {
    constexpr std::size_t others = 2;
    std::unique_ptr<std::byte[]> memory(new (std::nothrow) std::byte[memory_of_a_turn]);
    std::array<std::int64_t, others + 2 * learning::most_pending> mine = {mpi::nanoseconds(current_->set_up_seconds),
                                                                          -mpi::nanoseconds(current_->waiting_seconds)};
    for (std::size_t turn = 0; turn < turns; ++turn) {
        mine[others + 2 * turn] = mpi::nanoseconds(current_->spans[turn].begin);
        mine[others + 2 * turn + 1] = mpi::nanoseconds(current_->spans[turn].end);
    }
    const double before = PMPI_Wtime();
    const mpi::Agreed agreed = mpi::Agreement().agree(
        comm, {.has_memory = memory != nullptr, .maxima = std::span(mine).first(others + 2 * turns)});
    if (!agreed.all) {
        return false;
    }
    std::array<double, mine.size()> all{};
    std::transform(agreed.maxima.begin(), agreed.maxima.begin() + all.size(), all.begin(), mpi::seconds);
    note_common_moment();
    current_->waiting_seconds = common_moment_ - before;
    waited_seconds_ = std::max(waited_seconds_, 0.0) + current_->waiting_seconds;
    current_->set_up_seconds = 0;
    for (std::size_t turn = 0; turn < turns; ++turn) {
        const Span span = {all[others + 2 * turn], all[others + 2 * turn + 1]};
        const double seconds = std::max(span.end - span.begin, clock_grain_seconds);
        credible_ = (turn == 0 || credible_) && mpi::clocks_still_agree(span.end, seconds);
        measured_[turn] = {seconds, std::max(-all[1], 0.0), turn == 0 ? all[0] : 0};
    }
    if (turns > 0 && all[0] > 0) {
        set_up_seconds_ = all[0];
    }
    return true;
}

std::optional<OwnCalls::Turn> OwnCalls::take_turn(MPI_Comm comm, std::int64_t block_bytes) {
    waited_seconds_ = -1;
    if (!knows(block_bytes)) {
        return std::nullopt;
    }
    learning::SizeClass& size_class = *current_->size_class;
    const std::size_t pending = size_class.awaits_times() ? size_class.pending() : 0;
    if (pending > 0 && !agree(comm, pending)) {
        return std::nullopt;
    }
    const std::span<const learning::Measured> told(measured_.data(), credible_ ? pending : 0);
    learning::Turn turn;
    if (!mpi::have_memory_for([&] { turn = learner_.next(size_class, told); })) {
        return std::nullopt;
    }
    current_->candidate = turn.candidate;
    current_->apart = turn.apart;
    if (turn.measured && !turn.apart && pending == 0 && !agree(comm, 0)) {
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
