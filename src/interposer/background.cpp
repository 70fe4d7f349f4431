#include "interposer/background.hpp"

#include <algorithm>
#include <cstdlib>
#include <string_view>

#include "interposer/job.hpp"
#include "interposer/program_requests.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/own_communicator.hpp"
#include "mpi/ranks.hpp"
#include "mpi/rest.hpp"
#include "mpi/returned_errors.hpp"

namespace aapc::interposer {

namespace {

using mpi::have_memory_for;

}  // namespace

bool asks_for_threads() {
    const char* const value = std::getenv("AAPC_ASYNC_PROGRESS");
    const char* const off = std::getenv("AAPC_OFF");
    return value != nullptr && std::string_view(value) == "1" && (off == nullptr || std::string_view(off) != "1");
}

Orders PersistentOperation::take_idle() noexcept {
    Orders order;
    const std::lock_guard lock(mutex_);
    order.splice(order.end(), idle_);
    return order;
}

void PersistentOperation::start() noexcept {
    Orders order = take_idle();
    if (!order.empty()) {
        background_->under_way().add(std::move(room_), request_);
        channel_->start(std::move(order));
    }
}

void PersistentOperation::carry_out_natively(Job& job) noexcept {
    Orders order = take_idle();
    if (!order.empty()) {
        static_cast<void>(order.front().operation.carry_out_natively(job));
        complete(std::move(order));
    }
}

void PersistentOperation::complete(Orders order) noexcept {
    // Once the program knows, it may free what this is.
    const Background& background = *background_;
    const int tag = tag_;
    const MPI_Request request = request_;
    if (room_.empty()) {
        room_ = background_->under_way().remove(request_);
    }
    {
        const std::lock_guard lock(mutex_);
        idle_.splice(idle_.end(), order);
    }
    complete_persistent_request(background, tag, request);
}

bool Background::prepare() {
    const mpi::ReturnedErrors returned(MPI_COMM_WORLD);
    void* largest = nullptr;
    int found = 0;
    const bool has_key =
        PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, &Background::communicator_freed, &key_, this) == MPI_SUCCESS;
    PMPI_Comm_get_attr(MPI_COMM_WORLD, MPI_TAG_UB, static_cast<void*>(&largest), &found);
    if (found != 0) {
        largest_tag_ = *static_cast<const int*>(largest);
    }
    rank_ = mpi::rank_in(MPI_COMM_WORLD);
    ranks_ = mpi::ranks_in(MPI_COMM_WORLD);
    return mpi::create_own(MPI_COMM_WORLD, ours_) == MPI_SUCCESS && has_key && found != 0;
}

int Background::next_tag() {
    const std::lock_guard lock(mutex_);
    return static_cast<int>((tags_++ * ranks_ + rank_) % (std::int64_t{largest_tag_} + 1));
}

Channel* Background::channel_of(MPI_Comm comm) {
    void* known = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, key_, static_cast<void*>(&known), &found);
    if (found != 0) {
        return static_cast<Channel*>(known);
    }
    drop_ended();
    Channel* made = nullptr;
    const bool listed = have_memory_for([&] {
        auto channel = std::make_unique<Channel>(*job_, comm);
        const std::lock_guard lock(mutex_);
        made = channels_.emplace_back(std::move(channel)).get();
    });
    // Where MPI does not keep it with the communicator it belongs to nobody, and the next call asks again.
    return listed && PMPI_Comm_set_attr(comm, key_, made) == MPI_SUCCESS ? made : nullptr;
}

template <class AnyCall>
int Background::start_any(Channel& channel, const AnyCall& call, MPI_Request* request) {
    Orders order;
    auto error = std::unique_ptr<int>();
    UnderWay::Room room;
    const bool able = have_memory_for([&] {
        order.push_back({Operation(call)});
        error = std::make_unique<int>(MPI_SUCCESS);
        room = UnderWay::make_room();
        channel.begin();
    });
    if (!able) {
        return mpi::raise(call.comm, MPI_ERR_NO_MEM);
    }
    if (const int refused = channel.begin_naming(*this); refused != MPI_SUCCESS) {
        return refused;
    }
    if (const int refused = make_request(call.comm, error.get(), request); refused != MPI_SUCCESS) {
        return refused;
    }
    order.front().request = *request;
    order.front().error = error.release();
    order.front().under_way = &under_way_;
    under_way_.add(std::move(room), *request);
    channel.start(std::move(order));
    return MPI_SUCCESS;
}

int Background::start(Channel& channel, const Call& call, MPI_Request* request) {
    return start_any(channel, call, request);
}

int Background::start(Channel& channel, const UnequalCall& call, MPI_Request* request) {
    return start_any(channel, call, request);
}

