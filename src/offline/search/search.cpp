#include "aapc/offline/search.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

#include "aapc/plan/pacing.hpp"
#include "offline/search/state.hpp"

namespace aapc {

namespace {

using searching::Entrant;
using searching::SizeOutcome;
using searching::SizeSearch;

/// What is planned with; the rest is for a last call that takes longer than expected.
constexpr double share_to_plan_with = 0.98;
/// Kept for the middles between sizes until all sizes are done.
constexpr double share_of_borders = 0.1;
/// Of the budget, for each size: native may take fifty times as long as the wires need for a byte, and then no other
/// method would be measured.
constexpr double least_share = 0.015;
/// What an exchange takes at least, as long as nothing was measured.
constexpr double least_seconds = 1e-3;
/// Within this of the best at the size before, a method is a close race and always gets its chance before the others.
constexpr double close_race = 1.3;
/// The number of those, the closest, that are not dropped after a slow beginning.
constexpr std::size_t most_kept = 2;
/// Beyond this at the last two sizes, or far beyond it at the only one, a method is tried again only if a pass over all
/// costs next to nothing.
constexpr double far_off = 3;
constexpr double farther_off = 10;
constexpr double share_of_hopeless = 0.25;
/// Where a method that was never measured stands among the others, as a multiple of the best one's time.
constexpr double unknown_slowness = 2;
/// Stands for times that a clock cannot tell from nothing.
constexpr double shortest_seconds = 1e-9;

double usable(double seconds) {
    return std::isfinite(seconds) && seconds > shortest_seconds ? seconds : shortest_seconds;
}

/// The geometric middle of two sizes, rounded up.
std::int64_t middle(std::int64_t smaller, std::int64_t larger) {
    const double root = std::sqrt(static_cast<double>(smaller)) * std::sqrt(static_cast<double>(larger));
    return std::clamp(static_cast<std::int64_t>(std::ceil(root)), smaller + 1, larger);
}

Expected<void> check_settings(const SearchSettings& settings, const std::vector<Method>& candidates) {
    if (settings.sizes.empty() || settings.sizes.front() < 1 ||
        std::adjacent_find(settings.sizes.begin(), settings.sizes.end(), std::greater_equal<>()) !=
            settings.sizes.end()) {
        return failure("the sizes are not ascending from at least 1", "give each size once, the smallest first");
    }
    constexpr std::int64_t largest = std::int64_t{1} << 40;
    if (settings.sizes.back() > largest) {
        return failure(fmt::format("a size of {} bytes is too large", settings.sizes.back()), "give sizes up to 1 TiB");
    }
    if (!(settings.budget_seconds > 0) || !std::isfinite(settings.budget_seconds)) {
        return failure(fmt::format("{} seconds are no time to measure in", settings.budget_seconds),
                       "give a time above 0");
    }
    const auto sensible = [](double value) { return std::isfinite(value) && value >= 0; };
    if (!sensible(settings.bound_seconds_per_byte) || !sensible(settings.slowest_bits_per_second)) {
        return failure("the bound is no number of at least 0", "take it from the topology");
    }
    if (candidates.empty() || !candidates.front().native()) {
        return failure("the MPI's own routine is not the first candidate", "put native first");
    }
    for (auto one = candidates.begin(); one != candidates.end(); ++one) {
        if (std::find(candidates.begin(), one, *one) != one) {
            return failure(fmt::format("'{}' is a candidate twice", to_string(*one)), "name each candidate once");
        }
    }
    return {};
}

}  // namespace

Search::State::State(SearchSettings settings, std::vector<Method> candidates, Foreknowledge foreknowledge)
    : settings_(std::move(settings)),
      candidates_(std::move(candidates)),
      foreknowledge_(std::move(foreknowledge)),
      known_(candidates_.size()) {
    begin_next();
}

void Search::State::observe(const Measurement& measurement) {
    const Measurement clean{usable(measurement.seconds), usable(measurement.spent_seconds)};
    log_.push_back({next(), bytes(), clean});
    spent_seconds_ += clean.spent_seconds;
    current_->observe(clean.seconds, clean.spent_seconds);
    if (current_->finished()) {
        outcomes_.push_back(current_->outcome());
        share_seconds_of_outcomes_ += current_->share_seconds();
        learn(outcomes_.back());
        begin_next();
    }
    done_ = std::max(done_, finished() ? 1.0 : spent_seconds_ / (spent_seconds_ + left_to_do()));
}

void Search::State::learn(const SizeOutcome& outcome) {
    double best = std::numeric_limits<double>::infinity();
    for (const searching::Seen& seen : outcome.seen) {
        best = std::min(best, seen.seconds);
    }
    for (const searching::Seen& seen : outcome.seen) {
        // Candidates that are equivalent at this size get the same measurement.
        for (std::size_t candidate = 0; candidate < candidates_.size(); ++candidate) {
            if (same_at(seen.candidate, candidate, outcome.bytes)) {
                Known& known = known_[candidate];
                known.slowness.push_back(seen.seconds / best);
                known.seconds = seen.seconds;
                known.bytes = outcome.bytes;
            }
        }
    }
    best_seconds_ = best;
    best_bytes_ = outcome.bytes;
}

void Search::State::begin_next() {
    current_.reset();
    if (sizes_begun_ < settings_.sizes.size()) {
        begin_size();
        return;
    }
    if (sizes_begun_ == outcomes_.size()) {
        find_borders();
    }
    if (borders_begun_ < borders_.size()) {
        begin_border();
    }
}

void Search::State::begin_size() {
    const std::int64_t bytes = settings_.sizes[sizes_begun_];
    const double share = share_of_next_size();
    current_.emplace(bytes, entrants(bytes, share), share, SizeSearch::Form::screening_and_final, settings_.seed);
    ++sizes_begun_;
}

void Search::State::find_borders() {
    for (std::size_t size = 1; size < outcomes_.size(); ++size) {
        const SizeOutcome& smaller = outcomes_[size - 1];
        const SizeOutcome& larger = outcomes_[size];
        const std::int64_t between = middle(smaller.bytes, larger.bytes);
        if (smaller.chosen != larger.chosen && between < larger.bytes) {
            borders_.push_back({between, smaller.chosen, larger.chosen});
        }
    }
}

void Search::State::begin_border() {
    const Border& border = borders_[borders_begun_];
    std::vector<Entrant> both = {entrant(0, border.bytes)};
    for (const std::size_t candidate : {border.one, border.other}) {
        if (candidate != 0) {
            both.push_back(entrant(candidate, border.bytes));
        }
    }
    current_.emplace(border.bytes, both, share_of_next_border(), SizeSearch::Form::final_only, settings_.seed);
    ++borders_begun_;
}

/// What the fastest method can be expected to take: what it took at the latest size, or the wires need.
double Search::State::likely_seconds(std::int64_t bytes) const {
    const double on_the_wire = settings_.bound_seconds_per_byte * static_cast<double>(bytes);
    const double before = bytes >= best_bytes_ ? best_seconds_ : 0;
    return std::max({on_the_wire, before, least_seconds});
}

/// A size that takes 16 times as long gets four times the time: fewer measurements of it, but still some.
double Search::State::weight(std::int64_t bytes) const { return std::sqrt(likely_seconds(bytes)); }

double Search::State::share_of_next_size() const {
    const std::vector<std::int64_t>& sizes = settings_.sizes;
    const double kept = sizes.size() > 1 ? share_of_borders * settings_.budget_seconds : 0;
    const double left = std::max(0.0, share_to_plan_with * settings_.budget_seconds - kept - spent_seconds_);
    const auto first = sizes.begin() + static_cast<std::ptrdiff_t>(sizes_begun_);
    const double all = std::accumulate(first, sizes.end(), 0.0,
                                       [this](double sum, std::int64_t bytes) { return sum + weight(bytes); });
    const double even = left / static_cast<double>(sizes.end() - first);
    return std::max(left * weight(*first) / all, std::min(least_share * settings_.budget_seconds, even));
}

double Search::State::share_of_next_border() const {
    const double left = std::max(0.0, share_to_plan_with * settings_.budget_seconds - spent_seconds_);
    double all = 0;
    for (std::size_t border = borders_begun_; border < borders_.size(); ++border) {
        all += weight(borders_[border].bytes);
    }
    return left * weight(borders_[borders_begun_].bytes) / all;
}

/// A candidate's synchronisation with what it leaves open filled in: at one size, different ones may mean the same.
Synchronisation Search::State::effective(std::size_t candidate, std::int64_t bytes) const {
    Synchronisation synchronisation = candidates_[candidate].synchronisation;
    if (synchronisation.kind == Synchronisation::Kind::timed && settings_.slowest_bits_per_second > 0) {
        synchronisation.segment_bytes =
            segment_message(bytes, settings_.slowest_bits_per_second, synchronisation.segment_bytes).segment_bytes;
    }
    return synchronisation;
}

bool Search::State::same_at(std::size_t one, std::size_t other, std::int64_t bytes) const {
    return candidates_[one].algorithm == candidates_[other].algorithm &&
           candidates_[one].variant == candidates_[other].variant && effective(one, bytes) == effective(other, bytes);
}

std::size_t Search::State::untuned(std::int64_t bytes) const {
    if (!foreknowledge_.untuned) {
        return 0;
    }
    const auto found = std::find(candidates_.begin(), candidates_.end(), foreknowledge_.untuned(bytes));
    if (found == candidates_.end() || found == candidates_.begin()) {
        return 0;
    }
    std::size_t first = 1;
    while (!same_at(first, static_cast<std::size_t>(found - candidates_.begin()), bytes)) {
        ++first;
    }
    return first;
}

bool Search::State::hopeless(std::size_t candidate) const {
    const std::vector<double>& slowness = known_[candidate].slowness;
    if (slowness.size() == 1) {
        return slowness.back() > farther_off;
    }
    return slowness.size() > 1 && slowness.back() > far_off && slowness[slowness.size() - 2] > far_off;
}

/// Whether a candidate was a close race at the latest size.
bool Search::State::was_close(std::size_t candidate) const {
    const Known& known = known_[candidate];
    return !known.slowness.empty() && known.bytes == best_bytes_ && known.slowness.back() <= close_race;
}

/// Where a candidate stands in the order of entry; lower is earlier. Close races come before everything else.
double Search::State::place(std::size_t candidate, std::int64_t bytes) const {
    const std::vector<double>& slowness = known_[candidate].slowness;
    if (was_close(candidate)) {
        return slowness.back() - close_race;
    }
    if (foreknowledge_.expected) {
        return usable(foreknowledge_.expected(candidates_[candidate], bytes));
    }
    if (slowness.empty()) {
        return unknown_slowness;
    }
    return slowness.size() == 1 ? slowness.back() : std::sqrt(slowness.back() * slowness[slowness.size() - 2]);
}

/// Candidates in the order of their first measurement at a size, each once: native first, then `favourite`.
std::vector<std::size_t> Search::State::in_order(std::int64_t bytes, std::size_t favourite) const {
    std::vector<std::size_t> order;
    for (std::size_t candidate = 1; candidate < candidates_.size(); ++candidate) {
        const bool known = std::any_of(order.begin(), order.end(),
                                       [&](std::size_t earlier) { return same_at(earlier, candidate, bytes); });
        if (!known) {
            order.push_back(candidate);
        }
    }
    std::stable_sort(order.begin(), order.end(), [&](std::size_t one, std::size_t other) {
        return std::pair(hopeless(one), place(one, bytes)) < std::pair(hopeless(other), place(other, bytes));
    });
    const auto found = std::find(order.begin(), order.end(), favourite);
    if (found != order.end()) {
        std::rotate(order.begin(), found, found + 1);
    }
    order.insert(order.begin(), 0);
    return order;
}

Entrant Search::State::entrant(std::size_t candidate, std::int64_t bytes) const {
    const Synchronisation& synchronisation = candidates_[candidate].synchronisation;
    const Known& known = known_[candidate];
    double seconds = likely_seconds(bytes);
    if (known.bytes > 0 && known.bytes <= bytes) {
        // What was slow for whatever reason is slow in proportion.
        seconds = std::max(known.seconds, seconds * known.slowness.back());
    }
    return {candidate, synchronisation.kind == Synchronisation::Kind::timed && synchronisation.pace <= 0, seconds};
}

std::vector<Entrant> Search::State::entrants(std::int64_t bytes, double share) const {
    std::vector<Entrant> all;
    std::size_t kept = 0;
    const std::size_t favourite = untuned(bytes);
    const auto always = [&](const Entrant& one) { return one.candidate == 0 || one.candidate == favourite; };
    for (const std::size_t candidate : in_order(bytes, favourite)) {
        all.push_back(entrant(candidate, bytes));
        all.back().untuned = candidate == favourite && candidate != 0;
        if (candidate != 0 && was_close(candidate) && kept < most_kept) {
            all.back().slowness_before = known_[candidate].slowness.back();
            ++kept;
        }
    }
    const auto pass = [&all] {
        return std::accumulate(all.begin(), all.end(), 0.0,
                               [](double sum, const Entrant& one) { return sum + one.expected_seconds; });
    };
    if (pass() > share_of_hopeless * share) {
        std::erase_if(all, [&](const Entrant& one) { return !always(one) && hopeless(one.candidate); });
    }
    // Where not even one pass over all fits, the time is worth more in the final of those that were close before, and
    // of those that mean something new at this size.
    if (pass() > share) {
        std::erase_if(all, [&](const Entrant& one) {
            return !always(one) && !known_[one.candidate].slowness.empty() && !was_close(one.candidate);
        });
    }
    return all;
}

/// The seconds still to come, judged by how much of their shares the sizes so far have used.
double Search::State::left_to_do() const {
    double of_outcomes = spent_seconds_ - (current_ ? current_->spent_seconds() : 0);
    double used = share_seconds_of_outcomes_ > 0 ? std::min(1.0, of_outcomes / share_seconds_of_outcomes_) : 1.0;
    if (!current_) {
        return 0;
    }
    const double now =
        std::max(used * current_->share_seconds(), current_->spent_seconds()) - current_->spent_seconds();
    const double later = settings_.budget_seconds - of_outcomes - current_->share_seconds();
    const bool nothing_later = sizes_begun_ == settings_.sizes.size() && borders_begun_ == borders_.size() &&
                               (settings_.sizes.size() == 1 || !borders_.empty());
    return now + (nothing_later ? 0 : std::max(0.0, used * later));
}

Search::Progress Search::State::progress() const {
    if (finished()) {
        return {1, 0, 0, 0};
    }
    return {done_, left_to_do(), bytes(), current_->in_the_race()};
}

Search::Result Search::State::result() const {
    std::vector<SizeOutcome> sorted = outcomes_;
    std::sort(sorted.begin(), sorted.end(),
              [](const SizeOutcome& one, const SizeOutcome& other) { return one.bytes < other.bytes; });
    Result result;
    result.measurements = static_cast<std::int64_t>(log_.size());
    result.spent_seconds = spent_seconds_;
    for (std::size_t size = 0; size < sorted.size(); ++size) {
        const SizeOutcome& outcome = sorted[size];
        if (size == 0 || outcome.chosen != sorted[size - 1].chosen) {
            const std::int64_t from = size == 0 ? 0 : middle(sorted[size - 1].bytes, outcome.bytes);
            result.ranges.push_back({from, candidates_[outcome.chosen], {}});
        }
        MeasuredSize measured = outcome.evidence;
        if (outcome.runner_up) {
            measured.runner_up->method = candidates_[*outcome.runner_up];
        }
        result.ranges.back().measured.push_back(std::move(measured));
        if (!outcome.decided) {
            result.unmet.push_back(outcome.bytes);
        }
    }
    return result;
}

std::vector<std::int64_t> default_tuned_sizes() {
    std::vector<std::int64_t> sizes;
    for (std::int64_t size = 1; size <= (1 << 20); size *= 4) {
        sizes.push_back(size);
    }
    return sizes;
}

Search::Search(std::unique_ptr<State> state) : state_(std::move(state)) {}
Search::Search(Search&&) noexcept = default;
Search& Search::operator=(Search&&) noexcept = default;
Search::~Search() = default;

Expected<Search> Search::create(SearchSettings settings, std::vector<Method> candidates, Foreknowledge known) {
    if (const auto checked = check_settings(settings, candidates); !checked) {
        return failure(checked.error());
    }
    return Search(std::make_unique<State>(std::move(settings), std::move(candidates), std::move(known)));
}

const SearchSettings& Search::settings() const { return state_->settings(); }
const std::vector<Method>& Search::candidates() const { return state_->candidates(); }
bool Search::finished() const { return state_->finished(); }
Search::Trial Search::next() const { return {state_->candidates()[state_->next()], state_->bytes()}; }
void Search::observe(const Measurement& measurement) { state_->observe(measurement); }
Search::Progress Search::progress() const { return state_->progress(); }
Search::Result Search::result() const { return state_->result(); }

}  // namespace aapc
