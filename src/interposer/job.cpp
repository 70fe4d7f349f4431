#include "interposer/job.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/agreement.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/detection.hpp"
#include "input/environment.hpp"
#include "input/launch_environment.hpp"
#include "input/version.hpp"
#include "interposer/background.hpp"
#include "interposer/blocks.hpp"
#include "interposer/communicator.hpp"
#include "interposer/handshake.hpp"
#include "interposer/job_identity.hpp"
#include "interposer/long_calls.hpp"
#include "interposer/this_mpi.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/places.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

namespace {

/// What a rank tells the others in place of a machine.
constexpr Machine unknown_machine = -1;
constexpr Machine not_able = -2;  ///< something went wrong on that rank

using mpi::have_memory_for;

int world_rank() { return mpi::rank_in(MPI_COMM_WORLD); }

int world_size() { return mpi::ranks_in(MPI_COMM_WORLD); }

/// Whether all ranks say so. Collective over the world.
bool all_can(bool mine) { return mpi::all_agree(MPI_COMM_WORLD, mine); }

/// On rank 0: its settings as they travel, empty without any; it says what is wrong with them.
std::string read_settings() {
    std::string bytes;
    const bool read = have_memory_for([&] {
        const selection::Reading reading = selection::read_settings();
        for (const std::string& remark : reading.remarks) {
            reject(remark);
        }
        if (reading.settings) {
            bytes = selection::encode(*reading.settings);
        }
    });
    if (!read) {
        bytes.clear();
        reject(no_memory_to_go_on);
    }
    return bytes;
}

/// Rank 0's settings on all ranks, or nothing. Collective over the world.
std::optional<selection::Settings> shared_settings() {
    std::string bytes = world_rank() == 0 ? read_settings() : std::string();
    const std::uint64_t length = word_of_rank_0(bytes.size());
    if (length == 0) {
        return std::nullopt;
    }
    std::optional<selection::Settings> settings;
    bool able = all_can(have_memory_for([&] { bytes.resize(length); }));
    if (able) {
        // A topology file has at most 16 MiB, and so has a tuning file.
        PMPI_Bcast(bytes.data(), static_cast<int>(length), MPI_BYTE, 0, MPI_COMM_WORLD);
        able = all_can(have_memory_for([&] { settings = selection::decode(bytes); }));
    }
    if (!able) {
        settings.reset();
        if (world_rank() == 0) {
            reject(no_memory_to_go_on);
        }
    }
    return settings;
}

/// Whether calls can be served with the library of this process; where not, the first process of the job says why.
/// Nothing is asked of the other ranks: they have the same library, and what it takes for a communicator is not known.
bool serves_this_library() {
    bool serves = false;
    const bool could_look = have_memory_for([&] {
        const std::optional<std::string> foreign = foreign_library();
        serves = !foreign;
        if (foreign && launch_environment().speaks()) {
            reject(selection::giving_up(*foreign));
        }
    });
    return serves || !could_look;
}

/// Why a method that the decision names cannot be used, if so.
std::optional<std::string> misfit(const selection::Forced& forced, Timetables& timetables) {
    const Bound bound = network_bound(timetables.network(), timetables.placement());
    const selection::Decision decision = selection::decide(timetables, bound, forced, nullptr, this_mpi().name);
    for (const selection::Decision::Range& range : decision.ranges()) {
        if (range.method.native()) {
            continue;
        }
        if (const auto prepared = prepare(timetables, bound, range.method); !prepared) {
            return to_string(said_of(range.method, prepared.error()));
        }
    }
    return std::nullopt;
}

/// Rank 0 says which host the topology file lacks; collective.
void say_missing_host(const std::string& topology_file, const std::vector<Machine>& machine_of) {
    const auto first = std::find(machine_of.begin(), machine_of.end(), unknown_machine);
    const int rank = static_cast<int>(first - machine_of.begin());
    const auto others = std::count(first, machine_of.end(), unknown_machine) - 1;
    std::array<char, longest_host_name> name{};
    static_cast<void>(have_memory_for([&] { host_name().copy(name.data(), name.size() - 1); }));
    PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, rank, MPI_COMM_WORLD);
    if (world_rank() == 0) {
        reject_with([&] {
            const std::string more = others == 0 ? "" : fmt::format(" (nor are the hosts of {} other ranks)", others);
            return selection::giving_up(
                fmt::format("{}: host '{}' of rank {} is not in it{}; add it to the machines of its switch",
                            topology_file, name.data(), rank, more));
        });
    }
}

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
        job->placement_.machine_of.resize(static_cast<std::size_t>(world_size()));
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
    if (!all_can(machine != not_able)) {
        if (world_rank() == 0) {
            reject_with([] {
                return selection::giving_up(
                    "a rank could not be set up (no memory, or an MPI_Pack that adds to the data)");
            });
        }
    } else {
        std::vector<Machine>& machine_of = job->placement_.machine_of;
        PMPI_Allgather(&machine, 1, MPI_INT32_T, machine_of.data(), 1, MPI_INT32_T, MPI_COMM_WORLD);
        if (*std::min_element(machine_of.begin(), machine_of.end()) == unknown_machine) {
            say_missing_host(settings.topology_file, machine_of);
        } else if (job->tuning_allows_it() && job->forced_method_fits() && job->forced_tickets_can_be_had()) {
            job->learned_.read();
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
    return detected.placement.machine_of[static_cast<std::size_t>(world_rank())];
}

bool Job::forced_method_fits() {
    const selection::Forced& forced = configuration_.forced;
    if (!forced.method && !forced.synchronisation) {
        return true;
    }
    std::optional<std::string> why;
    const bool known = have_memory_for([&] {
        timetables_.emplace(configuration_.network, placement_, configuration_.given_schedule());
        why = misfit(forced, *timetables_);
    });
    if (all_can(known && !why)) {
        return true;
    }
    if (world_rank() == 0) {
        if (why) {
            reject_with([&] { return selection::giving_up(*why); });
        } else {
            reject(no_memory_to_go_on);  // of this rank or of another one, since what else there is all ranks find
        }
    }
    return false;
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

void Job::begin_background() {
    const std::optional<Method>& forced = configuration_.forced.method;
    if (!configuration_.async_progress || (forced && forced->native())) {
        return;
    }
    int provided = MPI_THREAD_SINGLE;
    const bool multiple = PMPI_Query_thread(&provided) == MPI_SUCCESS && provided == MPI_THREAD_MULTIPLE;
    if (!all_can(multiple)) {
        if (world_rank() == 0) {
            reject(
                "AAPC_ASYNC_PROGRESS: a rank has no MPI_THREAD_MULTIPLE; set the variable on all ranks, and use an "
                "MPI that has it; leaving calls that do not block to the MPI");
        }
        return;
    }
    const bool made = have_memory_for([&] { background_ = std::make_unique<Background>(*this); });
    if (!all_can(made) || !all_can(background_->prepare())) {
        background_.reset();
        if (world_rank() == 0) {
            reject(
                "AAPC_ASYNC_PROGRESS: a rank has no memory for it, or MPI gives no communicator; leaving calls that "
                "do not block to the MPI");
        }
    }
}

Shown Job::shown_on_others(const Placement& placement, bool unequal) const {
    const std::lock_guard lock(states_mutex_);
    return learned_.shown(placement, unequal, one_thread_ ? JobLearning::States(states_) : JobLearning::States());
}

Timetables Job::timetables_for(const Placement& placement, Effort effort) {
    const std::lock_guard lock(states_mutex_);
    if (effort == Effort::at_set_up && timetables_ && placement.machine_of == placement_.machine_of) {
        return *std::exchange(timetables_, std::nullopt);
    }
    return {configuration_.network, placement, configuration_.given_schedule(), effort};
}

bool Job::forced_tickets_can_be_had() const {
    const selection::Forced& forced = configuration_.forced;
    const bool by_method = forced.method && uses_tickets(forced.method->synchronisation);
    const bool by_synchronisation = forced.synchronisation && uses_tickets(*forced.synchronisation);
    if (!by_method && !by_synchronisation) {
        return true;
    }
    std::unique_ptr<mpi::MachineMemory> memory;
    bool there = false;
    {
        const mpi::ReturnedErrors returned(MPI_COMM_WORLD);
        const int error = mpi::MachineMemory::create(MPI_COMM_WORLD, placement_, configuration_.shared_memory, memory);
        there = all_can(error == MPI_SUCCESS && memory->available() != SharedMemory::nothing);
    }
    if (!there && world_rank() == 0) {
        reject_with([] {
            return selection::giving_up("the ranks of a machine share no memory for the tickets that are asked for");
        });
    }
    return there;
}

Fingerprint Job::fingerprint(const Placement& placement) const {
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
    int length = 0;
    PMPI_Get_library_version(version.data(), &length);
    return make_fingerprint(configuration_.network, placement, this_mpi().name,
                            std::string_view(version.data(), static_cast<std::size_t>(length)),
                            configuration_.topology_file);
}

bool Job::tuning_is_for_this() const {
    Fingerprint here = fingerprint(placement_);
    here.unequal = configuration_.tuning->fingerprint.unequal;  // there are calls of both kinds
    auto difference = mismatch(*configuration_.tuning, here);
    if (difference) {
        difference->file = configuration_.tuning_file;
        reject(configuration_.only_tuned ? selection::giving_up(to_string(*difference))
                                         : selection::deciding_without_file(to_string(*difference)));
    }
    return !difference;
}

bool Job::tuning_allows_it() {
    if (!configuration_.tuning) {
        return true;
    }
    // Rank 0 judges for all: the MPIs of two hosts may differ in what they say of their version.
    int holds = 1;
    if (world_rank() == 0) {
        holds = 0;
        if (!have_memory_for([&] { holds = tuning_is_for_this() ? 1 : 0; })) {
            reject(configuration_.only_tuned ? no_memory_to_go_on : "no memory is left for the tuning");
        }
    }
    PMPI_Bcast(&holds, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (holds == 0) {
        configuration_.tuning.reset();
    }
    return holds != 0 || !configuration_.only_tuned;
}

bool Job::find_out_refusals() {
    const mpi::ReturnedErrors returned(MPI_COMM_SELF);
    const std::optional<Refusals> found = Refusals::find_out();
    refusals_ = found.value_or(Refusals());
    return found.has_value();
}

bool Job::register_callbacks() {
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Job::communicator_freed, &communicator_key_, this) !=
        MPI_SUCCESS) {
        return false;
    }
    if (PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &left_alone_key_, nullptr) !=
        MPI_SUCCESS) {
        return false;
    }
    // MPI_Finalize begins with MPI_COMM_SELF's attributes, while everything still works.
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Job::world_ends, &self_key_, this) == MPI_SUCCESS &&
           PMPI_Comm_set_attr(MPI_COMM_SELF, self_key_, this) == MPI_SUCCESS &&
           PMPI_Comm_group(MPI_COMM_WORLD, &world_) == MPI_SUCCESS && make_recorder();
}

