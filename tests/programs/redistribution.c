/* A field of LINES x COLUMNS doubles goes from slabs of lines to slabs of columns and back, CALLS times, as transforms
 * and particle codes do it: by MPI_Alltoallv, with derived types by MPI_Alltoallw, and where slabs are equal by
 * MPI_Alltoall.
 *
 *     redistribution LINES COLUMNS CALLS even|uneven
 *
 * "uneven": rank r has 1 + r % 3 shares of the lines and 1 + (r + 1) % 2 of the columns. Every value is compared with
 * what its place says it is. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most_ranks = 64 };

static int ranks;
static int rank;

static void stop(const char* why) {
    fprintf(stderr, "redistribution: %s\n", why);
    MPI_Abort(MPI_COMM_WORLD, 2);
}

/* Where each rank's slab begins. */
static void cut(long total, int uneven, int period, int shift, long* first) {
    long shares = 0;
    for (int r = 0; r < ranks; ++r) shares += uneven ? 1 + (r + shift) % period : 1;
    long before = 0;
    for (int r = 0; r < ranks; ++r) {
        first[r] = total * before / shares;
        before += uneven ? 1 + (r + shift) % period : 1;
    }
    first[ranks] = total;
}

static double value(long line, long column, int call) { return (double)(line * 8191 + column * 31 + call); }

static long lines[most_ranks + 1];
static long columns[most_ranks + 1];

static long own_lines(int r) { return lines[r + 1] - lines[r]; }
static long own_columns(int r) { return columns[r + 1] - columns[r]; }

/* Blocks of the lines' slab, one for each rank, its columns' part line by line; and what comes back in that form. */
static void pack(const double* slab, double* packed, long width) {
    for (int to = 0; to < ranks; ++to) {
        for (long line = 0; line < own_lines(rank); ++line) {
            memcpy(packed, slab + line * width + columns[to], sizeof(double) * (size_t)own_columns(to));
            packed += own_columns(to);
        }
    }
}

static void fill_slab(double* slab, long width, int call) {
    for (long line = 0; line < own_lines(rank); ++line) {
        for (long column = 0; column < width; ++column) {
            slab[line * width + column] = value(lines[rank] + line, column, call);
        }
    }
}

/* The columns' slab: all lines, in the order of their ranks. */
static long count_wrong(const double* slab, int call) {
    long wrong = 0;
    for (long line = 0; line < lines[ranks]; ++line) {
        for (long column = 0; column < own_columns(rank); ++column) {
            wrong += *slab++ != value(line, columns[rank] + column, call);
        }
    }
    return wrong;
}

/* The same move by MPI_Alltoallw, without packing. */
static void move_by_types(double* slab, long width, double* turned) {
    int counts[most_ranks];
    int receive_counts[most_ranks];
    int places[most_ranks];
    int receive_places[most_ranks];
    MPI_Datatype parts[most_ranks];
    MPI_Datatype whole[most_ranks];
    for (int r = 0; r < ranks; ++r) {
        counts[r] = own_lines(rank) > 0 && own_columns(r) > 0;
        places[r] = (int)(columns[r] * (long)sizeof(double));
        MPI_Type_vector((int)own_lines(rank), (int)own_columns(r), (int)width, MPI_DOUBLE, &parts[r]);
        MPI_Type_commit(&parts[r]);
        receive_counts[r] = (int)(own_lines(r) * own_columns(rank));
        receive_places[r] = (int)(lines[r] * own_columns(rank) * (long)sizeof(double));
        whole[r] = MPI_DOUBLE;
    }
    MPI_Alltoallw(slab, counts, places, parts, turned, receive_counts, receive_places, whole, MPI_COMM_WORLD);
    for (int r = 0; r < ranks; ++r) MPI_Type_free(&parts[r]);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    if (argc != 5 || ranks > most_ranks) stop("usage: redistribution LINES COLUMNS CALLS even|uneven, up to 64 ranks");
    const long height = strtol(argv[1], NULL, 10);
    const long width = strtol(argv[2], NULL, 10);
    const int calls = (int)strtol(argv[3], NULL, 10);
    const int uneven = strcmp(argv[4], "uneven") == 0;
    cut(height, uneven, 3, 0, lines);
    cut(width, uneven, 2, 1, columns);
    const int equal = !uneven && height % ranks == 0 && width % ranks == 0;
    double* const slab = malloc(sizeof(double) * (size_t)(own_lines(rank) * width + 1));
    double* const packed = malloc(sizeof(double) * (size_t)(own_lines(rank) * width + 1));
    double* const turned = malloc(sizeof(double) * (size_t)(own_columns(rank) * height + 1));
    double* const again = malloc(sizeof(double) * (size_t)(own_lines(rank) * width + 1));
    if (slab == NULL || packed == NULL || turned == NULL || again == NULL) stop("no memory");
    int counts[most_ranks];
    int first[most_ranks];
    int turned_counts[most_ranks];
    int turned_first[most_ranks];
    for (int r = 0; r < ranks; ++r) {
        counts[r] = (int)(own_lines(rank) * own_columns(r));
        first[r] = (int)(own_lines(rank) * columns[r]);
        turned_counts[r] = (int)(own_lines(r) * own_columns(rank));
        turned_first[r] = (int)(lines[r] * own_columns(rank));
    }
    long wrong = 0;
    double seconds = 0;
    for (int call = 0; call < calls; ++call) {
        fill_slab(slab, width, call);
        pack(slab, packed, width);
        MPI_Barrier(MPI_COMM_WORLD);
        const double start = MPI_Wtime();
        if (equal) {
            MPI_Alltoall(packed, counts[0], MPI_DOUBLE, turned, counts[0], MPI_DOUBLE, MPI_COMM_WORLD);
        } else if (call % 4 == 3) {
            move_by_types(slab, width, turned);
        } else {
            MPI_Alltoallv(packed, counts, first, MPI_DOUBLE, turned, turned_counts, turned_first, MPI_DOUBLE,
                          MPI_COMM_WORLD);
        }
        MPI_Alltoallv(turned, turned_counts, turned_first, MPI_DOUBLE, again, counts, first, MPI_DOUBLE,
                      MPI_COMM_WORLD);
        seconds += MPI_Wtime() - start;
        wrong += count_wrong(turned, call);
        wrong += memcmp(again, packed, sizeof(double) * (size_t)(own_lines(rank) * width)) != 0;
    }
    long all_wrong = 0;
    double slowest = 0;
    MPI_Reduce(&wrong, &all_wrong, 1, MPI_LONG, MPI_SUM, 0, MPI_COMM_WORLD);
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds: %.6f\n", slowest);
        printf("%s: %ld values are not what their places say\n", all_wrong == 0 ? "right" : "WRONG", all_wrong);
    }
    free(slab);
    free(packed);
    free(turned);
    free(again);
    MPI_Finalize();
    return 0;
}
