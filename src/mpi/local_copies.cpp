#include "mpi/local_copies.hpp"

#include <algorithm>

#include "intranode/wire_plan.hpp"

namespace aapc::mpi {

namespace {

/// Copied in one go: long enough for the system call not to matter, short enough for no message to wait for it.
constexpr std::size_t piece_bytes = std::size_t{64} << 10;

}  // namespace

LocalCopies::LocalCopies(MachineMemory::Share& share, const Transport& transport, const Plan& plan)
    : share_(share), transport_(transport), own_(plan.rank) {
    for (const Transfer& receive : plan.receives) {
        if (machine::is_on_machine(plan, receive.from)) {
            const auto place = std::lower_bound(share.ranks().begin(), share.ranks().end(), receive.from);
            sources_.push_back({receive.from, static_cast<std::size_t>(place - share.ranks().begin())});
        }
    }
    for (std::vector<Source>* const list : {&left_, &readers_}) {
        list->reserve(sources_.size());
    }
    refused_.reserve(sources_.size());
    messages_.reserve(2 * Transport::most_pieces * sources_.size());
}

void LocalCopies::copy_nothing_more() {
    left_.clear();
    copied_bytes_ = 0;
}

bool LocalCopies::covers(Rank other) const {
    return std::any_of(sources_.begin(), sources_.end(), [&](const Source& source) { return source.rank == other; });
}

void LocalCopies::start(const Blocks& blocks) {
    blocks_ = blocks;
    left_.assign(sources_.rbegin(), sources_.rend());
    if (transport_.trouble().mute) {
        left_.clear();  // there is nowhere to copy to
    }
    readers_ = sources_;
    copied_bytes_ = 0;
    finished_ = false;
    share_.handover().open(blocks.send, transport_.trouble().mute ? 0 : blocks.bytes);
}

int LocalCopies::advance(int& progress) {
    if (complete()) {
        return MPI_SUCCESS;
    }
    copy_piece(progress);
    if (left_.empty() && !finished_) {
        share_.handover().finish();
        finished_ = true;
        ++progress;
    }
    int error = answer_refusals(progress);
    if (error == MPI_SUCCESS) {
        error = receive_refused();
    }
    return error == MPI_SUCCESS ? messages_.test(progress) : error;
}

bool LocalCopies::complete() const { return finished_ && readers_.empty() && refused_.empty() && messages_.empty(); }

void LocalCopies::copy_piece(int& progress) {
    const auto next = std::find_if(left_.rbegin(), left_.rend(),
                                   [&](const Source& source) { return share_.handover().is_open(source.index); });
    if (next == left_.rend()) {
        return;
    }
    // A block once begun is the last one and stays it, for its owner does not close before it is read.
    std::iter_swap(next, left_.rbegin());
    const Source source = left_.back();
    const machine::Cell& cell = share_.handover().cell(source.index);
    if (cell.block_bytes != blocks_.bytes) {
        // It has nothing for this rank, or it has called with blocks of another size.
        transport_.trouble().note(MPI_ERR_TRUNCATE);
        left_.pop_back();
        ++progress;
        return;
    }
    const std::size_t offset = static_cast<std::size_t>(own_) * blocks_.bytes + copied_bytes_;
    const std::size_t bytes = std::min(piece_bytes, blocks_.bytes - copied_bytes_);
    ++progress;
    if (!share_.read(cell.process, cell.send_buffer + offset, blocks_.from_rank(source.rank) + copied_bytes_, bytes)) {
        share_.handover().refuse(source.index);
        refused_.push_back(source.rank);
        copied_bytes_ = blocks_.bytes;
    } else {
        copied_bytes_ += bytes;
    }
    if (copied_bytes_ == blocks_.bytes) {
        left_.pop_back();
        copied_bytes_ = 0;
    }
}

/// Posts receives for the blocks that could not be read.
int LocalCopies::receive_refused() {
    for (; !refused_.empty(); refused_.pop_back()) {
        const Rank from = refused_.back();
        const int error = transport_.receive(blocks_.from_rank(from), blocks_.bytes, from, Tag::local, messages_);
        if (error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

/// Sends their blocks to those that could not read them, and forgets all that need this rank's buffer no more.
int LocalCopies::answer_refusals(int& progress) {
    const machine::Handover& handover = share_.handover();
    for (std::size_t index = readers_.size(); index-- > 0;) {
        const Source reader = readers_[index];
        // In this order: what a reader refuses it refuses before it has finished.
        const bool has_finished = handover.has_finished(reader.index);
        const bool refused = handover.is_refused_by(reader.index);
        if (!has_finished && !refused) {
            continue;
        }
        ++progress;
        readers_.erase(readers_.begin() + static_cast<std::ptrdiff_t>(index));
        if (refused) {
            const int error =
                transport_.send(blocks_.for_rank(reader.rank), blocks_.bytes, reader.rank, Tag::local, messages_);
            if (error != MPI_SUCCESS) {
                return error;
            }
        }
    }
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
