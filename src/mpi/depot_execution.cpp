#include "mpi/depot_execution.hpp"

#include <algorithm>
#include <cstring>
#include <limits>

#include "mpi/progress.hpp"

namespace aapc::mpi {

namespace {

/// Pieces of blocks that lie so many bytes apart at either end.
void copy_pieces(std::byte* to, std::size_t apart_to, const std::byte* from, std::size_t apart_from, std::size_t bytes,
                 std::size_t pieces) {
    if (apart_to == bytes && apart_from == bytes) {
        std::memcpy(to, from, pieces * bytes);
        return;
    }
    for (std::size_t piece = 0; piece < pieces; ++piece) {
        std::memcpy(to + piece * apart_to, from + piece * apart_from, bytes);
    }
}

}  // namespace

DepotExecution::DepotExecution(const Transport& transport, const Plan& plan, const machine::DepotPlan& depot_plan,
                               DepotMemory& memory, LocalCopies* copies, int looks)
    : transport_(transport),
      plan_(depot_plan),
      memory_(memory),
      copies_(copies),
      looks_(looks),
      block_phases_(std::clamp<Phase>(plan.synchronisation.block_phases, 1, std::max<Phase>(plan.phases, 1))) {
    for (std::size_t index = 0; index < plan_.out.size(); ++index) {
        if (plan_.out[index].transfer.from == plan.rank) {
            out_.push_back({index, {}});
        }
    }
    for (std::size_t index = 0; index < plan_.in.size(); ++index) {
        const Rank carrier = plan_.in[index].transfer.to;
        carrier_of_in_.push_back(static_cast<std::size_t>(
            std::lower_bound(plan_.ranks.begin(), plan_.ranks.end(), carrier) - plan_.ranks.begin()));
        if (carrier == plan.rank) {
            in_.push_back({index, {}});
        }
    }
    to_take_.reserve(plan_.in.size());
    to_take_local_.reserve(plan_.ranks.size());
    receives_.reserve(in_.size());
    sends_.reserve(out_.size());
}

int DepotExecution::run(const Blocks& blocks) {
    blocks_ = blocks;
    if (plan_.out.empty() && plan_.in.empty() && !takes_local_blocks()) {
        return MPI_SUCCESS;  // all ranks are on one machine, and copy
    }
    has_put_ahead_ = false;
    for (Round round = piece_from(0); round.bytes > 0; round = piece_from(round.offset + round.bytes)) {
        if (const int error = run_round(round); error != MPI_SUCCESS) {
            return error;
        }
    }
    return MPI_SUCCESS;
}

/// Of no byte behind the end.
DepotExecution::Round DepotExecution::piece_from(std::size_t offset) const {
    return {offset, std::min(memory_.piece(), blocks_.bytes - offset)};
}

int DepotExecution::run_round(const Round& round) {
    begin(round);
    const int error =
        advance_until([&] { return complete(); }, [&](int& progress) { return advance(progress); }, looks_);
    if (error == MPI_SUCCESS) {
        memory_.depot().finish();
    }
    return error;
}

void DepotExecution::begin(const Round& round) {
    machine::Depot& depot = memory_.depot();
    depot.next_round();
    round_ = round;
    half_ = memory_.half(depot.half());
    ready_ = false;
    has_put_ = has_put_ahead_;
    has_put_ahead_ = false;
    posted_ = received_ = started_ = sent_ = 0;
    if (memory_.is_maker()) {
        if (memory_.reserve(round.bytes)) {
            depot.provide(round.bytes);
        } else {
            depot.refuse();
        }
    }
}

int DepotExecution::advance(int& progress) {
    if (ready_ || is_ready(progress)) {
        int error = post_receives(progress);
        if (error == MPI_SUCCESS) {
            error = send_parcels(progress);
        }
        if (error == MPI_SUCCESS) {
            error = test_messages(progress);
        }
        if (error != MPI_SUCCESS) {
            return error;
        }
        take(progress);
        take_local(progress);
        put_ahead(progress);
    }
    if (progress == 0) {
        transport_.let_others_go_on();
    }
    return advance_copies(copies_, progress);
}

/// Puts this rank's blocks into the half as soon as that is free.
bool DepotExecution::is_ready(int& progress) {
    const machine::Depot& depot = memory_.depot();
    const machine::Depot::Store store = has_put_ ? machine::Depot::Store::there : depot.store_of(round_.bytes);
    if (store == machine::Depot::Store::unknown || !(has_put_ || depot.is_free(depot.round()))) {
        return false;
    }
    has_memory_ = store == machine::Depot::Store::there;
    if (!has_memory_) {
        transport_.trouble().note(MPI_ERR_NO_MEM);
    }
    if (!has_put_) {
        put(round_, depot.round());
    }
    to_take_.clear();
    to_take_local_.clear();
    if (!transport_.trouble().mute) {
        for (std::size_t index = plan_.in.size(); index-- > 0;) {
            if (!plan_.takes[index].empty()) {
                to_take_.push_back(index);
            }
        }
        for (std::size_t rank = plan_.ranks.size(); rank-- > 0;) {
            if (takes_local_blocks() && rank != plan_.own) {
                to_take_local_.push_back(rank);
            }
        }
    }
    ready_ = true;
    ++progress;
    return true;
}

void DepotExecution::put(const Round& round, std::uint64_t number) {
    machine::Depot& depot = memory_.depot();
    const bool has_blocks = has_memory_ && !transport_.trouble().mute;
    std::byte* const half = memory_.half(machine::Depot::half_of(number));
    const auto put_runs = [&](const std::vector<machine::DepotRun>& runs) {
        for (const machine::DepotRun& run : runs) {
            copy_pieces(half + static_cast<std::size_t>(run.place) * round.bytes, round.bytes,
                        blocks_.for_rank(run.first) + round.offset, blocks_.bytes, round.bytes,
                        static_cast<std::size_t>(run.blocks));
        }
    };
    depot.show(number, has_blocks ? blocks_.bytes : 0);
    for (std::size_t index = 0; index < plan_.out.size(); ++index) {
        if (has_blocks) {
            put_runs(plan_.puts[index]);
        }
        depot.fill(number, index);
    }
    if (has_blocks && takes_local_blocks()) {
        put_runs(plan_.local_puts);
    }
    depot.fill(number, plan_.out.size());
}

/// What the next round needs, in the half that the round before this one had. There is memory for it: it is not longer
/// than this one.
void DepotExecution::put_ahead(int& progress) {
    const Round next = piece_from(round_.offset + round_.bytes);
    const std::uint64_t number = memory_.depot().round() + 1;
    if (has_put_ahead_ || next.bytes == 0 || !has_memory_ || complete() || !memory_.depot().is_free(number)) {
        return;
    }
    put(next, number);
    has_put_ahead_ = true;
    ++progress;
}

void DepotExecution::take_runs(const std::vector<machine::DepotRun>& runs) {
    for (const machine::DepotRun& run : runs) {
        copy_pieces(blocks_.from_rank(run.first) + round_.offset, blocks_.bytes, place(run.place), round_.bytes,
                    round_.bytes, static_cast<std::size_t>(run.blocks));
    }
}

Phase DepotExecution::closed_from() const {
    Phase first = std::numeric_limits<Phase>::max() - block_phases_;
    if (sent_ < out_.size()) {
        first = std::min(first, plan_.out[out_[sent_].index].transfer.phase);
    }
    if (received_ < in_.size()) {
        first = std::min(first, plan_.in[in_[received_].index].transfer.phase);
    }
    return (first / block_phases_ + 1) * block_phases_;
}

int DepotExecution::post_receives(int& progress) {
    for (const Phase end = closed_from(); posted_ < in_.size(); ++posted_) {
        Carried& carried = in_[posted_];
        const machine::Parcel& parcel = plan_.in[carried.index];
        if (parcel.transfer.phase >= end) {
            break;
        }
        const int length = has_memory_ ? static_cast<int>(static_cast<std::size_t>(parcel.blocks) * round_.bytes) : 0;
        carried.trouble = {};
        const int error =
            PMPI_Irecv(has_memory_ ? place(parcel.place) : nullptr, length, MPI_BYTE, parcel.transfer.from,
                       static_cast<int>(Tag::data), transport_.communicator(), receives_.add(length, carried.trouble));
        if (error != MPI_SUCCESS) {
            return error;
        }
        ++progress;
    }
    return MPI_SUCCESS;
}

int DepotExecution::send_parcels(int& progress) {
    const machine::Depot& depot = memory_.depot();
    for (const Phase end = closed_from(); started_ < out_.size(); ++started_) {
        Carried& carried = out_[started_];
        const machine::Parcel& parcel = plan_.out[carried.index];
        if (parcel.transfer.phase >= end || !depot.all_have_filled(carried.index)) {
            break;
        }
        bool well = has_memory_;
        for (std::size_t rank = 0; rank < plan_.ranks.size(); ++rank) {
            well = well && has_blocks(rank);
        }
        const machine::Depot::Came came = pass_on(carried.index);
        if (came == machine::Depot::Came::not_yet) {
            break;
        }
        well = well && came == machine::Depot::Came::well;
        const int length = well ? static_cast<int>(static_cast<std::size_t>(parcel.blocks) * round_.bytes) : 0;
        const int error = PMPI_Isend(well ? place(parcel.place) : nullptr, length, MPI_BYTE, parcel.transfer.to,
                                     static_cast<int>(Tag::data), transport_.communicator(),
                                     sends_.add(Pending::any_length, transport_.trouble()));
        if (error != MPI_SUCCESS) {
            return error;
        }
        ++progress;
    }
    return MPI_SUCCESS;
}

/// Copies into a parcel what came in others, once all of those are there.
machine::Depot::Came DepotExecution::pass_on(std::size_t parcel) const {
    using Came = machine::Depot::Came;
    bool well = true;
    for (const machine::PassedOn& passed : plan_.passes[parcel]) {
        const Came came = memory_.depot().came(passed.parcel);
        if (came == Came::not_yet) {
            return came;
        }
        well = well && came == Came::well;
    }
    if (!well) {
        return Came::not_well;
    }
    for (const machine::PassedOn& passed : plan_.passes[parcel]) {
        std::memcpy(place(passed.to), place(passed.from), static_cast<std::size_t>(passed.blocks) * round_.bytes);
    }
    return Came::well;
}

int DepotExecution::test_messages(int& progress) {
    bool came = true;
    while (came) {
        if (const int error = receives_.test_oldest(came); error != MPI_SUCCESS) {
            return error;
        }
        if (came) {
            const Carried& carried = in_[received_++];
            memory_.depot().tell(carried.index, has_memory_ && carried.trouble.error == MPI_SUCCESS);
            ++progress;
        }
    }
    int sent = 0;
    const int error = sends_.test(sent);
    sent_ += static_cast<std::size_t>(sent);
    progress += sent;
    return error;
}

void DepotExecution::take(int& progress) {
    const machine::Depot& depot = memory_.depot();
    for (std::size_t left = to_take_.size(); left-- > 0;) {
        const std::size_t index = to_take_[left];
        const machine::Depot::Came came = depot.came(index);
        if (came == machine::Depot::Came::not_yet) {
            continue;
        }
        if (came == machine::Depot::Came::well && has_blocks(carrier_of_in_[index])) {
            take_runs(plan_.takes[index]);
        } else {
            transport_.trouble().note(MPI_ERR_TRUNCATE);
        }
        to_take_.erase(to_take_.begin() + static_cast<std::ptrdiff_t>(left));
        ++progress;
    }
}

void DepotExecution::take_local(int& progress) {
    for (std::size_t left = to_take_local_.size(); left-- > 0;) {
        const std::size_t rank = to_take_local_[left];
        if (!memory_.depot().has_filled(rank, plan_.out.size())) {
            continue;
        }
        if (has_memory_ && has_blocks(rank)) {
            take_runs(plan_.local_takes[rank]);
        } else {
            transport_.trouble().note(MPI_ERR_TRUNCATE);
        }
        to_take_local_.erase(to_take_local_.begin() + static_cast<std::ptrdiff_t>(left));
        ++progress;
    }
}

bool DepotExecution::complete() const {
    return ready_ && started_ == out_.size() && sends_.empty() && received_ == in_.size() && to_take_.empty() &&
           to_take_local_.empty();
}

}  // namespace aapc::mpi
