/* A transform in three dimensions by pencils, as P3DFFT, 2DECOMP and heFFTe do it:
 *
 *     pencils POINTS ROWS TRANSFORMS
 *
 * POINTS^3 complex numbers on a grid of ROWS x (ranks / ROWS) ranks, both of which divide POINTS. There and back, four
 * transposes: two among the ranks of a row of the grid, two among those of a column, each by MPI_Alltoall. Prints the
 * largest deviation from what was put in, and how long the transforms took. */
#include <complex.h>
#include <fftw3.h>
#include <math.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>

static double value(long i) { return (double)((i * 131) % 1009) / 1009; }

/* From pencils of `length` in every line, `lines` x `planes` of them, to pencils along the lines' direction: every rank
 * of `group` gets a share of each pencil. In: [planes][lines][length]; out: [planes][length / size][lines * size]. */
static void transpose(fftw_complex* in, fftw_complex* packed, MPI_Comm group, long planes, long lines, long length) {
    int size = 0;
    MPI_Comm_size(group, &size);
    const long share = length / size;
    const long block = planes * lines * share;
    fftw_complex* to = packed;
    for (int rank = 0; rank < size; ++rank) {
        for (long pencil = 0; pencil < planes * lines; ++pencil) {
            for (long at = 0; at < share; ++at) *to++ = in[pencil * length + rank * share + at];
        }
    }
    MPI_Alltoall(packed, (int)(2 * block), MPI_DOUBLE, in, (int)(2 * block), MPI_DOUBLE, group);
    for (int rank = 0; rank < size; ++rank) {
        const fftw_complex* from = in + rank * block;
        for (long plane = 0; plane < planes; ++plane) {
            for (long line = 0; line < lines; ++line) {
                for (long at = 0; at < share; ++at) {
                    packed[(plane * share + at) * lines * size + rank * lines + line] = *from++;
                }
            }
        }
    }
}

/* [planes][rows][columns] to [rows][planes][columns], in this rank. */
static void turn(const fftw_complex* in, fftw_complex* out, long planes, long rows, long columns) {
    for (long plane = 0; plane < planes; ++plane) {
        for (long row = 0; row < rows; ++row) {
            for (long column = 0; column < columns; ++column) {
                out[(row * planes + plane) * columns + column] = in[(plane * rows + row) * columns + column];
            }
        }
    }
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
    const long points = strtol(argv[1], NULL, 10);
    const int rows = (int)strtol(argv[2], NULL, 10);
    const int transforms = (int)strtol(argv[3], NULL, 10);
    if (rows < 1 || ranks % rows != 0 || points % rows != 0 || points % (ranks / rows) != 0) {
        MPI_Abort(MPI_COMM_WORLD, 2);
    }
    const int columns = ranks / rows;
    MPI_Comm row = MPI_COMM_NULL;
    MPI_Comm column = MPI_COMM_NULL;
    MPI_Comm_split(MPI_COMM_WORLD, rank / columns, rank, &row);
    MPI_Comm_split(MPI_COMM_WORLD, rank % columns, rank, &column);
    const long wide = points / columns; /* a share among the ranks of a row */
    const long high = points / rows;    /* a share among those of a column */
    const long own = points * wide * high;
    fftw_complex* const here = fftw_alloc_complex((size_t)own);
    fftw_complex* const there = fftw_alloc_complex((size_t)own);
    const int length = (int)points;
    const int pencils = (int)(wide * high);
    fftw_plan plans[2];
    for (int back = 0; back < 2; ++back) {
        plans[back] = fftw_plan_many_dft(1, &length, pencils, here, NULL, 1, length, here, NULL, 1, length,
                                         back ? FFTW_BACKWARD : FFTW_FORWARD, FFTW_ESTIMATE);
    }
    for (long at = 0; at < own; ++at) here[at] = value(rank * own + at);
    MPI_Barrier(MPI_COMM_WORLD);
    const double start = MPI_Wtime();
    for (int i = 0; i < transforms; ++i) {
        fftw_execute(plans[0]);                          /* [high][wide][points], along x */
        transpose(here, there, row, high, wide, points); /* [high][points / columns][points], along y */
        fftw_execute_dft(plans[0], there, there);
        turn(there, here, high, wide, points);              /* [wide][high][points] */
        transpose(here, there, column, wide, high, points); /* [wide][points / rows][points], along z */
        fftw_execute_dft(plans[0], there, there);
        fftw_execute_dft(plans[1], there, there);
        transpose(there, here, column, wide, high, points);
        turn(here, there, wide, high, points);
        fftw_execute_dft(plans[1], there, there);
        transpose(there, here, row, high, wide, points);
        fftw_execute(plans[1]);
        const double all = (double)points * (double)points * (double)points;
        for (long at = 0; at < own; ++at) here[at] /= all;
    }
    const double seconds = MPI_Wtime() - start;
    double worst = 0;
    for (long at = 0; at < own; ++at) worst = fmax(worst, cabs(here[at] - value(rank * own + at)));
    double slowest = 0;
    double farthest = 0;
    MPI_Reduce(&seconds, &slowest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    MPI_Reduce(&worst, &farthest, 1, MPI_DOUBLE, MPI_MAX, 0, MPI_COMM_WORLD);
    if (rank == 0) {
        printf("seconds: %.6f\n", slowest);
        printf("%s: largest deviation %.3g\n", farthest < 1e-10 ? "right" : "WRONG", farthest);
    }
    for (int back = 0; back < 2; ++back) fftw_destroy_plan(plans[back]);
    fftw_free(here);
    fftw_free(there);
    MPI_Comm_free(&row);
    MPI_Comm_free(&column);
    MPI_Finalize();
    return 0;
}
