/// @file
/// The size classes of one communicator and collective, and the purse that pays for what they learn.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>

#include "learning/budget.hpp"
#include "learning/reasons.hpp"
#include "learning/trials.hpp"

namespace aapc::learning {

/// The class of `size` (>= 1: bytes, or nanoseconds where messages are unequal): sizes up to a quarter apart share one.
/// Four classes an octave, ascending with the size. O(1).
[[nodiscard]] int class_of(std::int64_t size);

/// The least size of a class; class_of(first_of(key)) == key.
[[nodiscard]] std::int64_t first_of(int key);

/// What learning has come to.
struct Summary {
    Budget budget;
    double own_seconds = 0;  ///< that the MPI's own would have taken for the same calls, by its own measured times

    Summary& operator+=(const Summary& other) {
        budget += other.budget;
        own_seconds += other.own_seconds;
        return *this;
    }
};

/// The class whose fastest candidate is farthest below what an exchange takes at least, in two calls or more, or in one
/// call that took no half of that.
struct Fastest {
    double least_seconds = 0;  ///< at least, as far as is known; 0 if no class is known to have a least
    double seconds = 0;        ///< typical, of its fastest candidate
};

/// Learns for sizes of every class. Not for concurrent use.
class Learner {
  public:
    /// The class of that key; null: begin() has not been called for it. O(log classes).
    [[nodiscard]] Trials* find(int key);
    /// The class that began with the size nearest to `size` (> 0), by less than a quarter larger or smaller; null:
    /// there is none. For sizes that scatter: no boundary runs through the middle of them. O(classes).
    [[nodiscard]] Trials* find_near(std::int64_t size);

    /// Makes the class of the beginning's size. Without a winner of its own it takes that of the nearest class within
    /// an octave, where that has one among these prospects: neighbours differ little, so a program whose sizes change
    /// slowly learns once. Whoever goes by find_near() never finds the key of that size taken.
    Trials& begin(Beginning beginning);

    /// Decides the next call of a class, as its next() does.
    [[nodiscard]] Trial next(Trials& of) const { return of.next(budget_without(of)); }

    /// Of all classes.
    [[nodiscard]] Budget budget() const;

    /// Of the classes in which anything was measured, on this communicator alone.
    [[nodiscard]] Summary summary() const;

    /// Why the calls of one of its classes are served as they are. Throws std::bad_alloc.
    [[nodiscard]] Reasons reasons(const Trials& of) const { return learning::reasons(of, budget_without(of)); }

    /// O(classes * candidates * samples).
    [[nodiscard]] Fastest fastest() const;

    /// A learner for another communicator whose ranks sit alike, and for the same prospects: it goes on with those
    /// classes that there is something to go on with, and with their purse. Setting an exchange up takes so many
    /// seconds. Throws std::bad_alloc.
    [[nodiscard]] Learner continued(double set_up_seconds) const;
    /// Of all that decides about turns to come: ranks that have the same agree on them.
    [[nodiscard]] std::uint64_t digest() const;

    /// Ascending by key.
    [[nodiscard]] const std::map<int, Trials>& classes() const { return classes_; }

  private:
    [[nodiscard]] Budget budget_without(const Trials& of) const;
    [[nodiscard]] std::optional<std::size_t> winner_nearby(int key, const Beginning& beginning) const;

    std::map<int, Trials> classes_;
};

}  // namespace aapc::learning
