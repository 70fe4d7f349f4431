/* threads-that-stand-still [ROUNDS], alone on two ranks of one machine, without aapc: a fault of Open MPI 6.0.0rc2's
   shared memory (btl/sm, over pml/ob1). Two threads of each rank send each other numbers, each on a communicator of its
   own. mca_btl_sm_fbox_sendi() takes room in a ring for its message under a lock, and a number for it without. Where
   another thread comes between, the order in the ring is not that of the numbers. The receiver then waits for good for
   the number that should come next, and gets nothing more from that rank, on no communicator. It has been so since pull
   request 13037 (2025). OMPI_MCA_btl_sm_fbox_max=0 does without the rings. Exit status 1 when nothing has moved for
   half a minute. */
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

enum { lanes = 2, patience_seconds = 30 };
static int rounds = 20000;
static int rank;
static MPI_Comm comms[lanes];
static volatile int reached[lanes];

static void look(int signal_number) {
    static const char text[] = "nothing moves\n";
    static int seen[lanes];
    static int quiet_seconds;
    (void)signal_number;
    ++quiet_seconds;
    for (int lane = 0; lane < lanes; ++lane) {
        if (seen[lane] != reached[lane]) quiet_seconds = 0;
        seen[lane] = reached[lane];
    }
    if (quiet_seconds == patience_seconds) _exit(write(STDERR_FILENO, text, sizeof text - 1) < 0 ? 2 : 1);
    alarm(1);
}

static void* exchange(void* argument) {
    const long lane = (long)argument;
    for (int round = 0; round < rounds; ++round) {
        int received = -1;
        reached[lane] = round;
        MPI_Sendrecv(&round, 1, MPI_INT, 1 - rank, 0, &received, 1, MPI_INT, 1 - rank, 0, comms[lane],
                     MPI_STATUS_IGNORE);
        if (received != round) MPI_Abort(MPI_COMM_WORLD, 3);
    }
    return NULL;
}

int main(int argc, char** argv) {
    int provided = MPI_THREAD_SINGLE;
    int ranks = 0;
    pthread_t threads[lanes];
    MPI_Init_thread(&argc, &argv, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (provided != MPI_THREAD_MULTIPLE || ranks != 2) MPI_Abort(MPI_COMM_WORLD, 2);
    if (argc > 1) rounds = atoi(argv[1]);
    for (int lane = 0; lane < lanes; ++lane) MPI_Comm_dup(MPI_COMM_WORLD, &comms[lane]);
    signal(SIGALRM, look);
    alarm(1);
    for (long lane = 0; lane < lanes; ++lane) pthread_create(&threads[lane], NULL, exchange, (void*)lane);
    for (int lane = 0; lane < lanes; ++lane) pthread_join(threads[lane], NULL);
    alarm(0);
    for (int lane = 0; lane < lanes; ++lane) MPI_Comm_free(&comms[lane]);
    if (rank == 0) printf("all have moved\n");
    MPI_Finalize();
    return 0;
}
