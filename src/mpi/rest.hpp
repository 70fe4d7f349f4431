/// @file
/// Waiting without keeping the processor from the other ranks: they may outnumber the cores.
#pragma once

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

/// For loops that wait for messages: yields at first, then sleeps longer and longer, up to a tenth of a millisecond.
class Patience {
  public:
    void rest();
    void reset() { fruitless_ = 0; }

  private:
    int fruitless_ = 0;
};

}  // namespace aapc::mpi
