#include "aapc/mpi/unequal_exchange.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <optional>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "mpi/agreed_creation.hpp"
#include "mpi/common_start.hpp"
#include "mpi/complaints.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/local_copies.hpp"
#include "mpi/own_communicator.hpp"
#include "mpi/progress.hpp"
#include "mpi/returned_errors.hpp"
#include "mpi/timed_run.hpp"
#include "plan/intranode/wire_plan.hpp"

namespace aapc::mpi {

namespace {

/// How many segments of each source are pre-posted, on average.
constexpr std::int64_t posted_rounds_on_average = 3;

/// For the plan that is made before anybody knows the bound: its times are multiplied then.
constexpr double one_second = 1;

/// The segments of one call. Those of prepare() are for a bound of a second.
class UnequalSegments {
  public:
    UnequalSegments(const UnequalPlan& plan, const MessagePlaces& places, double bound_seconds, Rank participants)
        : plan_(plan), places_(places), bound_seconds_(bound_seconds), participants_(participants) {}

    /// They start at `begin`, at that pace.
    void start(double begin, double pace) {
        begin_ = begin;
        pace_ = pace;
    }

    [[nodiscard]] std::int64_t outgoing() const { return static_cast<std::int64_t>(plan_.sends.size()); }
    [[nodiscard]] OutgoingSegment outgoing_segment(std::int64_t index) const {
        const TimedSegment& segment = plan_.sends[static_cast<std::size_t>(index)];
        return {begin_ + segment.start_seconds * bound_seconds_ / pace_, segment.peer,
                places_.send[static_cast<std::size_t>(segment.peer)] + segment.offset,
                static_cast<std::size_t>(segment.bytes)};
    }
    [[nodiscard]] std::int64_t incoming() const { return static_cast<std::int64_t>(plan_.receives.size()); }
    [[nodiscard]] IncomingSegment incoming(std::int64_t index) const {
        const TimedSegment& segment = plan_.receives[static_cast<std::size_t>(index)];
        return {segment.peer, places_.receive[static_cast<std::size_t>(segment.peer)] + segment.offset,
                static_cast<std::size_t>(segment.bytes)};
    }
    [[nodiscard]] std::int64_t posted() const { return posted_rounds_on_average * participants_; }
    [[nodiscard]] double end_seconds() const {
        const double cycle = plan_.cycle_seconds * bound_seconds_;
        return cycle + std::min(plan_.drain_seconds, cycle);
    }

  private:
    const UnequalPlan& plan_;
    const MessagePlaces& places_;
    double bound_seconds_;
    Rank participants_;
    double begin_ = 0;
    double pace_ = 1;
};

}  // namespace

class UnequalExchange::Parts {
  public:
    /// `wire` may be null.
    Parts(MPI_Comm communicator, Wire* wire, Method own_method, Plan own_plan, const Cadence& known)
        : transport(make_transport(communicator, wire)),
          method(std::move(own_method)),
          plan(std::move(own_plan)),
          cadence(known) {
        if (wire != nullptr && wire->connections() > 1) {
            learn_paths();
        }
        pending.reserve(2);
    }
    Parts(const Parts&) = delete;
    Parts& operator=(const Parts&) = delete;
    ~Parts() = default;

    /// The pace for an exchange whose bound takes that long, after the last one was `late_seconds` late on the rank
    /// that was latest. What a pace is worth depends on how long exchanges last: fixed costs weigh more on short ones.
    double choose_pace(const DemandBound& bound, double late_seconds, bool paths_change);
    /// The common start, in which ranks agree on a pace. Returns an MPI error code or Exchange::declined.
    [[nodiscard]] int start(const DemandBound& bound);

    std::unique_ptr<Transport> transport;
    Method method;
    Plan plan;
    Cadence cadence;
    std::optional<RouteTree> routes;
    std::optional<LocalCopies> copies;  ///< inside the machine, in the place of messages
    UnequalPlan segments;               ///< of the call that is prepared
    TimedRequests requests;
    Pending pending;  ///< for the common start
    ExchangeReport report;

  private:
    /// Cables are filled evenly then, so a cycle need not be longer than that.
    void learn_paths() {
        cadence = with_learned_paths(cadence);
        if (plan.cycle) {
            plan.cycle->seconds_per_byte =
                std::min(plan.cycle->seconds_per_byte, learned_over_bound * plan.cycle->bound_seconds_per_byte);
        }
    }

