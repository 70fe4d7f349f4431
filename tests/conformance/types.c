#include "types.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exchange.h"

enum { most_pieces = 6 };

#define PLAIN(TYPE) \
    { #TYPE, 1, {TYPE }, MPI_DATATYPE_NULL }

static const Signature signatures[] = {
    PLAIN(MPI_INT),
    PLAIN(MPI_INT),
    PLAIN(MPI_BYTE),
    PLAIN(MPI_CHAR),
    PLAIN(MPI_SHORT),
    PLAIN(MPI_DOUBLE),
    PLAIN(MPI_INT64_T),
    PLAIN(MPI_C_DOUBLE_COMPLEX),
    {"int int", 2, {MPI_INT, MPI_INT}, MPI_2INT},
#ifndef MPICH_VERSION
    {"double int", 2, {MPI_DOUBLE, MPI_INT}, MPI_DOUBLE_INT},
    {"short int", 2, {MPI_SHORT, MPI_INT}, MPI_SHORT_INT},
    {"float int", 2, {MPI_FLOAT, MPI_INT}, MPI_FLOAT_INT},
    {"char double short", 3, {MPI_CHAR, MPI_DOUBLE, MPI_SHORT}, MPI_DATATYPE_NULL},
    {"long char char", 3, {MPI_LONG, MPI_CHAR, MPI_CHAR}, MPI_DATATYPE_NULL},
#endif
};

const Signature* random_signature(Random* random) {
    return &signatures[below(random, (int)(sizeof signatures / sizeof *signatures))];
}

static int size_of(MPI_Datatype type) {
    int size = 0;
    MPI_Type_size(type, &size);
    return size;
}

int signature_bytes(const Signature* signature) {
    int bytes = 0;
    for (int i = 0; i < signature->items; ++i) bytes += size_of(signature->item[i]);
    return bytes;
}

static void measure(Type* type) {
    MPI_Aint lower = 0;
    MPI_Aint length = 0;
    MPI_Type_get_extent(type->type, &lower, &type->extent);
    MPI_Type_get_true_extent(type->type, &type->first, &length);
    type->end = type->first + length;
    type->bytes = size_of(type->type);
}

/* --- where the data lie --- */

static void* memory_for(size_t count, size_t size) {
    void* const memory = malloc(count * size + 1);
    if (memory == NULL) fail("no memory for a type of %zu parts", count);
    return memory;
}

static void add_piece(Type* type, MPI_Aint place, size_t bytes) {
    Piece* const last = type->piece_count > 0 ? &type->pieces[type->piece_count - 1] : NULL;
    if (last != NULL && last->place + (MPI_Aint)last->bytes == place) {
        last->bytes += bytes;
    } else {
        type->pieces[type->piece_count++] = (Piece){place, bytes};
    }
}

/* The pieces of an element become those of `copies` elements at these places. */
static void repeat_pieces(Type* type, const MPI_Aint* places, int copies) {
    const Piece* const old = type->pieces;
    const int old_count = type->piece_count;
    type->pieces = memory_for((size_t)copies * (size_t)old_count, sizeof *old);
    type->piece_count = 0;
    for (int copy = 0; copy < copies; ++copy) {
        for (int i = 0; i < old_count; ++i) add_piece(type, places[copy] + old[i].place, old[i].bytes);
    }
    free((void*)old);
}

/* `count` blocks of `length` elements, a block at each place. Freed by become(). */
static MPI_Aint* places_in_blocks(const Type* type, int count, const MPI_Aint* blocks, const int* lengths, int length) {
    int copies = 0;
    for (int i = 0; i < count; ++i) copies += lengths != NULL ? lengths[i] : length;
    MPI_Aint* const places = memory_for((size_t)copies, sizeof *places);
    int copy = 0;
    for (int i = 0; i < count; ++i) {
        const int in_block = lengths != NULL ? lengths[i] : length;
        for (int j = 0; j < in_block; ++j) places[copy++] = blocks[i] + j * type->extent;
    }
    return places;
}

/* Blocks at a constant distance in bytes. */
static MPI_Aint* places_at_stride(const Type* type, int count, int length, MPI_Aint stride) {
    MPI_Aint* const blocks = memory_for((size_t)count, sizeof *blocks);
    for (int i = 0; i < count; ++i) blocks[i] = i * stride;
    MPI_Aint* const places = places_in_blocks(type, count, blocks, NULL, length);
    free(blocks);
    return places;
}

void gather_elements(const Type* type, int count, const unsigned char* memory, unsigned char* packed) {
    for (int element = 0; element < count; ++element, memory += type->extent) {
        for (int i = 0; i < type->piece_count; ++i) {
            memcpy(packed, memory + type->pieces[i].place, type->pieces[i].bytes);
            packed += type->pieces[i].bytes;
        }
    }
}

void scatter_elements(const Type* type, int count, const unsigned char* packed, unsigned char* memory) {
    for (int element = 0; element < count; ++element, memory += type->extent) {
        for (int i = 0; i < type->piece_count; ++i) {
            memcpy(memory + type->pieces[i].place, packed, type->pieces[i].bytes);
            packed += type->pieces[i].bytes;
        }
    }
}

/* --- types of types --- */

/* Goes on with `next`, which is made of `copies` elements of `type` at these places, or of one where it lies. Frees the
 * places. */
static void become(Type* type, MPI_Datatype next, MPI_Aint* places, int copies, const char* format, ...) {
    if (places != NULL || copies == 0) repeat_pieces(type, places, copies);
    free(places);
    if (!type->predefined) MPI_Type_free(&type->type);
    type->type = next;
    type->predefined = 0;
    type->units *= copies;
    measure(type);
    const size_t length = strlen(type->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(type->text + length, sizeof type->text - length, format, arguments);
    va_end(arguments);
}

/* Gaps upon gaps would take all memory. */
static int is_roomy(const Type* type) { return type->extent <= 8 * type->bytes + 256; }

static int gap(Random* random, const Type* type, int limit) { return is_roomy(type) ? below(random, limit) : 0; }

static void resize(Random* random, Type* type, int room) {
    MPI_Datatype next = MPI_DATATYPE_NULL;
    const MPI_Aint lower = type->first + below(random, 33) - 16;
    const MPI_Aint extent = type->end - type->first + gap(random, type, room);
    MPI_Type_create_resized(type->type, lower, extent, &next);
    become(type, next, NULL, 1, " resized(%ld,%ld)", (long)lower, (long)extent);
}

/* Elements that follow one another have to be apart. */
static void make_apart(Random* random, Type* type) {
    if (type->extent < type->end - type->first) resize(random, type, 1);
}

static void by_vector(Random* random, Type* type, int copies) {
    const int length = divisor_of(random, copies);
    const int steps = length + gap(random, type, 4);
    int sign = one_in(random, 4) ? -1 : 1;
#ifndef MPICH_VERSION
    /* Open MPI reads a stride of -1 byte as none. */
    if (steps * type->extent == 1) sign = 1;
#endif
    const int stride = sign * steps;
    const int count = copies / length;
    MPI_Datatype next = MPI_DATATYPE_NULL;
    if (one_in(random, 2)) {
        MPI_Type_vector(count, length, stride, type->type, &next);
        become(type, next, places_at_stride(type, count, length, stride * type->extent), copies, " vector(%d,%d,%d)",
               count, length, stride);
    } else {
        const MPI_Aint bytes = stride * type->extent + sign * gap(random, type, 12);
        MPI_Type_create_hvector(count, length, bytes, type->type, &next);
        become(type, next, places_at_stride(type, count, length, bytes), copies, " hvector(%d,%d,%ld)", count, length,
               (long)bytes);
    }
}

/* Cuts `copies` into pieces, which may be empty, and says where each lies, in elements or in bytes, in any order. */
static int cut(Random* random, const Type* type, int copies, int in_bytes, int* lengths, MPI_Aint* places) {
    const int pieces = 1 + below(random, copies < most_pieces ? copies : most_pieces);
    int left = copies;
    for (int i = 0; i < pieces; ++i) {
        lengths[i] = i + 1 == pieces ? left : below(random, left + 1);
        left -= lengths[i];
    }
    int order[most_pieces];
    shuffled(random, order, pieces);
    const MPI_Aint unit = in_bytes ? type->extent : 1;
    MPI_Aint next = -unit * gap(random, type, 4) + (in_bytes ? gap(random, type, 7) : 0);
    for (int i = 0; i < pieces; ++i) {
        places[order[i]] = next;
        next += lengths[order[i]] * unit + gap(random, type, 3) * unit + (in_bytes ? gap(random, type, 9) : 0);
    }
    return pieces;
}

static void by_pieces(Random* random, Type* type, int copies) {
    int lengths[most_pieces];
    int elements[most_pieces];
    MPI_Aint places[most_pieces];
    MPI_Datatype types[most_pieces];
    MPI_Datatype next = MPI_DATATYPE_NULL;
    const int way = below(random, 3);
    const int pieces = cut(random, type, copies, way > 0, lengths, places);
    for (int i = 0; i < pieces; ++i) {
        elements[i] = (int)places[i];
        types[i] = type->type;
    }
    if (way == 0) MPI_Type_indexed(pieces, lengths, elements, type->type, &next);
    if (way == 1) MPI_Type_create_hindexed(pieces, lengths, places, type->type, &next);
    if (way == 2) MPI_Type_create_struct(pieces, lengths, places, types, &next);
    static const char* const names[] = {"indexed", "hindexed", "struct"};
    for (int i = 0; i < pieces && way == 0; ++i) places[i] *= type->extent;
    become(type, next, places_in_blocks(type, pieces, places, lengths, 0), copies, " %s(%d in %d)", names[way], copies,
           pieces);
}

static void by_blocks(Random* random, Type* type, int copies) {
    enum { most = 64 };
    int length = divisor_of(random, copies);
    if (copies / length > most) length = copies;
    const int count = copies / length;
    int order[most];
    int elements[most];
    MPI_Aint places[most];
    shuffled(random, order, count);
    const int step = length + gap(random, type, 3);
    for (int i = 0; i < count; ++i) {
        elements[i] = (order[i] - 1) * step;
        places[i] = elements[i] * type->extent + 3;
    }
    MPI_Datatype next = MPI_DATATYPE_NULL;
    const int in_bytes = one_in(random, 2);
    for (int i = 0; i < count && !in_bytes; ++i) places[i] = elements[i] * type->extent;
    if (in_bytes) MPI_Type_create_hindexed_block(count, length, places, type->type, &next);
    if (!in_bytes) MPI_Type_create_indexed_block(count, length, elements, type->type, &next);
    become(type, next, places_in_blocks(type, count, places, NULL, length), copies, " %sindexed_block(%d,%d)",
           in_bytes ? "h" : "", count, length);
}

/* In the order of the part, whose first index varies fastest if it is Fortran's. */
static MPI_Aint* places_in_array(const Type* type, int dimensions, const int* sizes, const int* parts,
                                 const int* starts, int fortran) {
    int copies = 1;
    for (int i = 0; i < dimensions; ++i) copies *= parts[i];
    MPI_Aint* const places = memory_for((size_t)copies, sizeof *places);
    for (int copy = 0; copy < copies; ++copy) {
        int left = copy;
        MPI_Aint step = 1;
        MPI_Aint place = 0;
        for (int i = 0; i < dimensions; ++i) {
            const int dimension = fortran ? i : dimensions - 1 - i;
            place += step * (starts[dimension] + left % parts[dimension]);
            left /= parts[dimension];
            step *= sizes[dimension];
        }
        places[copy] = place * type->extent;
    }
    return places;
}

static void by_subarray(Random* random, Type* type, int copies) {
    int sizes[3];
    int parts[3];
    int starts[3];
    const int dimensions = 1 + below(random, 3);
    int left = copies;
    for (int i = 0; i < dimensions; ++i) {
        parts[i] = i + 1 == dimensions ? left : divisor_of(random, left);
        left /= parts[i];
        sizes[i] = parts[i] + gap(random, type, 3);
        starts[i] = below(random, sizes[i] - parts[i] + 1);
    }
    const int fortran = one_in(random, 2);
    MPI_Datatype next = MPI_DATATYPE_NULL;
    MPI_Type_create_subarray(dimensions, sizes, parts, starts, fortran ? MPI_ORDER_FORTRAN : MPI_ORDER_C, type->type,
                             &next);
    become(type, next, places_in_array(type, dimensions, sizes, parts, starts, fortran), copies,
           " subarray(%d of %d dimensions)", copies, dimensions);
}

static void multiply(Random* random, Type* type, int copies) {
    make_apart(random, type);
    MPI_Datatype next = MPI_DATATYPE_NULL;
    switch (below(random, 6)) {
        case 0:
            MPI_Type_contiguous(copies, type->type, &next);
            become(type, next, places_at_stride(type, copies, 1, type->extent), copies, " contiguous(%d)", copies);
            break;
        case 1:
            by_vector(random, type, copies);
            break;
        case 2:
            by_blocks(random, type, copies);
            break;
        case 3:
            by_subarray(random, type, copies);
            break;
        default:
            by_pieces(random, type, copies);
    }
}

/* One unit of a signature: MPI's own type, or a struct with its members anywhere. */
static Type unit_type(Random* random, const Signature* signature) {
    const int single = signature->items == 1;
    const int own = single || (signature->pair != MPI_DATATYPE_NULL && one_in(random, 2));
    Type type;
    memset(&type, 0, sizeof type);
    type.type = single ? signature->item[0] : signature->pair;
    type.predefined = own;
    type.units = 1;
    snprintf(type.text, sizeof type.text, "%s", signature->name);
    type.pieces = memory_for((size_t)signature->items, sizeof *type.pieces);
    for (int i = 0; i < signature->items && own; ++i) {
        /* Of MPI's own pairs, the second one is an int behind what is no longer. */
        const MPI_Aint place = i == 0 ? 0 : (size_of(signature->item[0]) + 3) / 4 * 4;
        add_piece(&type, place, (size_t)size_of(signature->item[i]));
    }
    if (!own) {
        int lengths[3];
        int order[3];
        MPI_Aint places[3];
        MPI_Aint next = -below(random, 24);
        shuffled(random, order, signature->items);
        for (int i = 0; i < signature->items; ++i) {
            lengths[i] = 1;
            places[order[i]] = next;
            next += size_of(signature->item[order[i]]) + below(random, 5);
        }
        MPI_Type_create_struct(signature->items, lengths, places, signature->item, &type.type);
        for (int i = 0; i < signature->items; ++i) add_piece(&type, places[i], (size_t)size_of(signature->item[i]));
    }
    measure(&type);
    return type;
}

static void commit(Type* type) {
    if (!type->predefined) MPI_Type_commit(&type->type);
}

static Type empty_type(Random* random, const Signature* signature) {
    Type type = unit_type(random, signature);
    MPI_Datatype next = MPI_DATATYPE_NULL;
    if (one_in(random, 2)) MPI_Type_contiguous(0, type.type, &next);
    if (next == MPI_DATATYPE_NULL) MPI_Type_vector(0, 1, 2, type.type, &next);
    become(&type, next, NULL, 0, " none of it");
    if (one_in(random, 2)) {
        MPI_Type_create_resized(type.type, -4, 20, &next);
        become(&type, next, NULL, 1, " resized(-4,20)");
    }
    commit(&type);
    return type;
}

static Type uncommitted(Random* random, const Signature* signature, int units) {
    Type type = unit_type(random, signature);
    if (one_in(random, 4)) resize(random, &type, 16);
    int left = units;
    while (left > 1) {
        const int copies = one_in(random, 2) ? left : divisor_of(random, left);
        left /= copies;
        if (copies > 1) multiply(random, &type, copies);
    }
    return type;
}

Type random_type(Random* random, const Signature* signature, int units) {
    if (units == 0) return empty_type(random, signature);
    Type type = uncommitted(random, signature, units);
    MPI_Datatype next = MPI_DATATYPE_NULL;
    if (one_in(random, 8)) multiply(random, &type, 1);
    if (one_in(random, 4)) resize(random, &type, 40);
    if (one_in(random, 8)) {
        MPI_Type_dup(type.type, &next);
        become(&type, next, NULL, 1, " dup");
    }
    make_apart(random, &type);
    commit(&type);
    if (type.units != units || type.bytes != (MPI_Aint)units * signature_bytes(signature)) {
        fail("%s has %ld bytes and %d units, not %d", type.text, (long)type.bytes, type.units, units);
    }
    return type;
}

Type random_column(Random* random, const Signature* signature, int units, int columns) {
    Type type = unit_type(random, signature);
    make_apart(random, &type);
    const MPI_Aint extent = type.extent;
    MPI_Datatype next = MPI_DATATYPE_NULL;
    MPI_Type_vector(units, 1, columns, type.type, &next);
    become(&type, next, places_at_stride(&type, units, 1, columns * extent), units, " vector(%d,1,%d)", units, columns);
    MPI_Type_create_resized(type.type, 0, extent, &next);
    become(&type, next, NULL, 1, " resized(0,%ld)", (long)extent);
    commit(&type);
    return type;
}

MPI_Datatype absolute_type(const Type* type, const void* address) {
    MPI_Datatype there = MPI_DATATYPE_NULL;
    MPI_Datatype made = MPI_DATATYPE_NULL;
    MPI_Aint place = 0;
    const int one = 1;
    MPI_Get_address(address, &place);
    MPI_Type_create_hindexed(1, &one, &place, type->type, &there);
    MPI_Type_create_resized(there, place, type->extent, &made);
    MPI_Type_free(&there);
    MPI_Type_commit(&made);
    return made;
}

void free_type(Type* type) {
    if (!type->predefined) MPI_Type_free(&type->type);
    free(type->pieces);
}
