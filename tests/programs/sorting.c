/* A sample sort: random numbers, splitters from a sample of all ranks, then every rank sends each other what is theirs.
 *
 *     sorting NUMBERS TIMES
 *
 * NUMBERS of each rank, sorted TIMES times, anew each time. Two all-to-alls a sort: the counts by MPI_Alltoall, the
 * numbers by MPI_Alltoallv. Checked: each rank's numbers are in order, follow those of the rank before, and none is
 * lost. Prints how long the sorts took. */
#include <mpi.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { sample = 32 };

static int ranks;
static int rank;

static int compare(const void* one, const void* other) {
    const uint64_t a = *(const uint64_t*)one;
    const uint64_t b = *(const uint64_t*)other;
    return (a > b) - (a < b);
}

static void* room_for(size_t count) {
    void* const room = malloc(count > 0 ? count * sizeof(uint64_t) : 1);
    if (room == NULL) MPI_Abort(MPI_COMM_WORLD, 3);
    return room;
}

static uint64_t state;

static uint64_t next_number(void) { /* xorshift64* */
    state ^= state >> 12;
    state ^= state << 25;
    state ^= state >> 27;
    return state * 2685821657736338717U;
}

static void find_splitters(const uint64_t* sorted, int count, uint64_t* splitters) {
    uint64_t own[sample];
    uint64_t* const all = room_for((size_t)ranks * sample);
    for (int i = 0; i < sample; ++i) own[i] = sorted[(long)count * i / sample];
    MPI_Allgather(own, sample, MPI_UINT64_T, all, sample, MPI_UINT64_T, MPI_COMM_WORLD);
    qsort(all, (size_t)ranks * sample, sizeof *all, compare);
    for (int i = 1; i < ranks; ++i) splitters[i - 1] = all[i * sample];
    free(all);
}

static int displacements(const int* counts, int* first) {
    int total = 0;
    for (int r = 0; r < ranks; ++r) {
        first[r] = total;
        total += counts[r];
    }
    return total;
}

/* Whether all numbers are in order over all ranks, and as many as there were, with the same sum. */
static int is_right(const uint64_t* sorted, int count, uint64_t sum, int number) {
    int wrong = 0;
    uint64_t sums[2] = {sum, 0};
    uint64_t all_sums[2];
    for (int i = 0; i < count; ++i) {
        sums[1] += sorted[i];
        wrong |= i > 0 && sorted[i] < sorted[i - 1];
    }
    uint64_t ends[2] = {count > 0 ? sorted[0] : 0, count > 0 ? sorted[count - 1] : 0};
    uint64_t* const all_ends = room_for(2 * (size_t)ranks);
    MPI_Allgather(ends, 2, MPI_UINT64_T, all_ends, 2, MPI_UINT64_T, MPI_COMM_WORLD);
    for (int r = 1; r < ranks; ++r) wrong |= all_ends[2 * r] < all_ends[2 * r - 1] && all_ends[2 * r] != 0;
    free(all_ends);
    long long have = count;
    long long all_have = 0;
    MPI_Allreduce(sums, all_sums, 2, MPI_UINT64_T, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(&have, &all_have, 1, MPI_LONG_LONG, MPI_SUM, MPI_COMM_WORLD);
    MPI_Allreduce(MPI_IN_PLACE, &wrong, 1, MPI_INT, MPI_MAX, MPI_COMM_WORLD);
    return !wrong && all_sums[0] == all_sums[1] && all_have == (long long)number * ranks;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 3) MPI_Abort(MPI_COMM_WORLD, 2);
    const int number = (int)strtol(argv[1], NULL, 10);
    const int times = (int)strtol(argv[2], NULL, 10);
    uint64_t* const numbers = room_for((size_t)number);
    uint64_t* const splitters = room_for((size_t)ranks);
    int* const arrays = room_for(2 * (size_t)ranks);
    int* const counts = arrays;
    int* const first = arrays + ranks;
    int* const from_each = arrays + 2 * ranks;
    int* const first_from = arrays + 3 * ranks;
    int right = 1;
    double seconds = 0;
    state = 88172645463325252U + (uint64_t)rank * 7919;
    for (int sort = 0; sort < times; ++sort) {
        uint64_t sum = 0;
        for (int i = 0; i < number; ++i) sum += numbers[i] = next_number();
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        qsort(numbers, (size_t)number, sizeof *numbers, compare);
        find_splitters(numbers, number, splitters);
        for (int r = 0; r < ranks; ++r) counts[r] = 0;
        int to = 0;
        for (int i = 0; i < number; ++i) {
            while (to < ranks - 1 && numbers[i] >= splitters[to]) ++to;
            ++counts[to];
        }
        MPI_Alltoall(counts, 1, MPI_INT, from_each, 1, MPI_INT, MPI_COMM_WORLD);
        displacements(counts, first);
        const int total = displacements(from_each, first_from);
        uint64_t* const sorted = room_for((size_t)total);
        MPI_Alltoallv(numbers, counts, first, MPI_UINT64_T, sorted, from_each, first_from, MPI_UINT64_T,
                      MPI_COMM_WORLD);
        qsort(sorted, (size_t)total, sizeof *sorted, compare);
        seconds += MPI_Wtime() - start;
        right = is_right(sorted, total, sum, number) && right;
        free(sorted);
    }
    double slowest = 0;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds: %.6f\n", slowest);
        printf("%s: %d sorts\n", right ? "right" : "WRONG", times);
    }
    free(numbers);
    free(splitters);
    free(arrays);
    MPI_Finalize();
    return 0;
}
