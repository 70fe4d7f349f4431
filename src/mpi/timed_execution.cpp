#include "mpi/timed_execution.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

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
    /// Starts every segment in its slot, counted from a common start.
    [[nodiscard]] int send_from(double start, double pace);
    /// Starts every segment at its tick, counted from where the cycle stands: `position` seconds after its beginning,
    /// which all ranks see at the same time, at `start`. A cycle takes `period_seconds`.
    [[nodiscard]] int send_on_grid(double start, double position, double period_seconds);
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
    int send_segment(std::int64_t segment, Rank to, double due);

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

int TimedRun::send_segment(std::int64_t segment, Rank to, double due) {
    if (const int error = wait_for_slot(due); error != MPI_SUCCESS) {
        return error;
    }
    return transport_.send(blocks_.for_rank(to) + offset(segment), length(segment), to, Tag::data, sends_);
}

int TimedRun::send_from(double start, double pace) {
    for (std::int64_t segment = 0; segment < cut_.segments; ++segment) {
        for (const Transfer& transfer : plan_.sends) {
            const double due = start + cut_.start_seconds(segment, transfer.phase, plan_.phases) / pace;
            if (const int error = send_segment(segment, transfer.to, due); error != MPI_SUCCESS) {
                return error;
            }
        }
    }
    return MPI_SUCCESS;
}

