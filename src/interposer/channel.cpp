#include "interposer/channel.hpp"

#include <pthread.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <utility>

#include "aapc/topology/bound.hpp"
#include "interposer/background.hpp"
#include "interposer/expectations.hpp"
#include "interposer/job.hpp"
#include "interposer/members.hpp"
#include "interposer/program_requests.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/crossover.hpp"
#include "selection/rule.hpp"
#include "selection/start.hpp"
#include "selection/unequal_rule.hpp"

namespace aapc::interposer {

namespace {

/// Smaller blocks are nothing for the rule, nor worth a try where calls show what is faster: the thread would only call
/// the MPI's own. Whoever insists on a method means every size.
std::int64_t smallest_block(const Job& job, const Placement& placement, const Bound& bound) {
    const selection::Configuration& configuration = job.configuration();
    const bool by_time = configuration.network.kind() == NetworkKind::tree ||
                         configuration.network.kind() == NetworkKind::torus ||
                         configuration.network.kind() == NetworkKind::fabric;
    if (!by_time || configuration.forced.method || configuration.forced.synchronisation || configuration.tuning) {
        return 1;
    }
    const selection::StartCosts start =
        selection::start_costs(bound, placement.participants(), job.message_seconds(), configuration.start_seconds);
    const std::int64_t from =
        selection::crossover(configuration.network, placement, bound, start.least_seconds).block_bytes;
    return configuration.adapt ? std::max<std::int64_t>(from / uncertainty_of_sizes, 1) : from;
}

}  // namespace

/// As PMPI_Wait(), which spins in MPICH, while others want the processor.
int wait_for(MPI_Request& request) {
    mpi::Patience patience;
    for (;;) {
        int complete = 0;
        if (const int error = PMPI_Test(&request, &complete, MPI_STATUS_IGNORE);
            error != MPI_SUCCESS || complete != 0) {
            return error;
        }
        patience.rest();
    }
}

Channel::Channel(Job& job, MPI_Comm comm) : job_(&job), comm_(comm) {
    int is_inter = 0;
    PMPI_Comm_test_inter(comm, &is_inter);
    const int ranks = mpi::ranks_in(comm);
    if (is_inter != 0) {
        never_ = Outcome::intercommunicator;
    } else if (!is_of_world(comm, ranks, job)) {
        never_ = Outcome::other_world;
    }
    if (never_) {
        return;
    }
    const selection::Configuration& configuration = job.configuration();
    const Placement placement = placement_of(world_ranks_of(comm, ranks, job), job.placement());
    const Bound bound = network_bound(configuration.network, placement);
    if (selection::is_on_one_machine(placement)) {
        never_ = ranks < 2 ? Outcome::few_ranks : Outcome::nothing_on_links;
    } else if (selection::nothing_to_schedule(placement, bound)) {
        never_ = Outcome::few_ranks;
    } else {
        from_bytes_ = smallest_block(job, placement, bound);
        exchanges_unequal_ = configuration.unequal != selection::UnequalUse::never;
    }
}

std::optional<Outcome> Channel::against(std::int64_t block_bytes) const {
    if (never_) {
        return never_;
    }
    const bool fits = block_bytes >= from_bytes_ && block_bytes <= selection::largest_scheduled_block;
    return fits ? std::nullopt : std::optional(Outcome::size);
}

std::optional<Outcome> Channel::against_unequal() const {
    if (never_) {
        return never_;
    }
    return exchanges_unequal_ ? std::nullopt : std::optional(Outcome::size);
}

void Channel::begin() {
    if (thread_.joinable()) {
        return;
    }
    // The program's signals are for its own threads.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const struct Restoring {
        const sigset_t* before;
        ~Restoring() { pthread_sigmask(SIG_SETMASK, before, nullptr); }
    } restoring{&before};
    has_ended_ = false;
    try {
        thread_ = std::thread([this] { carry_out_all(); });
    } catch (...) {
        has_ended_ = true;
        throw;
    }
}

