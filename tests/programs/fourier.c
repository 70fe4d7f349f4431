/* FFTW's MPI transforms forwards and back:
 *
 *     fourier LINES COLUMNS[xDEPTH] TRANSFORMS [unforced | wisdom FILE]
 *
 * Two dimensions, or three where there is a depth: slabs of lines either way.
 * Prints which transposes the planner has taken, the largest deviation from what was put in, and how long the
 * transforms took. FFTW has a transpose by MPI_Alltoall (where all slabs are equal, else MPI_Alltoallv) for transforms
 * out of place that may destroy their input, and takes it if it was faster than its pairwise MPI_Sendrecv while it
 * planned. Here that is made slow while it plans, unless the planner is to be left alone. A file of wisdom has what was
 * planned before. Where there is none it is written; while it is made no data are sent, so a slow network does not
 * count.
 */
#define _GNU_SOURCE
#include <complex.h>
#include <dlfcn.h>
#include <fftw3-mpi.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

static double value(ptrdiff_t line, ptrdiff_t column) { return (double)((line * 131 + column * 17) % 1009) / 1009; }

static long pause_nanoseconds; /* of a pairwise transpose's messages while it plans */
static int plans;
static int sends_nothing; /* while it plans: the planner overwrites the data in any case */

int MPI_Sendrecv(const void* send, int send_count, MPI_Datatype send_type, int to, int send_tag, void* receive,
                 int receive_count, MPI_Datatype receive_type, int from, int receive_tag, MPI_Comm comm,
                 MPI_Status* status) {
    const struct timespec while_planning = {0, pause_nanoseconds};
    if (plans && pause_nanoseconds > 0) nanosleep(&while_planning, NULL);
    if (plans && sends_nothing) return MPI_SUCCESS;
    return PMPI_Sendrecv(send, send_count, send_type, to, send_tag, receive, receive_count, receive_type, from,
                         receive_tag, comm, status);
}

/* The all-to-alls go to whatever library comes next, so that one which is preloaded has them. */
int MPI_Alltoall(const void* send, int send_count, MPI_Datatype send_type, void* receive, int receive_count,
                 MPI_Datatype receive_type, MPI_Comm comm) {
    typedef int Function(const void*, int, MPI_Datatype, void*, int, MPI_Datatype, MPI_Comm);
    static Function* next;
    if (plans && sends_nothing) return MPI_SUCCESS;
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "MPI_Alltoall");
    return next(send, send_count, send_type, receive, receive_count, receive_type, comm);
}

int MPI_Alltoallv(const void* send, const int send_counts[], const int send_places[], MPI_Datatype send_type,
                  void* receive, const int receive_counts[], const int receive_places[], MPI_Datatype receive_type,
                  MPI_Comm comm) {
    typedef int Function(const void*, const int[], const int[], MPI_Datatype, void*, const int[], const int[],
                         MPI_Datatype, MPI_Comm);
    static Function* next;
    if (plans && sends_nothing) return MPI_SUCCESS;
    if (next == NULL) *(void**)&next = dlsym(RTLD_NEXT, "MPI_Alltoallv");
    return next(send, send_counts, send_places, send_type, receive, receive_counts, receive_places, receive_type, comm);
}

static int uses(fftw_plan plan, const char* transpose) {
    char* const text = fftw_sprint_plan(plan);
    const int found = strstr(text, transpose) != NULL;
    free(text);
    return found;
}

/* What rank 0 finds in a file, for all. */
static int share_wisdom(const char* file) {
    int rank = 0;
    int found = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (rank == 0 && file != NULL) found = fftw_import_wisdom_from_filename(file);
    MPI_Bcast(&found, 1, MPI_INT, 0, MPI_COMM_WORLD);
    if (found) fftw_mpi_broadcast_wisdom(MPI_COMM_WORLD);
    return found;
}

static void keep_wisdom(const char* file) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fftw_mpi_gather_wisdom(MPI_COMM_WORLD);
    if (rank == 0) fftw_export_wisdom_to_filename(file);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    fftw_mpi_init();
    if (argc < 4 || argc > 6) MPI_Abort(MPI_COMM_WORLD, 2);
    const char* const file = argc == 6 ? argv[5] : NULL;
    pause_nanoseconds = argc == 4 ? 20000000 : argc == 5 ? 0 : 2000000;
    sends_nothing = file != NULL;
    const ptrdiff_t lines = strtol(argv[1], NULL, 10);
    char* behind = NULL;
    const ptrdiff_t width = strtol(argv[2], &behind, 10);
    const ptrdiff_t depth = *behind == 'x' ? strtol(behind + 1, NULL, 10) : 1;
    const ptrdiff_t extents[] = {lines, width, depth};
    const int dimensions = depth > 1 ? 3 : 2;
    const ptrdiff_t columns = width * depth; /* of one line, all that it has */
    const int transforms = (int)strtol(argv[3], NULL, 10);
    const unsigned flags = FFTW_MEASURE | FFTW_DESTROY_INPUT;
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    ptrdiff_t own_lines = 0;
    ptrdiff_t first_line = 0;
    const ptrdiff_t room = fftw_mpi_local_size(dimensions, extents, MPI_COMM_WORLD, &own_lines, &first_line);
    fftw_complex* const here = fftw_alloc_complex((size_t)room);
    fftw_complex* const there = fftw_alloc_complex((size_t)room);
    const int is_known = share_wisdom(file);
    plans = 1;
    const fftw_plan forward = fftw_mpi_plan_dft(dimensions, extents, here, there, MPI_COMM_WORLD, FFTW_FORWARD, flags);
    const fftw_plan back = fftw_mpi_plan_dft(dimensions, extents, there, here, MPI_COMM_WORLD, FFTW_BACKWARD, flags);
    plans = 0;
    if (file != NULL && !is_known) keep_wisdom(file);
    for (ptrdiff_t at = 0; at < own_lines * columns; ++at) {
        here[at] = value(first_line + at / columns, at % columns);
    }
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < transforms; ++i) {
        fftw_execute(forward);
        fftw_execute(back);
        for (ptrdiff_t at = 0; at < own_lines * columns; ++at) here[at] /= (double)(lines * columns);
    }
    const double seconds = MPI_Wtime() - start;
    double worst = 0;
    for (ptrdiff_t at = 0; at < own_lines * columns; ++at) {
        worst = fmax(worst, cabs(here[at] - value(first_line + at / columns, at % columns)));
    }
    double slowest = 0;
    double farthest = 0;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&worst, &farthest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("transposes: %s, back %s\n", uses(forward, "transpose-alltoall") ? "all-to-all" : "pairwise",
               uses(back, "transpose-alltoall") ? "all-to-all" : "pairwise");
        printf("seconds: %.6f\n", slowest);
        printf("%s: largest deviation %.3g\n", farthest < 1e-10 ? "right" : "WRONG", farthest);
    }
    fftw_destroy_plan(forward);
    fftw_destroy_plan(back);
    fftw_free(here);
    fftw_free(there);
    MPI_Finalize();
    return 0;
}