int TimedRun::send_on_grid(double start, double position, double period_seconds) {
    std::vector<std::pair<double, Rank>> first;  // when the first segment starts, and for whom it is
    first.reserve(plan_.sends.size());
    for (const Transfer& transfer : plan_.sends) {
        const double at = period_seconds * static_cast<double>(transfer.phase) / static_cast<double>(plan_.phases);
        first.emplace_back(start + at - position + (at < position ? period_seconds : 0), transfer.to);
    }
    std::sort(first.begin(), first.end());
    for (std::int64_t segment = 0; segment < cut_.segments; ++segment) {
        for (const auto& [due, to] : first) {
            const int error = send_segment(segment, to, due + static_cast<double>(segment) * period_seconds);
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

/// How long a segment takes on the slowest link.
double slot_seconds(const Segmentation& cut, const Cadence& cadence) {
    return 8 * static_cast<double>(wire_bytes(cut.segment_bytes, cadence.wire)) / cadence.slowest_bits_per_second;
}

double pace_of(const Synchronisation& synchronisation, const PaceController& controller) {
    return synchronisation.pace > 0 ? synchronisation.pace : controller.pace();
}

/// Seconds since the cycle began that is running at `seconds`.
double position_in(double period_seconds, double seconds) {
    const double position = std::fmod(seconds, period_seconds);
    return position < 0 ? position + period_seconds : position;
}

}  // namespace

TimedExecution::TimedExecution(const Transport& transport, const Plan& plan, const ExchangeOptions& options,
                               LocalCopies* copies)
    : transport_(transport),
      plan_(plan),
      copies_(copies),
      cadence_(options.cadence),
      clock_(transport, plan.rank, plan.participants, options.clock_fault) {}

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
    // What a pace is worth depends on the size of the messages: fixed costs weigh more on small ones.
    Size& size =
        sizes_.try_emplace(static_cast<int>(std::bit_width(blocks.bytes)), cadence_.initial_pace).first->second;
    const double slot = slot_seconds(cut, cadence_);
    const bool on_grid = starts_on_grid(size, slot);
    int error = on_grid ? MPI_SUCCESS : start_together(size, slot);
    if (error != MPI_SUCCESS) {
        return error;
    }
    const double start = now_seconds();
    if (on_grid) {
        ++size.on_grid;
        started_last_ = nullptr;
        clock_is_new_ = false;
        report_.agreement_seconds = 0;
        report_.pace = pace_of(plan_.synchronisation, size.controller);
        const double period = cut.tick_seconds * static_cast<double>(plan_.phases) / report_.pace;
        report_.scheduled_seconds = static_cast<double>(cut.segments) * period + cut.drain_seconds;
        error = run.send_on_grid(start, position_in(period, clock_.seconds()), period);
    } else {
        report_.scheduled_seconds = cut.end_seconds(plan_.phases) / report_.pace;
        error = run.send_from(start, report_.pace);
    }
    if (error == MPI_SUCCESS) {
        error = run.drain();
    }
    report_.late_seconds = std::max(0.0, now_seconds() - start - report_.scheduled_seconds);
    return error;
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

/// Without a common start once the pace is found and everybody knows the time, but for two calls in so many: the first
/// of them to meet again, the second to hear how late the first one was. All ranks decide alike: by the calls that they
/// have made together and by what they have told each other.
bool TimedExecution::starts_on_grid(const Size& size, double slot_seconds) const {
    constexpr int least_common_starts = 2;
    constexpr int most_calls_on_grid = 14;
    const bool steady = plan_.synchronisation.pace > 0 || size.controller.steady();
    return plan_.synchronisation.on_grid && common_starts_left_ == 0 && clock_uncertainty_seconds_ <= slot_seconds &&
           steady && size.common_starts >= least_common_starts && size.on_grid < most_calls_on_grid;
}

/// The common start: nobody sends before everybody has posted its receives, and every rank learns how late the last
/// exchange was, so that all choose the same pace.
int TimedExecution::start_together(Size& size, double slot_seconds) {
    const double before = now_seconds();
    Report report{report_.late_seconds, 0};
    if (plan_.synchronisation.on_grid) {
        if (const int error = follow_clock(slot_seconds); error != MPI_SUCCESS) {
            return error;
        }
        report.clock_uncertainty_seconds =
            clock_.consistent() ? clock_.uncertainty_seconds() : std::numeric_limits<double>::infinity();
    }
    const int error = find_maximum(report);
    trust_clock(report.clock_uncertainty_seconds);
    report_.agreement_seconds = now_seconds() - before;
    report_.pace = choose_pace(size, report.late_seconds);
    size.common_starts = size.on_grid > 0 ? 1 : size.common_starts + 1;
    size.on_grid = 0;
    started_last_ = &size;
    return error;
}

/// After a disappointment the grid has to wait, each time longer: a clock that runs away looks well for a while.
void TimedExecution::trust_clock(double uncertainty_seconds) {
    constexpr int longest_patience = 1024;
    clock_uncertainty_seconds_ = uncertainty_seconds;
    if (std::isinf(uncertainty_seconds)) {
        clock_patience_ = std::min(2 * clock_patience_, longest_patience);
        common_starts_left_ = clock_patience_;
    } else {
        common_starts_left_ = std::max(common_starts_left_ - 1, 0);
    }
}

/// Asks again what time it is where calls were on the grid since, or it is not known well.
int TimedExecution::follow_clock(double slot_seconds) {
    if (clock_is_new_ && clock_uncertainty_seconds_ <= slot_seconds) {
        return MPI_SUCCESS;
    }
    clock_is_new_ = true;
    return clock_.follow();
}

double TimedExecution::choose_pace(Size& size, double last_late_seconds) {
    if (started_last_ != nullptr) {
        started_last_->controller.observe(report_.scheduled_seconds, last_late_seconds);
    }
    return pace_of(plan_.synchronisation, size.controller);
}

/// The largest of each value of all ranks, in ⌈log2 P⌉ rounds; nobody leaves before everybody has entered. Not
/// MPI_Allreduce: an MPI that spins in a collective keeps the ranks that it waits for off the processor, and ranks that
/// leave far apart start their slots far apart.
int TimedExecution::find_maximum(Report& report) const {
    for (Rank distance = 1; distance < plan_.participants; distance *= 2) {
        const Rank to = (plan_.rank + distance) % plan_.participants;
        const Rank from = (plan_.rank - distance + plan_.participants) % plan_.participants;
        const Report mine = report;
        Report theirs{};
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
        report.late_seconds = std::max(report.late_seconds, theirs.late_seconds);
        report.clock_uncertainty_seconds = std::max(report.clock_uncertainty_seconds, theirs.clock_uncertainty_seconds);
    }
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
