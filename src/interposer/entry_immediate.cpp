// MPI_Ialltoall, MPI_Alltoall_init and their like: handed to a thread of ours where AAPC_ASYNC_PROGRESS asks for that,
// or counted and left to the MPI. With them what such threads need to know of the program's other calls.
#include <algorithm>

#include "interposer/background.hpp"
#include "interposer/handing_over.hpp"
#include "interposer/pass_through.hpp"
#include "interposer/real.hpp"
#include "interposer/symbols.hpp"

namespace aapc::interposer {

namespace {

/// MPI_Waitall(), one request after the other. In MPICH 4.0.2 the routine itself ends the job where MPI_REQUEST_NULL is
/// beside a generalised request that is not complete, and the program has generalised requests that it knows nothing
/// of.
int wait_for_each(int count, MPI_Request requests[], MPI_Status statuses[]) {
    bool failed = false;
    for (int index = 0; index < count; ++index) {
        MPI_Status* const status = statuses != MPI_STATUSES_IGNORE ? &statuses[index] : MPI_STATUS_IGNORE;
        const int error = real().wait(&requests[index], status);
        if (statuses != MPI_STATUSES_IGNORE && (failed || error != MPI_SUCCESS)) {
            // Only where some wait failed is this member of use, of all of them then.
            for (int before = 0; before < index && !failed; ++before) {
                statuses[before].MPI_ERROR = MPI_SUCCESS;
            }
            status->MPI_ERROR = error;
        }
        failed = failed || error != MPI_SUCCESS;
    }
    return failed ? MPI_ERR_IN_STATUS : MPI_SUCCESS;
}

}  // namespace

}  // namespace aapc::interposer

// NAME(PARAMETERS), which is to be CALL of such a FORM, or is passed on with the arguments that follow.
#define AAPC_HANDED_OVER(NAME, FORM, CALL, PARAMETERS, ...)                                                            \
    AAPC_ENTRY(NAME)                                                                                                   \
    int aapc_entry_##NAME PARAMETERS {                                                                                 \
        namespace ours = aapc::interposer;                                                                             \
        static const auto real = ours::find_next<decltype(&MPI_##NAME)>("PMPI_" #NAME, "MPI_" #NAME);                  \
        return ours::hand_over_or_pass<ours::Routine::NAME, ours::Form::FORM>(CALL(NAME), request, real, __VA_ARGS__); \
    }

// All forms of one kind: equal, unequal, and with a type for each message.
#define AAPC_IMMEDIATE(END, COUNT, PLACE, BYTES)                                                                     \
    AAPC_HANDED_OVER(Ialltoall##END, immediate, AAPC_EQUAL_CALL, (AAPC_EQUAL(COUNT), MPI_Request * request),         \
                     AAPC_EQUAL_ARGUMENTS, request)                                                                  \
    AAPC_HANDED_OVER(Ialltoallv##END, immediate, AAPC_UNEQUAL_CALL,                                                  \
                     (AAPC_UNEQUAL(COUNT, PLACE), MPI_Request * request), AAPC_UNEQUAL_ARGUMENTS, request)           \
    AAPC_HANDED_OVER(Ialltoallw##END, immediate, AAPC_TYPED_CALL, (AAPC_TYPED(COUNT, BYTES), MPI_Request * request), \
                     AAPC_UNEQUAL_ARGUMENTS, request)
#define AAPC_PERSISTENT(END, COUNT, PLACE, BYTES)                                                                      \
    AAPC_HANDED_OVER(Alltoall_init##END, persistent, AAPC_EQUAL_CALL,                                                  \
                     (AAPC_EQUAL(COUNT), MPI_Info info, MPI_Request * request), AAPC_EQUAL_ARGUMENTS, info, request)   \
    AAPC_HANDED_OVER(Alltoallv_init##END, persistent, AAPC_UNEQUAL_CALL,                                               \
                     (AAPC_UNEQUAL(COUNT, PLACE), MPI_Info info, MPI_Request * request), AAPC_UNEQUAL_ARGUMENTS, info, \
                     request)                                                                                          \
    AAPC_HANDED_OVER(Alltoallw_init##END, persistent, AAPC_TYPED_CALL,                                                 \
                     (AAPC_TYPED(COUNT, BYTES), MPI_Info info, MPI_Request * request), AAPC_UNEQUAL_ARGUMENTS, info,   \
                     request)

AAPC_IMMEDIATE(, int, int, int)
#if AAPC_MPI_HAS_LARGE_COUNTS
AAPC_IMMEDIATE(_c, MPI_Count, MPI_Aint, MPI_Aint)
AAPC_PERSISTENT(_c, MPI_Count, MPI_Aint, MPI_Aint)
#endif
#if AAPC_MPI_HAS_PERSISTENT
AAPC_PERSISTENT(, int, int, int)

AAPC_ENTRY(Start)
int aapc_entry_Start(MPI_Request* request) {
    namespace ours = aapc::interposer;
    const int error = ours::real().start(request);
    if (error == MPI_SUCCESS) {
        ours::tell_background([&](ours::Background& background) { background.started(*request); },
                              &ours::Job::background_or_ended);
    }
    return error;
}

AAPC_ENTRY(Startall)
int aapc_entry_Startall(int count, MPI_Request requests[]) {
    namespace ours = aapc::interposer;
    const int error = ours::real().startall(count, requests);
    if (error == MPI_SUCCESS) {
        ours::tell_background(
            [&](ours::Background& background) {
                for (int index = 0; index < count; ++index) {
                    background.started(requests[index]);
                }
            },
            &ours::Job::background_or_ended);
    }
    return error;
}

AAPC_ENTRY(Request_free)
int aapc_entry_Request_free(MPI_Request* request) {
    namespace ours = aapc::interposer;
    if (request != nullptr) {
        ours::tell_background([&](ours::Background& background) { background.freed(*request); },
                              &ours::Job::background_or_ended);
    }
    return ours::real().request_free(request);
}
#endif

AAPC_ENTRY(Wait)
int aapc_entry_Wait(MPI_Request* request, MPI_Status* status) {
    namespace ours = aapc::interposer;
    if (request != nullptr) {
        ours::tell_background([&](ours::Background& background) { background.wait_for(*request); });
    }
    return ours::real().wait(request, status);
}

AAPC_ENTRY(Waitall)
int aapc_entry_Waitall(int count, MPI_Request requests[], MPI_Status statuses[]) {
    namespace ours = aapc::interposer;
    const ours::Job* const job = ours::Job::current();
    ours::Background* const background = job != nullptr ? job->background() : nullptr;
    if (background != nullptr && requests != nullptr && count > 0) {
        std::for_each(requests, requests + count, [&](MPI_Request request) { background->wait_for(request); });
        if (std::find(requests, requests + count, MPI_REQUEST_NULL) != requests + count) {
            return ours::wait_for_each(count, requests, statuses);
        }
    }
    return ours::real().waitall(count, requests, statuses);
}

AAPC_INTERPOSED int MPI_Finalize() {
    namespace ours = aapc::interposer;
    // While all of MPI still works.
    ours::tell_background([](ours::Background& background) { background.end(); });
    return ours::real().finalize();
}
AAPC_ALSO_AS_PMPI(Finalize)
