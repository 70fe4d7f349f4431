#include "mpi/rest.hpp"

#include <sched.h>
#include <time.h>
#include <unistd.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>
#include <atomic>
#include <limits>

#include "mpi/long_wait.hpp"

namespace aapc::mpi {

namespace {

constexpr double too_short_to_sleep = 15e-6;

void sleep_seconds(double seconds) {
    timespec duration{};
    duration.tv_sec = static_cast<time_t>(seconds);
    duration.tv_nsec = static_cast<long>((seconds - static_cast<double>(duration.tv_sec)) * 1e9);
    nanosleep(&duration, nullptr);  // waking early is fine, the caller looks at the clock
}

std::atomic<LongWaitListener> long_wait_listener = nullptr;
std::atomic<double> long_wait_seconds = 0;
/// When the wait was first looked at that this thread is in; infinity: the listener knows of it.
thread_local double looked_at_first = 0;

/// Behind every sleep: where ranks crowd a processor, sleeps take thousands of times as long as they should, so that a
/// number of them says nothing.
void look_at_wait(bool first) {
    const double now = now_seconds();
    if (first) {
        looked_at_first = now;
    }
    const LongWaitListener listener = long_wait_listener.load(std::memory_order_acquire);
    if (listener != nullptr && now - looked_at_first > long_wait_seconds.load(std::memory_order_relaxed)) {
        listener(now - looked_at_first);
        looked_at_first = std::numeric_limits<double>::infinity();
    }
}

}  // namespace

double now_seconds() {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
}

PunctualSleep::PunctualSleep() : slack_before_(-1) {
#ifdef __linux__
    slack_before_ = prctl(PR_GET_TIMERSLACK);
    prctl(PR_SET_TIMERSLACK, 1000UL);
#endif
}

PunctualSleep::~PunctualSleep() {
#ifdef __linux__
    if (slack_before_ > 0) {
        prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(slack_before_));
    }
#endif
}

void rest_until(double seconds, double most_seconds) {
    const double left = std::min(seconds - now_seconds(), most_seconds);
    if (left > too_short_to_sleep) {
        sleep_seconds(left);
    } else {
        sched_yield();
    }
}

int looks_before_yielding(std::size_t ranks) {
    // At some 50 ns each longer than most exchanges inside a machine.
    constexpr int looks = 5000;
    const long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 0 && ranks <= static_cast<std::size_t>(processors) ? looks : 0;
}

void Patience::give_way() {
    constexpr int yields = 20;
    fruitless_ = fruitless_ < std::numeric_limits<int>::max() ? fruitless_ + 1 : fruitless_;
    if (fruitless_ <= yields) {
        sched_yield();
        return;
    }
    sleep_seconds(std::min(fruitless_ - yields, 10) * 1e-5);
    look_at_wait(fruitless_ == yields + 1);
}

void listen_for_long_waits(LongWaitListener listener, double seconds) {
    long_wait_seconds.store(seconds, std::memory_order_relaxed);
    long_wait_listener.store(listener, std::memory_order_release);
}

}  // namespace aapc::mpi
