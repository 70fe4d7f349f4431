/* Preloaded into ranks of MPICH 4.0 over UCX, for two things that Open MPI has as it is.
 *
 * Ranks that wait give way. MPICH's wait by asking UCX again and again and never give up the processor; its
 * MPIR_CVAR_POLLS_BEFORE_YIELD does nothing over UCX. Where ranks outnumber cores, those that wait keep those that they
 * wait for from running, and an MPI_Alltoall takes up to 40 times as long as on a cluster, whose ranks have a core
 * each. It is what mpi_yield_when_idle is to Open MPI.
 *
 * MPI_Finalize ends, which over TCP it does not as often as not. MPICH's ucx netmod closes every connection, which
 * takes an answer of the peer's UCX, and then waits in a PMI barrier by a plain read(). A rank that is there first
 * answers nobody any more, so the others never get there (mended in MPICH 4.2, pull request 6596: "Having the process
 * stuck in PMI_barrier may prevent other processes to complete"). Here a read from the process manager lets UCX go on
 * while it waits; ranks talk to the process manager only when they start and when they end. From MPICH 4.2 on reads are
 * left alone: that one takes a connection which its peer has closed meanwhile for a failure. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* As in UCX's ucp.h, which need not be installed; the handles are opaque here. */
typedef int (*worker_create_function)(void* context, const void* parameters, void** worker);
typedef void (*worker_destroy_function)(void* worker);
typedef unsigned (*worker_progress_function)(void* worker);
typedef int (*library_version_function)(char* text, int* length);
typedef ssize_t (*read_function)(int descriptor, void* buffer, size_t size);

int ucp_worker_create(void* context, const void* parameters, void** worker);
void ucp_worker_destroy(void* worker);
unsigned ucp_worker_progress(void* worker);

static void* current_worker = NULL;

/* UCX's own. A program that loads its MPI late keeps UCX to itself, behind no preloaded library. */
static void* in_ucx(const char* name) {
    void* const next = dlsym(RTLD_NEXT, name);
    void* const ucx = next == NULL ? dlopen("libucp.so.0", RTLD_LAZY | RTLD_NOLOAD) : NULL;
    return ucx == NULL ? next : dlsym(ucx, name);
}

unsigned ucp_worker_progress(void* worker) {
    static worker_progress_function progress = NULL;
    if (progress == NULL) {
        progress = (worker_progress_function)in_ucx("ucp_worker_progress");
    }
    const unsigned events = progress(worker);
    if (events == 0) {
        sched_yield();
    }
    return events;
}

static int finalize_may_hang(void) {
    static char text[8192]; /* MPI_MAX_LIBRARY_VERSION_STRING */
    int length = 0;
    int major = 0;
    int minor = 0;
    const library_version_function version = (library_version_function)dlsym(RTLD_DEFAULT, "MPI_Get_library_version");
    if (version == NULL || version(text, &length) != 0 || sscanf(text, "MPICH Version: %d.%d", &major, &minor) != 2) {
        return 1;
    }
    return major < 4 || (major == 4 && minor < 2);
}

int ucp_worker_create(void* context, const void* parameters, void** worker) {
    const worker_create_function create = (worker_create_function)in_ucx("ucp_worker_create");
    const int status = create(context, parameters, worker);
    if (status == 0 && finalize_may_hang()) {
        current_worker = *worker;
    }
    return status;
}

void ucp_worker_destroy(void* worker) {
    const worker_destroy_function destroy = (worker_destroy_function)in_ucx("ucp_worker_destroy");
    if (worker == current_worker) {
        current_worker = NULL;
    }
    destroy(worker);
}

ssize_t read(int descriptor, void* buffer, size_t size) {
    static read_function next_read = NULL;
    if (next_read == NULL) {
        next_read = (read_function)dlsym(RTLD_NEXT, "read");
    }
    if (current_worker != NULL) {
        const char* process_manager = getenv("PMI_FD");
        if (process_manager != NULL && descriptor == atoi(process_manager)) {
            struct pollfd waiting = {.fd = descriptor, .events = POLLIN};
            while (poll(&waiting, 1, 1) == 0) {
                ucp_worker_progress(current_worker);
            }
        }
    }
    return next_read(descriptor, buffer, size);
}
