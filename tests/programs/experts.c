/* The exchanges of a layer of experts, replayed from a matrix of counts:
 *
 *     experts MATRIX STEPS
 *
 * MATRIX has a line for each sending rank and a number of bytes for each receiving one, separated by commas, as `aapc
 * bench --demand` reads them; lines that begin with # do not count. A step sends tokens to their experts and what these
 * make of them back, by MPI_Alltoallv, with the counts before by MPI_Alltoall, as DeepSpeed and Megatron do. Every byte
 * that comes back is compared. Prints how long the steps took. */
#include <mpi.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int ranks;
static int rank;

static void stop(const char* why) {
    fprintf(stderr, "experts: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

static void read_matrix(const char* name, int* matrix) {
    FILE* const file = fopen(name, "r");
    if (file == NULL) stop("no such matrix");
    char line[65536];
    int from = 0;
    while (from < ranks && fgets(line, sizeof line, file) != NULL) {
        if (line[0] == '#' || line[0] == '\n') continue;
        char* at = line;
        for (int to = 0; to < ranks; ++to) {
            char* behind = NULL;
            matrix[from * ranks + to] = (int)strtol(at, &behind, 10);
            if (behind == at) stop("a line has too few numbers");
            at = behind + (*behind == ',');
        }
        ++from;
    }
    fclose(file);
    if (from < ranks) stop("the matrix has too few lines");
}

static int displacements(const int* counts, int* first) {
    int total = 0;
    for (int r = 0; r < ranks; ++r) {
        first[r] = total;
        total += counts[r];
    }
    return total;
}

static char* room_for(size_t bytes) {
    char* const room = malloc(bytes > 0 ? bytes : 1);
    if (room == NULL) stop("no memory");
    return room;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 3) stop("experts MATRIX STEPS");
    int* const matrix = (int*)room_for(sizeof(int) * (size_t)ranks * (size_t)ranks);
    if (rank == 0) read_matrix(argv[1], matrix);
    MPI_Bcast(matrix, ranks * ranks, MPI_INT, 0, MPI_COMM_WORLD);
    const int steps = (int)strtol(argv[2], NULL, 10);
    int* const counts = matrix + (ptrdiff_t)rank * ranks;
    int* const first = (int*)room_for(3 * sizeof(int) * (size_t)ranks);
    int* const from_each = first + ranks;
    int* const first_from = from_each + ranks;
    const size_t own = (size_t)displacements(counts, first);
    char* const tokens = room_for(own);
    char* const answers = room_for(own);
    int right = 1;
    double seconds = 0;
    for (int step = 0; step < steps; ++step) {
        for (size_t i = 0; i < own; ++i) tokens[i] = (char)(i * 7 + (size_t)rank + (size_t)step);
        memset(answers, 0, own);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        MPI_Alltoall(counts, 1, MPI_INT, from_each, 1, MPI_INT, MPI_COMM_WORLD);
        const size_t total = (size_t)displacements(from_each, first_from);
        char* const asked = room_for(total);
        MPI_Alltoallv(tokens, counts, first, MPI_BYTE, asked, from_each, first_from, MPI_BYTE, MPI_COMM_WORLD);
        for (size_t i = 0; i < total; ++i) asked[i] = (char)(asked[i] + 1);
        MPI_Alltoallv(asked, from_each, first_from, MPI_BYTE, answers, counts, first, MPI_BYTE, MPI_COMM_WORLD);
        seconds += MPI_Wtime() - start;
        for (size_t i = 0; i < own; ++i) right = right && answers[i] == (char)(tokens[i] + 1);
        free(asked);
    }
    double slowest = 0;
    int all_right = 0;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&right, &all_right, 1, MPI_INT, MPI_MIN, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds: %.6f\n", slowest);
        printf("%s: %d steps\n", all_right ? "right" : "WRONG", steps);
    }
    free(matrix);
    free(first);
    free(tokens);
    free(answers);
    MPI_Finalize();
    return 0;
}
