#include "mpi/grid_clock.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "mpi/progress.hpp"

namespace aapc::mpi {

namespace {

/// Questions in a row; the first ones find caches cold and processes asleep.
constexpr int questions = 6;
/// Over a shorter time the measurements' uncertainty hides the drift.
constexpr double shortest_baseline_seconds = 1;

/// One message there or back; both ends know when it is.
template <class Value>
int receive_one(const Transport& transport, Value& value, Rank from) {
    Pending pending;
    const int error = transport.receive(reinterpret_cast<std::byte*>(&value), sizeof value, from, Tag::clock, pending);
    return error != MPI_SUCCESS
               ? error
               : advance_until([&] { return pending.empty(); }, [&](int& done) { return pending.test(done); });
}

template <class Value>
int send_one(const Transport& transport, const Value& value, Rank to) {
    Pending pending;
    const int error = transport.send(reinterpret_cast<const std::byte*>(&value), sizeof value, to, Tag::clock, pending);
    return error != MPI_SUCCESS
               ? error
               : advance_until([&] { return pending.empty(); }, [&](int& done) { return pending.test(done); });
}

}  // namespace

GridClock::GridClock(const Transport& transport, Rank rank, Rank participants, const ClockFault& fault)
    : transport_(transport),
      rank_(rank),
      participants_(participants),
      fault_(fault),
      made_(now_seconds()),
      uncertainty_(std::numeric_limits<double>::infinity()) {}

double GridClock::reading() const {
    const double now = now_seconds();
    const double wrong_for = now - made_ - fault_.after_seconds;
    return wrong_for < 0 ? now : now + fault_.shift_seconds + fault_.skew * wrong_for;
}

double GridClock::shared_at(double reading) const {
    return reading + last_.seconds + drift_ * (reading - last_.reading);
}

double GridClock::seconds() const { return shared_at(reading()); }

int GridClock::follow() {
    const auto number = static_cast<std::uint32_t>(rank_);
    if (rank_ == 0) {
        learn({reading(), 0, 0});
    } else if (const int error = ask(static_cast<Rank>(number & (number - 1))); error != MPI_SUCCESS) {
        return error;
    }
    // The child with most ranks below it first.
    const auto all = static_cast<std::uint32_t>(participants_);
    const std::uint32_t end = rank_ == 0 ? std::bit_ceil(all) : number & (~number + 1);
    for (std::uint32_t bit = end / 2; bit > 0; bit /= 2) {
        if ((number | bit) < all) {
            if (const int error = answer(static_cast<Rank>(number | bit)); error != MPI_SUCCESS) {
                return error;
            }
        }
    }
    return MPI_SUCCESS;
}

int GridClock::ask(Rank parent) {
    Offset best{0, 0, std::numeric_limits<double>::infinity()};
    for (int question = 0; question < questions; ++question) {
        const double asked = reading();
        if (const int error = send_one(transport_, asked, parent); error != MPI_SUCCESS) {
            return error;
        }
        Answer answer{};
        if (const int error = receive_one(transport_, answer, parent); error != MPI_SUCCESS) {
            return error;
        }
        const double half = (reading() - asked) / 2;
        if (half + answer.uncertainty < best.uncertainty) {
            best = {asked + half, answer.seconds - (asked + half), half + answer.uncertainty};
        }
    }
    learn(best);
    return MPI_SUCCESS;
}

int GridClock::answer(Rank child) {
    for (int question = 0; question < questions; ++question) {
        double asked = 0;
        if (const int error = receive_one(transport_, asked, child); error != MPI_SUCCESS) {
            return error;
        }
        if (const int error = send_one(transport_, Answer{seconds(), uncertainty_}, child); error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

void GridClock::learn(const Offset& measured) {
    const double since = measured.reading - last_.reading;
    const double expected = last_.seconds + drift_ * since;
    const double tolerated = measured.uncertainty + last_.uncertainty + largest_drift() * std::abs(since);
    consistent_ = !known_ || (std::abs(measured.seconds - expected) <= tolerated && since >= 0);
    if (!known_ || !consistent_) {
        first_ = measured;
        drift_ = 0;
    } else if (const double baseline = measured.reading - first_.reading; baseline >= shortest_baseline_seconds) {
        // A difference that the measurements' uncertainty explains is no drift: a first measurement on a busy machine
        // may be wrong by milliseconds, and a drift made of that would lead the clock away from where it was right.
        const double difference = measured.seconds - first_.seconds;
        const bool measurable = std::abs(difference) > measured.uncertainty + first_.uncertainty;
        drift_ = measurable ? std::clamp(difference / baseline, -largest_drift(), largest_drift()) : 0;
    }
    last_ = measured;
    uncertainty_ = measured.uncertainty;
    known_ = true;
}

}  // namespace aapc::mpi
