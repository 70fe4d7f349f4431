#include "interposer/recorder.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <numeric>

#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"

namespace aapc::interposer {

namespace {

constexpr std::size_t most_members = 1U << 18;  // of all communicators together
constexpr std::size_t most_methods = 1000;
constexpr std::size_t most_noted_exchanges = 10000;

std::int64_t nanoseconds_of(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

}  // namespace

Recorder::Recorder(bool with_segments, MPI_Group world)
    : world_(world), notes_(new (std::nothrow) Note[most_calls]), room_(notes_ ? most_calls : 0), methods_{"native"} {
    if (with_segments) {
        segments_.emplace(most_segments);
    }
}

bool Recorder::register_key() {
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key_, nullptr) == MPI_SUCCESS;
}

void Recorder::note(const Call& call, const Stopwatch& watch) {
    const std::int64_t nanoseconds = watch.nanoseconds();
    const bool knows = call.waited_seconds >= 0;
    const std::int64_t waited = knows ? nanoseconds_of(call.waited_seconds) : -1;
    if (knows) {
        waited_nanoseconds_.fetch_add(waited, std::memory_order_relaxed);
        calls_that_know_.fetch_add(1, std::memory_order_relaxed);
    }
    if (call.comm == MPI_COMM_NULL || mpi::rank_in(call.comm) != 0) {
        return;
    }
    const std::size_t index = count_.fetch_add(1, std::memory_order_relaxed);
    if (index >= room_) {
        return;
    }
    const std::int64_t start = std::chrono::duration_cast<std::chrono::nanoseconds>(watch.start() - begin_).count();
    notes_[index] = {start,         nanoseconds,  waited,       call.bytes, communicator_number(call.comm),
                     call.exchange, call.routine, call.outcome, call.method};
}

std::uint32_t Recorder::communicator_number(MPI_Comm comm) {
    void* value = nullptr;
    int found = 0;
    if (key_ != MPI_KEYVAL_INVALID &&
        PMPI_Comm_get_attr(comm, key_, static_cast<void*>(&value), &found) == MPI_SUCCESS && found != 0) {
        return *static_cast<const std::uint32_t*>(value);
    }
    std::uint32_t number = no_communicator;
    static_cast<void>(mpi::have_memory_for([&] { number = keep_communicator(comm); }));
    return number;
}

/// Throws std::bad_alloc.
std::uint32_t Recorder::keep_communicator(MPI_Comm comm) {
    if (key_ == MPI_KEYVAL_INVALID) {
        return no_communicator;
    }
    const std::lock_guard lock(mutex_);
    if (communicators_.size() >= most_communicators) {
        return no_communicator;
    }
    RecordedCommunicator kept;
    kept.ranks = mpi::ranks_in(comm);
    if (members_kept_ + static_cast<std::size_t>(kept.ranks) <= most_members) {
        kept.members = members_of(comm);
        members_kept_ += kept.members.size();
    }
    communicators_.push_back(std::move(kept));
    const auto number = static_cast<std::uint32_t>(communicators_.size() - 1);
    numbers_[number] = number;
    if (PMPI_Comm_set_attr(comm, key_, &numbers_[number]) != MPI_SUCCESS) {
        communicators_.pop_back();
        return no_communicator;
    }
    return number;
}

/// Empty where a rank is of another world, or of an intercommunicator. Throws std::bad_alloc.
std::vector<std::int32_t> Recorder::members_of(MPI_Comm comm) const {
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    if (is_inter != 0) {
        return {};
    }
    const auto ranks = static_cast<std::size_t>(mpi::ranks_in(comm));
    std::vector<int> here(ranks);
    std::vector<std::int32_t> there(ranks);
    std::iota(here.begin(), here.end(), 0);
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    PMPI_Group_translate_ranks(group, static_cast<int>(ranks), here.data(), world_, there.data());
    PMPI_Group_free(&group);
    const bool all = std::find(there.begin(), there.end(), MPI_UNDEFINED) == there.end();
    return all ? there : std::vector<std::int32_t>();
}

Recorder::MethodNumber Recorder::method_number(const std::string& name) noexcept {
    MethodNumber number = native;
    static_cast<void>(mpi::have_memory_for([&] {
        const std::lock_guard lock(mutex_);
        const auto known = std::find(methods_.begin(), methods_.end(), name);
        if (known == methods_.end() && methods_.size() < most_methods) {
            methods_.push_back(name);
            number = static_cast<MethodNumber>(methods_.size() - 1);
        } else if (known != methods_.end()) {
            number = static_cast<MethodNumber>(known - methods_.begin());
        }
    }));
    return number;
}

std::int64_t Recorder::agree_on_name(MPI_Comm comm) {
    if (!segments_) {
        return -1;
    }
    std::int64_t name = -1;
    if (mpi::rank_in(comm) == 0) {
        const std::uint32_t number = communicator_number(comm);
        const std::int64_t world_rank = mpi::rank_in(MPI_COMM_WORLD);
        name = number == no_communicator ? -1 : world_rank << 32 | static_cast<std::int64_t>(number);
    }
    return PMPI_Bcast(&name, 1, MPI_INT64_T, 0, comm) == MPI_SUCCESS ? name : -1;
}

std::optional<mpi::SegmentLog::Noting> Recorder::note_segments(std::int64_t comm_name, std::uint32_t exchange,
                                                               int rank) {
    std::size_t index = most_noted_exchanges;
    static_cast<void>(mpi::have_memory_for([&] {
        const std::lock_guard lock(mutex_);
        if (noted_exchanges_.size() < most_noted_exchanges) {
            noted_exchanges_.push_back({comm_name, exchange, rank});
            index = noted_exchanges_.size() - 1;
        }
    }));
    return index == most_noted_exchanges
               ? std::optional<mpi::SegmentLog::Noting>()
               : std::optional<mpi::SegmentLog::Noting>(std::in_place, *segments_, static_cast<std::uint32_t>(index));
}

}  // namespace aapc::interposer
