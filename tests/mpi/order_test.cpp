// What the synchronisations promise, seen from outside: this program answers the executor's PMPI calls itself, notes
// when each message starts and is complete, holds some of them up, and compares the notes of all ranks, which share the
// machine's clock.
//
//     order_test [SEED]
//
// Ends with 1 and the first promise that a rank saw broken.
#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <limits>
#include <map>
#include <random>
#include <vector>

#include "aapc/check/schedule.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/offline/synchronise.hpp"
#include "aapc/offline/tabulate.hpp"
#include "aapc/plan/staging.hpp"
#include "mpi/execution.hpp"
#include "mpi/hand_made_plans.hpp"
#include "mpi/rest.hpp"
#include "mpi/resting.hpp"
#include "mpi/transport.hpp"
#include "mpi/watchdog.hpp"
#include "mpi/world_program.hpp"
#include "mpi/worlds.hpp"

namespace {

using namespace aapc;

/// One message at one end. Times in seconds on the machine's clock.
struct Note {
    Rank peer;
    int bytes;
    double started;        ///< or posted
    double completed = 0;  ///< when the executor learnt of it
};

/// What one rank did in one exchange.
struct Notebook {
    std::deque<Note> sends;
    std::deque<Note> receives;
    std::deque<Note> dummy_sends;
    std::deque<Note> dummy_receives;
    int barriers = 0;
    /// Requests on their way. MPIs give one handle to several requests that are complete from the start.
    std::map<MPI_Request, std::deque<Note*>> open;

    void note(std::deque<Note>& list, Rank peer, int bytes, double started, MPI_Request request) {
        list.push_back({peer, bytes, started});
        open[request].push_back(&list.back());
    }
};

Notebook notebook;
std::mt19937_64 delays;

}  // namespace

// In a program, these go before those of the MPI's shared object, whose MPI_ names are the same routines.
extern "C" {

int PMPI_Isend(const void* content, int count, MPI_Datatype type, int to, int tag, MPI_Comm comm,
               MPI_Request* request) {
    if (delays() % 4 == 0) {
        usleep(static_cast<unsigned>(delays() % 500));
    }
    const double started = mpi::now_seconds();
    const int error = MPI_Isend(content, count, type, to, tag, comm, request);
    if (tag == static_cast<int>(mpi::Tag::data)) {
        notebook.note(notebook.sends, to, count, started, *request);
    } else if (tag == static_cast<int>(mpi::Tag::dummy)) {
        notebook.note(notebook.dummy_sends, to, count, started, *request);
    }
    return error;
}

int PMPI_Irecv(void* place, int count, MPI_Datatype type, int from, int tag, MPI_Comm comm, MPI_Request* request) {
    const double posted = mpi::now_seconds();
    const int error = MPI_Irecv(place, count, type, from, tag, comm, request);
    if (tag == static_cast<int>(mpi::Tag::data)) {
        notebook.note(notebook.receives, from, count, posted, *request);
    } else if (tag == static_cast<int>(mpi::Tag::dummy)) {
        notebook.note(notebook.dummy_receives, from, count, posted, *request);
    }
    return error;
}

int PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    const MPI_Request before = *request;
    const int error = MPI_Test(request, flag, status);
    const auto found = notebook.open.find(before);
    if (error == MPI_SUCCESS && *flag != 0 && found != notebook.open.end() && !found->second.empty()) {
        found->second.front()->completed = mpi::now_seconds();
        found->second.pop_front();
    }
    return error;
}

int PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    ++notebook.barriers;
    return MPI_Ibarrier(comm, request);
}
}

namespace {

constexpr double never = std::numeric_limits<double>::infinity();

class Observer {
  public:
    Observer(Rank rank, Rank ranks, std::uint64_t seed) : rank_(rank), ranks_(ranks), seed_(seed) {}

    void observe_world(const test::World& world);
    void observe_forwarding();
    [[nodiscard]] int failures() const { return failures_; }
    [[nodiscard]] int observed() const { return observed_; }

