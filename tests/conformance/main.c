/* Random calls of MPI_Alltoall and its kin, checked to the byte:
 *
 *     conformance SEED FROM TO SECONDS [threads] [large] [aloud]
 *
 * Runs cases FROM to TO - 1 of SEED: the same ones in every language and on every MPI, but for what these do not have.
 * A case that takes longer than SECONDS ends the job. Rank 0 says at which case it is and, at the end, what the
 * interposer counted. `threads` and `large` add cases that need MPI_THREAD_MULTIPLE and memory; `aloud` describes every
 * call. */
#include <dlfcn.h>
#include <mpi.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calls.h"
#include "cases.h"
#include "communicators.h"
#include "exchange.h"

static void on_alarm(int signal_number) {
    static const char text[] = "conformance: a case took too long\n";
    (void)signal_number;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0) _exit(4);
    _exit(3);
}

static void run_case(Random* shared, Random* own, int threads, int large) {
    const int kind = below(shared, 100);
    if (large) {
        calls_of_much_data(shared, own);
    } else if (kind < 10) {
        refused_calls(shared, own);
    } else if (kind < 15) {
        calls_in_callbacks(shared, own);
    } else if (kind < 17) {
        calls_far_apart(shared, own);
    } else if (kind < 35 && threads) {
        calls_in_threads(shared, own);
    } else {
        calls_on_a_communicator(shared, own);
    }
}

/* Calls that were exchanged and passed through on all ranks; -1 without an interposer. */
static void count_calls(long* counts) {
    const union {
        void* object;
        void (*function)(long*, long*);
    } found = {dlsym(RTLD_DEFAULT, "aapc_calls")};
    counts[0] = counts[1] = -1;
    if (found.object != NULL) found.function(&counts[0], &counts[1]);
}

int main(int argc, char** argv) {
    if (argc < 5) return 2;
    const uint64_t seed = strtoull(argv[1], NULL, 10);
    const long from = strtol(argv[2], NULL, 10);
    const long to = strtol(argv[3], NULL, 10);
    const unsigned seconds = (unsigned)strtoul(argv[4], NULL, 10);
    int threads = 0;
    int large = 0;
    for (int i = 5; i < argc; ++i) {
        threads = threads || strcmp(argv[i], "threads") == 0;
        says_calls = says_calls || strcmp(argv[i], "aloud") == 0;
        large = large || strcmp(argv[i], "large") == 0;
    }
    signal(SIGALRM, on_alarm);
    alarm(seconds);
    int provided = MPI_THREAD_SINGLE;
    int rank = 0;
    if (threads) MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    if (!threads) MPI_Init(&argc, &argv);
    threads = provided == MPI_THREAD_MULTIPLE;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    call_in_finalize(seeded(seed, (uint64_t)to, 0), seeded(seed, (uint64_t)to, (uint64_t)rank + 1));
    Random shared;
    for (long number = from; number < to; ++number) {
        alarm(seconds);
        set_case(number);
        if (rank == 0) printf("at %ld\n", number);
        if (rank == 0) fflush(stdout);
        shared = seeded(seed, (uint64_t)number, 0);
        Random own = seeded(seed, (uint64_t)number, (uint64_t)rank + 1);
        run_case(&shared, &own, threads, large);
    }
    free_some(&shared);
    const long refusals = compared_refusals();
    long mine[3] = {0, 0, refusals};
    long all[3] = {0, 0, 0};
    count_calls(mine);
    MPI_Reduce(mine, all, 3, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    if (rank == 0) printf("done %ld %ld %ld\n", all[0], all[1], refusals);
    MPI_Finalize();
    return 0;
}
