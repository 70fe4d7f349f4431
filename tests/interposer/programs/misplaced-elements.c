/* misplaced-elements, alone, without aapc: two faults of Open MPI 5.0 with derived types. Both come from one file of
   its source, opal/datatype/opal_datatype_pack_unpack_predefined.h, which steps by extent / sizeof(element), rounded
   down.
   1. Where elements are aligned, but not a multiple of their size apart, all but the first are misplaced: complex
      numbers of 16 bytes, 24 bytes apart. MPI_Pack and MPI_Unpack have this fault, as do messages.
   2. Where a fragment of a message ends after one element of several that are no multiple of their alignment apart, the
      elements that follow in the same block are misplaced: short integers, 7 bytes apart.
   Its main branch was mended in 2026 by pull request 14126. Prints what is wrong; exit status 1 if anything is. */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int wrong_when_packed(void) {
    enum { numbers = 3, doubles_apart = 3 };
    double from[numbers * doubles_apart];
    double packed[numbers * 2];
    int position = 0;
    int wrong = 0;
    MPI_Datatype type;
    for (int i = 0; i < numbers * doubles_apart; ++i) from[i] = i;
    MPI_Type_create_hvector(numbers, 1, sizeof(double[doubles_apart]), MPI_C_DOUBLE_COMPLEX, &type);
    MPI_Type_commit(&type);
    MPI_Pack(from, 1, type, packed, sizeof packed, &position, MPI_COMM_SELF);
    MPI_Type_free(&type);
    for (int i = 0; i < 2 * numbers; ++i) wrong += packed[i] != from[i / 2 * doubles_apart + i % 2];
    return wrong;
}

static int wrong_when_received(void) {
    enum { blocks = 100000, in_block = 3, apart = 7, extent = 22 };
    short* const from = malloc(sizeof(short) * in_block * blocks);
    char* const to = calloc(blocks, extent);
    int wrong = 0;
    MPI_Datatype block;
    MPI_Datatype type;
    MPI_Request request;
    for (int i = 0; i < in_block * blocks; ++i) from[i] = (short)i;
    MPI_Type_create_hvector(in_block, 1, apart, MPI_SHORT, &block);
    MPI_Type_create_resized(block, 0, extent, &type);
    MPI_Type_commit(&type);
    MPI_Irecv(to, blocks, type, 0, 0, MPI_COMM_SELF, &request);
    MPI_Send(from, in_block * blocks, MPI_SHORT, 0, 0, MPI_COMM_SELF);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    for (int i = 0; i < in_block * blocks; ++i)
        wrong += memcmp(to + i / in_block * extent + i % in_block * apart, &from[i], sizeof(short)) != 0;
    return wrong;
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    const int packed = wrong_when_packed();
    const int received = wrong_when_received();
    printf("%d of 6 doubles wrong from MPI_Pack, %d of 300000 short integers from a message\n", packed, received);
    MPI_Finalize();
    return packed + received > 0;
}
