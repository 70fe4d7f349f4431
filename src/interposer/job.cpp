#include "interposer/job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>

#include "aapc/input/units.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/detection.hpp"
#include "input/environment.hpp"
#include "input/version.hpp"
#include "interposer/background.hpp"
#include "interposer/blocks.hpp"
#include "interposer/communicator.hpp"
#include "interposer/job_demands.hpp"
#include "interposer/job_identity.hpp"
#include "interposer/job_settings.hpp"
#include "interposer/long_calls.hpp"
#include "interposer/this_mpi.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/places.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/start.hpp"
#include "selection/wire_use.hpp"

namespace aapc::interposer {

namespace {

/// What a rank tells the others in place of a machine if something went wrong there.
constexpr Machine not_able = unknown_machine - 1;

using mpi::have_memory_for;

}  // namespace

std::atomic<Job*> Job::current_ = nullptr;

Job::Job(selection::Configuration configuration) : configuration_(std::move(configuration)) {
    if (configuration_.verbosity >= 2 || !configuration_.record.empty()) {
        tally_.measure();
    }
}

Job::~Job() = default;

void Job::start() {
    // An MPI_Init that is made of MPI_Init_thread comes by twice.
    static std::atomic_flag started = ATOMIC_FLAG_INIT;
    if (started.test_and_set()) {
        return;
    }
    if (!serves_this_library()) {
        return;
    }
    const std::optional<selection::Settings> settings = shared_settings();
    if (!settings) {
        return;
    }
    say_if_alone();
    // Never destroyed: MPI calls back as late as it likes, and a program may leave without MPI_Finalize.
    static Job* job = nullptr;
    job = make(*settings).release();
    if (job != nullptr) {
        report_long_calls(job->configuration().verbosity >= 1);
    }
    current_.store(job, std::memory_order_release);
}

Machine Job::set_up(const selection::Settings& settings, const std::optional<std::vector<RankPlace>>& places,
                    std::unique_ptr<Job>& job) {
    // Rank 0 has understood the same text already; a rank that cannot is a rank without memory.
    Machine machine = not_able;
    static_cast<void>(have_memory_for([&] {
        auto configuration = selection::configure(settings);
        if (!configuration || asks_for_detection(settings.topology_file) != places.has_value()) {
            return;
        }
        job.reset(new Job(std::move(*configuration)));
        job->placement_.machine_of.resize(static_cast<std::size_t>(mpi::ranks_in(MPI_COMM_WORLD)));
        if (packs_plain_bytes() && job->find_out_refusals() && job->register_callbacks()) {
            machine = places ? job->place_by_detection(*places) : job->configuration_.network.find_machine(host_name());
        }
    }));
    return machine;
}

std::unique_ptr<Job> Job::make(const selection::Settings& settings) {
    const bool detects = asks_for_detection(settings.topology_file);
    const auto places = detects ? mpi::gather_places(MPI_COMM_WORLD) : std::nullopt;
    std::unique_ptr<Job> job;
    const Machine machine = set_up(settings, places, job);
    if (!mpi::all_agree(MPI_COMM_WORLD, machine != not_able)) {
        if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
            reject_with([] {
                return selection::giving_up(
                    "a rank could not be set up (no memory, or an MPI_Pack that adds to the data)");
            });
        }
    } else {
        std::vector<Machine>& machine_of = job->placement_.machine_of;
        PMPI_Allgather(&machine, 1, MPI_INT32_T, machine_of.data(), 1, MPI_INT32_T, MPI_COMM_WORLD);
        selection::Configuration& configuration = job->configuration_;
        if (has_all_hosts(settings.topology_file, machine_of) && tuning_allows_it(configuration, job->placement_) &&
            forced_method_fits(configuration, job->placement_, job->timetables_) &&
            forced_tickets_can_be_had(configuration, job->placement_)) {
            job->learned_.read();
            job->kept_connections_.read(job->learned_.path());
            job->measure_message();
            job->begin_background();
            job->allow_short_cuts();
            return job;
        }
    }
    if (job) {
        job->unregister_callbacks();
    }
    return nullptr;
}

Machine Job::place_by_detection(const std::vector<RankPlace>& places) {
    DetectedNetwork detected = detect_network(places, detection_speed(configuration_.topology_file).value_or(0));
    configuration_.network = std::move(detected.network);
    return detected.placement.machine_of[static_cast<std::size_t>(mpi::rank_in(MPI_COMM_WORLD))];
}

void Job::allow_short_cuts() {
    int provided = MPI_THREAD_MULTIPLE;
    if (PMPI_Query_thread(&provided) == MPI_SUCCESS && provided != MPI_THREAD_MULTIPLE) {
        one_thread_ = true;
        tally_.use_from_one_thread();
        cache_.allow();
    }
    // Whoever asks for something is served, or told, from the first call on.
    const selection::Configuration& asked = configuration_;
    const bool left_to_the_rule = !asked.forced.method && !asked.forced.synchronisation && !asked.tuning;
    if (asked.adapt && left_to_the_rule && asked.verbosity == 0 && !learned_.is_kept() && !recorder_) {
        opening_.allow();
        begins_in_passing_ = asked.unequal == selection::UnequalUse::automatic && !asked.buffer_limit;
    }
}

