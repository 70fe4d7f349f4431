#include "mpi/timed_execution.hpp"

#include <algorithm>
#include <bit>

#include "mpi/progress.hpp"

namespace aapc::mpi {

namespace {

/// How many segments of each source are pre-posted. One is on its way, one may come early, one is to spare.
constexpr std::int64_t posted_rounds = 3;

/// The longest sleep while segments are due. What arrives meanwhile waits in the sockets.
constexpr double longest_nap_seconds = 0.3e-3;

/// With less time left until a segment is due no block of this machine is copied: a piece takes about half of it.
constexpr double shortest_time_to_copy = 50e-6;

/// One exchange.
class TimedRun {
  public:
    TimedRun(const Transport& transport, const Plan& plan, const Blocks& blocks, const Segmentation& cut,
             LocalCopies* copies)
        : transport_(transport),
          plan_(plan),
          blocks_(blocks),
          cut_(cut),
          copies_(copies),
          messages_(static_cast<std::int64_t>(plan.receives.size())),
          total_(cut.segments * messages_) {}

    [[nodiscard]] int post_first_receives() { return post_receives(std::min(total_, posted_rounds * messages_)); }
    /// Starts every segment in its slot.
    [[nodiscard]] int send_all(double start, double pace);
    /// Waits for what is still on its way.
    [[nodiscard]] int drain();

  private:
    [[nodiscard]] std::size_t length(std::int64_t segment) const {
        return static_cast<std::size_t>(segment + 1 == cut_.segments ? cut_.last_segment_bytes : cut_.segment_bytes);
    }
    [[nodiscard]] std::size_t offset(std::int64_t segment) const {
        return static_cast<std::size_t>(segment * cut_.segment_bytes);
    }
    int post_receives(std::int64_t until);
    int advance(int& completed);
    int wait_for_slot(double due);

