/// @file
/// Routines of MPI whose parameters have no types: each argument is passed on as a machine word. So a call reaches an
/// MPI whose handles this library was not compiled for. Only for files that do not include mpi.h.
#pragma once

#include <cstdint>

namespace aapc::interposer {

/// An argument of one of MPI's routines: a pointer, an int or a handle that is one of the two. On processors of 64 bits
/// (System V x86-64, AAPCS64) each has a register or 8 bytes of the stack to itself, so that it can be passed on
/// without its type.
using Word = std::uintptr_t;
static_assert(sizeof(Word) == 8, "arguments are passed on as words of 64 bits");

template <class... Words>
int pass_on(void* routine, Words... words) {
    return reinterpret_cast<int (*)(Words...)>(routine)(words...);
}

}  // namespace aapc::interposer

#define AAPC_WORD aapc::interposer::Word

// X(NAME, PARAMETERS, arguments...) for a routine with so many arguments; NAME is without MPI_.
#define AAPC_WORDS_0(X, NAME) X(NAME, ())
#define AAPC_WORDS_1(X, NAME) X(NAME, (AAPC_WORD a), a)
#define AAPC_WORDS_2(X, NAME) X(NAME, (AAPC_WORD a, AAPC_WORD b), a, b)
#define AAPC_WORDS_3(X, NAME) X(NAME, (AAPC_WORD a, AAPC_WORD b, AAPC_WORD c), a, b, c)
#define AAPC_WORDS_4(X, NAME) X(NAME, (AAPC_WORD a, AAPC_WORD b, AAPC_WORD c, AAPC_WORD d), a, b, c, d)
#define AAPC_WORDS_7(X, NAME)                                                                                        \
    X(NAME, (AAPC_WORD a, AAPC_WORD b, AAPC_WORD c, AAPC_WORD d, AAPC_WORD e, AAPC_WORD f, AAPC_WORD g), a, b, c, d, \
      e, f, g)
#define AAPC_WORDS_8(X, NAME)                                                                                         \
    X(NAME, (AAPC_WORD a, AAPC_WORD b, AAPC_WORD c, AAPC_WORD d, AAPC_WORD e, AAPC_WORD f, AAPC_WORD g, AAPC_WORD h), \
      a, b, c, d, e, f, g, h)
#define AAPC_WORDS_9(X, NAME)                                                                                  \
    X(NAME,                                                                                                    \
      (AAPC_WORD a, AAPC_WORD b, AAPC_WORD c, AAPC_WORD d, AAPC_WORD e, AAPC_WORD f, AAPC_WORD g, AAPC_WORD h, \
       AAPC_WORD i),                                                                                           \
      a, b, c, d, e, f, g, h, i)
#define AAPC_WORDS_10(X, NAME)                                                                                 \
    X(NAME,                                                                                                    \
      (AAPC_WORD a, AAPC_WORD b, AAPC_WORD c, AAPC_WORD d, AAPC_WORD e, AAPC_WORD f, AAPC_WORD g, AAPC_WORD h, \
       AAPC_WORD i, AAPC_WORD j),                                                                              \
      a, b, c, d, e, f, g, h, i, j)
#define AAPC_WORDS_11(X, NAME)                                                                                 \
    X(NAME,                                                                                                    \
      (AAPC_WORD a, AAPC_WORD b, AAPC_WORD c, AAPC_WORD d, AAPC_WORD e, AAPC_WORD f, AAPC_WORD g, AAPC_WORD h, \
       AAPC_WORD i, AAPC_WORD j, AAPC_WORD k),                                                                 \
      a, b, c, d, e, f, g, h, i, j, k)

// All forms of an all-to-all; COUNT is empty or _c. An MPI_Info and an MPI_Request are one more argument each.
#define AAPC_WORDS_OF_FORMS(X, PLAIN, IMMEDIATE, COUNT) \
    AAPC_WORDS_7(X, PLAIN##COUNT)                       \
    AAPC_WORDS_9(X, PLAIN##v##COUNT)                    \
    AAPC_WORDS_9(X, PLAIN##w##COUNT)                    \
    AAPC_WORDS_8(X, IMMEDIATE##COUNT)                   \
    AAPC_WORDS_10(X, IMMEDIATE##v##COUNT)               \
    AAPC_WORDS_10(X, IMMEDIATE##w##COUNT)
#define AAPC_WORDS_OF_PERSISTENT(X, PLAIN, COUNT) \
    AAPC_WORDS_9(X, PLAIN##_init##COUNT)          \
    AAPC_WORDS_11(X, PLAIN##v_init##COUNT)        \
    AAPC_WORDS_11(X, PLAIN##w_init##COUNT)

// Every routine that is interposed: without handles among the arguments, and with them. Those of the fourth standard,
// which only some MPIs have, are lists of their own.
#define AAPC_WORDS_WITHOUT_HANDLES(X) \
    AAPC_WORDS_2(X, Init)             \
    AAPC_WORDS_4(X, Init_thread)      \
    AAPC_WORDS_0(X, Finalize)
#define AAPC_WORDS_WITH_HANDLES(X)                \
    AAPC_WORDS_1(X, Comm_free)                    \
    AAPC_WORDS_1(X, Comm_disconnect)              \
    AAPC_WORDS_2(X, Wait)                         \
    AAPC_WORDS_3(X, Waitall)                      \
    AAPC_WORDS_OF_FORMS(X, Alltoall, Ialltoall, ) \
    AAPC_WORDS_OF_FORMS(X, Neighbor_alltoall, Ineighbor_alltoall, )
#define AAPC_WORDS_WITH_HANDLES_PERSISTENT(X) \
    AAPC_WORDS_1(X, Start)                    \
    AAPC_WORDS_2(X, Startall)                 \
    AAPC_WORDS_1(X, Request_free)             \
    AAPC_WORDS_OF_PERSISTENT(X, Alltoall, )   \
    AAPC_WORDS_OF_PERSISTENT(X, Neighbor_alltoall, )
#define AAPC_WORDS_WITH_HANDLES_LARGE(X)                              \
    AAPC_WORDS_OF_FORMS(X, Alltoall, Ialltoall, _c)                   \
    AAPC_WORDS_OF_FORMS(X, Neighbor_alltoall, Ineighbor_alltoall, _c) \
    AAPC_WORDS_OF_PERSISTENT(X, Alltoall, _c)                         \
    AAPC_WORDS_OF_PERSISTENT(X, Neighbor_alltoall, _c)
