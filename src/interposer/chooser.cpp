#include "interposer/chooser.hpp"

#include <algorithm>
#include <bit>
#include <span>
#include <utility>

#include "learning/policy.hpp"
#include "mpi/rest.hpp"

namespace aapc::interposer {

namespace {

/// No cost is 0.
constexpr double clock_grain_seconds = 1e-9;
/// Calls from which nothing can be learned that pass before some are measured again: as many as there were, within
/// these.
constexpr std::int64_t fewest_in_vain = 6;
constexpr std::int64_t most_in_vain = 1024;
/// So many are measured then.
constexpr std::size_t calls_after_vain = 4;

}  // namespace

Chooser::Chooser(const Prices& prices, std::int64_t calls_before, std::size_t loads)
    : prices_(prices),
      calls_before_(calls_before),
      agreement_(std::make_unique<mpi::Agreement>(loads)),
      opening_wanted_(learning::opening_calls - 1) {}

Chooser::Chooser(const Prices& prices, learning::Learner shown, std::size_t loads) : Chooser(prices, 0, loads) {
    learner_ = std::move(shown);
    std::int64_t most = -1;
    for (const auto& [key, one] : learner_.classes()) {
        Class& of = classes_[key];
        of.trials = learner_.find(key);
        if (one.budget().calls > most) {
            most = one.budget().calls;
            current_key_ = key;
            current_ = &of;
        }
    }
}

Chooser::Class* Chooser::find(std::int64_t size) {
    if (current_ != nullptr && current_->trials->size() == size) {
        return current_;
    }
    const learning::Trials* const nearest = learner_.find_near(size);
    if (nearest == nullptr) {
        return nullptr;
    }
    const int key = learning::class_of(nearest->size());
    if (key == current_key_) {
        return current_;
    }
    const auto found = classes_.find(key);
    if (found == classes_.end()) {
        return nullptr;
    }
    current_key_ = key;
    current_ = &found->second;
    return current_;
}

void Chooser::begin(learning::Beginning beginning) {
    for (learning::Prospect& prospect : beginning.prospects) {
        prospect.set_up_seconds = prospect.set_up_seconds > 0 ? prices_.set_up_seconds : 0;
    }
    const bool opens = flight_.of == &opening_;
    beginning.calls = std::exchange(calls_before_, 0) + (opens ? calls_ - flight_.posted_with + 1 : 0);
    beginning.agreement_seconds = prices_.agreement_seconds;
    beginning.share_of_ranks = prices_.share_of_ranks;
    const int key = learning::class_of(beginning.size);
    classes_[key].trials = &learner_.begin(std::move(beginning));
}

bool Chooser::begins_native(std::int64_t size) {
    const Class* const of = find(size);
    return of != nullptr && of->trials->winner() == 0;
}

void Chooser::note_entry() {
    waited_seconds_ = -1;
    if (open_ != nullptr) {
        open_->next_entry = mpi::now_seconds();
        open_ = nullptr;
    }
}

std::optional<int> Chooser::key_of(std::int64_t size) {
    return find(size) != nullptr ? std::optional(current_key_) : std::nullopt;
}

Rest Chooser::rest() const { return {current_key_, current_->trials->resting_calls()}; }

void Chooser::skip(int size_class, std::int64_t calls) {
    if (const auto found = classes_.find(size_class); found != classes_.end()) {
        found->second.trials->skip(std::min(calls, found->second.trials->resting_calls()));
    }
}

std::optional<std::size_t> Chooser::resting_method(std::int64_t size) {
    const Class* const of = find(size);
    if (of == nullptr || !of->trials->resting()) {
        return std::nullopt;
    }
    of->trials->skip();
    return of->trials->prospects()[of->trials->winner()].method;
}

std::size_t Chooser::unsized_to_post() const {
    const auto begin = filled_->spans.begin();
    return static_cast<std::size_t>(std::count_if(begin, begin + static_cast<std::ptrdiff_t>(filled_->filled),
                                                  [](const Span& span) { return span.size == 0; }));
}

void Chooser::post(MPI_Comm comm, const Beside& beside) {
    const std::size_t unsized = unsized_to_post();
    Class& of = *std::exchange(filled_, nullptr);
    flight_ = {&of, of.filled, unsized, {}, calls_ + 1};
    std::array<std::int64_t, mpi::Claim::most_numbers> sums{};
    std::array<std::int64_t, mpi::Claim::most_numbers> maxima{};
    for (std::size_t call = 0; call < of.filled; ++call) {
        const Span& span = of.spans[call];
        sums[call] = mpi::nanoseconds(span.next_entry - span.entry);
        maxima[call] = -mpi::nanoseconds(span.next_entry - span.exit);
        flight_.sizes[call] = span.size;
    }
    maxima[of.filled] = mpi::nanoseconds(std::exchange(of.set_up_seconds, 0));
    std::copy(beside.sums.begin(), beside.sums.end(), sums.begin() + first_sum_beside());
    std::copy(beside.maxima.begin(), beside.maxima.end(), maxima.begin() + first_maximum_beside());
    agreement_->post(comm, {.has_memory = beside.has_memory,
                            .sums = std::span(sums).first(first_sum_beside() + beside.sums.size()),
                            .maxima = std::span(maxima).first(first_maximum_beside() + beside.maxima.size()),
                            .loads = beside.loads});
    of.filled = 0;
    if (of.trials != nullptr) {
        of.trials->publish();
    }
}

mpi::Agreed Chooser::collect() {
    const double before = mpi::now_seconds();
    const mpi::Agreed agreed = agreement_->collect();
    waited_seconds_ = std::max(waited_seconds_, 0.0) + mpi::now_seconds() - before;
    return agreed;
}

/// Costs for the size of the class.
learning::Block Chooser::result(const mpi::Agreed& agreed, const Class& of, std::int64_t unsized_size) {
    learning::Block block;
    block.calls = flight_.calls;
    for (std::size_t call = 0; call < flight_.calls; ++call) {
        const double elapsed = mpi::seconds(agreed.sums[call]) / static_cast<double>(agreed.ranks);
        const std::int64_t size = flight_.sizes[call] > 0 ? flight_.sizes[call] : unsized_size;
        const double to_class_size = static_cast<double>(of.trials->size()) / static_cast<double>(size);
        block.seconds[call] =
            std::max(elapsed + mpi::seconds(agreed.maxima[call]), clock_grain_seconds) * to_class_size;
    }
    block.set_up_seconds = mpi::seconds(agreed.maxima[flight_.calls]);
    if (block.set_up_seconds > 0) {
        prices_.set_up_seconds = block.set_up_seconds;
    }
    return block;
}

void Chooser::learn(const mpi::Agreed& agreed) {
    flight_.of->trials->learn(result(agreed, *flight_.of, 1));
    flight_ = {};
}

void Chooser::learn_unsized(const mpi::Agreed& agreed, std::int64_t size) {
    Class& of = *find(size);
    const learning::Block block = result(agreed, of, size);
    if (flight_.of == &of) {
        of.trials->learn(block);
        flight_ = {};
        return;
    }
    const bool opens = flight_.of == &opening_;
    const bool all_unsized = flight_.unsized == flight_.calls;
    lose(!opens);
    if (all_unsized) {
        replay(block, of);
    }
}

/// The calls of a block have turned out to be of a class that did not expect them.
void Chooser::replay(const learning::Block& block, Class& of) {
    of.latest = calls_;
    if (of.filled > 0 || of.granted) {
        return;
    }
    learning::Block measured;
    for (std::size_t call = 0; call < block.calls; ++call) {
        if (of.trials->resting()) {
            if (of.trials->winner() == 0) {
                of.trials->skip();
            }
            continue;
        }
        of.granted = learner_.next(*of.trials);
        if (of.granted->candidate != 0) {
            break;
        }
        if (std::exchange(of.granted, std::nullopt)->measured) {
            measured.seconds[measured.calls++] = block.seconds[call];
        }
    }
    if (measured.calls > 0) {
        if (of.granted) {
            // The block ends without it.
            of.granted->measured = false;
        }
        of.trials->publish();
        of.trials->learn(measured);
    }
}

void Chooser::lose(bool mixed) {
    if (flight_.of->trials != nullptr) {
        flight_.of->trials->lose();
    }
    flight_ = {};
    if (mixed) {
        note_mixed();
    }
}

void Chooser::lose_in_vain() {
    lose(false);
    passes_until_ = calls_ + 1 + std::clamp(calls_, fewest_in_vain, most_in_vain);
    opening_wanted_ = calls_after_vain;
}

learning::Trial Chooser::take(Class& of) {
    return of.granted ? *std::exchange(of.granted, std::nullopt) : learner_.next(*of.trials);
}

void Chooser::open_span(Class& of, double entry, std::int64_t size) {
    of.filled = of.trials != nullptr ? of.trials->filled() : of.filled + 1;
    open_ = &of.spans[of.filled - 1];
    *open_ = {entry, 0, 0, size};
    const bool is_full = of.trials != nullptr ? of.trials->has_full_block() : of.filled == opening_wanted_;
    if (is_full || (size == 0 && is_mixed())) {
        filled_ = &of;
    }
}

/// A candidate is to serve the class, which has had a call lately. One that has not is asked about now and then.
bool Chooser::wants(const Class& of) const {
    const bool is_candidate = of.granted ? of.granted->candidate != 0 : of.trials->winner() != 0;
    const std::int64_t since = calls_ - of.latest;
    const bool is_current = since <= 2 * of.period + learning::policy::first_calls;
    return is_candidate && (is_current || std::has_single_bit(static_cast<std::uint64_t>(since)));
}

/// Where calls of several sizes take turns it is not known whose call comes next: then the class that rests least.
Chooser::Class* Chooser::expected() {
    if (!is_mixed()) {
        return current_;
    }
    Class* least = current_;
    for (auto& [key, one] : classes_) {
        if (one.trials->resting_calls() < least->trials->resting_calls()) {
            least = &one;
        }
    }
    return least;
}

bool Chooser::asks() {
    asked_seconds_ = mpi::now_seconds();
    ++calls_;
    measures_unsized_ = false;
    if (calls_ < passes_until_) {
        return false;
    }
    expected_ = classes_.empty() ? nullptr : expected();
    if (expected_ == nullptr) {
        measures_unsized_ = !asks_first_ && !is_in_flight();
        if (measures_unsized_) {
            open_span(opening_, *asked_seconds_, 0);
        }
        return asks_first_;
    }
    if (is_mixed() &&
        std::any_of(classes_.begin(), classes_.end(), [&](const auto& one) { return wants(one.second); })) {
        return true;
    }
    learning::Trials& trials = *expected_->trials;
    if (!trials.resting() && !expected_->granted) {
        expected_->granted = learner_.next(trials);
    }
    if (expected_->granted ? expected_->granted->candidate != 0 : trials.winner() != 0) {
        return wants(*expected_);
    }
    expected_->latest = calls_;
    if (!expected_->granted) {
        trials.skip();
        return false;
    }
    measures_unsized_ = std::exchange(expected_->granted, std::nullopt)->measured;
    if (measures_unsized_) {
        open_span(*expected_, *asked_seconds_, 0);
    }
    return false;
}

learning::Trial Chooser::next(std::int64_t size) {
    Class& of = *find(size);
    if (expected_ != nullptr && expected_ != &of) {
        note_mixed();
    }
    of.period = std::max<std::int64_t>(calls_ - of.latest, 1);
    of.latest = calls_;
    learning::Trials& trials = *of.trials;
    learning::Trial trial{trials.winner(), false};
    if (trials.resting() && !of.granted) {
        trials.skip();
    } else {
        trial = take(of);
    }
    candidate_ = trial.candidate;
    const std::optional<double> asked = std::exchange(asked_seconds_, std::nullopt);
    if (trial.measured) {
        // The agreement on its size is part of what such a call costs.
        open_span(of, asked ? *asked : mpi::now_seconds(), size);
    }
    return trial;
}

void Chooser::withdraw() {
    if (filled_ == current_) {
        filled_ = nullptr;
    }
    open_ = nullptr;
    current_->filled = 0;
    current_->set_up_seconds = 0;
    current_->trials->withdraw(candidate_);
}

void Chooser::note_set_up(double seconds) {
    current_->set_up_seconds += seconds;
    if (open_ != nullptr) {
        open_->entry += seconds;
    }
}

void Chooser::note_return() {
    if (open_ != nullptr) {
        open_->exit = mpi::now_seconds();
    }
}

}  // namespace aapc::interposer
