#include "mpi/timed_execution.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "mpi/common_start.hpp"
#include "mpi/timed_run.hpp"

namespace aapc::mpi {

namespace {

/// How many segments of each source are pre-posted. One is on its way, one may come early, one is to spare.
constexpr std::int64_t posted_rounds = 3;

/// All messages are cut alike, so nothing is written down: every round starts a segment of each.
class EqualSegments {
  public:
    EqualSegments(const Plan& plan, const Blocks& blocks, const Segmentation& cut)
        : plan_(plan), blocks_(blocks), cut_(cut) {}

    [[nodiscard]] std::int64_t outgoing() const { return cut_.segments * sends(); }
    [[nodiscard]] std::int64_t incoming() const { return cut_.segments * receives(); }
    [[nodiscard]] IncomingSegment incoming(std::int64_t index) const {
        const std::int64_t segment = index / receives();
        const Rank from = plan_.receives[static_cast<std::size_t>(index % receives())].from;
        return {from, blocks_.from_rank(from) + offset(segment), length(segment)};
    }
    [[nodiscard]] std::int64_t posted() const { return posted_rounds * receives(); }

  protected:
    [[nodiscard]] const Plan& plan() const { return plan_; }
    [[nodiscard]] const Segmentation& cut() const { return cut_; }
    [[nodiscard]] std::int64_t sends() const { return static_cast<std::int64_t>(plan_.sends.size()); }
    [[nodiscard]] OutgoingSegment to_be_sent(std::int64_t segment, Rank to, double due) const {
        return {due, to, blocks_.for_rank(to) + offset(segment), length(segment)};
    }

  private:
    [[nodiscard]] std::int64_t receives() const { return static_cast<std::int64_t>(plan_.receives.size()); }
    [[nodiscard]] std::size_t length(std::int64_t segment) const {
        return static_cast<std::size_t>(segment + 1 == cut_.segments ? cut_.last_segment_bytes : cut_.segment_bytes);
    }
    [[nodiscard]] std::size_t offset(std::int64_t segment) const {
        return static_cast<std::size_t>(segment * cut_.segment_bytes);
    }

    const Plan& plan_;
    const Blocks& blocks_;
    const Segmentation& cut_;
};

/// Every segment in its slot, counted from a common start.
class SegmentsFromStart : public EqualSegments {
  public:
    SegmentsFromStart(const EqualSegments& segments, double start, double pace)
        : EqualSegments(segments), start_(start), pace_(pace) {}

    [[nodiscard]] OutgoingSegment outgoing_segment(std::int64_t index) const {
        const std::int64_t segment = index / sends();
        const Transfer& transfer = plan().sends[static_cast<std::size_t>(index % sends())];
        return to_be_sent(segment, transfer.to,
                          start_ + cut().start_seconds(segment, transfer.phase, plan().phases) / pace_);
    }

  private:
    double start_;
    double pace_;
};

/// Every segment at its tick, counted from where the cycle stands: `position` seconds after its beginning, which all
/// ranks see at the same time, at `start`. A cycle takes `period_seconds`.
class SegmentsOnGrid : public EqualSegments {
  public:
    /// `first` has room for all sends.
    SegmentsOnGrid(const EqualSegments& segments, double start, double position, double period_seconds,
                   std::vector<std::pair<double, Rank>>& first)
        : EqualSegments(segments), period_seconds_(period_seconds), first_(first) {
        first_.clear();
        for (const Transfer& transfer : plan().sends) {
            const double at = period_seconds * static_cast<double>(transfer.phase) / static_cast<double>(plan().phases);
            first_.emplace_back(start + at - position + (at < position ? period_seconds : 0), transfer.to);
        }
        std::sort(first_.begin(), first_.end());
    }

    [[nodiscard]] OutgoingSegment outgoing_segment(std::int64_t index) const {
        const std::int64_t segment = index / sends();
        const auto& [due, to] = first_[static_cast<std::size_t>(index % sends())];
        return to_be_sent(segment, to, due + static_cast<double>(segment) * period_seconds_);
    }