    PathsInCommon paths_;
    std::array<std::optional<PaceController>, 65> controllers_;  ///< by the number of binary digits of the bound
    PaceController* last_controller_ = nullptr;                  ///< that chose the last exchange's pace
};

double UnequalExchange::Parts::choose_pace(const DemandBound& bound, double late_seconds, bool paths_change) {
    if (plan.synchronisation.pace > 0) {
        return plan.synchronisation.pace;
    }
    if (paths_.last_exchange_tells(paths_change) && last_controller_ != nullptr) {
        // A rank that has no memory left for what it has seen goes at a pace of its own, which costs time alone.
        static_cast<void>(have_memory_for([&] { last_controller_->observe(report.scheduled_seconds, late_seconds); }));
    }
    const auto digits = std::bit_width(static_cast<std::uint64_t>(bound.nanoseconds));
    std::optional<PaceController>& controller = controllers_[static_cast<std::size_t>(digits)];
    if (!controller) {
        controller.emplace(cadence.initial_pace());
    }
    last_controller_ = &*controller;
    return last_controller_->pace();
}

int UnequalExchange::Parts::start(const DemandBound& bound) {
    const double unable = transport->works() ? 0 : 1;
    const double learning = transport->is_learning() ? 1 : 0;
    const double moves = transport->wants_moves() ? 1 : 0;
    std::array<double, 4> largest = {report.late_seconds, unable, learning, moves};
    const double before = now_seconds();
    int error = start_in_common(*transport, plan.rank, plan.participants, largest, pending);
    if (error == MPI_SUCCESS && largest[1] != 0) {
        error = Exchange::declined;
    }
    if (error == MPI_SUCCESS && largest[3] != 0) {
        error = move_connections_in_common(*transport, plan.rank, plan.participants, pending);
    }
    report.agreement_seconds = now_seconds() - before;
    report.pace = choose_pace(bound, largest[0], largest[2] != 0);
    return error;
}

UnequalExchange::UnequalExchange(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

UnequalExchange::~UnequalExchange() {
    const MPI_Comm own = parts_->transport->communicator();
    parts_.reset();
    free_own(own);
}

Expected<std::unique_ptr<UnequalExchange>> UnequalExchange::make(MPI_Comm comm, const Expected<Prepared>& prepared,
                                                                 const Placement& placement, const Network* network,
                                                                 MachineMemory* memory,
                                                                 std::optional<OwnWire> own_wire) {
    const ReturnedErrors returned(comm);
    Plan plan;
    if (auto first = agree_on_plan(comm, prepared, placement, plan)) {
        return failure(std::move(*first));
    }
    // Known to all ranks alike.
    if (!prepared->cadence.known() || plan.forwarding) {
        return failure(
            said_of(prepared->method, {.problem = "it serves equal messages only",
                                       .advice = "unequal ones take an algorithm that forwards nothing, and 'timed'"}));
    }
    Wire* wire = nullptr;
    if (own_wire) {
        const auto opened = open_wire(comm, plan, placement, *own_wire);
        if (!opened) {
            return failure(opened.error());
        }
        wire = *opened;
    }
    MPI_Comm own = MPI_COMM_NULL;
    std::unique_ptr<UnequalExchange> exchange;
    int error = create_own(comm, own);
    if (!have_memory_for([&] {
            const bool copies = memory != nullptr && memory->available() == SharedMemory::tickets_and_copies &&
                                !plan.ranks_of_machine.empty();
            Plan on_wires = copies ? machine::wire_plan(plan) : plan;
            auto parts = std::make_unique<Parts>(own, wire, prepared->method, std::move(on_wires), prepared->cadence);
            if (copies) {
                parts->copies.emplace(memory->share(), *parts->transport, plan);
            }
            if (network != nullptr) {
                parts->routes = route_tree(*network, placement, parts->plan.rank);
            }
            exchange.reset(new UnequalExchange(std::move(parts)));
        })) {
        free_own(own);
        error = MPI_ERR_NO_MEM;
    }
    // One reduction for who failed and for who wakes up latest: each takes several messages one after the other.
    const std::int64_t lateness = nanoseconds(wake_up_lateness_seconds());
    const Agreed agreed = Agreement().agree(comm, {.agrees = error == MPI_SUCCESS, .maxima = {&lateness, 1}});
    if (!agreed.all) {
        auto first = first_complaint_of_mpi(comm, error == MPI_SUCCESS ? agreed.error : error);
        return failure(first ? std::move(*first) : Diagnostic{.problem = no_memory});
    }
    exchange->parts_->cadence = with_slots_for(exchange->parts_->cadence, seconds(agreed.maxima[0]));
    return exchange;
}

WireCounts UnequalExchange::on_the_wire(const MessageBytes& bytes) const {
    return wire_counts(parts_->cadence, parts_->plan.synchronisation.segment_bytes, bytes.sent, bytes.received);
}

void UnequalExchange::prepare(const MessageBytes& bytes) {
    parts_->segments =
        make_unequal_plan(parts_->plan, parts_->cadence, parts_->plan.synchronisation.segment_bytes, one_second,
                          bytes.sent, bytes.received, parts_->routes ? &*parts_->routes : nullptr);
    if (parts_->copies) {
        parts_->copies->make_room_for(bytes);
    }
    // All sends may be under way at a time, but no more receives than are posted.
    parts_->requests.sends.reserve(parts_->segments.sends.size());
    parts_->requests.receives.reserve(
        std::min(parts_->segments.receives.size(),
                 static_cast<std::size_t>(posted_rounds_on_average * parts_->plan.participants)));
}

int UnequalExchange::run(const MessageBytes& bytes, const MessagePlaces& places, const DemandBound& bound) {
    const auto own = static_cast<std::size_t>(parts_->plan.rank);
    if (bytes.sent[own] > 0) {
        std::memcpy(places.receive[own], places.send[own], static_cast<std::size_t>(bytes.sent[own]));
    }
    Transport& transport = *parts_->transport;
    transport.trouble() = {};
    UnequalSegments segments(parts_->segments, places, bound.seconds(), parts_->plan.participants);
    ExchangeReport& report = parts_->report;
    const PunctualSleep punctual;
    LocalCopies* const copies = parts_->copies ? &*parts_->copies : nullptr;
    if (copies != nullptr) {
        copies->start(bytes, places);
    }
    TimedRun run(transport, parts_->requests, copies);
    int error = run.post_first_receives(segments);
    if (error == MPI_SUCCESS) {
        error = parts_->start(bound);
    }
    const double begin = now_seconds();
    segments.start(begin, report.pace);
    run.count_times_from(begin);
    if (error == MPI_SUCCESS) {
        constexpr double to_spare_seconds = 1;
        error = run.send_all(segments, segments.end_seconds() / report.pace + to_spare_seconds);
    }
    if (error == MPI_SUCCESS) {
        error = run.drain(segments);
    }
    if (error == Exchange::declined && copies != nullptr) {
        copies->copy_nothing_more();
    }
    if ((error == MPI_SUCCESS || error == Exchange::declined) && copies != nullptr) {
        const int copied =
            advance_until([&] { return copies->complete(); }, [&](int& progress) { return copies->advance(progress); });
        error = copied != MPI_SUCCESS ? copied : error;
    }
    if (error != MPI_SUCCESS) {
        parts_->requests.receives.give_up();
        parts_->requests.sends.give_up();
        return error;
    }
    report.scheduled_seconds = segments.end_seconds() / report.pace;
    report.late_seconds = std::max(0.0, now_seconds() - begin - report.scheduled_seconds);
    const double over_bound = parts_->plan.cycle ? parts_->plan.cycle->over_bound() : 1;
    transport.end_exchange(report.scheduled_seconds, over_bound / report.pace);
    return transport.trouble().error;
}

int UnequalExchange::measure_start(const MessageBytes& bytes, const MessagePlaces& places, const DemandBound& bound,
                                   double& start_seconds) {
    constexpr int rounds = 3;
    std::array<double, rounds> taken{};
    int error = MPI_SUCCESS;
    for (int round = -1; round < rounds && error == MPI_SUCCESS; ++round) {
        const double start = now_seconds();
        error = run(bytes, places, bound);
        if (round >= 0) {
            taken[static_cast<std::size_t>(round)] = now_seconds() - start - report().scheduled_seconds;
        }
    }
    std::sort(taken.begin(), taken.end());
    const std::int64_t mine = nanoseconds(std::max(taken[rounds / 2], 0.0));
    const Agreed agreed =
        Agreement().agree(parts_->transport->communicator(), {.agrees = error == MPI_SUCCESS, .maxima = {&mine, 1}});
    start_seconds = seconds(agreed.maxima[0]);
    return agreed.error != MPI_SUCCESS ? agreed.error : agreed.all ? MPI_SUCCESS : MPI_ERR_OTHER;
}

const Method& UnequalExchange::method() const { return parts_->method; }

const Plan& UnequalExchange::plan() const { return parts_->plan; }

const ExchangeReport& UnequalExchange::report() const { return parts_->report; }

}  // namespace aapc::mpi
