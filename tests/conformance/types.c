#include "types.h"

#include <stdarg.h>
#include <stdio.h>
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

/* Goes on with `next`, which is made of `type`. */
static void become(Type* type, MPI_Datatype next, int copies, const char* format, ...) {
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
    become(type, next, 1, " resized(%ld,%ld)", (long)lower, (long)extent);
}

/* Elements that follow one another have to be apart. */
static void make_apart(Random* random, Type* type) {
    if (type->extent < type->end - type->first) resize(random, type, 1);
}

static void by_vector(Random* random, Type* type, int copies) {
    const int length = divisor_of(random, copies);
    const int sign = one_in(random, 4) ? -1 : 1;
    const int stride = sign * (length + gap(random, type, 4));
    MPI_Datatype next = MPI_DATATYPE_NULL;
    if (one_in(random, 2)) {
        MPI_Type_vector(copies / length, length, stride, type->type, &next);
        become(type, next, copies, " vector(%d,%d,%d)", copies / length, length, stride);
    } else {
        const MPI_Aint bytes = stride * type->extent + sign * gap(random, type, 12);
        MPI_Type_create_hvector(copies / length, length, bytes, type->type, &next);
        become(type, next, copies, " hvector(%d,%d,%ld)", copies / length, length, (long)bytes);
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
    become(type, next, copies, " %s(%d in %d)", names[way], copies, pieces);
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
    if (in_bytes) MPI_Type_create_hindexed_block(count, length, places, type->type, &next);
    if (!in_bytes) MPI_Type_create_indexed_block(count, length, elements, type->type, &next);
    become(type, next, copies, " %sindexed_block(%d,%d)", in_bytes ? "h" : "", count, length);
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
    become(type, next, copies, " subarray(%d of %d dimensions)", copies, dimensions);
}

static void multiply(Random* random, Type* type, int copies) {
    make_apart(random, type);
    MPI_Datatype next = MPI_DATATYPE_NULL;
    switch (below(random, 6)) {
        case 0:
            MPI_Type_contiguous(copies, type->type, &next);
            become(type, next, copies, " contiguous(%d)", copies);
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
    become(&type, next, 0, " none of it");
    if (one_in(random, 2)) {
        MPI_Type_create_resized(type.type, -4, 20, &next);
        become(&type, next, 1, " resized(-4,20)");
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
        become(&type, next, 1, " dup");
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
    become(&type, next, units, " vector(%d,1,%d)", units, columns);
    MPI_Type_create_resized(type.type, 0, extent, &next);
    become(&type, next, 1, " resized(0,%ld)", (long)extent);
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
}