template <class AnyCall>
int Background::make_any_persistent(Channel& channel, const AnyCall& call, MPI_Request* request) {
    MPI_Request theirs = MPI_REQUEST_NULL;
    std::map<MPI_Request, std::unique_ptr<PersistentOperation>> made;
    const int tag = next_tag();
    Orders planning;
    const bool able = have_memory_for([&] {
        planning.push_back({Operation(call)});
        planning.front().plans_ahead = true;
        Orders order;
        order.push_back({Operation(call)});
        auto operation = std::make_unique<PersistentOperation>(*this, channel, tag);
        order.front().persistent = operation.get();
        operation->take(std::move(order));
        made.emplace(theirs, std::move(operation));
        channel.begin();
    });
    if (!able) {
        return mpi::raise(call.comm, MPI_ERR_NO_MEM);
    }
    if (const int refused = channel.begin_naming(*this); refused != MPI_SUCCESS) {
        return refused;
    }
    if (const int refused = make_persistent_request(*this, tag, call.comm, &theirs); refused != MPI_SUCCESS) {
        return mpi::raise(call.comm, refused);
    }
    channel.start(std::move(planning));
    made.begin()->second->name(theirs);
    auto node = made.extract(made.begin());
    node.key() = theirs;
    const std::lock_guard lock(mutex_);
    persistent_.insert(std::move(node));
    persistent_count_.fetch_add(1, std::memory_order_release);
    *request = theirs;
    return MPI_SUCCESS;
}

int Background::make_persistent(Channel& channel, const Call& call, MPI_Request* request) {
    return make_any_persistent(channel, call, request);
}

int Background::make_persistent(Channel& channel, const UnequalCall& call, MPI_Request* request) {
    return make_any_persistent(channel, call, request);
}

void Background::start_persistent(MPI_Request request) noexcept {
    PersistentOperation* operation = nullptr;
    {
        const std::lock_guard lock(mutex_);
        const auto found = persistent_.find(request);
        operation = found != persistent_.end() ? found->second.get() : nullptr;
    }
    if (operation != nullptr && has_ended()) {
        operation->carry_out_natively(*job_);
    } else if (operation != nullptr) {
        operation->start();
    }
}

void Background::freed(MPI_Request request) noexcept {
    if (persistent_count_.load(std::memory_order_acquire) == 0) {
        return;
    }
    std::unique_ptr<PersistentOperation> dropped;
    const std::lock_guard lock(mutex_);
    if (const auto found = persistent_.find(request); found != persistent_.end()) {
        dropped = std::move(found->second);
        persistent_.erase(found);
        persistent_count_.fetch_sub(1, std::memory_order_release);
    }
}

void Background::before_freeing(MPI_Comm comm) {
    void* known = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, key_, static_cast<void*>(&known), &found);
    if (found != 0) {
        PMPI_Comm_delete_attr(comm, key_);
    }
}

int Background::communicator_freed(MPI_Comm /*comm*/, int /*key*/, void* channel, void* background) {
    // Since MPI_Finalize has begun there are no channels any more.
    if (auto* const ours = static_cast<Background*>(background); !ours->has_ended()) {
        static_cast<Channel*>(channel)->end(true);
        ours->drop_ended();
    }
    return MPI_SUCCESS;
}

void Background::drop_ended() {
    const std::lock_guard lock(mutex_);
    channels_.erase(std::remove_if(channels_.begin(), channels_.end(),
                                   [](const auto& channel) { return channel->is_dropped() && channel->has_ended(); }),
                    channels_.end());
}

void Background::end() noexcept {
    /// For a program that is wrong: one that ends before its operations are complete. Others have no thread at work.
    constexpr double longest_wait_seconds = 10;
    has_ended_.store(true, std::memory_order_release);
    bool all_ended = true;
    const double last = mpi::now_seconds() + longest_wait_seconds;
    for (std::unique_ptr<Channel>& channel : channels_) {
        channel->end(false);
        if (!channel->has_ended(std::max(last - mpi::now_seconds(), 0.0))) {
            all_ended = false;
            [[maybe_unused]] const Channel* const left_behind = channel.release();  // its thread may still use it
        }
    }
    if (!all_ended) {
        return;
    }
    channels_.clear();
    // A persistent operation that is still there may be started by a delete callback.
    if (ours_ != MPI_COMM_NULL && persistent_count_.load(std::memory_order_acquire) == 0) {
        PMPI_Comm_free(&ours_);
    }
    if (key_ != MPI_KEYVAL_INVALID) {
        PMPI_Comm_free_keyval(&key_);
    }
}

}  // namespace aapc::interposer
