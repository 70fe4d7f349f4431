#include "interposer/communicator.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <array>
#include <new>
#include <numeric>
#include <string>
#include <utility>

#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/make_exchange.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/plan/staging.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/blocks.hpp"
#include "mpi/agreement.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/buffers.hpp"

namespace aapc::interposer {

namespace {

using mpi::have_memory_for;
using mpi::rank_in;

bool all_agree(MPI_Comm comm, bool mine) {
    const int here = mine ? 1 : 0;
    int everywhere = 0;
    return PMPI_Allreduce(&here, &everywhere, 1, MPI_INT, MPI_MIN, comm) == MPI_SUCCESS && everywhere == 1;
}

/// Each rank knows its own needs; afterwards all know those of the rank that needs most. Collective.
bool find_largest(MPI_Comm comm, std::vector<BufferedMethod>& needs) {
    bool found = true;
    for (BufferedMethod& need : needs) {
        const std::int64_t mine = need.buffer_blocks;
        found = PMPI_Allreduce(&mine, &need.buffer_blocks, 1, MPI_INT64_T, MPI_MAX, comm) == MPI_SUCCESS && found;
    }
    return found;
}

/// Calls `action` with the rank in `world` of each rank of `comm`, MPI_UNDEFINED where it has none. Takes no memory of
/// ours.
template <class Action>
void for_each_world_rank(MPI_Comm comm, int ranks, MPI_Group world, Action action) {
    constexpr int at_once = 256;
    MPI_Group group = MPI_GROUP_NULL;
    PMPI_Comm_group(comm, &group);
    for (int first = 0; first < ranks; first += at_once) {
        const int count = std::min(at_once, ranks - first);
        std::array<int, at_once> here{};
        std::array<int, at_once> there{};
        std::iota(here.begin(), here.end(), first);
        PMPI_Group_translate_ranks(group, count, here.data(), world, there.data());
        std::for_each_n(there.begin(), count, action);
    }
    PMPI_Group_free(&group);
}

bool is_of_world(MPI_Comm comm, int ranks, MPI_Group world) {
    bool all = true;
    for_each_world_rank(comm, ranks, world, [&all](int world_rank) { all = all && world_rank != MPI_UNDEFINED; });
    return all;
}

/// A failure of ours goes where MPI's own would go.
int raise(MPI_Comm comm, int error) {
    PMPI_Comm_call_errhandler(comm, error);
    return error;
}

}  // namespace

CommunicatorState::CommunicatorState(int ranks)
    : ranks_(ranks), decision_("not looked at yet"), slots_(1), slot_of_range_(1) {}

void CommunicatorState::set_decision(selection::Decision decision) {
    decision_ = std::move(decision);
    slots_.clear();
    slot_of_range_.clear();
    for (const selection::Decision::Range& range : decision_.ranges()) {
        const auto known =
            std::find_if(slots_.begin(), slots_.end(), [&](const Slot& slot) { return slot.method == range.method; });
        slot_of_range_.push_back(static_cast<std::size_t>(known - slots_.begin()));
        if (known == slots_.end()) {
            slots_.push_back({range.method, false, nullptr});
        }
    }
}

void CommunicatorState::leave_to_mpi(Outcome why, std::string reason) {
    why_native_ = why;
    set_decision(selection::Decision(std::move(reason)));
}

CommunicatorState* CommunicatorState::of(MPI_Comm comm, Job& job) {
    if (CommunicatorState* const known = job.find(comm)) {
        return known;
    }
    int is_inter = 0;
    int ranks = 0;
    if (PMPI_Comm_test_inter(comm, &is_inter) != MPI_SUCCESS || PMPI_Comm_size(comm, &ranks) != MPI_SUCCESS) {
        return nullptr;
    }
    // Known without memory: whether there are others to agree with must not depend on it.
    const bool of_our_world = is_inter == 0 && is_of_world(comm, ranks, job.world());
    std::unique_ptr<CommunicatorState> state;
    const bool decided = have_memory_for([&] {
        state.reset(new CommunicatorState(ranks));
        if (of_our_world) {
            state->decide_for(comm, job);
        } else if (is_inter != 0) {
            state->why_native_ = Outcome::intercommunicator;
        } else {
            state->leave_to_mpi(Outcome::other_world, "some ranks belong to another MPI_COMM_WORLD");
        }
    });
    CommunicatorState* const kept = decided ? job.keep(comm, std::move(state)) : nullptr;
    // Ranks of another world may not have this library in them, so there is no asking them; and two ranks are never
    // scheduled.
    if (!of_our_world || ranks < 3) {
        return kept;
    }
    if (!all_agree(comm, kept != nullptr) || !kept->look_at_buffers(comm, job.configuration())) {
        // Nobody keeps anything, so that all ask again at the next call, when there may be memory.
        if (kept != nullptr) {
            job.forget(comm);
        }
        return nullptr;
    }
    kept->introduce(job, comm);
    return kept;
}

void CommunicatorState::decide_for(MPI_Comm comm, const Job& job) {
    placement_.machine_of.reserve(static_cast<std::size_t>(ranks_));
    for_each_world_rank(comm, ranks_, job.world(), [&](int world_rank) {
        placement_.machine_of.push_back(job.machine_of()[static_cast<std::size_t>(world_rank)]);
    });
    network_ = &job.configuration().network;
    shared_memory_ = job.configuration().shared_memory;
    const Bound bound = network_bound(*network_, placement_);
    if (selection::nothing_to_schedule(placement_, bound)) {
        why_native_ = ranks_ < 3 ? Outcome::few_ranks : Outcome::nothing_on_links;
    }
    set_decision(selection::decide(*network_, placement_, bound, job.configuration().forced, job.tuning(), AAPC_MPI));
}

bool CommunicatorState::look_at_buffers(MPI_Comm comm, const selection::Configuration& configuration) {
    const std::optional<std::int64_t> limit = configuration.buffer_limit;
    if (!limit && configuration.verbosity < 1) {
        return true;
    }
    const auto blocks_of = [rank = rank_in(comm)](const Timetable& timetable) {
        return buffer_blocks(make_plan(timetable, rank, Synchronisation::none));
    };
    std::optional<selection::LimitedDecision> limited;
    std::vector<BufferedMethod> needs;
    bool known = have_memory_for([&] {
        if (limit) {
            // What the user insists on has been decided upon; what takes its place is for the rule to say.
            const Bound bound = network_bound(*network_, placement_);
            const selection::Forced rule{std::nullopt, configuration.forced.synchronisation};
            limited = {decision_, selection::decide(*network_, placement_, bound, rule, nullptr, AAPC_MPI)};
        }
        needs = limited ? selection::forwarding_methods(*network_, placement_, *limited, blocks_of)
                        : selection::forwarding_methods(*network_, placement_, decision_, blocks_of);
    });
    if (!all_agree(comm, known)) {
        return false;
    }
    if (needs.empty()) {
        return true;
    }
    // All ranks have the same methods here, in the same order.
    known = find_largest(comm, needs);
    const bool followed = have_memory_for([&] {
        set_decision(limited ? selection::within_limit(*limited, needs, *limit)
                             : selection::with_buffers(decision_, needs));
    });
    return all_agree(comm, known && followed);
}

void CommunicatorState::introduce(const Job& job, MPI_Comm comm) const {
    const int verbosity = job.configuration().verbosity;
    if (verbosity < 1 || rank_in(comm) != 0) {
        return;
    }
    static_cast<void>(have_memory_for([&] {
        say(selection::explain(placement_, decision_));
        if (verbosity >= 2) {
            std::string places;
            for (std::size_t rank = 0; rank < placement_.machine_of.size(); ++rank) {
                places += fmt::format("{}{} on {}", rank == 0 ? "" : ", ", rank,
                                      network_->machine_name(placement_.machine_of[rank]));
            }
            say("its ranks: " + places);
        }
    }));
}

CommunicatorState::Choice CommunicatorState::choose(const Call& call, const Refusals& refusals) {
    Slot& slot = slots_[slot_of_range_[decision_.range_of(call.block_bytes)]];
    if (slot.method.native()) {
        return {nullptr, why_native_};
    }
    if (refusals.refuse(call)) {
        return {nullptr, Outcome::arguments};
    }
    if (!slot.tried) {
        slot.tried = true;
        slot.exchange = make_exchange(call.comm, slot.method);
    }
    return {slot.exchange.get(), slot.exchange ? Outcome::exchanged : Outcome::unavailable};
}

std::unique_ptr<mpi::Exchange> CommunicatorState::make_exchange(MPI_Comm comm, const Method& method) {
    Expected<Prepared> prepared = failure({.problem = mpi::no_memory});
    static_cast<void>(have_memory_for([&] {
        const Bound bound = network_bound(*network_, placement_);
        prepared = prepare(*network_, placement_, bound, method).map_error([&](Diagnostic why) {
            return said_of(method, std::move(why));
        });
    }));
    auto exchange = mpi::make_exchange(comm, prepared, placement_, machine_memory(comm));
    if (!exchange) {
        if (rank_in(comm) == 0) {
            std::string line;
            const bool made = have_memory_for([&] { line = selection::giving_up(to_string(exchange.error())); });
            say(made ? std::string_view(line) : no_memory_to_go_on);
        }
        return nullptr;
    }
    return std::move(*exchange);
}

mpi::MachineMemory* CommunicatorState::machine_memory(MPI_Comm comm) {
    if (!machine_memory_tried_) {
        machine_memory_tried_ = true;
        int error = MPI_SUCCESS;
        {
            const mpi::ReturnedErrors returned(comm);
            error = mpi::MachineMemory::create(comm, placement_, shared_memory_, machine_memory_);
        }
        if (!all_agree(comm, error == MPI_SUCCESS)) {
            machine_memory_.reset();
        }
    }
    return machine_memory_.get();
}

int CommunicatorState::run(mpi::Exchange& exchange, const Call& call) {
    const Block receive_block(call.receive_count, call.receive_type, call.block_bytes,
                              receive_layout_.of(call.receive_type));
    const Block send_block = call.sends_what_it_receives() ? receive_block
                                                           : Block(call.send_count, call.send_type, call.block_bytes,
                                                                   send_layout_.of(call.send_type));
    const auto block_bytes = static_cast<std::size_t>(call.block_bytes);
    const std::size_t all_bytes = block_bytes * static_cast<std::size_t>(ranks_);

    const auto* from = static_cast<const std::byte*>(call.send_buffer);
    if (call.in_place() || !send_block.plain()) {
        std::byte* const packed = packed_send_.at_least(all_bytes);
        if (packed == nullptr) {
            return raise(call.comm, MPI_ERR_NO_MEM);
        }
        const void* const unpacked = call.in_place() ? call.receive_buffer : call.send_buffer;
        if (const int error = send_block.pack(unpacked, ranks_, packed, call.comm); error != MPI_SUCCESS) {
            return error;
        }
        from = packed;
    }
    auto* to = static_cast<std::byte*>(call.receive_buffer);
    if (!receive_block.plain()) {
        to = packed_receive_.at_least(all_bytes);
        if (to == nullptr) {
            return raise(call.comm, MPI_ERR_NO_MEM);
        }
    }
    if (const int error = exchange.run(from, to, block_bytes); error != MPI_SUCCESS) {
        return raise(call.comm, error);
    }
    return receive_block.plain() ? MPI_SUCCESS : receive_block.unpack(to, ranks_, call.receive_buffer, call.comm);
}

std::string CommunicatorState::report() const {
    std::string text;
    for (const Slot& slot : slots_) {
        if (slot.exchange && slot.exchange->plan().rank == 0) {
            const mpi::ExchangeReport& last = slot.exchange->report();
            const Plan& plan = slot.exchange->plan();
            text += fmt::format("{}communicator of {} ranks: {}, {}", text.empty() ? "" : "; ", ranks_,
                                to_string(slot.method), plan.cycle ? "a cycle" : fmt::format("{} phases", plan.phases));
            if (last.pace > 0) {
                text += fmt::format("; last pace {:.3f}, rank 0 late by {:.0f} µs", last.pace, last.late_seconds * 1e6);
            }
        }
    }
    return text;
}

void CommunicatorState::release_exchanges() {
    for (Slot& slot : slots_) {
        slot.exchange.reset();
    }
}

std::byte* CommunicatorState::Scratch::at_least(std::size_t wanted) {
    if (size < wanted) {
        bytes.reset();
        bytes.reset(new (std::nothrow) std::byte[wanted]);
        size = bytes ? wanted : 0;
    }
    return bytes.get();
}

}  // namespace aapc::interposer
