#include "mpi/windowed.hpp"

#include <algorithm>

#include "mpi/progress.hpp"

namespace aapc::mpi {

WindowedExecution::WindowedExecution(const Transport& transport, const Plan& plan, LocalCopies* copies)
    : transport_(transport),
      plan_(plan),
      copies_(copies),
      block_phases_(std::clamp<Phase>(plan.synchronisation.block_phases, 1, std::max<Phase>(plan.phases, 1))) {
    pending_.reserve(Transport::most_pieces * (plan.sends.size() + plan.receives.size()));
}

int WindowedExecution::run(const Blocks& blocks) {
    Position position;
    while (!at_end(position)) {
        if (const int error = start_block(blocks, position); error != MPI_SUCCESS) {
            return error;
        }
        const int error = advance_until([&] { return pending_.empty(); },
                                        [&](int& progress) {
                                            const int failed = pending_.test(progress);
                                            return failed == MPI_SUCCESS ? advance_copies(copies_, progress) : failed;
                                        });
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

bool WindowedExecution::at_end(const Position& position) const {
    return position.send == plan_.sends.size() && position.receive == plan_.receives.size();
}

Phase WindowedExecution::end_of_block(const Position& position) const {
    Phase first = plan_.phases;
    if (position.send < plan_.sends.size()) {
        first = plan_.sends[position.send].phase;
    }
    if (position.receive < plan_.receives.size()) {
        first = std::min(first, plan_.receives[position.receive].phase);
    }
    return (first / block_phases_ + 1) * block_phases_;
}

int WindowedExecution::start_block(const Blocks& blocks, Position& position) {
    const Phase end = end_of_block(position);
    int error = MPI_SUCCESS;
    for (; error == MPI_SUCCESS && position.receive < plan_.receives.size(); ++position.receive) {
        const Transfer& transfer = plan_.receives[position.receive];
        if (transfer.phase >= end) {
            break;
        }
        error = transport_.receive(blocks.from_rank(transfer.from), blocks.bytes, transfer.from, Tag::data, pending_);
    }
    for (; error == MPI_SUCCESS && position.send < plan_.sends.size(); ++position.send) {
        const Transfer& transfer = plan_.sends[position.send];
        if (transfer.phase >= end) {
            break;
        }
        error = transport_.send(blocks.for_rank(transfer.to), blocks.bytes, transfer.to, Tag::data, pending_);
    }
    return error;
}

}  // namespace aapc::mpi
