#include "interposer/unequal_learning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <new>
#include <utility>

#include "aapc/input/units.hpp"
#include "interposer/expectations.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/settings.hpp"

namespace aapc::interposer {

namespace {

/// More than a call needs to learn from what ranks have agreed on.
std::unique_ptr<std::byte[]> memory_to_learn() {
    constexpr std::size_t bytes = 65536;
    return std::unique_ptr<std::byte[]>(new (std::nothrow) std::byte[bytes]);
}

}  // namespace

UnequalLearning::UnequalLearning(mpi::DemandAgreement& agreement, const Bound& bound, int ranks,
                                 const selection::UnequalCrossover& crossover, double least_start_seconds,
                                 Before before)
    : CallLearning(bound, ranks, expected_unequal_set_up_seconds(bound, ranks, before.message_seconds),
                   agreement.loads(), std::move(before)),
      agreement_(&agreement),
      least_start_seconds_(least_start_seconds),
      crossover_(crossover),
      past_bytes_(static_cast<std::size_t>(ranks)) {
    if (learned_before() != nullptr) {
        chooser().ask_first();
    }
}

std::vector<Method> UnequalLearning::methods() const {
    if (method_by_clock_ || shown_methods().empty()) {
        return {Method{}, method_by_clock_.value_or(Method{})};
    }
    return shown_methods();
}

std::string UnequalLearning::words_of(std::int64_t size) const {
    return fmt::format("unequal messages with a bound of about {}",
                       duration_text(1e-9 * static_cast<double>(size), significant(3)));
}

void UnequalLearning::resume(bool all_have_it) {
    CallLearning::resume(all_have_it);
    if (shown_calls() > 0) {
        past_bytes_.clear();
    }
}

bool UnequalLearning::exchange_results(MPI_Comm comm) {
    if (!collect()) {
        return false;
    }
    if (chooser().is_full()) {
        post(comm);
    }
    return true;
}

void UnequalLearning::post(MPI_Comm comm) {
    const mpi::ReturnedErrors returned(comm);
    const std::size_t unsized = chooser().unsized_to_post();
    if (unsized == 0) {
        chooser().post(comm, {});
        return;
    }
    mpi::PastClaim claim = past_bytes_.claim();
    // Where another class has part of a block as well, these are not the bytes of this block.
    claim.unknown = claim.unknown || claim.calls != unsized;
    // Without memory for what follows from the result no rank learns from it.
    memory_to_learn_ = memory_to_learn();
    const mpi::PastNumbers numbers = agreement_->write_past(claim);
    chooser().post(comm, {memory_to_learn_ != nullptr, numbers.sums, numbers.maxima, numbers.loads});
    past_bytes_.clear();
}

bool UnequalLearning::collect() {
    if (!chooser().is_in_flight()) {
        return true;
    }
    const mpi::Agreed agreed = chooser().collect();
    memory_to_learn_.reset();
    if (agreed.error != MPI_SUCCESS) {
        return false;
    }
    if (!agreed.memory) {
        chooser().lose(false);
    } else if (chooser().unsized_in_flight() == 0) {
        chooser().learn(agreed);
    } else {
        learn_unsized(agreed);
    }
    return true;
}

void UnequalLearning::note_bytes(const mpi::MessageBytes* bytes) {
    if (bytes != nullptr) {
        past_bytes_.add(*bytes);
    } else {
        past_bytes_.add_unknown();
    }
}

void UnequalLearning::learn_unsized(const mpi::Agreed& agreed) {
    const auto calls = chooser().unsized_in_flight();
    const mpi::AgreedPast past = agreement_->read_past(chooser().agreement(), agreed, chooser().first_sum_beside(),
                                                       chooser().first_maximum_beside(), calls);
    if (!past.described) {
        if (std::exchange(is_undescribed_, true)) {
            chooser().lose_in_vain();
        } else {
            chooser().lose(true);
        }
        return;
    }
    is_undescribed_ = false;
    // Loads are linear: of calls that differ, none has more than all together.
    DemandBound most = past.bound;
    if (!past.alike) {
        most.nanoseconds *= static_cast<std::int64_t>(calls);
        most.rest_nanoseconds = most.nanoseconds;
    }
    if (!worth(most)) {
        chooser().lose_in_vain();
    } else if (past.alike && have_class(past.bound.nanoseconds)) {
        chooser().learn_unsized(agreed, past.bound.nanoseconds);
    } else {
        chooser().lose(true);
    }
}

bool UnequalLearning::have_class(std::int64_t nanoseconds) {
    return chooser().knows(nanoseconds) || mpi::have_memory_for([&] { chooser().begin(beginning(nanoseconds)); });
}

learning::Beginning UnequalLearning::beginning(std::int64_t nanoseconds) const {
    const std::int64_t size = blocks_of_size(nanoseconds);
    const double seconds = 1e-9 * static_cast<double>(nanoseconds);
    const Chooser::Prices& prices = chooser().prices();
    const auto [least, spread] =
        expected_unequal_by_clock(seconds, size, least_start_seconds_, prices.agreement_seconds);
    learning::Beginning beginning;
    beginning.size = nanoseconds;
    beginning.least_seconds = seconds;
    beginning.publishes_early = true;
    beginning.prospects = {{native}, {by_clock, method_by_clock_ ? 0 : prices.set_up_seconds, least, spread}};
    if (const Method* const winner = learned_method(size)) {
        beginning.winner = winner->native() ? native : by_clock;
    }
    return beginning;
}

bool UnequalLearning::has_memory() { return memory_to_learn() != nullptr; }

bool UnequalLearning::worth(const DemandBound& bound) const {
    // Calls show what is faster, so those that the rule leaves out by little are worth a try.
    return selection::worth_exchanging(selection::UnequalUse::automatic, bound, 0, crossover_, uncertainty_of_sizes);
}

std::optional<UnequalLearning::Choice> UnequalLearning::choose(const DemandBound& bound) {
    const std::int64_t nanoseconds =
        std::max<std::int64_t>(std::llround(static_cast<double>(bound.nanoseconds) / headers_), 1);
    if (!have_class(nanoseconds)) {
        return std::nullopt;
    }
    const learning::Trial trial = chooser().next(nanoseconds);
    return Choice{chooser().method_of(trial) == by_clock, trial.measured};
}

}  // namespace aapc::interposer