bool Job::make_recorder() {
    if (configuration_.record.empty()) {
        return true;
    }
    const Recorder::Extras extras{configuration_.record_segments, configuration_.wire == selection::WireUse::tcp};
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
    for (int* const key : {&communicator_key_, &left_alone_key_}) {
        if (*key != MPI_KEYVAL_INVALID) {
            PMPI_Comm_free_keyval(key);
        }
    }
}

CommunicatorState* Job::find(MPI_Comm comm) const {
    void* state = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, communicator_key_, static_cast<void*>(&state), &found);
    return found != 0 ? static_cast<CommunicatorState*>(state) : nullptr;
}

CommunicatorState* Job::keep(MPI_Comm comm, std::unique_ptr<CommunicatorState> state) {
    CommunicatorState* const kept = state.get();
    const bool listed = have_memory_for([&] {
        const std::lock_guard lock(states_mutex_);
        states_.push_back(std::move(state));
    });
    if (!listed) {
        return nullptr;
    }
    if (PMPI_Comm_set_attr(comm, communicator_key_, kept) != MPI_SUCCESS) {
        drop(kept);
        return nullptr;
    }
    return kept;
}

void Job::leave_alone(MPI_Comm comm) {
    count_settled();
    cache_.clear();
    if (CommunicatorState* const state = find(comm)) {
        state->leave_alone();
    } else {
        PMPI_Comm_set_attr(comm, left_alone_key_, this);
    }
}