  private:
    void observe(const std::string& name, const Plan& plan, int bytes, const Schedule* schedule);
    void expect_plan_carried_out(const Plan& plan, int bytes);
    void expect_one_after_the_other(const Plan& plan);
    void expect_windows(const Plan& plan);
    void expect_lock_step(const Plan& plan);
    void expect_barriers(const Plan& plan);
    void expect_edges(const Plan& plan, const Schedule& schedule);
    void expect(bool condition, const std::string& what) {
        if (!condition && failures_++ == 0) {
            fmt::print(stderr, "rank {}: {}: {}\nrepeat with {} ranks: order_test {}\n", rank_, name_, what, ranks_,
                       seed_);
        }
    }

    Rank rank_;
    Rank ranks_;
    std::uint64_t seed_;
    std::string name_;
    int failures_ = 0;
    int observed_ = 0;
};

void Observer::expect_plan_carried_out(const Plan& plan, int bytes) {
    const auto same = [&](const std::deque<Note>& notes, const std::vector<Transfer>& transfers, bool sent,
                          const std::vector<std::vector<BlockRun>>* runs) {
        bool equal = notes.size() == transfers.size();
        for (std::size_t index = 0; equal && index < notes.size(); ++index) {
            int blocks = 1;
            if (runs != nullptr) {
                blocks = 0;
                for (const BlockRun& run : (*runs)[index]) {
                    blocks += run.blocks;
                }
            }
            const Rank peer = sent ? transfers[index].to : transfers[index].from;
            equal = notes[index].peer == peer && notes[index].bytes == blocks * bytes && notes[index].completed > 0;
        }
        return equal;
    };
    const bool forwards = plan.forwarding.has_value();
    expect(same(notebook.sends, plan.sends, true, forwards ? &plan.forwarding->of_send : nullptr),
           "not sent what the plan says, in its order");
    expect(same(notebook.receives, plan.receives, false, forwards ? &plan.forwarding->of_receive : nullptr),
           "not received what the plan says, in its order");
    expect(same(notebook.dummy_sends, plan.dummy_sends, true, nullptr), "not the plan's dummy messages sent");
    expect(same(notebook.dummy_receives, plan.dummy_receives, false, nullptr),
           "not the plan's dummy messages received");
}

/// Sends and dummy sends in phase order, each after the one before; all receives posted before the first; dummy
/// messages received one after the other.
void Observer::expect_one_after_the_other(const Plan& plan) {
    std::vector<std::pair<Phase, Note>> sends;
    for (std::size_t index = 0; index < plan.sends.size(); ++index) {
        sends.emplace_back(plan.sends[index].phase, notebook.sends[index]);
    }
    for (std::size_t index = 0; index < plan.dummy_sends.size(); ++index) {
        sends.emplace_back(plan.dummy_sends[index].phase, notebook.dummy_sends[index]);
    }
    std::sort(sends.begin(), sends.end(), [](const auto& one, const auto& other) { return one.first < other.first; });
    for (std::size_t index = 1; index < sends.size(); ++index) {
        expect(sends[index - 1].second.completed <= sends[index].second.started,
               fmt::format("the send of phase {} started before that of phase {} was complete", sends[index].first,
                           sends[index - 1].first));
    }
    for (const Note& receive : notebook.receives) {
        expect(sends.empty() || receive.started <= sends.front().second.started, "a receive was posted late");
    }
    for (std::size_t index = 1; index < notebook.dummy_receives.size(); ++index) {
        expect(notebook.dummy_receives[index - 1].completed <= notebook.dummy_receives[index].started,
               "two dummy messages received at the same time");
    }
}

/// When a rank began and ended something: the first start and the last completion.
struct Span {
    double begin = never;
    double last_start = -never;
    double first_end = never;
    double end = -never;

