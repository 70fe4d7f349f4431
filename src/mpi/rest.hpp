/// @file
/// Waiting without keeping the processor from the other ranks: they may outnumber the cores.
#pragma once

#include <cstddef>

namespace aapc::mpi {

/// Seconds on a clock that never jumps.
[[nodiscard]] double now_seconds();

/// While one lives, sleeps of this thread end within microseconds of the time asked for instead of the kernel's
/// usual 50.
class PunctualSleep {
  public:
    PunctualSleep();
    ~PunctualSleep();
    PunctualSleep(const PunctualSleep&) = delete;
    PunctualSleep& operator=(const PunctualSleep&) = delete;

  private:
    int slack_before_;
};

/// Sleeps until `seconds` on that clock, at most `most_seconds` from now. Gives the processor away for a moment where
/// the time left is too short to sleep.
void rest_until(double seconds, double most_seconds);

/// Looks in vain before the processor is given away where `ranks` ranks of one machine wait for nothing but each other:
/// some where each of them can have a processor, since then nobody needs the one that it would give away, else none.
[[nodiscard]] int looks_before_yielding(std::size_t ranks);

/// For loops that wait for messages: yields at first, then sleeps longer and longer, up to a tenth of a millisecond.
class Patience {
  public:
    /// The first `looks` rests keep the processor.
    explicit Patience(int looks = 0) : looks_(looks), looks_left_(looks) {}
    void rest() {
        if (looks_left_ > 0) {
            --looks_left_;
            return;
        }
        give_way();
    }
    void reset() {
        fruitless_ = 0;
        looks_left_ = looks_;
    }

  private:
    void give_way();

    int looks_;
    int looks_left_;
    int fruitless_ = 0;
};

}  // namespace aapc::mpi
