/// @file
/// What src/mpi/rest.cpp is on a machine, in simulated time: the executor's clock and its ways of waiting.
#include "mpi/rest.hpp"

#include <algorithm>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Engine.hpp>

#include "waiting.hpp"

namespace aapc::mpi {

namespace {

/// The simulation's clock does not move for less.
constexpr double shortest_sleep_seconds = 1e-8;

}  // namespace

double now_seconds() { return simgrid::s4u::Engine::get_clock(); }

// A simulated sleep ends on time.
PunctualSleep::PunctualSleep() : slack_before_(-1) {}
PunctualSleep::~PunctualSleep() { static_cast<void>(slack_before_); }

void rest_until(double seconds, double most_seconds) {
    const double left = std::min(seconds - now_seconds(), most_seconds);
    if (left > 0) {
        simgrid::s4u::this_actor::sleep_for(std::max(left, shortest_sleep_seconds));
    }
}

int looks_before_yielding(std::size_t) { return 0; }

void Patience::give_way() {
    ++fruitless_;
    simulation::wait_for_a_tested_request();
}

}  // namespace aapc::mpi
