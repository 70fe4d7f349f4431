#include "mpi/local_copies.hpp"

#include <algorithm>
#include <iterator>

#include "plan/intranode/wire_plan.hpp"

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
    if (const auto& order = share.order_of_reading(); !order.empty()) {
        const auto turn = [&](const Source& source) { return std::find(order.begin(), order.end(), source.index); };
        std::stable_sort(sources_.begin(), sources_.end(),
                         [&](const Source& left, const Source& right) { return turn(left) < turn(right); });
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

void LocalCopies::open(const void* shown, std::size_t shown_bytes) {
    readers_ = sources_;
    copied_bytes_ = 0;
    finished_ = false;
    share_.handover().open(static_cast<const std::byte*>(shown), shown_bytes);
}

void LocalCopies::start(const Blocks& blocks) {
    unequal_ = false;
    blocks_ = blocks;
    left_.assign(sources_.rbegin(), sources_.rend());
    if (transport_.trouble().mute) {
        left_.clear();  // there is nowhere to copy to
    }
    open(blocks.send, transport_.trouble().mute ? 0 : blocks.bytes);
}

void LocalCopies::start(const MessageBytes& bytes, const MessagePlaces& places) {
    unequal_ = true;
    bytes_ = bytes;
    places_ = places;
    left_.clear();
    std::copy_if(sources_.rbegin(), sources_.rend(), std::back_inserter(left_),
                 [&](const Source& source) { return bytes_from(source.rank) > 0; });
    open(static_cast<const void*>(places.send.data()), places.send.size_bytes());
}

void LocalCopies::make_room_for(const MessageBytes& bytes) {
    std::size_t pieces = 0;
    for (const Source& source : sources_) {
        const auto other = static_cast<std::size_t>(source.rank);
        pieces += transport_.pieces(static_cast<std::size_t>(bytes.sent[other])) +
                  transport_.pieces(static_cast<std::size_t>(bytes.received[other]));
    }
    messages_.reserve(pieces);
}

std::size_t LocalCopies::bytes_from(Rank rank) const {
    return unequal_ ? static_cast<std::size_t>(bytes_.received[static_cast<std::size_t>(rank)]) : blocks_.bytes;
}

std::byte* LocalCopies::place_from(Rank rank) const {
    return unequal_ ? places_.receive[static_cast<std::size_t>(rank)] : blocks_.from_rank(rank);
}

std::size_t LocalCopies::bytes_for(Rank rank) const {
    return unequal_ ? static_cast<std::size_t>(bytes_.sent[static_cast<std::size_t>(rank)]) : blocks_.bytes;
}

const std::byte* LocalCopies::place_for(Rank rank) const {
    return unequal_ ? places_.send[static_cast<std::size_t>(rank)] : blocks_.for_rank(rank);
}

bool LocalCopies::find_content(const machine::Cell& cell, std::uintptr_t& address) const {
    const auto own = static_cast<std::size_t>(own_);
    if (!unequal_) {
        address = cell.send_buffer + own * blocks_.bytes;
        return true;
    }
    // The same program on the same machine: pointers are as long there as here.
    return share_.read(cell.process, cell.send_buffer + own * sizeof address, reinterpret_cast<std::byte*>(&address),
                       sizeof address);
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
    if (error == MPI_SUCCESS) {
        error = messages_.test(progress);
    }
    if (progress == 0) {
        transport_.let_others_go_on();
    }
    return error;
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
    ++progress;
    if (!unequal_ && cell.block_bytes != blocks_.bytes) {
        // It has nothing for this rank, or it has called with blocks of another size.
        transport_.trouble().note(MPI_ERR_TRUNCATE);
        left_.pop_back();
        return;
    }
    const std::size_t all = bytes_from(source.rank);
    const std::size_t bytes = std::min(piece_bytes, all - copied_bytes_);
    const bool found = copied_bytes_ > 0 || find_content(cell, content_);
    if (found && share_.read(cell.process, content_ + copied_bytes_, place_from(source.rank) + copied_bytes_, bytes)) {
        copied_bytes_ += bytes;
    } else {
        share_.handover().refuse(source.index);
        refused_.push_back(source.rank);
        copied_bytes_ = all;
    }
    if (copied_bytes_ == all) {
        left_.pop_back();
        copied_bytes_ = 0;
    }
}

/// Posts receives for the blocks that could not be read.
int LocalCopies::receive_refused() {
    for (; !refused_.empty(); refused_.pop_back()) {
        const Rank from = refused_.back();
        const int error = transport_.receive(place_from(from), bytes_from(from), from, Tag::local, messages_);
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
                transport_.send(place_for(reader.rank), bytes_for(reader.rank), reader.rank, Tag::local, messages_);
            if (error != MPI_SUCCESS) {
                return error;
            }
        }
    }
    return MPI_SUCCESS;
}

}  // namespace aapc::mpi