int Channel::begin_naming(Background& background) {
    if (is_named_) {
        return MPI_SUCCESS;
    }
    if (const int error = PMPI_Comm_group(comm_, &group_); error != MPI_SUCCESS) {
        return error;
    }
    is_named_ = true;
    parent_ = background.ours();
    if (mpi::rank_in(comm_) == 0) {
        tag_ = background.next_tag();
    }
    // The program may free its communicator meanwhile, and Open MPI 4.1.4's collectives that do not block keep no
    // reference to theirs: they send on a communicator that is gone. Requests of point-to-point messages keep one.
    if (const int error = PMPI_Recv_init(nullptr, 0, MPI_BYTE, mpi::rank_in(comm_), 0, comm_, &keeping_);
        error != MPI_SUCCESS) {
        return error;
    }
    return PMPI_Ibcast(&tag_, 1, MPI_INT, 0, comm_, &naming_);
}

void Channel::stop_keeping() {
    if (keeping_ != MPI_REQUEST_NULL) {
        PMPI_Request_free(&keeping_);
    }
}

void Channel::start(Orders order) noexcept {
    {
        const std::lock_guard lock(mutex_);
        queue_.splice(queue_.end(), order);
    }
    news_.notify_one();
}

Channel::~Channel() {
    end(false);
    if (thread_.joinable()) {
        thread_.join();
    }
}

void Channel::end(bool comm_is_freed) noexcept {
    {
        const std::lock_guard lock(mutex_);
        ends_ = true;
        comm_is_freed_ = comm_is_freed_ || comm_is_freed;
    }
    news_.notify_all();
}

bool Channel::has_ended(double seconds) noexcept {
    std::unique_lock lock(mutex_);
    return news_.wait_for(lock, std::chrono::duration<double>(seconds), [this] { return has_ended_; });
}

bool Channel::take(Orders& order) {
    std::unique_lock lock(mutex_);
    news_.wait(lock, [this] { return ends_ || !queue_.empty(); });
    if (!queue_.empty()) {
        order.splice(order.end(), queue_, queue_.begin());
    }
    return !order.empty();
}

bool Channel::is_dropped() {
    const std::lock_guard lock(mutex_);
    return comm_is_freed_;
}

void Channel::carry_out_all() {
    pthread_setname_np(pthread_self(), "aapc");
    for (Orders order; take(order); order.clear()) {
        carry_out(std::move(order));
    }
    stop_keeping();
    if (group_ != MPI_GROUP_NULL) {
        PMPI_Group_free(&group_);
    }
    if (is_dropped() && own_ != MPI_COMM_NULL) {
        PMPI_Comm_free(&own_);
    }
    // Notified under the lock: whoever waits may destroy this as soon as the thread is joined.
    const std::lock_guard lock(mutex_);
    has_ended_ = true;
    news_.notify_all();
}

/// Not of the program's communicator, whose attributes Open MPI 4.1.4 would copy. Threads that do so at the same time
/// are told apart by the tag. Made when there is something to do, since all ranks have begun it then or will. What
/// fails is the program's to hear of, as from a call of the MPI's own that finds nothing left.
int Channel::make_own() {
    int error = wait_for(naming_);
    stop_keeping();
    if (error != MPI_SUCCESS) {
        return error;
    }
    error = PMPI_Comm_create_group(parent_, group_, tag_, &own_);
    return error == MPI_SUCCESS ? PMPI_Comm_set_errhandler(own_, MPI_ERRORS_RETURN) : error;
}

void Channel::carry_out(Orders orders) {
    Order& order = orders.front();
    int error = own_ == MPI_COMM_NULL ? make_own() : MPI_SUCCESS;
    if (order.plans_ahead) {
        // What fails shows when the call is started.
        if (error == MPI_SUCCESS) {
            order.operation.plan_ahead(*job_, own_);
        }
        return;
    }
    if (error == MPI_SUCCESS) {
        error = order.operation.carry_out(*job_, own_);
    }
    if (error != MPI_SUCCESS && !is_dropped()) {
        error = mpi::raise_here(comm_, error);
    }
    if (order.persistent != nullptr) {
        order.persistent->complete(std::move(orders));
        return;
    }
    int* const to_request = order.error;
    *to_request = error;
    const MPI_Request request = order.request;
    UnderWay& under_way = *order.under_way;
    // What the operation holds is given back before the program knows that it is over.
    orders.clear();
    under_way.remove(request);
    complete_request(request, to_request);
}

}  // namespace aapc::interposer
