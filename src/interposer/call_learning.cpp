#include "interposer/call_learning.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "archive/learned.hpp"
#include "interposer/taught.hpp"
#include "selection/start.hpp"

namespace aapc::interposer {

CallLearning::CallLearning(const Bound& bound, int ranks, double set_up_seconds, std::size_t loads, Before&& before)
    : seconds_per_byte_(bound.seconds_per_byte), learned_before_(before.learned) {
    const Chooser::Prices prices{set_up_seconds,
                                 selection::expected_agreement_seconds(bound, ranks, before.message_seconds),
                                 before.share_of_ranks};
    chooser_ = std::make_unique<Chooser>(prices, before.calls, loads);
    learning::Learner resumed = before.shown.learner.continued(set_up_seconds);
    if (!resumed.classes().empty() && before.shown.seconds_per_byte == seconds_per_byte_) {
        shown_digest_ = resumed.digest();
        shown_calls_ = before.shown.calls;
        shown_methods_ = std::move(before.shown.methods);
        shown_ = std::make_unique<Chooser>(prices, std::move(resumed), loads);
    }
}

void CallLearning::resume(bool all_have_it) {
    if (all_have_it && shown_ && has_methods(shown_methods_)) {
        chooser_ = std::move(shown_);
    } else {
        shown_calls_ = 0;
    }
    shown_.reset();
}

Shown CallLearning::shown() const { return {methods(), learner(), calls_of(learner()), seconds_per_byte_}; }

std::optional<Tuning> CallLearning::taught() const {
    const std::vector<Method> all = methods();
    return tuning_of(
        learner(), [&](std::size_t candidate) { return all[candidate]; },
        [&](std::int64_t size) { return blocks_of_size(size); });
}

std::int64_t CallLearning::size_of_blocks(std::int64_t block_bytes) const {
    return seconds_per_byte_ > 0
               ? std::max<std::int64_t>(std::llround(1e9 * seconds_per_byte_ * static_cast<double>(block_bytes)), 1)
               : block_bytes;
}

std::int64_t CallLearning::blocks_of_size(std::int64_t size) const {
    return seconds_per_byte_ > 0
               ? std::max<std::int64_t>(std::llround(1e-9 * static_cast<double>(size) / seconds_per_byte_), 1)
               : size;
}

std::string CallLearning::why(const learning::Trials& of) const {
    const std::vector<Method> all = methods();
    return fmt::format("{}: {}", words_of(of.size()), learning::words(learner().reasons(of), [&](std::size_t method) {
                           return to_string(all[method]);
                       }));
}

const Method* CallLearning::learned_method(std::int64_t block_bytes) const {
    return learned_before_ != nullptr ? selection::learned_method(*learned_before_, block_bytes) : nullptr;
}

}  // namespace aapc::interposer
