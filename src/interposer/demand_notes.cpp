#include "interposer/demand_notes.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "interposer/traffic.hpp"
#include "learning/digest.hpp"
#include "mpi/gather_lists.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

namespace {

constexpr std::size_t most_names = std::size_t{1} << 20U;  // of all ranks together, 16 MB

}  // namespace

std::vector<std::int32_t> world_ranks_of(MPI_Comm comm, MPI_Group world) {
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
    PMPI_Group_translate_ranks(group, static_cast<int>(ranks), here.data(), world, there.data());
    PMPI_Group_free(&group);
    const bool all = std::find(there.begin(), there.end(), MPI_UNDEFINED) == there.end();
    return all ? there : std::vector<std::int32_t>();
}

namespace {

std::size_t room_for_lengths(std::size_t world_ranks) {
    return std::min(DemandNotes::most_lengths,
                    DemandNotes::most_lengths_together / std::max<std::size_t>(world_ranks, 1));
}

}  // namespace

DemandNotes::DemandNotes(MPI_Group world, int world_ranks)
    : world_(world),
      world_ranks_(static_cast<std::size_t>(world_ranks)),
      room_(room_for_lengths(static_cast<std::size_t>(world_ranks))) {}

std::size_t DemandNotes::period_for(std::size_t ranks, std::size_t world_ranks) {
    constexpr std::size_t rows_like_this = 8;  // that have to fit
    for (const std::size_t period : {12U, 4U, 2U}) {
        if (rows_like_this * period * ranks <= room_for_lengths(world_ranks)) {
            return period;
        }
    }
    return 1;
}

bool DemandNotes::register_key() {
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &key_, nullptr) == MPI_SUCCESS;
}

void DemandNotes::free_key() {
    if (key_ != MPI_KEYVAL_INVALID) {
        PMPI_Comm_free_keyval(&key_);
    }
}

void DemandNotes::note(const UnequalCall& call, std::int64_t name) noexcept {
    static_cast<void>(mpi::have_memory_for([&] {
        const std::lock_guard lock(mutex_);
        if (const std::uint32_t number = number_of(call.comm, name); number != no_number) {
            add(kept_[number], call);
        }
    }));
}

/// The number of the communicator, from 0 on, made at the first call on it. Throws std::bad_alloc.
std::uint32_t DemandNotes::number_of(MPI_Comm comm, std::int64_t name) {
    void* value = nullptr;
    int found = 0;
    if (key_ == MPI_KEYVAL_INVALID ||
        PMPI_Comm_get_attr(comm, key_, static_cast<void*>(&value), &found) != MPI_SUCCESS) {
        return no_number;
    }
    if (found != 0) {
        return *static_cast<const std::uint32_t*>(value);
    }
    if (kept_.size() >= most_communicators) {
        return no_number;
    }
    Kept kept;
    learning::Digest digest;
    const std::vector<std::int32_t> members = world_ranks_of(comm, world_);
    for (const std::int32_t member : members) {
        digest.add(member);
    }
    kept_.reserve(kept_.size() + 1);
    if (!members.empty()) {
        digest.add(with_same_ranks_[digest.value()]++);
        kept.identity = digest.value();
    }
    kept.name = members.empty() ? no_name : name;
    kept.rank = members.empty() ? no_name : mpi::rank_in(comm);
    kept_.push_back(std::move(kept));
    const auto number = static_cast<std::uint32_t>(kept_.size() - 1);
    numbers_[number] = number;
    if (PMPI_Comm_set_attr(comm, key_, &numbers_[number]) != MPI_SUCCESS) {
        kept_.pop_back();
        return no_number;
    }
    return number;
}

/// Throws std::bad_alloc.
void DemandNotes::add(Kept& kept, const UnequalCall& call) {
    const auto ranks = static_cast<std::size_t>(mpi::ranks_in(call.comm));
    auto row =
        std::find_if(kept.rows.begin(), kept.rows.end(), [&](const Row& one) { return one.routine == call.routine; });
    if (row == kept.rows.end()) {
        const std::size_t period = period_for(ranks, world_ranks_);
        if (kept.rank < 0 || period * ranks > room_) {
            return;
        }
        kept.rows.push_back({call.routine, 0, period, std::vector<std::int64_t>(period * ranks)});
        room_ -= period * ranks;
        row = kept.rows.end() - 1;
    }
    const std::size_t phase = static_cast<std::size_t>(row->calls) % row->period;
    ++row->calls;
    const UnequalSide& side = call.in_place() ? call.receive : call.send;
    for (std::size_t peer = 0; peer < ranks; ++peer) {
        if (const std::int64_t count = side.counts[peer]; count != 0) {
            row->bytes[phase * ranks + peer] += count * type_bytes(side.type_of(peer));
        }
    }
}

