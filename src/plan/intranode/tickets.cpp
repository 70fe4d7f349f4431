#include "plan/intranode/tickets.hpp"

namespace aapc::machine {

bool Turns::next_may_start() const {
    if (started_ == turns_.size()) {
        return false;
    }
    const std::uint64_t turn = next_turn();
    // Only this rank can start the next message, so `complete` can only grow up to `turn`.
    return queue_.started.load(std::memory_order_acquire) == turn &&
           turn - queue_.complete.load(std::memory_order_acquire) < ports_;
}

void Turns::start_next() {
    queue_.started.store(next_turn() + 1, std::memory_order_release);
    ++started_;
}

void Turns::complete_oldest() {
    // Release: a rank that starts because of this one sees all writes before it.
    queue_.complete.fetch_add(1, std::memory_order_acq_rel);
    ++complete_;
}

}  // namespace aapc::machine
