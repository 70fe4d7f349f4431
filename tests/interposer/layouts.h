/* What the program exchanges: memory of every layout that a datatype can have, and the bytes that belong there. */
#ifndef AAPC_TESTS_INTERPOSER_LAYOUTS_H
#define AAPC_TESTS_INTERPOSER_LAYOUTS_H

#include <mpi.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Around the blocks of a buffer, and everywhere in it where nothing was received. */
enum { guard_bytes = 4096, untouched = 0xA5 };

static void fail(const char* format, ...) {
    int rank = -1;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    fprintf(stderr, "conformance: rank %d: ", rank);
    va_list arguments;
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static unsigned char payload(int source, int destination, long offset, unsigned call) {
    uint64_t x = ((uint64_t)source << 48) ^ ((uint64_t)destination << 36) ^ ((uint64_t)call << 24) ^ (uint64_t)offset;
    x = (x ^ (x >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ (x >> 27)) * UINT64_C(0x94d049bb133111eb);
    return (unsigned char)(x >> 56);
}

/* A block as a datatype and, independently, as the place of each of its bytes in memory. */
typedef struct {
    const char* name;
    MPI_Datatype type;
    int count;
    long bytes;  /* of data */
    long stride; /* from one block to the next */
    long* place; /* of each byte of data, in the order of the type map, against the block's start */
    int predefined;
} Layout;

static Layout new_layout(const char* name, MPI_Datatype type, int predefined, int count, long bytes, long stride) {
    Layout layout = {name, type, count, bytes, stride, malloc(sizeof(long) * (size_t)(bytes + 1)), predefined};
    if (!predefined) MPI_Type_commit(&layout.type);
    return layout;
}

static void free_layout(Layout* layout) {
    if (!layout->predefined) MPI_Type_free(&layout->type);
    free(layout->place);
}

enum { layout_kinds = 9 };

/* Blocks of `integers` (a multiple of 4) integers, laid out in many ways; `ranks` blocks lie in one buffer. */
static Layout integer_layout(int kind, int integers, int ranks) {
    const long bytes = 4L * integers;
    MPI_Datatype type = MPI_DATATYPE_NULL;
    MPI_Datatype inner = MPI_DATATYPE_NULL;
    Layout layout;
    switch (kind) {
        case 0:
            layout = new_layout("plain integers", MPI_INT, 1, integers, bytes, bytes);
            for (long i = 0; i < bytes; ++i) layout.place[i] = i;
            return layout;
        case 1:
            MPI_Type_contiguous(4, MPI_INT, &type);
            layout = new_layout("contiguous", type, 0, integers / 4, bytes, bytes);
            for (long i = 0; i < bytes; ++i) layout.place[i] = i;
            return layout;
        case 2: /* a contiguous type of a type that is not */
            MPI_Type_create_resized(MPI_INT, 0, 12, &inner);
            MPI_Type_contiguous(2, inner, &type);
            MPI_Type_free(&inner);
            layout = new_layout("contiguous of resized", type, 0, integers / 2, bytes, 3 * bytes);
            for (long i = 0; i < bytes; ++i) layout.place[i] = i / 4 * 12 + i % 4;
            return layout;
        case 3:
            MPI_Type_vector(integers / 2, 2, 3, MPI_INT, &type);
            layout = new_layout("vector", type, 0, 1, bytes, (integers / 2 - 1) * 12L + 8);
            for (long i = 0; i < bytes; ++i) layout.place[i] = i / 8 * 12 + i % 8;
            return layout;
        case 4:
            MPI_Type_create_resized(MPI_INT, 0, 8, &type);
            layout = new_layout("extent above size", type, 0, integers, bytes, 2 * bytes);
            for (long i = 0; i < bytes; ++i) layout.place[i] = i / 4 * 8 + i % 4;
            return layout;
        case 5: /* a column of a matrix of two rows: blocks interleave */
            MPI_Type_vector(2, 1, ranks * integers / 2, MPI_INT, &inner);
            MPI_Type_create_resized(inner, 0, 4, &type);
            MPI_Type_free(&inner);
            layout = new_layout("extent below size", type, 0, integers / 2, bytes, bytes / 2);
            for (long i = 0; i < bytes; ++i) {
                layout.place[i] = i / 8 * 4 + i / 4 % 2 * (4L * ranks * integers / 2) + i % 4;
            }
            return layout;
        case 6: {
            const int places[2] = {-1, 1};
            MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &type);
            layout = new_layout("negative lower bound", type, 0, integers / 2, bytes, 12L * integers / 2);
            for (long i = 0; i < bytes; ++i) layout.place[i] = i / 8 * 12 + (i / 4 % 2 == 0 ? -4 : 4) + i % 4;
            return layout;
        }
        case 7: { /* no gaps, but out of order: extents alone do not tell it from the plain one */
            const int places[2] = {1, 0};
            MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &type);
            layout = new_layout("permuted", type, 0, integers / 2, bytes, bytes);
            for (long i = 0; i < bytes; ++i) layout.place[i] = i / 8 * 8 + (i / 4 % 2 == 0 ? 4 : 0) + i % 4;
            return layout;
        }
        default: { /* the same under a duplicate */
            const int places[2] = {1, 0};
            MPI_Type_create_indexed_block(2, 1, places, MPI_INT, &inner);
            MPI_Type_dup(inner, &type);
            MPI_Type_free(&inner);
            layout = new_layout("duplicate of permuted", type, 0, integers / 2, bytes, bytes);
            for (long i = 0; i < bytes; ++i) layout.place[i] = i / 8 * 8 + (i / 4 % 2 == 0 ? 4 : 0) + i % 4;
            return layout;
        }
    }
}

