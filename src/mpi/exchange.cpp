#include "aapc/mpi/exchange.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <exception>
#include <new>
#include <utility>

#include "aapc/mpi/agreement.hpp"
#include "mpi/common_start.hpp"
#include "mpi/depot_execution.hpp"
#include "mpi/depot_memory.hpp"
#include "mpi/execution.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/own_communicator.hpp"
#include "mpi/progress.hpp"
#include "plan/intranode/wire_plan.hpp"

namespace aapc::mpi {

namespace {

bool has_tickets(const Plan& plan, const ExchangeOptions& options) {
    return plan.tickets && options.machine_memory != nullptr &&
           options.machine_memory->available() != SharedMemory::nothing;
}

/// The same on all ranks.
bool copies_blocks(const Plan& plan, const ExchangeOptions& options) {
    return options.machine_memory != nullptr &&
           options.machine_memory->available() == SharedMemory::tickets_and_copies &&
           (!plan.forwarding || options.through_depot) && !plan.ranks_of_machine.empty();
}

/// Only what LocalCopies look at: the block of each rank of the machine, the next one's first.
Plan inside_machine(const Plan& plan) {
    Plan inside;
    inside.rank = plan.rank;
    inside.participants = plan.participants;
    inside.ranks_of_machine = plan.ranks_of_machine;
    const auto own = std::lower_bound(plan.ranks_of_machine.begin(), plan.ranks_of_machine.end(), plan.rank);
    inside.receives.reserve(plan.ranks_of_machine.size());
    for (const auto& [begin, end] :
         {std::pair(own, plan.ranks_of_machine.end()), std::pair(plan.ranks_of_machine.begin(), own)}) {
        std::for_each(begin, end, [&](Rank rank) {
            if (rank != plan.rank) {
                inside.receives.push_back({static_cast<Phase>(inside.receives.size()), rank, plan.rank});
            }
        });
    }
    return inside;
}

bool keeps_time(const Plan& plan) {
    return plan.synchronisation.kind == Synchronisation::Kind::timed && plan.participants >= 2;
}

}  // namespace

Exchange::Exchange(MPI_Comm communicator, Plan plan) : communicator_(communicator), plan_(std::move(plan)) {}

Exchange::~Exchange() {
    execution_.reset();
    copies_.reset();
    depot_.reset();
    free_own(communicator_);
}

int Exchange::create(MPI_Comm comm, Plan plan, const ExchangeOptions& options, std::unique_ptr<Exchange>& exchange) {
    exchange.reset();
    if (plan.synchronisation.kind == Synchronisation::Kind::timed && !options.cadence.known()) {
        return MPI_ERR_ARG;
    }
    if (uses_tickets(plan.synchronisation) && !has_tickets(plan, options)) {
        return MPI_ERR_ARG;
    }
    MPI_Comm own = MPI_COMM_NULL;
    int error = create_own(comm, own);
    if (error != MPI_SUCCESS) {
        free_own(own);
        return error;
    }
    std::unique_ptr<Exchange> made(new (std::nothrow) Exchange(own, std::move(plan)));
    Needs needs;
    if (!made || !have_memory_for([&] { needs = made->prepare(options); })) {
        needs.able = false;
    }
    error = agree(own, needs);
    if (error == MPI_SUCCESS && options.through_depot && needs.able) {
        error = made->share_depot(options, needs);
    }
    if (!made) {
        free_own(own);
    }
    if (error != MPI_SUCCESS) {
        return error;
    }
    if (!needs.able || !have_memory_for([&] { made->complete(options, needs); })) {
        return MPI_ERR_NO_MEM;
    }
    exchange = std::move(made);
    return MPI_SUCCESS;
}

Exchange::Needs Exchange::prepare(const ExchangeOptions& options) {
    Needs needs;
    transport_ = make_transport(communicator_, options.wire);
    if (options.through_depot) {
        prepare_depot(options, needs);
    } else if (copies_blocks(plan_, options)) {
        wire_plan_ = machine::wire_plan(plan_);
        copies_ = std::make_unique<LocalCopies>(options.machine_memory->share(), *transport_, plan_);
        // Phases at the end in which there were only messages inside machines would be waited for in vain. A cycle is
        // as long as its busiest link needs, and no shorter without the messages that cross none.
        needs.phases = std::max<Phase>(machine::end_of_messages(*wire_plan_), 1);
    }
    needs.late_nanoseconds = keeps_time(plan_) ? nanoseconds(wake_up_lateness_seconds()) : 0;
    return needs;
}

void Exchange::prepare_depot(const ExchangeOptions& options, Needs& needs) {
    depot_plan_ = options.depot;
    if (!depot_plan_) {
        needs.able = false;
        return;
    }
    if (copies_blocks(plan_, options)) {
        copies_ = std::make_unique<LocalCopies>(options.machine_memory->share(), *transport_, inside_machine(plan_));
    }
    if (plan_.ranks_of_machine.size() == static_cast<std::size_t>(plan_.participants)) {
        looks_ = looks_before_yielding(plan_.ranks_of_machine.size());
    }
    depot_ = std::make_unique<DepotMemory>(*depot_plan_, options.depot_bytes_a_rank);
    needs.able = depot_->make(options.machine_memory->share());
    needs.less_than_longest_piece = static_cast<std::int64_t>(DepotMemory::longest_piece - depot_->longest_here());
}

int Exchange::share_depot(const ExchangeOptions& options, Needs& needs) {
    depot_->agree(DepotMemory::longest_piece - static_cast<std::size_t>(needs.less_than_longest_piece));
    const bool found = depot_->find(options.machine_memory->share());
    Needs after{.able = found};
    const int error = agree(communicator_, after);
    needs.able = after.able;
    return error;
}

int Exchange::agree(MPI_Comm comm, Needs& needs) {
    const std::array<std::int64_t, 3> mine = {needs.phases, needs.late_nanoseconds, needs.less_than_longest_piece};
    const Agreed agreed = Agreement().agree(comm, {.has_memory = needs.able, .maxima = mine});
    needs = {agreed.memory, agreed.maxima[0], agreed.maxima[1], agreed.maxima[2]};
    return agreed.error;
}

void Exchange::complete(const ExchangeOptions& options, const Needs& needs) {
    if (wire_plan_ && !wire_plan_->cycle) {
        wire_plan_->phases = static_cast<Phase>(needs.phases);
    }
    ExchangeOptions agreed = options;
    if (keeps_time(plan_)) {
        agreed.cadence = with_slots_for(options.cadence, seconds(needs.late_nanoseconds));
    }
    if (depot_) {
        execution_ = std::make_unique<DepotExecution>(*transport_, plan_, *depot_plan_, *depot_, copies_.get(), looks_);
        return;
    }
    execution_ = make_execution(*transport_, wire_plan_ ? *wire_plan_ : plan_, agreed, copies_.get());
}

int Exchange::run(const std::byte* send, std::byte* receive, std::size_t block_bytes) {
    if (block_bytes == 0) {
        return MPI_SUCCESS;
    }
    transport_->trouble() = {};
    return carry_out({send, receive, block_bytes});
}

int Exchange::run_mute(std::size_t block_bytes) {
    transport_->trouble() = {MPI_ERR_NO_MEM, true};
    return carry_out({nullptr, nullptr, block_bytes});
}

int Exchange::carry_out(const Blocks& blocks) {
    const Trouble& trouble = transport_->trouble();
    int error = MPI_ERR_NO_MEM;
    try {
        if (copies_ && (!depot_ || blocks.bytes >= DepotExecution::copied_from)) {
            copies_->start(blocks);
        }
        if (!trouble.mute) {
            std::memcpy(blocks.from_rank(plan_.rank), blocks.for_rank(plan_.rank), blocks.bytes);
        }
        error = execution_->run(blocks);
    } catch (const std::exception&) {  // memory has ended
        return error;
    }
    if (error != MPI_SUCCESS && error != declined) {
        return error;
    }
    if (copies_) {
        if (error == declined) {
            copies_->copy_nothing_more();
        }
        const int copied = advance_until([&] { return copies_->complete(); },
                                         [&](int& progress) { return copies_->advance(progress); }, looks_);
        if (copied != MPI_SUCCESS) {
            return copied;
        }
    }
    return error == declined ? declined : trouble.error;
}

int Exchange::measure_start(std::byte* blocks, double& start_seconds) {
    constexpr int rounds = 3;
    std::array<double, rounds> taken{};
    for (int round = -1; round < rounds; ++round) {
        const double start = now_seconds();
        if (const int error = run(blocks, blocks + plan_.participants, 1); error != MPI_SUCCESS) {
            return error;
        }
        if (round >= 0) {
            taken[static_cast<std::size_t>(round)] = now_seconds() - start - report().scheduled_seconds;
        }
    }
    std::sort(taken.begin(), taken.end());
    const std::int64_t mine = nanoseconds(std::max(taken[rounds / 2], 0.0));
    const Agreed agreed = Agreement().agree(communicator_, {.maxima = {&mine, 1}});
    start_seconds = seconds(agreed.maxima[0]);
    return agreed.error;
}

const Plan& Exchange::plan() const { return plan_; }

const ExchangeReport& Exchange::report() const { return execution_->report(); }

}  // namespace aapc::mpi