    const Transport& transport_;
    const Plan& plan_;
    const Blocks& blocks_;
    const Segmentation& cut_;
    LocalCopies* copies_;
    std::int64_t messages_;  ///< to be received
    std::int64_t total_;     ///< segments to be received
    Pending receives_;       ///< in the order of the slots
    Pending sends_;
    std::int64_t posted_ = 0;  ///< receives posted, counted in the order of the slots
    std::int64_t received_ = 0;
};

int TimedRun::post_receives(std::int64_t until) {
    for (; posted_ < until; ++posted_) {
        const std::int64_t segment = posted_ / messages_;
        const Rank from = plan_.receives[static_cast<std::size_t>(posted_ % messages_)].from;
        const int error =
            transport_.receive(blocks_.from_rank(from) + offset(segment), length(segment), from, Tag::data, receives_);
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

/// Takes in what has come and posts as many receives again.
int TimedRun::advance(int& completed) {
    int received = 0;
    if (const int error = receives_.test(received); error != MPI_SUCCESS) {
        return error;
    }
    completed += received;
    received_ += received;
    if (const int error = post_receives(std::min(total_, posted_ + received)); error != MPI_SUCCESS) {
        return error;
    }
    return sends_.test(completed);
}

int TimedRun::wait_for_slot(double due) {
    do {
        int completed = 0;
        if (const int error = advance(completed); error != MPI_SUCCESS) {
            return error;
        }
        int copied = 0;
        if (due - now_seconds() > shortest_time_to_copy) {
            if (const int error = advance_copies(copies_, copied); error != MPI_SUCCESS) {
                return error;
            }
        }
        if (copied == 0 && now_seconds() < due) {
            rest_until(due, longest_nap_seconds);
        }
    } while (now_seconds() < due);
    return MPI_SUCCESS;
}

int TimedRun::send_all(double start, double pace) {
    for (std::int64_t segment = 0; segment < cut_.segments; ++segment) {
        for (const Transfer& transfer : plan_.sends) {
            const double due = start + cut_.start_seconds(segment, transfer.phase, plan_.phases) / pace;
            if (const int error = wait_for_slot(due); error != MPI_SUCCESS) {
                return error;
            }
            const int error = transport_.send(blocks_.for_rank(transfer.to) + offset(segment), length(segment),
                                              transfer.to, Tag::data, sends_);
            if (error != MPI_SUCCESS) {
                return error;
            }
        }
    }
    return MPI_SUCCESS;
}

int TimedRun::drain() {
    return advance_until([&] { return received_ == total_ && sends_.empty(); },
                         [&](int& completed) {
                             const int error = advance(completed);
                             return error == MPI_SUCCESS ? advance_copies(copies_, completed) : error;
                         });
}

}  // namespace

int TimedExecution::run(const Blocks& blocks) {
    if (plan_.participants == 1) {
        return MPI_SUCCESS;  // there is no slot whose end could be missed
    }
    // A segment is one piece, so that segments can be counted by their requests.
    const auto longest = static_cast<std::int64_t>(transport_.piece_bytes());
    const Segmentation cut = segment_message(static_cast<std::int64_t>(blocks.bytes), cadence_,
                                             std::min(plan_.synchronisation.segment_bytes, longest));
    const PunctualSleep punctual;
    TimedRun run(transport_, plan_, blocks, cut, copies_);
    if (const int error = run.post_first_receives(); error != MPI_SUCCESS) {
        return error;
    }
    if (const int error = agree_on_pace(blocks.bytes); error != MPI_SUCCESS) {
        return error;
    }
    const double start = now_seconds();
    if (const int error = run.send_all(start, report_.pace); error != MPI_SUCCESS) {
        return error;
    }
    if (const int error = run.drain(); error != MPI_SUCCESS) {
        return error;
    }
    report_.scheduled_seconds = cut.end_seconds(plan_.phases) / report_.pace;
    report_.late_seconds = std::max(0.0, now_seconds() - start - report_.scheduled_seconds);
    return MPI_SUCCESS;
}

double wake_up_lateness_seconds() {
    constexpr int naps = 6;
    constexpr double nap_seconds = 60e-6;
    const PunctualSleep punctual;
    double least = nap_seconds;
    for (int nap = 0; nap < naps; ++nap) {
        const double due = now_seconds() + nap_seconds;
        rest_until(due, nap_seconds);
        least = std::min(least, now_seconds() - due);
    }
    return std::max(least, 0.0);
}

/// The common start: nobody sends before everybody has posted its receives, and every rank learns how late the last
/// exchange was, so that all choose the same pace.
int TimedExecution::agree_on_pace(std::size_t block_bytes) {
    const double before = now_seconds();
    double late = report_.late_seconds;
    const int error = find_maximum(late);
    report_.agreement_seconds = now_seconds() - before;
    report_.pace = choose_pace(block_bytes, late);
    return error;
}

double TimedExecution::choose_pace(std::size_t block_bytes, double last_late_seconds) {
    if (plan_.synchronisation.pace > 0) {
        return plan_.synchronisation.pace;
    }
    if (last_controller_ != nullptr) {
        last_controller_->observe(report_.scheduled_seconds, last_late_seconds);
    }
    // What a pace is worth depends on the size of the messages: fixed costs weigh more on small ones.
    last_controller_ =
        &controllers_.try_emplace(static_cast<int>(std::bit_width(block_bytes)), cadence_.initial_pace).first->second;
    return last_controller_->pace();
}

/// The largest `value` of all ranks, in ⌈log2 P⌉ rounds; nobody leaves before everybody has entered. Not MPI_Allreduce:
/// an MPI that spins in a collective keeps the ranks that it waits for off the processor, and ranks that leave far
/// apart start their slots far apart.
int TimedExecution::find_maximum(double& value) const {
    for (Rank distance = 1; distance < plan_.participants; distance *= 2) {
        const Rank to = (plan_.rank + distance) % plan_.participants;
        const Rank from = (plan_.rank - distance + plan_.participants) % plan_.participants;
        const double mine = value;
        double theirs = 0;
        Pending pending;
        int error =
            transport_.receive(reinterpret_cast<std::byte*>(&theirs), sizeof theirs, from, Tag::agreement, pending);
        if (error == MPI_SUCCESS) {
            error =
                transport_.send(reinterpret_cast<const std::byte*>(&mine), sizeof mine, to, Tag::agreement, pending);
        }
        if (error == MPI_SUCCESS) {
            error =
                advance_until([&] { return pending.empty(); }, [&](int& completed) { return pending.test(completed); });
        }
        if (error != MPI_SUCCESS) {
            return error;
        }
        value = std::max(value, theirs);
    }
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