    void add(const Note& note) {
        begin = std::min(begin, note.started);
        last_start = std::max(last_start, note.started);
        first_end = std::min(first_end, note.completed);
        end = std::max(end, note.completed);
    }
};

/// Own messages by blocks of that many phases.
std::map<Phase, Span> spans(const Plan& plan, Phase block_phases) {
    std::map<Phase, Span> all;
    for (std::size_t index = 0; index < plan.sends.size(); ++index) {
        all[plan.sends[index].phase / block_phases].add(notebook.sends[index]);
    }
    for (std::size_t index = 0; index < plan.receives.size(); ++index) {
        all[plan.receives[index].phase / block_phases].add(notebook.receives[index]);
    }
    return all;
}

void Observer::expect_windows(const Plan& plan) {
    double end_before = -never;
    for (const auto& [block, span] : spans(plan, plan.synchronisation.block_phases)) {
        expect(end_before <= span.begin, fmt::format("block {} began before the one before was complete", block));
        expect(span.last_start <= span.first_end, fmt::format("block {} was not started all at once", block));
        end_before = span.end;
    }
}

/// Step after step, each started all at once.
void Observer::expect_lock_step(const Plan& plan) {
    double end_before = -never;
    for (const PhaseSteps& step : steps_of(plan)) {
        Span span;
        for (std::size_t send = step.first_send; send < step.end_of_sends; ++send) {
            span.add(notebook.sends[send]);
        }
        for (std::size_t receive = step.first_receive; receive < step.end_of_receives; ++receive) {
            span.add(notebook.receives[receive]);
        }
        expect(end_before <= span.begin,
               fmt::format("the step of phase {} began before the one before was complete", step.phase));
        expect(span.last_start <= span.first_end,
               fmt::format("the step of phase {} was not started all at once", step.phase));
        end_before = span.end;
    }
}

/// Nobody starts to send in a block before everybody has sent and received everything of the blocks before.
void Observer::expect_barriers(const Plan& plan) {
    const Phase between = std::min(phases_between_barriers(plan.synchronisation), std::max<Phase>(plan.phases, 1));
    const Phase blocks = (plan.phases + between - 1) / between;
    expect(notebook.barriers == std::max<Phase>(blocks - 1, 0), fmt::format("{} barriers", notebook.barriers));
    std::vector<double> begin(static_cast<std::size_t>(blocks), never);
    std::vector<double> end(static_cast<std::size_t>(blocks), -never);
    for (std::size_t index = 0; index < plan.sends.size(); ++index) {
        double& first = begin[static_cast<std::size_t>(plan.sends[index].phase / between)];
        first = std::min(first, notebook.sends[index].started);
    }
    for (const auto& [block, span] : spans(plan, between)) {
        end[static_cast<std::size_t>(block)] = span.end;
    }
    test::combine(begin.data(), begin.size(), MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD);
    test::combine(end.data(), end.size(), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    for (std::size_t block = 1; block < begin.size(); ++block) {
        expect(*std::max_element(end.begin(), end.begin() + static_cast<std::ptrdiff_t>(block)) <= begin[block],
               fmt::format("a rank went on to block {} before the barrier", block));
    }
}

/// Every message that tokens hold back started after what it waits for.
void Observer::expect_edges(const Plan& plan, const Schedule& schedule) {
    const auto side = static_cast<std::size_t>(ranks_);
    // [from·P + to], each known to one rank only
    std::vector<double> started(side * side, -never);
    std::vector<double> sent(side * side, -never);
    std::vector<double> received(side * side, -never);
    const auto place = [&](const Transfer& transfer) {
        return static_cast<std::size_t>(transfer.from) * side + static_cast<std::size_t>(transfer.to);
    };
    for (std::size_t index = 0; index < plan.sends.size(); ++index) {
        started[place(plan.sends[index])] = notebook.sends[index].started;
        sent[place(plan.sends[index])] = notebook.sends[index].completed;
    }
    for (std::size_t index = 0; index < plan.receives.size(); ++index) {
        received[place(plan.receives[index])] = notebook.receives[index].completed;
    }
    for (std::vector<double>* const times : {&started, &sent, &received}) {
        test::combine(times->data(), times->size(), MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    }
    const bool by_receiver = token_giver(plan.synchronisation) == TokenGiver::receiver;
    const std::vector<double>& complete = by_receiver ? received : sent;
    // Without parameters tokens enforce every order, reduced or not; within blocks those that the reduction left.
    const Reduction reduction = plan.synchronisation.block_phases == 0 ? Reduction::none : Reduction::pair_rule;
    for (const Edge& edge : synchronisation_edges(schedule, plan.synchronisation, reduction)) {
        expect(complete[place(edge.after)] <= started[place(edge.before)],
               fmt::format("{}->{} of phase {} did not wait for {}->{} of phase {}", edge.before.from, edge.before.to,
                           edge.before.phase, edge.after.from, edge.after.to, edge.after.phase));
    }
}

void Observer::observe(const std::string& name, const Plan& plan, int bytes, const Schedule* schedule) {
    name_ = fmt::format("{}, {} bytes", name, bytes);
    ++observed_;
    test::Watchdog::watch(fmt::format("rank {} of {}: {}", rank_, ranks_, name_));
    const mpi::MpiTransport transport(MPI_COMM_WORLD);
    const auto execution = mpi::make_execution(transport, plan, {});
    const auto all = static_cast<std::size_t>(ranks_) * static_cast<std::size_t>(bytes);
    const std::vector<std::byte> send(all);
    std::vector<std::byte> receive(all);
    notebook = Notebook();
    usleep(static_cast<unsigned>(delays() % 2000));
    expect(execution->run({send.data(), receive.data(), static_cast<std::size_t>(bytes)}) == MPI_SUCCESS, "failed");

    const int failures_before = failures_;
    expect_plan_carried_out(plan, bytes);
    int complete_notes = failures_ == failures_before ? 1 : 0;
    test::combine(&complete_notes, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    if (complete_notes == 0) {
        return;  // there is nothing to compare
    }
    if (phases_between_barriers(plan.synchronisation) > 0) {
        expect_barriers(plan);
    } else {
        expect(notebook.barriers == 0, "a barrier that nobody asked for");
    }
    if (plan.forwarding) {
        expect_lock_step(plan);
    } else if (plan.synchronisation.kind == Synchronisation::Kind::window) {
        expect_windows(plan);
    } else {
        expect_one_after_the_other(plan);
    }
    if (uses_edges(plan.synchronisation)) {
        expect_edges(plan, *schedule);
    }
}

void Observer::observe_world(const test::World& world) {
    for (const char* text : {"tree/merged", "tree/paper", "ring/plain", "linear/plain"}) {
        const Method method = *parse_method(text, NetworkKind::tree);
        const auto timetable = build_timetable(*method.algorithm, method.variant, world.network, world.placement);
        const auto schedule = schedule_of_timetable(**timetable, method.algorithm->name.data(), method.variant,
                                                    std::nullopt, world.network, world.placement);
        for (const Synchronisation& synchronisation : test::every_synchronisation({1, 2, 5, all_phases})) {
            if (synchronisation.kind == Synchronisation::Kind::timed ||
                !check_synchronisation_fits(**timetable, synchronisation)) {
                continue;
            }
            const std::string name =
                fmt::format("{}: {}", world.name, to_string(Method{method.algorithm, method.variant, synchronisation}));
            for (const int bytes : {100, 100'000}) {
                observe(name, make_plan(**timetable, rank_, synchronisation), bytes, &*schedule);
            }
        }
    }
}

void Observer::observe_forwarding() {
    for (const char* text : {"none", "window:2", "barrier", "barrier-partial-none:2"}) {
        const Synchronisation synchronisation = *parse_synchronisation(text);
        observe(fmt::format("relay+{}", text), test::relay_plan(rank_, ranks_, synchronisation), 3000, nullptr);
        observe(fmt::format("bundle+{}", text), test::bundle_plan(rank_, ranks_, synchronisation), 3000, nullptr);
    }
}

int test_all(int argc, char** argv) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    const std::uint64_t seed = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1;
    delays.seed(seed * 1000 + static_cast<std::uint64_t>(rank));
    Observer observer(rank, ranks, seed);
    observer.observe_world(test::plain_world(ranks));
    observer.observe_world(test::random_world(ranks, seed));
    observer.observe_forwarding();
    int failures = observer.failures();
    test::Watchdog::watch("the end");
    MPI_Allreduce(MPI_IN_PLACE, &failures, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0) {
        fmt::print("{} ranks, seed {}: {} exchanges observed, {} failures\n", ranks, seed, observer.observed(),
                   failures);
    }
    test::Watchdog::stop();
    return failures == 0 ? 0 : 1;
}

}  // namespace

int main(int argc, char** argv) { return aapc::test::run_in_world("order_test", argc, argv, test_all); }
