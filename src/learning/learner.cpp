#include "learning/learner.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <utility>

#include "learning/policy.hpp"

namespace aapc::learning {

namespace {

constexpr int classes_an_octave = 4;
/// Sizes that share a class differ by less.
constexpr double width_of_a_class = 1.25;
/// Bits behind the leading one that a class goes by.
constexpr int class_bits = 2;

}  // namespace

int class_of(std::int64_t size) {
    const auto value = static_cast<std::uint64_t>(size);
    const auto octave = static_cast<int>(std::bit_width(value)) - 1;
    const std::uint64_t aligned =
        octave >= class_bits ? value >> (octave - class_bits) : value << (class_bits - octave);
    return octave * classes_an_octave + static_cast<int>(aligned & (classes_an_octave - 1));
}

std::int64_t first_of(int key) {
    const int octave = key / classes_an_octave;
    const std::int64_t aligned = classes_an_octave + key % classes_an_octave;
    if (octave >= class_bits) {
        return aligned << (octave - class_bits);
    }
    const int short_of = class_bits - octave;
    return (aligned + (std::int64_t{1} << short_of) - 1) >> short_of;
}

Trials* Learner::find(int key) {
    const auto found = classes_.find(key);
    return found == classes_.end() ? nullptr : &found->second;
}

Trials* Learner::find_near(std::int64_t size) {
    Trials* nearest = nullptr;
    double least_ratio = width_of_a_class;
    for (auto& [key, one] : classes_) {
        const double larger = static_cast<double>(size) / static_cast<double>(one.size());
        const double ratio = std::max(larger, 1 / larger);
        if (ratio < least_ratio) {
            least_ratio = ratio;
            nearest = &one;
        }
    }
    return nearest;
}

Trials& Learner::begin(Beginning beginning) {
    const int key = class_of(beginning.size);
    if (!beginning.winner) {
        beginning.winner = winner_nearby(key, beginning);
    }
    return classes_.try_emplace(key, std::move(beginning)).first->second;
}

std::optional<std::size_t> Learner::winner_nearby(int key, const Beginning& beginning) const {
    const Trials* nearest = nullptr;
    int distance = classes_an_octave + 1;
    for (const auto& [other, one] : classes_) {
        if (std::abs(other - key) < distance && one.budget().calls >= policy::first_calls) {
            distance = std::abs(other - key);
            nearest = &one;
        }
    }
    if (nearest == nullptr) {
        return std::nullopt;
    }
    const std::size_t method = nearest->prospects()[nearest->winner()].method;
    const auto same = std::find_if(beginning.prospects.begin(), beginning.prospects.end(),
                                   [&](const Prospect& prospect) { return prospect.method == method; });
    if (same == beginning.prospects.end()) {
        return std::nullopt;
    }
    return static_cast<std::size_t>(same - beginning.prospects.begin());
}

Budget Learner::budget_without(const Trials& of) const {
    Budget others;
    for (const auto& [key, one] : classes_) {
        if (&one != &of) {
            others += one.budget();
        }
    }
    return others;
}

Budget Learner::budget() const {
    Budget sum;
    for (const auto& [key, one] : classes_) {
        sum += one.budget();
    }
    return sum;
}

Summary Learner::summary() const {
    Summary sum;
    for (const auto& [key, one] : classes_) {
        const Budget budget = one.budget_here();
        sum.budget += budget;
        const auto own = one.typical_seconds(0);
        sum.own_seconds += own ? static_cast<double>(budget.calls) * *own : budget.seconds;
    }
    return sum;
}

Fastest Learner::fastest() const {
    // The cost of a single call is too little where ranks begin it at very different times.
    const auto is_evidence = [](const Trials& of, std::size_t candidate, double seconds) {
        return of.evidence(candidate).samples.size() >= 2 || policy::beyond_doubt * seconds <= of.least_seconds();
    };
    Fastest found;
    for (const auto& [key, one] : classes_) {
        for (std::size_t candidate = 0; candidate < one.prospects().size(); ++candidate) {
            const auto seconds = one.typical_seconds(candidate);
            if (seconds && is_evidence(one, candidate, *seconds) &&
                one.least_seconds() * found.seconds >= found.least_seconds * *seconds) {
                found = {one.least_seconds(), *seconds};
            }
        }
    }
    return found;
}

Learner Learner::continued(double set_up_seconds) const {
    Learner next;
    for (const auto& [key, one] : classes_) {
        if (auto goes_on = one.continued(set_up_seconds)) {
            next.classes_.emplace(key, std::move(*goes_on));
        }
    }
    for (auto& [key, one] : next.classes_) {
        one.trust(next.budget_without(one));
    }
    return next;
}

std::uint64_t Learner::digest() const {
    Digest digest;
    for (const auto& [key, one] : classes_) {
        digest.add(key);
        one.add_to(digest);
    }
    return digest.value();
}

}  // namespace aapc::learning
