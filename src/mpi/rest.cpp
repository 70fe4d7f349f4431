#include "mpi/rest.hpp"

#include <sched.h>
#include <time.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif

#include <algorithm>

namespace aapc::mpi {

namespace {

constexpr double too_short_to_sleep = 15e-6;

void sleep_seconds(double seconds) {
    timespec duration{};
    duration.tv_sec = static_cast<time_t>(seconds);
    duration.tv_nsec = static_cast<long>((seconds - static_cast<double>(duration.tv_sec)) * 1e9);
    nanosleep(&duration, nullptr);  // waking early is fine, the caller looks at the clock
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

void Patience::rest() {
    constexpr int yields = 20;
    ++fruitless_;
    if (fruitless_ <= yields) {
        sched_yield();
    } else {
        sleep_seconds(std::min(fruitless_ - yields, 10) * 1e-5);
    }
}

}  // namespace aapc::mpi
