/* An MPI whose MPI_Pack and MPI_Unpack damage every type that holds complex numbers: aapc exchanges the right bytes all
 * the same. Such an MPI is Open MPI 5.0, where their elements are one and a half of their size apart
 * (programs/misplaced-elements.c); this program puts its own routines before those of the MPI. What is right comes by
 * messages of types with bytes in place of complex numbers.
 *
 * Prints how many of its calls should have been exchanged. */
#define _GNU_SOURCE /* RTLD_NEXT */
#include <dlfcn.h>
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { most = 4, bytes_of_complex = 16, elements = 2, room = 1 << 16 };

static int ranks;
static int rank;

static void fail(const char* what, int kind) {
    fprintf(stderr, "misplaced: rank %d: %s, type %d\n", rank, what, kind);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

/* --- the faulty MPI --- */

static int is_complex(MPI_Datatype type) {
    int integers[64];
    MPI_Aint addresses[64];
    MPI_Datatype inner[64];
    int counts[3];
    int ignored[3];
    int combiner = MPI_COMBINER_NAMED;
    PMPI_Type_get_envelope(type, &counts[0], &counts[1], &counts[2], &combiner);
    if (combiner == MPI_COMBINER_NAMED) return type == MPI_C_DOUBLE_COMPLEX;
    PMPI_Type_get_contents(type, counts[0], counts[1], counts[2], integers, addresses, inner);
    int found = 0;
    for (int i = 0; i < counts[2]; ++i) {
        found = found || is_complex(inner[i]);
        PMPI_Type_get_envelope(inner[i], &ignored[0], &ignored[1], &ignored[2], &combiner);
        if (combiner != MPI_COMBINER_NAMED) PMPI_Type_free(&inner[i]);
    }
    return found;
}

static void* next(const char* name) {
    void* const found = dlsym(RTLD_NEXT, name);
    if (found == NULL) fail(name, -1);
    return found;
}

int PMPI_Pack(const void* from, int count, MPI_Datatype type, void* packed, int size, int* position, MPI_Comm comm) {
    const union {
        void* object;
        int (*function)(const void*, int, MPI_Datatype, void*, int, int*, MPI_Comm);
    } real = {next("PMPI_Pack")};
    const int before = *position;
    const int error = real.function(from, count, type, packed, size, position, comm);
    if (is_complex(type)) memset((char*)packed + before, 0xEE, (size_t)(*position - before));
    return error;
}

int PMPI_Unpack(const void* packed, int size, int* position, void* to, int count, MPI_Datatype type, MPI_Comm comm) {
    const union {
        void* object;
        int (*function)(const void*, int, int*, void*, int, MPI_Datatype, MPI_Comm);
    } real = {next("PMPI_Unpack")};
    static const char garbage[room];
    return real.function(is_complex(type) ? garbage : packed, size, position, to, count, type, comm);
}

/* --- types of every kind --- */

/* Eight complex numbers and at most as many others of `item`; MPI_DATATYPE_NULL behind the last kind. */
static MPI_Datatype type_of(int kind, MPI_Datatype item) {
    const int lengths[most] = {3, 0, 4, 1};
    const int places[most] = {0, 9, 4, 12};
    const int two_places[] = {5, 0};
    const MPI_Aint addresses[most] = {4, 400, 72, 168};
    const int sizes[] = {4, 5};
    const int parts[] = {2, 4};
    const int starts[] = {1, 0};
    const int one[] = {1, 1};
    const int blocks[] = {MPI_DISTRIBUTE_BLOCK, MPI_DISTRIBUTE_NONE};
    const int as_usual[] = {MPI_DISTRIBUTE_DFLT_DARG, MPI_DISTRIBUTE_DFLT_DARG};
    const int whole[] = {2, 4};
    MPI_Datatype apart = MPI_DATATYPE_NULL;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Type_create_resized(item, -4, 24, &apart);
    const MPI_Datatype members[most] = {item, MPI_DOUBLE, item, MPI_SHORT_INT};
    if (kind == 0) MPI_Type_contiguous(8, apart, &type);
    if (kind == 1) MPI_Type_vector(2, 4, 6, apart, &type);
    if (kind == 2) MPI_Type_create_hvector(8, 1, 24, item, &type);
    if (kind == 3) MPI_Type_indexed(most, lengths, places, apart, &type);
    if (kind == 4) MPI_Type_create_hindexed(most, lengths, addresses, item, &type);
    if (kind == 5) MPI_Type_create_indexed_block(2, 4, two_places, apart, &type);
    if (kind == 6) MPI_Type_create_hindexed_block(2, 4, addresses + 2, item, &type);
    if (kind == 7) MPI_Type_create_struct(most, lengths, addresses, members, &type);
    if (kind == 8) MPI_Type_create_subarray(2, sizes, parts, starts, MPI_ORDER_C, apart, &type);
    if (kind == 9) MPI_Type_create_darray(1, 0, 2, whole, blocks, as_usual, one, MPI_ORDER_C, apart, &type);
    if (kind == 10) MPI_Type_dup(apart, &type);
    MPI_Type_free(&apart);
    if (type != MPI_DATATYPE_NULL) MPI_Type_commit(&type);
    return type;
}

/* An MPI may round the extent of complex numbers up to their alignment. */
static MPI_Aint give_extent_of(MPI_Datatype type, MPI_Datatype* made) {
    MPI_Aint lower = 0;
    MPI_Aint extent = 0;
    MPI_Datatype resized = MPI_DATATYPE_NULL;
    MPI_Type_get_extent(type, &lower, &extent);
    MPI_Type_create_resized(*made, lower, extent, &resized);
    MPI_Type_commit(&resized);
    MPI_Type_free(made);
    *made = resized;
    return extent;
}

static void fill(unsigned char* buffer, int seed) {
    for (int i = 0; i < room; ++i) buffer[i] = (unsigned char)((i * 37 + i / 251 + seed * 101) % 253);
}

/* A call with complex numbers, and messages with bytes in their places. */
static void check(int kind, MPI_Datatype bytes) {
    static unsigned char from[room];
    static unsigned char to[room];
    static unsigned char expected[room];
    const MPI_Datatype type = type_of(kind, MPI_C_DOUBLE_COMPLEX);
    MPI_Datatype like = type_of(kind, bytes);
    const MPI_Aint extent = give_extent_of(type, &like);
    const int origin = room / 4;
    fill(from, rank);
    fill(to, rank + ranks);
    memcpy(expected, to, room);
    for (int i = 0; i < ranks; ++i) {
        const int to_rank = (rank + i) % ranks;
        const int from_rank = (rank + ranks - i) % ranks;
        MPI_Sendrecv(from + origin + to_rank * elements * extent, elements, like, to_rank, 0,
                     expected + origin + from_rank * elements * extent, elements, like, from_rank, 0, MPI_COMM_WORLD,
                     MPI_STATUS_IGNORE);
    }
    MPI_Alltoall(from + origin, elements, type, to + origin, elements, type, MPI_COMM_WORLD);
    if (memcmp(to, expected, room) != 0) fail("wrong bytes", kind);
    MPI_Datatype freed[] = {type, like};
    MPI_Type_free(&freed[0]);
    MPI_Type_free(&freed[1]);
}

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
    MPI_Datatype bytes = MPI_DATATYPE_NULL;
    MPI_Type_contiguous(bytes_of_complex, MPI_BYTE, &bytes);
    int calls = 0;
    for (int kind = 0;; ++kind) {
        MPI_Datatype type = type_of(kind, MPI_C_DOUBLE_COMPLEX);
        if (type == MPI_DATATYPE_NULL) break;
        MPI_Type_free(&type);
        check(kind, bytes);
        ++calls;
    }
    MPI_Type_free(&bytes);
    if (rank == 0) printf("%d calls exchanged, 0 passed through\n", calls * ranks);
    MPI_Finalize();
    return 0;
}
