#include "bench/interruption.hpp"

#include <csignal>

namespace aapc::bench {

namespace {

volatile std::sig_atomic_t noted = 0;

void note(int) { noted = 1; }

}  // namespace

void note_interruptions() {
    std::signal(SIGINT, note);
    std::signal(SIGTERM, note);
}

bool interrupted() { return noted != 0; }

}  // namespace aapc::bench
