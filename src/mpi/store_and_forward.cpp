#include "mpi/store_and_forward.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/have_memory.hpp"
#include "mpi/progress.hpp"

namespace aapc::mpi {

ForwardingExecution::ForwardingExecution(const Transport& transport, const Plan& plan)
    : transport_(transport), plan_(plan), steps_(steps_of(plan)), messages_(plan_staging(plan)) {
    pending_.reserve(most_requests());
}

std::size_t ForwardingExecution::most_requests() const {
    std::size_t most = 0;
    const auto pieces = [](const std::vector<BlockRun>& runs) { return Transport::most_pieces * count_blocks(runs); };
    for (const PhaseSteps& step : steps_) {
        std::size_t requests = 0;
        for (std::size_t index = step.first_send; index < step.end_of_sends; ++index) {
            requests += pieces(plan_.forwarding->of_send[index]);
        }
        for (std::size_t index = step.first_receive; index < step.end_of_receives; ++index) {
            requests += pieces(plan_.forwarding->of_receive[index]);
        }
        most = std::max(most, requests);
    }
    return most;
}

const std::byte* ForwardingExecution::Memory::readable(const BlockRun& run) const {
    return run.buffer == BlockRun::Buffer::send ? blocks.for_rank(run.first) : writable(run);
}

std::byte* ForwardingExecution::Memory::writable(const BlockRun& run) const {
    return run.buffer == BlockRun::Buffer::transit ? transit + static_cast<std::size_t>(run.first) * blocks.bytes
                                                   : blocks.from_rank(run.first);
}

int ForwardingExecution::run(const Blocks& blocks) {
    const auto transit_blocks = static_cast<std::size_t>(plan_.forwarding->transit_blocks);
    Memory memory{blocks, nullptr, nullptr};
    const bool there = have_memory_for([&] {
        memory.transit = transit_.at_least(transit_blocks * blocks.bytes);
        memory.staging = staging_.at_least(messages_.blocks * blocks.bytes);
    });
    if (!there) {
        transport_.trouble().note(MPI_ERR_NO_MEM);
    }
    Barriers barriers(transport_.communicator(), plan_.phases, phases_between_barriers(plan_.synchronisation));
    for (const PhaseSteps& step : steps_) {
        if (const int error = pass_barriers(barriers, step.phase); error != MPI_SUCCESS) {
            return error;
        }
        if (const int error = run_step(step, memory); error != MPI_SUCCESS) {
            return error;
        }
    }
    return pass_barriers(barriers, plan_.phases - 1);
}

/// Meets the other ranks until messages of `phase` may start.
int ForwardingExecution::pass_barriers(Barriers& barriers, Phase phase) const {
    return advance_until([&] { return phase < barriers.closed_from(); },
                         [&](int& progress) { return barriers.advance(true, progress); });
}

int ForwardingExecution::run_step(const PhaseSteps& step, const Memory& memory) {
    // What did not come cannot be passed on, and nobody must take anything else for it.
    Trouble& trouble = transport_.trouble();
    trouble.mute = trouble.mute || trouble.error != MPI_SUCCESS;
    // Packing comes before the receives are posted: they may write where the packed blocks lie.
    if (!trouble.mute) {
        pack(step, memory);
    }
    if (const int error = start(step, memory); error != MPI_SUCCESS) {
        return error;
    }
    const int error =
        advance_until([&] { return pending_.empty(); }, [&](int& completed) { return pending_.test(completed); });
    if (error == MPI_SUCCESS && !trouble.mute) {
        unpack(step, memory);
    }
    return error;
}

void ForwardingExecution::pack(const PhaseSteps& step, const Memory& memory) const {
    for (std::size_t index = step.first_send; index < step.end_of_sends; ++index) {
        if (messages_.of_send[index] != Staging::in_place) {
            std::byte* to = memory.staged(messages_.of_send[index]);
            for (const BlockRun& run : plan_.forwarding->of_send[index]) {
                const std::size_t length = static_cast<std::size_t>(run.blocks) * memory.blocks.bytes;
                std::memcpy(to, memory.readable(run), length);
                to += length;
            }
        }
    }
}

int ForwardingExecution::start(const PhaseSteps& step, const Memory& memory) {
    int error = MPI_SUCCESS;
    for (std::size_t index = step.first_receive; error == MPI_SUCCESS && index < step.end_of_receives; ++index) {
        const std::vector<BlockRun>& runs = plan_.forwarding->of_receive[index];
        std::byte* const place = messages_.of_receive[index] == Staging::in_place
                                     ? memory.writable(runs.front())
                                     : memory.staged(messages_.of_receive[index]);
        error = transport_.receive(place, count_blocks(runs) * memory.blocks.bytes, plan_.receives[index].from,
                                   Tag::data, pending_);
    }
    for (std::size_t index = step.first_send; error == MPI_SUCCESS && index < step.end_of_sends; ++index) {
        const std::vector<BlockRun>& runs = plan_.forwarding->of_send[index];
        const std::byte* const content = messages_.of_send[index] == Staging::in_place
                                             ? memory.readable(runs.front())
                                             : memory.staged(messages_.of_send[index]);
        error = transport_.send(content, count_blocks(runs) * memory.blocks.bytes, plan_.sends[index].to, Tag::data,
                                pending_);
    }
    return error;
}

void ForwardingExecution::unpack(const PhaseSteps& step, const Memory& memory) const {
    for (std::size_t index = step.first_receive; index < step.end_of_receives; ++index) {
        if (messages_.of_receive[index] != Staging::in_place) {
            const std::byte* from = memory.staged(messages_.of_receive[index]);
            for (const BlockRun& run : plan_.forwarding->of_receive[index]) {
                const std::size_t length = static_cast<std::size_t>(run.blocks) * memory.blocks.bytes;
                std::memcpy(memory.writable(run), from, length);
                from += length;
            }
        }
    }
}

}  // namespace aapc::mpi
