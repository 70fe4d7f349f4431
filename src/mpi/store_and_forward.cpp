#include "mpi/store_and_forward.hpp"

#include <algorithm>
#include <cstring>

#include "mpi/progress.hpp"

namespace aapc::mpi {

namespace {

std::size_t blocks_of(const std::vector<BlockRun>& runs) {
    std::size_t blocks = 0;
    for (const BlockRun& run : runs) {
        blocks += static_cast<std::size_t>(run.blocks);
    }
    return blocks;
}

}  // namespace

ForwardingExecution::ForwardingExecution(const Transport& transport, const Plan& plan)
    : transport_(transport), plan_(plan), messages_(plan_staging(plan)) {
    find_steps();
}

void ForwardingExecution::find_steps() {
    std::size_t send = 0;
    std::size_t receive = 0;
    while (send < plan_.sends.size() || receive < plan_.receives.size()) {
        Step step;
        step.phase = std::min(send < plan_.sends.size() ? plan_.sends[send].phase : plan_.phases,
                              receive < plan_.receives.size() ? plan_.receives[receive].phase : plan_.phases);
        step.first_send = send;
        while (send < plan_.sends.size() && plan_.sends[send].phase == step.phase) {
            ++send;
        }
        step.end_of_sends = send;
        step.first_receive = receive;
        while (receive < plan_.receives.size() && plan_.receives[receive].phase == step.phase) {
            ++receive;
        }
        step.end_of_receives = receive;
        steps_.push_back(step);
    }
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
    const Memory memory{blocks, transit_.at_least(transit_blocks * blocks.bytes),
                        staging_.at_least(messages_.blocks * blocks.bytes)};
    Barriers barriers(transport_.communicator(), plan_.phases, phases_between_barriers(plan_.synchronisation));
    for (const Step& step : steps_) {
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

int ForwardingExecution::run_step(const Step& step, const Memory& memory) const {
    // Packing comes before the receives are posted: they may write where the packed blocks lie.
    pack(step, memory);
    Pending pending;
    if (const int error = start(step, memory, pending); error != MPI_SUCCESS) {
        return error;
    }
    const int error =
        advance_until([&] { return pending.empty(); }, [&](int& completed) { return pending.test(completed); });
    if (error == MPI_SUCCESS) {
        unpack(step, memory);
    }
    return error;
}

void ForwardingExecution::pack(const Step& step, const Memory& memory) const {
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

int ForwardingExecution::start(const Step& step, const Memory& memory, Pending& pending) const {
    int error = MPI_SUCCESS;
    for (std::size_t index = step.first_receive; error == MPI_SUCCESS && index < step.end_of_receives; ++index) {
        const std::vector<BlockRun>& runs = plan_.forwarding->of_receive[index];
        std::byte* const place = messages_.of_receive[index] == Staging::in_place
                                     ? memory.writable(runs.front())
                                     : memory.staged(messages_.of_receive[index]);
        error = transport_.receive(place, blocks_of(runs) * memory.blocks.bytes, plan_.receives[index].from, Tag::data,
                                   pending);
    }
    for (std::size_t index = step.first_send; error == MPI_SUCCESS && index < step.end_of_sends; ++index) {
        const std::vector<BlockRun>& runs = plan_.forwarding->of_send[index];
        const std::byte* const content = messages_.of_send[index] == Staging::in_place
                                             ? memory.readable(runs.front())
                                             : memory.staged(messages_.of_send[index]);
        error =
            transport_.send(content, blocks_of(runs) * memory.blocks.bytes, plan_.sends[index].to, Tag::data, pending);
    }
    return error;
}

void ForwardingExecution::unpack(const Step& step, const Memory& memory) const {
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
