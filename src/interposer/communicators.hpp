/// @file
/// The state that is kept with each communicator of a job.
#pragma once

#include <mpi.h>

#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

namespace aapc::interposer {

class CommunicatorState;

/// Of one process. States hang on their communicators as attributes, and are listed here. Threads may use different
/// communicators at once.
class Communicators {
  public:
    using States = std::span<const std::unique_ptr<CommunicatorState>>;

    Communicators();
    Communicators(const Communicators&) = delete;
    Communicators& operator=(const Communicators&) = delete;
    ~Communicators();

    /// Has MPI call `freed` with `extra_state` and the address of a state when that one's communicator is freed. False
    /// if MPI refuses. Local.
    [[nodiscard]] bool register_keys(MPI_Comm_delete_attr_function* freed, void* extra_state);
    /// Attributes that still hang on communicators keep their keys alive. Local.
    void free_keys();

    /// Null if it has none yet.
    [[nodiscard]] CommunicatorState* find(MPI_Comm comm) const;
    /// Keeps `state` with `comm` until that is freed or MPI ends. Null, and nothing is kept, if there is no memory.
    CommunicatorState* keep(MPI_Comm comm, std::unique_ptr<CommunicatorState> state);
    /// Keeps nothing with `comm` any more: MPI calls `freed`.
    void forget(MPI_Comm comm) const;
    /// Takes the state at that address out of the list, after `last` has seen it in there; null if it is not in it.
    /// Nobody else may use the list meanwhile. The caller destroys it: giving back an exchange calls MPI.
    [[nodiscard]] std::unique_ptr<CommunicatorState> take(const void* state,
                                                          const std::function<void(const CommunicatorState&)>& last);

    /// Marks a communicator without a state as one whose calls are the MPI's.
    void leave_alone(MPI_Comm comm) const;
    [[nodiscard]] bool is_left_alone(MPI_Comm comm) const;

    /// In the order of their first use. While another thread may free a communicator, within locked() alone.
    [[nodiscard]] States all() const { return states_; }
    /// Calls `action` while nobody else uses the list. It must not communicate.
    template <class Action>
    auto locked(Action action) const {
        const std::lock_guard lock(mutex_);
        return action(States(states_));
    }

  private:
    int state_key_ = MPI_KEYVAL_INVALID;
    int left_alone_key_ = MPI_KEYVAL_INVALID;
    mutable std::mutex mutex_;  ///< guards states_, and is never held while communicating
    std::vector<std::unique_ptr<CommunicatorState>> states_;
};

}  // namespace aapc::interposer