void Job::measure_message() {
    const int ranks = mpi::ranks_in(MPI_COMM_WORLD);
    const std::optional<Method>& forced = configuration_.forced.method;
    if (ranks < 2 || (forced && forced->native())) {
        return;
    }
    // The fastest of three times three: connections are cold at first, and where other jobs start beside this one most
    // of them are those of an odd moment. One alone takes no time at a rank that is late.
    constexpr int runs = 3;
    constexpr int reductions = 3;
    double seconds = std::numeric_limits<double>::max();
    for (int run = 0; run < runs; ++run) {
        const double begin = mpi::now_seconds();
        for (int count = 0; count < reductions; ++count) {
            double greatest = begin;
            PMPI_Allreduce(MPI_IN_PLACE, &greatest, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
        }
        seconds = std::min(seconds, (mpi::now_seconds() - begin) / reductions);
    }
    // A rank without memory for a bound takes part with what is usual.
    Bound bound;
    if (have_memory_for([&] { bound = network_bound(configuration_.network, placement_); })) {
        message_seconds_ = selection::message_seconds_of(seconds, bound, ranks);
    }
    PMPI_Allreduce(MPI_IN_PLACE, &message_seconds_, 1, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD);
    if (configuration_.verbosity >= 2 && mpi::rank_in(MPI_COMM_WORLD) == 0) {
        static_cast<void>(have_memory_for([&] {
            say(fmt::format("a reduction over {} ranks takes {} here: setting an exchange up is expected to take {}",
                            ranks, duration_text(seconds, significant(2)),
                            duration_text(expected_set_up_seconds(bound, ranks, message_seconds_), significant(2))));
        }));
    }
}

void Job::begin_background() {
    const std::optional<Method>& forced = configuration_.forced.method;
    if (!configuration_.async_progress || (forced && forced->native())) {
        return;
    }
    int provided = MPI_THREAD_SINGLE;
    const bool multiple = PMPI_Query_thread(&provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE;
    if (!mpi::all_agree(MPI_COMM_WORLD, multiple)) {
        if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
            reject(
                "AAPC_ASYNC_PROGRESS: a rank has no MPI_THREAD_MULTIPLE; set the variable on all ranks, and use an "
                "MPI that has it; leaving calls that do not block to the MPI");
        }
        return;
    }
    const bool made = have_memory_for([&] { background_ = std::make_unique<Background>(*this); });
    if (!mpi::all_agree(MPI_COMM_WORLD, made) || !mpi::all_agree(MPI_COMM_WORLD, background_->prepare())) {
        background_.reset();
        if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
            reject(
                "AAPC_ASYNC_PROGRESS: a rank has no memory for it, or MPI gives no communicator; leaving calls that "
                "do not block to the MPI");
        }
    }
}

CallLearning::Before Job::before_learning(const Placement& placement, bool unequal, std::int64_t calls) const {
    return communicators_.locked([&](Communicators::States all) {
        return CallLearning::Before{
            calls, message_seconds_,
            static_cast<double>(placement.participants()) / static_cast<double>(placement_.participants()),
            learned_.before(placement, unequal),
            learned_.shown(placement, unequal, one_thread_ ? all : Communicators::States())};
    });
}

bool Job::learns_from_calls(const Placement& placement) const {
    const bool is_forced = configuration_.forced.method || configuration_.forced.synchronisation;
    const bool is_tuned =
        configuration_.tuning && selection::has_shape(configuration_.network, placement, *configuration_.tuning);
    return configuration_.adapt && !is_forced && !is_tuned && configuration_.unequal != selection::UnequalUse::always;
}

Timetables Job::timetables_for(const Network& network, const Placement& placement, Effort effort) {
    const std::lock_guard lock(timetables_mutex_);
    if (effort == Effort::at_set_up && timetables_ && placement.machine_of == placement_.machine_of) {
        return *std::exchange(timetables_, std::nullopt);
    }
    return {network, placement, configuration_.given_schedule(), effort};
}

bool Job::find_out_refusals() {
    const mpi::ReturnedErrors returned(MPI_COMM_SELF);
    const std::optional<Refusals> found = Refusals::find_out();
    refusals_ = found.value_or(Refusals());
    return found.has_value();
}

bool Job::register_callbacks() {
    // MPI_Finalize begins with MPI_COMM_SELF's attributes, while everything still works.
    return communicators_.register_keys(&Job::communicator_freed, this) &&
           PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Job::world_ends, &self_key_, this) == MPI_SUCCESS &&
           PMPI_Comm_set_attr(MPI_COMM_SELF, self_key_, this) == MPI_SUCCESS &&
           PMPI_Comm_group(MPI_COMM_WORLD, &world_) == MPI_SUCCESS && make_recorder();
}

bool Job::make_recorder() {
    if (configuration_.record.empty()) {
        return true;
    }
    const Recorder::Extras extras{configuration_.record_segments,
                                  selection::wants_wire(configuration_.wire, configuration_.network)};
    recorder_ = std::make_unique<Recorder>(extras, world_);
    return recorder_->register_key();
}

