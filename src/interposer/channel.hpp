/// @file
/// What carries out the calls that do not block of one communicator: a thread of ours on a communicator of ours.
#pragma once

#include <mpi.h>

#include <condition_variable>
#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <thread>

#include "interposer/operation.hpp"
#include "interposer/routines.hpp"
#include "interposer/under_way.hpp"

namespace aapc::interposer {

class Background;
class Job;
class PersistentOperation;

/// An operation that has been started, or can be started again and again.
struct Order {
    Operation operation;
    /// By which the program knows it, and the int of that request which takes the error code (program_requests.hpp).
    MPI_Request request = MPI_REQUEST_NULL;
    int* error = nullptr;
    UnderWay* under_way = nullptr;  ///< where callers wait for that request
    /// Or what it goes back to when it is over.
    PersistentOperation* persistent = nullptr;
    /// Or nobody waits for it, and nothing is exchanged: what its call will need is set up.
    bool plans_ahead = false;
};
/// Of one order: what moves from list to list takes no memory.
using Orders = std::list<Order>;

/// Carries out one communicator's operations in the order in which they are started, as MPI orders collectives.
class Channel {
  public:
    /// Of an intracommunicator with all ranks in our world, or of one that is left to the MPI. Local; begins no thread.
    /// Throws std::bad_alloc.
    Channel(Job& job, MPI_Comm comm);
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;
    ~Channel();

    /// Why a call is the MPI's own, the same on all ranks; nothing: it is the thread's. `block_bytes` of the others are
    /// equal, those of MPI_Ialltoallv and its like are not.
    [[nodiscard]] std::optional<Outcome> against(std::int64_t block_bytes) const;
    [[nodiscard]] std::optional<Outcome> against_unequal() const;

    /// Begins the thread, if there is none; local. Throws std::system_error.
    void begin();
    /// Begins to agree with the other ranks on what our communicator is made by, behind the first begin(); one of the
    /// program's collectives on its communicator, which does not wait. Returns an MPI error code, for which the error
    /// handler has been called.
    [[nodiscard]] int begin_naming(Background& background);
    /// For the thread that has begun. Local.
    void start(Orders order) noexcept;

    /// The thread ends when all that has been started is complete; local. `comm_is_freed`: the program's communicator
    /// must not be used any more, and the thread frees ours.
    void end(bool comm_is_freed) noexcept;
    /// Whether the thread has ended, or ends within `seconds`, after end(). No thread at all has ended.
    [[nodiscard]] bool has_ended(double seconds = 0) noexcept;
    /// Whether the program has freed its communicator.
    [[nodiscard]] bool is_dropped();

  private:
    void carry_out_all();
    /// Waits for an order; false: there will be none.
    bool take(Orders& order);
    void carry_out(Orders orders);
    /// The program's communicator may be destroyed, if it is freed.
    void stop_keeping();
    /// Our communicator. Collective over the program's. Returns the MPI error code.
    [[nodiscard]] int make_own();

    Job* job_;
    MPI_Comm comm_;          ///< the program's
    bool is_named_ = false;  ///< or will be
    int tag_ = 0;            ///< by which our communicator is made: rank 0's, for all
    MPI_Request naming_ = MPI_REQUEST_NULL;
    /// Never started: it keeps the program's communicator from being destroyed before naming_ is complete.
    MPI_Request keeping_ = MPI_REQUEST_NULL;
    MPI_Group group_ = MPI_GROUP_NULL;  ///< of the program's communicator, which may be freed before ours is made
    MPI_Comm parent_ = MPI_COMM_NULL;   ///< of ours, with all ranks
    MPI_Comm own_ = MPI_COMM_NULL;      ///< the thread's
    std::optional<Outcome> never_;      ///< why nothing is ever the thread's
    std::int64_t from_bytes_ = 1;       ///< smaller blocks are the MPI's own
    bool exchanges_unequal_ = true;
    std::mutex mutex_;  ///< guards what follows; never held while communicating
    std::condition_variable news_;
    Orders queue_;
    bool ends_ = false;
    bool comm_is_freed_ = false;
    bool has_ended_ = true;  ///< there is no thread
    std::thread thread_;
};

}  // namespace aapc::interposer
