#include "interposer/communicators.hpp"

#include <algorithm>
#include <utility>

#include "interposer/communicator.hpp"
#include "mpi/have_memory.hpp"

namespace aapc::interposer {

Communicators::Communicators() = default;

Communicators::~Communicators() = default;

bool Communicators::register_keys(MPI_Comm_delete_attr_function* freed, void* extra_state) {
    return PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, freed, &state_key_, extra_state) == MPI_SUCCESS &&
           PMPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &left_alone_key_, nullptr) ==
               MPI_SUCCESS;
}

void Communicators::free_keys() {
    for (int* const key : {&state_key_, &left_alone_key_}) {
        if (*key != MPI_KEYVAL_INVALID) {
            PMPI_Comm_free_keyval(key);
        }
    }
}

CommunicatorState* Communicators::find(MPI_Comm comm) const {
    void* state = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, state_key_, static_cast<void*>(&state), &found);
    return found != 0 ? static_cast<CommunicatorState*>(state) : nullptr;
}

CommunicatorState* Communicators::keep(MPI_Comm comm, std::unique_ptr<CommunicatorState> state) {
    CommunicatorState* const kept = state.get();
    const bool listed = mpi::have_memory_for([&] {
        const std::lock_guard lock(mutex_);
        states_.push_back(std::move(state));
    });
    if (!listed) {
        return nullptr;
    }
    if (PMPI_Comm_set_attr(comm, state_key_, kept) != MPI_SUCCESS) {
        static_cast<void>(take(kept, [](const CommunicatorState&) {}));
        return nullptr;
    }
    return kept;
}

void Communicators::forget(MPI_Comm comm) const { PMPI_Comm_delete_attr(comm, state_key_); }

std::unique_ptr<CommunicatorState> Communicators::take(const void* state,
                                                       const std::function<void(const CommunicatorState&)>& last) {
    const std::lock_guard lock(mutex_);
    const auto found =
        std::find_if(states_.begin(), states_.end(), [state](const auto& one) { return one.get() == state; });
    if (found == states_.end()) {
        return nullptr;
    }
    last(**found);
    std::unique_ptr<CommunicatorState> taken = std::move(*found);
    states_.erase(found);
    return taken;
}

void Communicators::leave_alone(MPI_Comm comm) const {
    static char marked = 0;
    PMPI_Comm_set_attr(comm, left_alone_key_, &marked);
}

bool Communicators::is_left_alone(MPI_Comm comm) const {
    void* value = nullptr;
    int found = 0;
    PMPI_Comm_get_attr(comm, left_alone_key_, static_cast<void*>(&value), &found);
    return found != 0;
}

}  // namespace aapc::interposer