  private:
    double period_seconds_;
    std::vector<std::pair<double, Rank>>& first_;  ///< when the first segment starts, and for whom it is
};

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
      clock_(transport, plan.rank, plan.participants, options.clock_fault) {
    pending_.reserve(2);
    sizes_.assign(std::numeric_limits<std::size_t>::digits + 1, Size(cadence_.initial_pace()));
    requests_.receives.reserve(static_cast<std::size_t>(posted_rounds) * plan.receives.size());
    requests_.sends.reserve(static_cast<std::size_t>(posted_rounds) * plan.sends.size());
    first_sends_.reserve(plan.sends.size());
}

TimedExecution::Size& TimedExecution::size_of(std::size_t block_bytes) {
    return sizes_[static_cast<std::size_t>(std::bit_width(block_bytes))];
}

int TimedExecution::run(const Blocks& blocks) {
    if (plan_.participants == 1) {
        return MPI_SUCCESS;  // there is no slot whose end could be missed
    }
    // A segment is one piece, so that segments can be counted by their requests.
    const auto longest = static_cast<std::int64_t>(transport_.piece_bytes());
    const Segmentation cut = segment_message(static_cast<std::int64_t>(blocks.bytes), cadence_,
                                             std::min(plan_.synchronisation.segment_bytes, longest));
    const PunctualSleep punctual;
    const EqualSegments segments(plan_, blocks, cut);
    TimedRun run(transport_, requests_, copies_);
    if (const int error = run.post_first_receives(segments); error != MPI_SUCCESS) {
        return error;
    }
    // What a pace is worth depends on the size of the messages: fixed costs weigh more on small ones.
    Size& size = size_of(blocks.bytes);
    const double slot = slot_seconds(cut, cadence_);
    const bool on_grid = starts_on_grid(size, slot);
    int error = on_grid ? MPI_SUCCESS : start_together(size, slot, blocks.bytes);
    if (error != MPI_SUCCESS) {
        requests_.receives.give_up();
        return error;
    }
    const double start = now_seconds();
    run.count_times_from(on_grid ? start - clock_.seconds() : start);
    if (on_grid) {
        ++size.on_grid;
        started_last_ = nullptr;
        clock_is_new_ = false;
        report_.agreement_seconds = 0;
        report_.pace = pace_of(plan_.synchronisation, size.controller);
        const double period = cut.tick_seconds * static_cast<double>(plan_.phases) / report_.pace;
        report_.scheduled_seconds = static_cast<double>(cut.segments) * period + cut.drain_seconds;
        error =
            run.send_all(SegmentsOnGrid(segments, start, position_in(period, clock_.seconds()), period, first_sends_),
                         report_.scheduled_seconds + period);
    } else {
        report_.scheduled_seconds = cut.end_seconds(plan_.phases) / report_.pace;
        error = run.send_all(SegmentsFromStart(segments, start, report_.pace), report_.scheduled_seconds);
    }
    if (error == MPI_SUCCESS) {
        error = run.drain(segments);
    }
    report_.late_seconds = std::max(0.0, now_seconds() - start - report_.scheduled_seconds);
    transport_.end_exchange(report_.scheduled_seconds, cadence_.cycle_over_bound / report_.pace);
    return error;
}

/// Without a common start once the pace is found and everybody knows the time, but for two calls in so many: the first
/// of them to meet again, the second to hear how late the first one was. All ranks decide alike: by the calls that they
/// have made together and by what they have told each other.
bool TimedExecution::starts_on_grid(const Size& size, double slot_seconds) const {
    constexpr int least_common_starts = 2;
    constexpr int most_calls_on_grid = 14;
    const bool steady = plan_.synchronisation.pace > 0 || size.controller.steady();
    return plan_.synchronisation.on_grid && !paths_.change() && common_starts_left_ == 0 &&
           clock_uncertainty_seconds_ <= slot_seconds && steady && size.common_starts >= least_common_starts &&
           size.on_grid < most_calls_on_grid;
}

/// The common start: nobody sends before everybody has posted its receives, and every rank learns how late the last
/// exchange was, so that all choose the same pace.
int TimedExecution::start_together(Size& size, double slot_seconds, std::size_t block_bytes) {
    const double before = now_seconds();
    double uncertainty = 0;
    if (plan_.synchronisation.on_grid) {
        if (const int error = follow_clock(slot_seconds); error != MPI_SUCCESS) {
            return error;
        }
        uncertainty = clock_.consistent() ? clock_.uncertainty_seconds() : std::numeric_limits<double>::infinity();
    }
    // Nobody has sent anything yet: where a rank cannot take part, or blocks are not of one size, all decline alike.
    const auto bytes = static_cast<double>(block_bytes);
    const double unable = transport_.trouble().mute || !transport_.works() ? 1 : 0;
    const double learning = transport_.is_learning() ? 1 : 0;
    const double moves = transport_.wants_moves() ? 1 : 0;
    std::array<double, most_common_values> largest = {
        report_.late_seconds, uncertainty, unable, bytes, -bytes, learning, moves};
    int error = start_in_common(transport_, plan_.rank, plan_.participants, largest, pending_);
    if (error == MPI_SUCCESS && largest[2] == 0 && largest[6] != 0) {
        error = move_connections_in_common(transport_, plan_.rank, plan_.participants, pending_);
    }
    if (error == MPI_SUCCESS && (largest[2] != 0 || largest[3] != -largest[4])) {
        error = Exchange::declined;
    }
    trust_clock(largest[1]);
    report_.agreement_seconds = now_seconds() - before;
    report_.pace = choose_pace(size, largest[0], largest[5] != 0);
    size.common_starts = size.on_grid > 0 ? 1 : size.common_starts + 1;
    size.on_grid = 0;
    started_last_ = error == MPI_SUCCESS ? &size : nullptr;
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

double TimedExecution::choose_pace(Size& size, double last_late_seconds, bool paths_change) {
    if (paths_.last_exchange_tells(paths_change) && started_last_ != nullptr) {
        started_last_->controller.observe(report_.scheduled_seconds, last_late_seconds);
    }
    return pace_of(plan_.synchronisation, size.controller);
}

}  // namespace aapc::mpi