std::vector<DemandNotes::Name> DemandNotes::own_names() const {
    std::vector<Name> names;
    for (const Kept& kept : kept_) {
        if (kept.name != no_name) {
            names.push_back({kept.identity, kept.name});
        }
    }
    return names;
}

std::string DemandNotes::lines() noexcept {
    const mpi::ReturnedErrors returned(MPI_COMM_WORLD);
    std::vector<Name> own;
    const bool room = mpi::have_memory_for([&] { own = own_names(); });
    mpi::GatheredLists<std::vector<Name>> names;
    const mpi::Agreed gathered =
        names.gather(MPI_COMM_WORLD, room ? &own : nullptr, mpi::GatherTo::all_ranks, most_names);
    std::string text;
    const bool worded = mpi::have_memory_for([&] {
        if (gathered.error == MPI_SUCCESS) {
            append_lines(names.all(), text);
        }
    });
    return worded ? text : std::string();
}

/// Throws std::bad_alloc.
void DemandNotes::append_lines(const std::vector<Name>& names, std::string& out) const {
    for (const Kept& kept : kept_) {
        const auto name =
            std::find_if(names.begin(), names.end(), [&](const Name& one) { return one.identity == kept.identity; });
        if (name == names.end()) {
            continue;
        }
        for (const Row& row : kept.rows) {
            RecordedDemand demand;
            demand.communicator = fmt::format("{}.{}", name->name >> 32, name->name & 0xffffffff);
            demand.routine = name_of(row.routine);
            demand.rank = kept.rank;
            append_lines(row, std::move(demand), out);
        }
    }
}

/// Throws std::bad_alloc.
void DemandNotes::append_lines(const Row& row, RecordedDemand demand, std::string& out) {
    const std::size_t period = row.shortest_period();
    const std::size_t ranks = row.bytes.size() / row.period;
    demand.period = static_cast<std::int64_t>(period);
    for (std::size_t first = 0; first < period; ++first) {
        demand.phase = static_cast<std::int64_t>(first);
        demand.calls = 0;
        std::vector<std::int64_t> sums(ranks);
        for (std::size_t phase = first; phase < row.period; phase += period) {
            demand.calls += row.calls_of(phase);
            for (std::size_t peer = 0; peer < ranks; ++peer) {
                sums[peer] += row.bytes[phase * ranks + peer];
            }
        }
        demand.to.clear();
        demand.bytes.clear();
        for (std::size_t peer = 0; peer < ranks; ++peer) {
            if (sums[peer] != 0) {
                demand.to.push_back(static_cast<std::int32_t>(peer));
                demand.bytes.push_back(sums[peer]);
            }
        }
        append_line(demand, out);
    }
}

std::int64_t DemandNotes::Row::calls_of(std::size_t phase) const {
    const auto of = static_cast<std::int64_t>(period);
    return calls / of + (static_cast<std::int64_t>(phase) < calls % of ? 1 : 0);
}

double DemandNotes::Row::mean(std::size_t phase, std::size_t peer) const {
    return static_cast<double>(bytes[phase * (bytes.size() / period) + peer]) / static_cast<double>(calls_of(phase));
}

std::size_t DemandNotes::Row::shortest_period() const {
    const std::size_t ranks = bytes.size() / period;
    const std::size_t called = std::min(period, static_cast<std::size_t>(calls));
    for (std::size_t shorter = 1; shorter < period; ++shorter) {
        bool same = period % shorter == 0;
        for (std::size_t phase = shorter; same && phase < called; ++phase) {
            for (std::size_t peer = 0; same && peer < ranks; ++peer) {
                same = mean(phase, peer) == mean(phase - shorter, peer);
            }
        }
        if (same) {
            return shorter;
        }
    }
    return period;
}

}  // namespace aapc::interposer