void Job::unregister_callbacks() {
    refusals_.release();
    if (world_ != MPI_GROUP_NULL) {
        PMPI_Group_free(&world_);
    }
    if (self_key_ != MPI_KEYVAL_INVALID) {
        PMPI_Comm_delete_attr(MPI_COMM_SELF, self_key_);
        PMPI_Comm_free_keyval(&self_key_);
    }
    communicators_.free_keys();
}

void Job::leave_alone(MPI_Comm comm) {
    count_settled();
    cache_.clear();
    if (CommunicatorState* const state = communicators_.find(comm)) {
        state->leave_alone();
    } else {
        communicators_.leave_alone(comm);
    }
}

void Job::count_settled() {
    cache_.count_on([this](MPI_Comm comm, int size_class, std::int64_t calls) {
        if (CommunicatorState* const state = communicators_.find(comm)) {
            state->count_settled(size_class, calls);
        }
    });
}

Background* Job::background() const { return background_ && !background_->has_ended() ? background_.get() : nullptr; }

Background* Job::background_or_ended() const { return background_.get(); }

void Job::before_freeing(MPI_Comm comm) {
    count_settled();
    if (Background* const threads = background()) {
        threads->before_freeing(comm);
    }
    if (CommunicatorState* const state = communicators_.find(comm)) {
        state->complete();
    }
}

int Job::communicator_freed(MPI_Comm, int, void* state, void* job) {
    Job& self = *static_cast<Job*>(job);
    // A component does not hear of MPI_Comm_free before.
    self.count_settled();
    self.cache_.clear();
    const auto freed = self.communicators_.take(state, [&self](const CommunicatorState& last) {
        if (!self.finished_) {
            self.learned_.inherit(last);
        }
    });
    if (freed) {
        freed->note_paths();
    }
    return MPI_SUCCESS;
}

int Job::world_ends(MPI_Comm, int, void*, void* job) {
    if (current_.exchange(nullptr) == job) {
        static_cast<Job*>(job)->finish();
    }
    return MPI_SUCCESS;
}

void Job::report() {
    static_cast<void>(have_memory_for([&] {
        for (const auto& state : communicators_.all()) {
            for (const std::string& line : state->report()) {
                say(line);
            }
        }
    }));
    learned_.report(communicators_.all());
    static_assert(sizeof(Tally::Total) == 3 * sizeof(std::int64_t));
    const Tally::Totals mine = tally_.totals();
    Tally::Totals sums;
    PMPI_Reduce(mine.data(), sums.data(), static_cast<int>(3 * mine.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (mpi::rank_in(MPI_COMM_WORLD) != 0) {
        return;
    }
    static_cast<void>(have_memory_for([&] {
        for (const std::string& line : describe(sums, mpi::ranks_in(MPI_COMM_WORLD))) {
            say(line);
        }
        const CallCounts calls = call_counts(sums);
        say(fmt::format("{} calls exchanged, {} passed through, counted on all {} ranks", calls.exchanged,
                        calls.passed_through, mpi::ranks_in(MPI_COMM_WORLD)));
    }));
}

RecordHead Job::record_head() const {
    constexpr std::size_t longest_topology = 1U << 20;
    RecordHead head;
    head.aapc = version();
    head.mpi = this_mpi().name;
    head.library = library_version();
    head.library.resize(std::min(head.library.find_first_of("\n\r"), head.library.size()));
    head.program = program_invocation_short_name;
    name_job(head);
    head.seconds = recorder_->seconds();
    head.topology_file = configuration_.topology_file;
    if (configuration_.topology_text.size() <= longest_topology) {
        head.topology_text = configuration_.topology_text;
    }
    if (const auto learned = learned_.summary(communicators_.all()); learned && learned->budget.calls > 0) {
        head.learned = {learned->budget.calls, learned->budget.seconds, learned->own_seconds};
    }
    return head;
}

void Job::write_record() {
    for (const auto& state : communicators_.all()) {
        state->note_paths();
    }
    RecordHead head;
    if (mpi::rank_in(MPI_COMM_WORLD) == 0) {
        static_cast<void>(have_memory_for([&] { head = record_head(); }));
    }
    recorder_->write(configuration_.record, std::move(head), tally_.totals());
}

void Job::finish() {
    count_settled();
    learned_.write(communicators_.all());
    for (const auto& state : communicators_.all()) {
        learned_.remark_on_speeds(*state);
        learned_.explain_choices(*state);
    }
    if (configuration_.verbosity >= 2) {
        report();
    }
    if (recorder_) {
        write_record();
    }
    const bool at_once = kept_connections_.write(communicators_.all());
    for (const auto& state : communicators_.all()) {
        state->release_exchanges(at_once);
    }
    finished_ = true;
    refusals_.release();
    PMPI_Group_free(&world_);
    communicators_.free_keys();
    PMPI_Comm_free_keyval(&self_key_);
}

}  // namespace aapc::interposer
