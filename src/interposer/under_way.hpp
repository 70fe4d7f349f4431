/// @file
/// The program's requests that a thread of ours carries out at the moment, for callers that wait for one of them.
#pragma once

#include <mpi.h>

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <mutex>
#include <set>

namespace aapc::interposer {

/// MPI_Wait keeps a core busy in MPICH, and in Open MPI with several threads. The thread that carries out the request
/// needs that core, so whoever waits for it sleeps here first. Any thread may use it at any time.
class UnderWay {
  public:
    /// Room for one request.
    using Room = std::set<MPI_Request>::node_type;
    /// Throws std::bad_alloc.
    [[nodiscard]] static Room make_room();

    /// `request` is carried out from now on, until remove() is called.
    void add(Room room, MPI_Request request) noexcept;
    /// Wakes whoever waits for `request`. Called before MPI completes it, since a complete request's handle may come
    /// again. Returns its room.
    Room remove(MPI_Request request) noexcept;

    /// Returns once `request` is not carried out, at once for any other request.
    void wait_for(MPI_Request request) noexcept {
        if (count_.load(std::memory_order_acquire) > 0) {
            sleep_until_removed(request);
        }
    }

  private:
    void sleep_until_removed(MPI_Request request) noexcept;

    std::atomic<std::size_t> count_ = 0;
    std::mutex mutex_;  ///< guards what follows
    std::condition_variable removed_;
    std::set<MPI_Request> requests_;
};

}  // namespace aapc::interposer