bool Job::is_left_alone(MPI_Comm comm) const {
    void* value = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, left_alone_key_, static_cast<void*>(&value), &found);
    return found != 0;
}

void Job::count_settled() {
    cache_.count_on([this](MPI_Comm comm, int size_class, std::int64_t calls) {
        if (CommunicatorState* const state = find(comm)) {
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
    if (CommunicatorState* const state = find(comm)) {
        state->complete();
    }
}

void Job::forget(MPI_Comm comm) { PMPI_Comm_delete_attr(comm, communicator_key_); }

int Job::communicator_freed(MPI_Comm, int, void* state, void* job) {
    // A component does not hear of MPI_Comm_free before.
    static_cast<Job*>(job)->count_settled();
    static_cast<Job*>(job)->drop(state);
    return MPI_SUCCESS;
}

void Job::drop(const void* state) {
    cache_.clear();
    std::unique_ptr<CommunicatorState> dropped;
    {
        const std::lock_guard lock(states_mutex_);
        const auto found = std::find_if(states_.begin(), states_.end(),
                                        [state](const auto& candidate) { return candidate.get() == state; });
        if (found != states_.end()) {
            dropped = std::move(*found);
            states_.erase(found);
            learned_.inherit(*dropped);
        }
    }
    if (dropped) {
        dropped->note_paths();
    }
    // Destroyed here, without the lock: giving back an exchange calls MPI.
}

int Job::world_ends(MPI_Comm, int, void*, void* job) {
    if (current_.exchange(nullptr) == job) {
        static_cast<Job*>(job)->finish();
    }
    return MPI_SUCCESS;
}

void Job::report() {
    static_cast<void>(have_memory_for([&] {
        for (const auto& state : states_) {
            for (const std::string& line : state->report()) {
                say(line);
            }
        }
    }));
    learned_.report(states_);
    static_assert(sizeof(Tally::Total) == 3 * sizeof(std::int64_t));
    const Tally::Totals mine = tally_.totals();
    Tally::Totals sums;
    PMPI_Reduce(mine.data(), sums.data(), static_cast<int>(3 * mine.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (world_rank() != 0) {
        return;
    }
    static_cast<void>(have_memory_for([&] {
        for (const std::string& line : describe(sums, world_size())) {
            say(line);
        }
        const CallCounts calls = call_counts(sums);
        say(fmt::format("{} calls exchanged, {} passed through, counted on all {} ranks", calls.exchanged,
                        calls.passed_through, world_size()));
    }));
}

RecordHead Job::record_head() const {
    constexpr std::size_t longest_topology = 1U << 20;
    RecordHead head;
    head.aapc = version();
    head.mpi = this_mpi().name;
    std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> library{};
    int length = 0;
    PMPI_Get_library_version(library.data(), &length);
    head.library = library.data();
    head.library.resize(std::min(head.library.find_first_of("\n\r"), head.library.size()));
    head.program = program_invocation_short_name;
    name_job(head);
    head.seconds = recorder_->seconds();
    head.topology_file = configuration_.topology_file;
    if (configuration_.topology_text.size() <= longest_topology) {
        head.topology_text = configuration_.topology_text;
    }
    if (const auto learned = learned_.summary(states_); learned && learned->budget.calls > 0) {
        head.learned = {learned->budget.calls, learned->budget.seconds, learned->own_seconds};
    }
    return head;
}

void Job::write_record() {
    for (const auto& state : states_) {
        state->note_paths();
    }
    RecordHead head;
    if (world_rank() == 0) {
        static_cast<void>(have_memory_for([&] { head = record_head(); }));
    }
    recorder_->write(configuration_.record, std::move(head), tally_.totals());
}

void Job::finish() {
    count_settled();
    learned_.write(states_);
    for (const auto& state : states_) {
        learned_.remark_on_speeds(*state);
        learned_.explain_choices(*state);
    }
    if (configuration_.verbosity >= 2) {
        report();
    }
    if (recorder_) {
        write_record();
    }
    for (const auto& state : states_) {
        state->release_exchanges();
    }
    refusals_.release();
    PMPI_Group_free(&world_);
    // Attributes that still hang on communicators keep their keys alive.
    PMPI_Comm_free_keyval(&communicator_key_);
    PMPI_Comm_free_keyval(&left_alone_key_);
    PMPI_Comm_free_keyval(&self_key_);
}

}  // namespace aapc::interposer
