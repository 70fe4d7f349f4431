/* A program whose ranks are a grid of two columns, and exchange within columns:
 *
 *     siblings all|one CALLS BYTES
 *
 *     all    both columns exchange, in calls of equal blocks and of unequal ones in turns, on the columns and on a
 *            duplicate of each
 *     one    only the first column does
 *
 * Every byte is checked. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "checked.h"

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    if (argc != 4) MPI_Abort(MPI_COMM_WORLD, 2);
    const int all = strcmp(argv[1], "all") == 0;
    const int calls = atoi(argv[2]);
    bytes = atoi(argv[3]);
    int ranks = 0;
    int rank = 0;
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const int sides[2] = {ranks / 2, 2};
    const int rings[2] = {0, 0};
    const int along[2] = {1, 0};
    MPI_Comm grid = MPI_COMM_NULL;
    MPI_Comm column = MPI_COMM_NULL;
    MPI_Cart_create(MPI_COMM_WORLD, 2, sides, rings, 0, &grid);
    MPI_Cart_sub(grid, along, &column);
    MPI_Comm again = MPI_COMM_NULL;
    MPI_Comm_dup(column, &again);
    if (all || rank % 2 == 0) {
        for (int call = 0; call < calls; ++call) {
            exchange(call < calls / 2 ? column : again, call, call % 4 == 3);
        }
    }
    MPI_Comm_free(&again);
    MPI_Comm_free(&column);
    MPI_Comm_free(&grid);
    MPI_Finalize();
    return 0;
}
