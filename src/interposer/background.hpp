/// @file
/// Calls that do not block, carried out by threads of ours (AAPC_ASYNC_PROGRESS): the channels of a process, and the
/// requests that the program holds.
#pragma once

#include <mpi.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "interposer/channel.hpp"
#include "interposer/operation.hpp"
#include "interposer/under_way.hpp"

namespace aapc::interposer {

class Job;

/// Whether this process's environment asks for it. Before MPI_Init, when nobody knows yet what rank 0 says. Takes no
/// memory.
[[nodiscard]] bool asks_for_threads();

class Background;

/// What MPI_Alltoall_init and its like have made.
class PersistentOperation {
  public:
    /// Throws std::bad_alloc.
    PersistentOperation(Background& background, Channel& channel, int tag)
        : background_(&background), channel_(&channel), room_(UnderWay::make_room()), tag_(tag) {}

    /// Before it is started for the first time.
    void take(Orders idle) { idle_ = std::move(idle); }
    /// The program knows it by this request.
    void name(MPI_Request request) { request_ = request; }

    /// After the MPI's MPI_Start; local.
    void start() noexcept;
    /// The same where our threads have ended, during MPI_Finalize: carried out here and now by the native routine.
    void carry_out_natively(Job& job) noexcept;
    /// Our thread is through.
    void complete(Orders order) noexcept;

  private:
    /// Returns no order if it is carried out already, which is the program's mistake.
    [[nodiscard]] Orders take_idle() noexcept;

    Background* background_;
    Channel* channel_;
    MPI_Request request_ = MPI_REQUEST_NULL;
    std::mutex mutex_;
    Orders idle_;          ///< empty while it is carried out
    UnderWay::Room room_;  ///< the same
    int tag_;
};

/// Used by any thread of the program's.
class Background {
  public:
    explicit Background(Job& job) : job_(&job) {}
    Background(const Background&) = delete;
    Background& operator=(const Background&) = delete;
    ~Background() = default;

    /// Takes what it needs of MPI; false: that is not to be had. Collective over the world.
    [[nodiscard]] bool prepare();

    /// The channel of a communicator that is none of no ranks, made at its first call; null: no memory. Local.
    [[nodiscard]] Channel* channel_of(MPI_Comm comm);

    /// Starts a call that `channel` has nothing against; local. Returns an MPI error code, for which the communicator's
    /// error handler has been called.
    [[nodiscard]] int start(Channel& channel, const Call& call, MPI_Request* request);
    [[nodiscard]] int start(Channel& channel, const UnequalCall& call, MPI_Request* request);
    /// The same for one that is then started by MPI_Start, again and again.
    [[nodiscard]] int make_persistent(Channel& channel, const Call& call, MPI_Request* request);
    [[nodiscard]] int make_persistent(Channel& channel, const UnequalCall& call, MPI_Request* request);

    /// The program has started a request that may be one of ours.
    void started(MPI_Request request) noexcept {
        if (persistent_count_.load(std::memory_order_acquire) > 0) {
            start_persistent(request);
        }
    }
    /// The program waits for a request that may be one of ours: returns when only the MPI has to complete it.
    void wait_for(MPI_Request request) noexcept { under_way_.wait_for(request); }
    [[nodiscard]] UnderWay& under_way() { return under_way_; }
    /// The program frees a request that may be one of ours, which is not under way.
    void freed(MPI_Request request) noexcept;

    /// The program frees `comm`, which is local in the MPIs: its operations go on, and its thread ends after them.
    /// Where nobody says so the MPI does, by the attribute.
    void before_freeing(MPI_Comm comm);
    /// MPI ends: no thread any more, and all calls are native from now on, persistent ones included that the program
    /// starts in a delete callback of MPI_COMM_SELF. In a correct program all operations are complete by then. A thread
    /// that waits for ranks that never come is left behind, after a few seconds.
    void end() noexcept;
    [[nodiscard]] bool has_ended() const noexcept { return has_ended_.load(std::memory_order_acquire); }

    /// Of all ranks of the world, in its order, and for our threads alone; it returns errors.
    [[nodiscard]] MPI_Comm ours() const { return ours_; }
    [[nodiscard]] int rank() const { return rank_; }
    /// A tag that no other rank gives, as long as there are enough. Any thread.
    [[nodiscard]] int next_tag();

  private:
    static int communicator_freed(MPI_Comm comm, int key, void* channel, void* background);
    template <class AnyCall>
    int start_any(Channel& channel, const AnyCall& call, MPI_Request* request);
    template <class AnyCall>
    int make_any_persistent(Channel& channel, const AnyCall& call, MPI_Request* request);
    void start_persistent(MPI_Request request) noexcept;
    /// Gives back the channels of freed communicators whose threads have ended.
    void drop_ended();

    Job* job_;
    MPI_Comm ours_ = MPI_COMM_NULL;
    int rank_ = 0;                  ///< in the world
    int ranks_ = 0;                 ///< of the world
    int key_ = MPI_KEYVAL_INVALID;  ///< of the channel that belongs to a communicator
    int largest_tag_ = 0;
    std::atomic<std::size_t> persistent_count_ = 0;
    std::atomic<bool> has_ended_ = false;
    std::mutex mutex_;                                ///< guards what follows; never held while communicating
    std::vector<std::unique_ptr<Channel>> channels_;  ///< those of freed communicators until their threads end
    std::map<MPI_Request, std::unique_ptr<PersistentOperation>> persistent_;
    UnderWay under_way_;     ///< guards itself
    std::int64_t tags_ = 0;  ///< that were given
};

}  // namespace aapc::interposer
