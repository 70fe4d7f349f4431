#include "interposer/job.hpp"

#include <fmt/core.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <new>
#include <optional>
#include <string>
#include <utility>

#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/detection.hpp"
#include "input/environment.hpp"
#include "interposer/blocks.hpp"
#include "interposer/communicator.hpp"
#include "mpi/places.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

namespace {

/// What a rank tells the others in place of a machine.
constexpr Machine unknown_machine = -1;
constexpr Machine not_able = -2;  ///< something went wrong on that rank

int world_rank() { return mpi::rank_in(MPI_COMM_WORLD); }

int world_size() { return mpi::ranks_in(MPI_COMM_WORLD); }

/// What was said of settings that are not followed.
std::string& rejected() {
    static std::string remarks;
    return remarks;
}

/// Says so, once and for all who ask.
void reject(const std::string& remark) {
    say(remark);
    rejected() += rejected().empty() ? remark : "; " + remark;
}

/// Rank 0's settings on all ranks, or nothing.
std::optional<selection::Settings> shared_settings() {
    std::string bytes;
    if (world_rank() == 0) {
        const selection::Reading reading = selection::read_settings();
        for (const std::string& remark : reading.remarks) {
            reject(remark);
        }
        if (reading.settings) {
            bytes = selection::encode(*reading.settings);
        }
    }
    std::uint64_t length = bytes.size();
    PMPI_Bcast(&length, sizeof length, MPI_BYTE, 0, MPI_COMM_WORLD);
    if (length == 0) {
        return std::nullopt;
    }
    bytes.resize(length);
    // A topology file has at most 16 MiB, and so has a tuning file.
    PMPI_Bcast(bytes.data(), static_cast<int>(length), MPI_BYTE, 0, MPI_COMM_WORLD);
    return selection::decode(bytes);
}

/// Why a method that the decision names cannot be used, if so.
std::optional<std::string> misfit(const selection::Configuration& configuration, const Placement& placement) {
    const Network& network = configuration.network;
    const Bound bound = network_bound(network, placement);
    const selection::Decision decision =
        selection::decide(network, placement, bound, configuration.forced, nullptr, AAPC_MPI);
    for (const selection::Decision::Range& range : decision.ranges()) {
        if (range.method.native()) {
            continue;
        }
        if (const auto prepared = prepare(network, placement, bound, range.method); !prepared) {
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
    host_name().copy(name.data(), name.size() - 1);
    PMPI_Bcast(name.data(), static_cast<int>(name.size()), MPI_CHAR, rank, MPI_COMM_WORLD);
    if (world_rank() == 0) {
        const std::string more = others == 0 ? "" : fmt::format(" (nor are the hosts of {} other ranks)", others);
        reject(selection::giving_up(
            fmt::format("{}: host '{}' of rank {} is not in it{}; add it to the machines of its switch", topology_file,
                        name.data(), rank, more)));
    }
}

}  // namespace

std::atomic<Job*> Job::current_ = nullptr;

void say(std::string_view line) {
    std::string text = "aapc: ";
    for (const char character : line) {
        const auto byte = static_cast<unsigned char>(character);
        if (byte < 0x20 || byte == 0x7f) {
            text += fmt::format("\\x{:02X}", byte);
        } else {
            text += character;
        }
    }
    text += '\n';
    // One call, so that lines of several processes do not mix.
    if (write(STDERR_FILENO, text.data(), text.size()) < 0) {
        return;  // standard error is closed; the program goes on all the same
    }
}

const char* rejected_settings() { return rejected().empty() ? nullptr : rejected().c_str(); }

Job::Job(selection::Configuration configuration) : configuration_(std::move(configuration)) {
    if (configuration_.verbosity >= 2) {
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
    const std::optional<selection::Settings> settings = shared_settings();
    if (!settings) {
        return;
    }
    // Never destroyed: MPI calls back as late as it likes, and a program may leave without MPI_Finalize.
    static Job* job = nullptr;
    job = make(*settings).release();
    current_.store(job, std::memory_order_release);
}

std::unique_ptr<Job> Job::make(const selection::Settings& settings) {
    // Rank 0 has understood the same text already; a rank that cannot is a rank without memory.
    std::unique_ptr<Job> job;
    Machine machine = not_able;
    const bool detects = asks_for_detection(settings.topology_file);
    const auto places = detects ? mpi::gather_places(MPI_COMM_WORLD) : std::nullopt;
    try {
        if (auto configuration = selection::configure(settings); configuration && detects == places.has_value()) {
            job.reset(new Job(std::move(*configuration)));
            if (packs_plain_bytes() && job->find_out_refusals() && job->register_callbacks()) {
                machine =
                    detects ? job->place_by_detection(*places) : job->configuration_.network.find_machine(host_name());
            }
        }
    } catch (const std::bad_alloc&) {
        machine = not_able;
    }
    std::vector<Machine> machine_of(static_cast<std::size_t>(world_size()));
    PMPI_Allgather(&machine, 1, MPI_INT32_T, machine_of.data(), 1, MPI_INT32_T, MPI_COMM_WORLD);
    const Machine worst = *std::min_element(machine_of.begin(), machine_of.end());
    if (worst >= 0) {
        job->machine_of_ = std::move(machine_of);
        if (job->tuning_allows_it() && job->forced_method_fits() && job->forced_tickets_can_be_had()) {
            return job;
        }
        job->unregister_callbacks();
        return nullptr;
    }
    if (worst == unknown_machine) {
        say_missing_host(settings.topology_file, machine_of);
    } else if (world_rank() == 0) {
        reject(selection::giving_up("a rank could not be set up (no memory, or an MPI_Pack that adds to the data)"));
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

bool Job::forced_method_fits() const {
    const selection::Forced& forced = configuration_.forced;
    if (!forced.method && !forced.synchronisation) {
        return true;
    }
    int fits = 1;
    if (world_rank() == 0) {
        std::optional<std::string> why;
        try {
            why = misfit(configuration_, Placement{machine_of_});
        } catch (const std::bad_alloc&) {
            why = "rank 0 has no memory left";
        }
        if (why) {
            reject(selection::giving_up(*why));
            fits = 0;
        }
    }
    PMPI_Bcast(&fits, 1, MPI_INT, 0, MPI_COMM_WORLD);
    return fits == 1;
}

bool Job::forced_tickets_can_be_had() const {
    const selection::Forced& forced = configuration_.forced;
    const bool by_method = forced.method && uses_tickets(forced.method->synchronisation);
    const bool by_synchronisation = forced.synchronisation && uses_tickets(*forced.synchronisation);
    if (!by_method && !by_synchronisation) {
        return true;
    }
    std::unique_ptr<mpi::MachineMemory> memory;
    int there = 0;
    {
        const mpi::ReturnedErrors returned(MPI_COMM_WORLD);
        const int error =
            mpi::MachineMemory::create(MPI_COMM_WORLD, Placement{machine_of_}, configuration_.shared_memory, memory);
        const int mine = error == MPI_SUCCESS && memory->available() != SharedMemory::nothing ? 1 : 0;
        PMPI_Allreduce(&mine, &there, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD);
    }
    if (there == 0 && world_rank() == 0) {
        reject(selection::giving_up("the ranks of a machine share no memory for the tickets that are asked for"));
    }
    return there != 0;
}

bool Job::tuning_allows_it() {
    if (!configuration_.tuning) {
        return true;
    }
    // Rank 0 judges for all: the MPIs of two hosts may differ in what they say of their version.
    int holds = 1;
    if (world_rank() == 0) {
        std::array<char, MPI_MAX_LIBRARY_VERSION_STRING> version{};
        int length = 0;
        PMPI_Get_library_version(version.data(), &length);
        const Fingerprint here = make_fingerprint(configuration_.network, Placement{machine_of_}, AAPC_MPI,
                                                  std::string_view(version.data(), static_cast<std::size_t>(length)),
                                                  configuration_.topology_file);
        if (auto difference = mismatch(*configuration_.tuning, here)) {
            difference->file = configuration_.tuning_file;
            reject(configuration_.only_tuned ? selection::giving_up(to_string(*difference))
                                             : selection::deciding_without_tuning(to_string(*difference)));
            holds = 0;
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
    // MPI_Finalize begins with MPI_COMM_SELF's attributes, while everything still works.
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Job::world_ends, &self_key_, this) == MPI_SUCCESS &&
           PMPI_Comm_set_attr(MPI_COMM_SELF, self_key_, this) == MPI_SUCCESS &&
           PMPI_Comm_group(MPI_COMM_WORLD, &world_) == MPI_SUCCESS;
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
    if (communicator_key_ != MPI_KEYVAL_INVALID) {
        PMPI_Comm_free_keyval(&communicator_key_);
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
    if (PMPI_Comm_set_attr(comm, communicator_key_, kept) != MPI_SUCCESS) {
        return nullptr;
    }
    const std::lock_guard lock(states_mutex_);
    states_.push_back(std::move(state));
    return kept;
}

int Job::communicator_freed(MPI_Comm, int, void* state, void* job) {
    Job& self = *static_cast<Job*>(job);
    std::unique_ptr<CommunicatorState> freed;
    {
        const std::lock_guard lock(self.states_mutex_);
        const auto found = std::find_if(self.states_.begin(), self.states_.end(),
                                        [state](const auto& candidate) { return candidate.get() == state; });
        if (found != self.states_.end()) {
            freed = std::move(*found);
            self.states_.erase(found);
        }
    }
    // Destroyed here, without the lock: giving back an exchange calls MPI.
    return MPI_SUCCESS;
}

int Job::world_ends(MPI_Comm, int, void*, void* job) {
    if (current_.exchange(nullptr) == job) {
        static_cast<Job*>(job)->finish();
    }
    return MPI_SUCCESS;
}

void Job::report() {
    for (const auto& state : states_) {
        if (const std::string report = state->report(); !report.empty()) {
            say(report);
        }
    }
    static_assert(sizeof(Tally::Total) == 3 * sizeof(std::int64_t));
    const Tally::Totals mine = tally_.totals();
    Tally::Totals sums;
    PMPI_Reduce(mine.data(), sums.data(), static_cast<int>(3 * mine.size()), MPI_INT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (world_rank() != 0) {
        return;
    }
    for (const std::string& line : describe(sums, world_size())) {
        say(line);
    }
    const CallCounts calls = call_counts(sums);
    say(fmt::format("{} calls exchanged, {} passed through, counted on all {} ranks", calls.exchanged,
                    calls.passed_through, world_size()));
}

void Job::finish() {
    if (tally_.measures()) {
        report();
    }
    for (const auto& state : states_) {
        state->release_exchanges();
    }
    refusals_.release();
    PMPI_Group_free(&world_);
    // Attributes that still hang on communicators keep their keys alive.
    PMPI_Comm_free_keyval(&communicator_key_);
    PMPI_Comm_free_keyval(&self_key_);
}

}  // namespace aapc::interposer
