#include "interposer/own_calls.hpp"

#include <algorithm>
#include <span>
#include <utility>

#include "mpi/rest.hpp"

namespace aapc::interposer {

namespace {

/// No cost is 0.
constexpr double clock_grain_seconds = 1e-9;

}  // namespace

OwnCalls::OwnCalls(const Prices& prices, learning::Learner shown)
    : prices_(prices), calls_before_(0), agreement_(std::make_unique<mpi::Agreement>()), learner_(std::move(shown)) {
    for (const auto& [key, one] : learner_.classes()) {
        classes_[key].trials = learner_.find(key);
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
            {candidates.slots[index], candidates.set_up[index] ? 0 : prices_.set_up_seconds, candidates.least[index]});
    }
    beginning.least_seconds = candidates.least_seconds;
    beginning.winner = candidates.winner;
    beginning.calls = std::exchange(calls_before_, 0);
    beginning.agreement_seconds = prices_.agreement_seconds;
    learning::Trials& made = learner_.begin(std::move(beginning));
    classes_[learning::class_of(block_bytes)].trials = &made;
}

void OwnCalls::note_entry() {
    if (open_ != nullptr) {
        open_->next_entry = mpi::now_seconds();
        open_ = nullptr;
    }
}

void OwnCalls::skip(int size_class, std::int64_t calls) {
    if (const auto found = classes_.find(size_class); found != classes_.end()) {
        found->second.trials->skip(std::min(calls, found->second.trials->resting_calls()));
    }
}

std::optional<std::size_t> OwnCalls::resting_slot(std::int64_t block_bytes) {
    if (!knows(block_bytes) || !current_->trials->resting()) {
        return std::nullopt;
    }
    current_->trials->skip();
    return slot_of(*current_, current_->trials->winner());
}

void OwnCalls::post(MPI_Comm comm) {
    Class& of = *std::exchange(filled_, nullptr);
    std::array<std::int64_t, learning::longest_block> elapsed{};
    std::array<std::int64_t, learning::longest_block + 1> less_than_outside{};
    flight_calls_ = of.trials->filled();
    for (std::size_t call = 0; call < flight_calls_; ++call) {
        const Span& span = of.spans[call];
        elapsed[call] = mpi::nanoseconds(span.next_entry - span.entry);
        less_than_outside[call] = -mpi::nanoseconds(span.next_entry - span.exit);
    }
    less_than_outside[flight_calls_] = mpi::nanoseconds(std::exchange(of.set_up_seconds, 0));
    agreement_->post(comm, {.sums = std::span(elapsed).first(flight_calls_),
                            .maxima = std::span(less_than_outside).first(flight_calls_ + 1)});
    of.trials->publish();
    in_flight_ = &of;
}

bool OwnCalls::collect() {
    Class& of = *std::exchange(in_flight_, nullptr);
    const double before = mpi::now_seconds();
    const mpi::Agreed agreed = agreement_->collect();
    waited_seconds_ = mpi::now_seconds() - before;
    if (agreed.error != MPI_SUCCESS) {
        return false;
    }
    learning::Block block;
    block.calls = flight_calls_;
    for (std::size_t call = 0; call < flight_calls_; ++call) {
        const double elapsed = mpi::seconds(agreed.sums[call]) / static_cast<double>(agreed.ranks);
        block.seconds[call] = std::max(elapsed + mpi::seconds(agreed.maxima[call]), clock_grain_seconds);
    }
    block.set_up_seconds = mpi::seconds(agreed.maxima[flight_calls_]);
    if (block.set_up_seconds > 0) {
        prices_.set_up_seconds = block.set_up_seconds;
    }
    of.trials->learn(block);
    return true;
}

std::optional<OwnCalls::Turn> OwnCalls::take_turn(MPI_Comm comm, std::int64_t block_bytes) {
    waited_seconds_ = -1;
    if (in_flight_ != nullptr && !collect()) {
        return std::nullopt;
    }
    if (filled_ != nullptr) {
        post(comm);
    }
    if (const auto slot = resting_slot(block_bytes)) {
        return Turn{*slot, false};
    }
    if (!knows(block_bytes)) {
        return std::nullopt;
    }
    learning::Trials& trials = *current_->trials;
    const learning::Trial trial = learner_.next(trials);
    candidate_ = trial.candidate;
    if (trial.measured) {
        open_ = &current_->spans[trials.filled() - 1];
        *open_ = {mpi::now_seconds(), 0, 0};
        if (trials.has_full_block()) {
            filled_ = current_;
        }
    }
    return Turn{slot_of(*current_, trial.candidate), trial.measured};
}

void OwnCalls::withdraw() {
    if (filled_ == current_) {
        filled_ = nullptr;
    }
    open_ = nullptr;
    current_->set_up_seconds = 0;
    current_->trials->withdraw(candidate_);
}

void OwnCalls::note_set_up(double seconds) {
    current_->set_up_seconds += seconds;
    if (open_ != nullptr) {
        open_->entry = mpi::now_seconds();
    }
}

void OwnCalls::note() {
    if (open_ != nullptr) {
        open_->exit = mpi::now_seconds();
    }
}

}  // namespace aapc::interposer
