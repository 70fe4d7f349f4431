#include "waiting.hpp"

#include <algorithm>
#include <map>
#include <simgrid/s4u/Actor.hpp>
#include <unordered_map>
#include <utility>
#include <vector>

namespace aapc::simulation {

namespace {

/// Of the messages of a barrier; the executor's own tags are small.
constexpr int barrier_tag = 30'000;

/// A barrier that a rank is in. Its round is over when both requests are complete.
struct Barrier {
    MPI_Comm comm = MPI_COMM_NULL;
    int distance = 1;
    MPI_Request receive = MPI_REQUEST_NULL;
    MPI_Request send = MPI_REQUEST_NULL;
};

/// What one rank waits for.
struct Waiting {
    std::vector<MPI_Request*> tested;             ///< in vain, and not complete since
    std::map<MPI_Request, Barrier> barriers;      ///< by the request that stands for it
    std::map<MPI_Request*, MPI_Status> complete;  ///< of requests that were waited for and not tested since
};

/// Of the calling rank. Ranks take turns in one thread.
Waiting& waiting() {
    static std::unordered_map<aid_t, Waiting> of_rank;
    return of_rank[simgrid::s4u::this_actor::get_pid()];
}

void forget(std::vector<MPI_Request*>& tested, const MPI_Request* request) {
    tested.erase(std::remove(tested.begin(), tested.end(), request), tested.end());
}

int test_message(Waiting& waiting, MPI_Request* request, int* flag, MPI_Status* status) {
    std::vector<MPI_Request*>& tested = waiting.tested;
    if (*request == MPI_REQUEST_NULL) {
        // What has been waited for. SMPI leaves the flag alone where the status is ignored.
        *flag = 1;
        forget(tested, request);
        if (const auto known = waiting.complete.find(request); known != waiting.complete.end()) {
            if (status != MPI_STATUS_IGNORE) {
                *status = known->second;
            }
            waiting.complete.erase(known);
        }
        return MPI_SUCCESS;
    }
    waiting.complete.erase(request);  // of another request, which nobody asked about again
    const int error = __real_PMPI_Test(request, flag, status);
    if (error != MPI_SUCCESS || *flag != 0) {
        forget(tested, request);
    } else if (std::find(tested.begin(), tested.end(), request) == tested.end()) {
        tested.push_back(request);
    }
    return error;
}

int start_round(Barrier& barrier) {
    int rank = 0;
    int size = 1;
    PMPI_Comm_rank(barrier.comm, &rank);
    PMPI_Comm_size(barrier.comm, &size);
    const int to = (rank + barrier.distance) % size;
    const int from = (rank - barrier.distance + size) % size;
    const int error = PMPI_Irecv(nullptr, 0, MPI_BYTE, from, barrier_tag, barrier.comm, &barrier.receive);
    return error != MPI_SUCCESS ? error
                                : PMPI_Isend(nullptr, 0, MPI_BYTE, to, barrier_tag, barrier.comm, &barrier.send);
}

/// Moves the barrier on as far as it goes.
int test_barrier(Waiting& waiting, Barrier& barrier, int* flag) {
    int size = 1;
    PMPI_Comm_size(barrier.comm, &size);
    *flag = 0;
    while (barrier.distance < size) {
        for (MPI_Request* request : {&barrier.receive, &barrier.send}) {
            int complete = 0;
            const int error = test_message(waiting, request, &complete, MPI_STATUS_IGNORE);
            if (error != MPI_SUCCESS || complete == 0) {
                return error;
            }
        }
        barrier.distance *= 2;
        if (barrier.distance < size) {
            if (const int error = start_round(barrier); error != MPI_SUCCESS) {
                return error;
            }
        }
    }
    *flag = 1;
    return MPI_SUCCESS;
}

}  // namespace

void wait_for_a_tested_request() {
    Waiting& mine = waiting();
    std::vector<MPI_Request*>& tested = mine.tested;
    if (tested.empty()) {
        // Nothing that MPI could tell: let the others go on.
        simgrid::s4u::this_actor::sleep_for(1e-6);
        return;
    }
    std::vector<MPI_Request> requests(tested.size());
    std::transform(tested.begin(), tested.end(), requests.begin(), [](const MPI_Request* request) { return *request; });
    int index = MPI_UNDEFINED;
    MPI_Status status;
    PMPI_Waitany(static_cast<int>(requests.size()), requests.data(), &index, &status);
    if (index != MPI_UNDEFINED) {
        MPI_Request* const complete = tested[static_cast<std::size_t>(index)];
        *complete = MPI_REQUEST_NULL;
        mine.complete[complete] = status;
        forget(tested, complete);
    }
}

}  // namespace aapc::simulation

int __wrap_PMPI_Test(MPI_Request* request, int* flag, MPI_Status* status) {
    aapc::simulation::Waiting& waiting = aapc::simulation::waiting();
    const auto barrier = waiting.barriers.find(*request);
    if (barrier == waiting.barriers.end()) {
        return aapc::simulation::test_message(waiting, request, flag, status);
    }
    const int error = aapc::simulation::test_barrier(waiting, barrier->second, flag);
    if (error == MPI_SUCCESS && *flag != 0) {
        waiting.barriers.erase(barrier);
        return PMPI_Request_free(request);
    }
    return error;
}

int __wrap_PMPI_Ibarrier(MPI_Comm comm, MPI_Request* request) {
    // A request that is never started stands for the barrier: a handle unlike any other.
    int rank = 0;
    PMPI_Comm_rank(comm, &rank);
    int error = PMPI_Recv_init(nullptr, 0, MPI_BYTE, rank, aapc::simulation::barrier_tag, comm, request);
    int size = 1;
    PMPI_Comm_size(comm, &size);
    if (error == MPI_SUCCESS) {
        aapc::simulation::Barrier& barrier = aapc::simulation::waiting().barriers[*request];
        barrier.comm = comm;
        error = size > 1 ? aapc::simulation::start_round(barrier) : MPI_SUCCESS;
    }
    return error;
}
