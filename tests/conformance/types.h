/* Datatypes at random, of which nothing is known but how many times they hold a signature. */
#ifndef AAPC_TESTS_CONFORMANCE_TYPES_H
#define AAPC_TESTS_CONFORMANCE_TYPES_H

#include <mpi.h>
#include <stddef.h>

#include "random.h"

/* What both sides of a message agree about: the basic types of a unit, in order. */
typedef struct {
    const char* name;
    int items;
    MPI_Datatype item[3];
    MPI_Datatype pair; /* MPI's own type of the same, or MPI_DATATYPE_NULL */
} Signature;

const Signature* random_signature(Random* random);
int signature_bytes(const Signature* signature);

enum { type_text = 320 };

/* Bytes of data that lie together. */
typedef struct {
    MPI_Aint place; /* against where the element lies */
    size_t bytes;
} Piece;

/* A committed datatype whose bytes do not overlap, nor do those of elements that follow one another, unless it is a
 * column. Freed by free_type(). */
typedef struct {
    MPI_Datatype type;
    int predefined;
    int units;       /* of the signature in an element */
    MPI_Aint bytes;  /* of data in an element */
    MPI_Aint extent; /* from one element to the next */
    MPI_Aint first;  /* byte of data, from where an element lies */
    MPI_Aint end;    /* behind the last one */
    Piece* pieces;   /* all data of an element in their order, found without the MPI */
    int piece_count;
    char text[type_text];
} Type;

/* `units` may be 0. */
Type random_type(Random* random, const Signature* signature, int units);

/* The units of an element are `columns` elements apart, elements follow one another at the extent of a unit: there is
 * room for `columns` of them, which interleave. */
Type random_column(Random* random, const Signature* signature, int units, int columns);

/* The same data for the buffer MPI_BOTTOM, where elements lie at `address`. To be freed by MPI_Type_free(). */
MPI_Datatype absolute_type(const Type* type, const void* address);

/* Copies the data of `count` elements at `memory` to `packed`, or the other way round, without the MPI. */
void gather_elements(const Type* type, int count, const unsigned char* memory, unsigned char* packed);
void scatter_elements(const Type* type, int count, const unsigned char* packed, unsigned char* memory);

void free_type(Type* type);

#endif
