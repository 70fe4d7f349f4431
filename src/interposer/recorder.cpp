#include "interposer/recorder.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <new>
#include <utility>

#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"

namespace aapc::interposer {

namespace {

constexpr std::size_t most_members = 1U << 18;  // of all communicators together
constexpr std::size_t most_methods = 1000;
constexpr std::size_t most_noted_exchanges = 10000;

std::string name_of(std::int64_t world_rank, std::int64_t number) { return fmt::format("{}.{}", world_rank, number); }

std::int64_t nanoseconds_of(double seconds) { return static_cast<std::int64_t>(seconds * 1e9); }

}  // namespace

Recorder::Recorder(const Extras& extras, MPI_Group world)
    : world_(world),
      notes_(new (std::nothrow) Note[most_calls]),
      room_(notes_ ? most_calls : 0),
      demands_(world, mpi::ranks_in(MPI_COMM_WORLD)),
      wants_paths_(extras.paths),
      methods_{"native"} {
    if (extras.segments) {
        segments_.emplace(most_segments);
    }
}

bool Recorder::register_key() {
    return demands_.register_key() &&
           PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key_, nullptr) == MPI_SUCCESS;
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

void Recorder::note_lengths(const UnequalCall& call) {
    if (mpi::ranks_in(call.comm) < 2) {
        return;
    }
    const std::uint32_t number = mpi::rank_in(call.comm) == 0 ? communicator_number(call.comm) : no_communicator;
    demands_.note(call, number == no_communicator ? DemandNotes::no_name : name_in_record(number));
}

std::int64_t Recorder::name_in_record(std::uint32_t number) {
    const std::int64_t world_rank = mpi::rank_in(MPI_COMM_WORLD);
    return world_rank << 32 | static_cast<std::int64_t>(number);
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
        kept.members = world_ranks_of(comm, world_);
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
    if (!segments_ && !wants_paths_) {
        return -1;
    }
    std::int64_t name = -1;
    if (mpi::rank_in(comm) == 0) {
        const std::uint32_t number = communicator_number(comm);
        name = number == no_communicator ? -1 : name_in_record(number);
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

void Recorder::note_paths(std::int64_t comm_name, int rank, const mpi::Wire& wire) noexcept {
    static_cast<void>(mpi::have_memory_for([&] {
        const mpi::Wire::LearnedPaths learned = wire.learned_paths();
        const std::lock_guard lock(mutex_);
        if (learned.paths.empty() || paths_kept_ + learned.paths.size() > most_paths) {
            return;
        }
        RecordedPaths kept;
        kept.communicator = name_of(comm_name >> 32, comm_name & 0xffffffff);
        kept.rank = rank;
        kept.over_bound = learned.over_bound;
        for (const mpi::Wire::LearnedPath& path : learned.paths) {
            kept.to.push_back(path.to);
            kept.port.push_back(path.port);
            kept.share.push_back(path.share);
            kept.late.push_back(path.late);
        }
        paths_.push_back(std::move(kept));
        paths_kept_ += learned.paths.size();
    }));
}

/// The lines of this rank. Throws std::bad_alloc.
std::string Recorder::own_text(int world_rank) const {
    std::string text;
    for (std::size_t number = 0; number < communicators_.size(); ++number) {
        RecordedCommunicator communicator = communicators_[number];
        communicator.name = name_of(world_rank, static_cast<std::int64_t>(number));
        append_line(communicator, text);
    }
    append_calls(world_rank, text);
    append_segments(text);
    for (const RecordedPaths& paths : paths_) {
        append_line(paths, text);
    }
    return text;
}

void Recorder::append_calls(int world_rank, std::string& out) const {
    RecordedCall call;
    for (std::size_t index = 0; index < noted(); ++index) {
        const Note& note = notes_[index];
        call.routine = routine_names[static_cast<std::size_t>(note.routine)];
        call.communicator = note.communicator == no_communicator ? "" : name_of(world_rank, note.communicator);
        call.at_seconds = 1e-9 * static_cast<double>(note.start_nanoseconds);
        call.seconds = 1e-9 * static_cast<double>(note.nanoseconds);
        call.waited_seconds.reset();
        if (note.waited_nanoseconds >= 0) {
            call.waited_seconds = 1e-9 * static_cast<double>(note.waited_nanoseconds);
        }
        call.bytes = note.bytes;
        const bool exchanged = note.outcome == Outcome::exchanged;
        call.method = exchanged ? methods_[note.method] : methods_[native];
        call.reason = exchanged ? "" : outcome_texts[static_cast<std::size_t>(note.outcome)];
        call.exchange = note.exchange;
        append_line(call, out);
    }
}

void Recorder::append_segments(std::string& out) const {
    if (!segments_) {
        return;
    }
    std::map<std::uint32_t, RecordedSegments> by_exchange;
    for (const mpi::SegmentLog::Started& started : segments_->started()) {
        RecordedSegments& segments = by_exchange[started.exchange];
        segments.to.push_back(started.to);
        segments.bytes.push_back(started.bytes);
        segments.due.push_back(started.due_seconds);
        segments.late.push_back(started.late_seconds);
    }
    for (auto& [index, segments] : by_exchange) {
        const NotedExchange& exchange = noted_exchanges_[index];
        segments.communicator = name_of(exchange.communicator >> 32, exchange.communicator & 0xffffffff);
        segments.exchange = exchange.number;
        segments.rank = exchange.rank;
        append_line(segments, out);
    }
}

/// Without memory to word them all notes are dropped.
RankRecord::Offer Recorder::offer_of(const std::string& text, bool worded, const Tally::Totals& totals) const {
    RankRecord::Offer offer;
    const auto calls = static_cast<std::int64_t>(noted());
    const auto segments = static_cast<std::int64_t>(segments_ ? segments_->started().size() : 0);
    offer.text_bytes = static_cast<std::int64_t>(text.size());
    offer.calls = worded ? calls : 0;
    offer.segments = worded ? segments : 0;
    offer.dropped_calls = static_cast<std::int64_t>(count_.load()) - offer.calls;
    offer.dropped_segments =
        segments - offer.segments + static_cast<std::int64_t>(segments_ ? segments_->dropped() : 0);
    for (const Tally::Total& total : totals) {
        offer.rank_calls += total.calls;
        offer.rank_nanoseconds += total.nanoseconds;
    }
    offer.waited_nanoseconds = waited_nanoseconds_;
    offer.calls_that_know = calls_that_know_;
    std::array<char, longest_host_name> host{};
    static_cast<void>(mpi::have_memory_for([&] { host_name().copy(host.data(), host.size() - 1); }));
    offer.host = host;
    return offer;
}

void Recorder::write(const std::string& file, RecordHead head, const Tally::Totals& totals) {
    RankRecord own;
    const std::string lengths = demands_.lines();
    const bool worded = mpi::have_memory_for([&] { own.text = own_text(mpi::rank_in(MPI_COMM_WORLD)) + lengths; });
    if (!worded) {
        own.text = std::string();
    }
    own.offer = offer_of(own.text, worded, totals);
    gather_record(file, std::move(head), totals, own);
    demands_.free_key();
    if (key_ != MPI_KEYVAL_INVALID) {
        PMPI_Comm_free_keyval(&key_);
    }
}

}  // namespace aapc::interposer