/* A double and an integer, in a C struct with padding, in MPI's own pair type, or the integer first in memory. */
static inline Layout mixed_layout(int kind, int pairs) {
    const int lengths[2] = {1, 1};
    const MPI_Datatype types[2] = {MPI_DOUBLE, MPI_INT};
    const long stride = kind == 2 ? 12 : 16;
    const MPI_Aint places[2] = {kind == 2 ? 4 : 0, kind == 2 ? 0 : 8};
    MPI_Datatype type = MPI_DOUBLE_INT;
    if (kind != 1) {
        MPI_Datatype inner = MPI_DATATYPE_NULL;
        MPI_Type_create_struct(2, lengths, places, types, &inner);
        MPI_Type_create_resized(inner, 0, stride, &type);
        MPI_Type_free(&inner);
    }
    Layout layout = new_layout(kind == 1   ? "MPI_DOUBLE_INT"
                               : kind == 2 ? "integer first"
                                           : "struct",
                               type, kind == 1, pairs, 12L * pairs, stride * pairs);
    for (long i = 0; i < layout.bytes; ++i) {
        layout.place[i] = i / 12 * stride + (i % 12 < 8 ? places[0] + i % 12 : places[1] + i % 12 - 8);
    }
    return layout;
}

static inline Layout byte_layout(int bytes) {
    Layout layout = new_layout("bytes", MPI_BYTE, 1, bytes, bytes, bytes);
    for (long i = 0; i < bytes; ++i) layout.place[i] = i;
    return layout;
}

static inline unsigned char* new_buffer(const Layout* layout, int ranks, size_t* size) {
    /* Blocks that interleave reach beyond ranks * stride. */
    *size = (size_t)(layout->stride * ranks + 16 * layout->bytes + 2 * guard_bytes) + (size_t)(ranks * layout->bytes);
    unsigned char* buffer = malloc(*size);
    if (buffer == NULL) fail("no memory");
    memset(buffer, untouched, *size);
    return buffer;
}

static inline void put(unsigned char* buffer, const Layout* layout, int block, long offset, unsigned char value) {
    buffer[guard_bytes + block * layout->stride + layout->place[offset]] = value;
}

#endif
