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

template <class Class>
Class* LearnerOf<Class>::find(int key) {
    const auto found = classes_.find(key);
    return found == classes_.end() ? nullptr : &found->second;
}

template <class Class>
Class* LearnerOf<Class>::find_near(std::int64_t size) {
    Class* nearest = nullptr;
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

template <class Class>
Class& LearnerOf<Class>::begin(Beginning beginning) {
    const int key = class_of(beginning.size);
    if (!beginning.winner) {
        beginning.winner = winner_nearby(key, beginning);
    }
    return classes_.try_emplace(key, std::move(beginning)).first->second;
}

template <class Class>
std::optional<std::size_t> LearnerOf<Class>::winner_nearby(int key, const Beginning& beginning) const {
    const Class* nearest = nullptr;
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

template <class Class>
Budget LearnerOf<Class>::budget_without(const Class& of) const {
    Budget others;
    for (const auto& [key, one] : classes_) {
        if (&one != &of) {
            others += one.budget();
        }
    }
    return others;
}

template <class Class>
Trial LearnerOf<Class>::next(Class& of) const requires std::same_as<Class, Trials> {
    return of.next(budget_without(of));
}

template <class Class>
Turn LearnerOf<Class>::next(Class& of, std::span<const Measured> told) const requires std::same_as<Class, SizeClass> {
    return of.next(told, budget_without(of));
}

template <class Class>
Budget LearnerOf<Class>::budget() const {
    Budget sum;
    for (const auto& [key, one] : classes_) {
        sum += one.budget();
    }
    return sum;
}

template <class Class>
Summary LearnerOf<Class>::summary() const {
    Summary sum;
    for (const auto& [key, one] : classes_) {
        const Budget budget = one.budget_here();
        sum.budget += budget;
        const auto own = one.typical_seconds(0);
        sum.own_seconds += own ? static_cast<double>(budget.calls) * *own : budget.seconds;
    }
    return sum;
}

template <class Class>
Fastest LearnerOf<Class>::fastest() const {
    Fastest found;
    for (const auto& [key, one] : classes_) {
        for (std::size_t candidate = 0; candidate < one.prospects().size(); ++candidate) {
            const auto seconds = one.typical_seconds(candidate);
            if (seconds && one.least_seconds() * found.seconds >= found.least_seconds * *seconds) {
                found = {one.least_seconds(), *seconds};
            }
        }
    }
    return found;
}

template <class Class>
LearnerOf<Class> LearnerOf<Class>::continued(double set_up_seconds) const {
    LearnerOf next;
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

template <class Class>
std::uint64_t LearnerOf<Class>::digest() const {
    Digest digest;
    for (const auto& [key, one] : classes_) {
        digest.add(key);
        one.add_to(digest);
    }
    return digest.value();
}

template class LearnerOf<Trials>;
template class LearnerOf<SizeClass>;

}  // namespace aapc::learning
