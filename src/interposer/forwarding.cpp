// The names of MPI's routines with handles among their arguments, as programs find them. In the process may be an MPI
// whose handles have another size than this library was compiled for: the wrong interposer was preloaded by hand. Then
// a call goes to that MPI as it came, word by word, and nothing here looks at it. Otherwise it goes to the entry that
// knows the types (entry*.cpp, neighbours.cpp), by a jump. Here mpi.h is not included: it gives these names types.
#include <atomic>

#include "interposer/behind.hpp"
#include "interposer/this_mpi.hpp"
#include "interposer/words.hpp"

namespace ours = aapc::interposer;

#if AAPC_STANDARD_ABI
#define AAPC_FORWARDED_AS_PMPI(NAME, PARAMETERS)
#else
#define AAPC_FORWARDED_AS_PMPI(NAME, PARAMETERS) \
    extern "C" __attribute__((visibility("default"), alias("MPI_" #NAME))) int PMPI_##NAME PARAMETERS;
#endif

// The name, which costs one comparison, and what is done until it is known which MPI this is, and where it is another
// one. Threads that look for a routine at the same time find the same. A program calls what its MPI has, so it is
// found.
#define AAPC_FORWARDED(NAME, PARAMETERS, ...)                                                                  \
    extern "C" __attribute__((visibility("hidden"))) int aapc_entry_##NAME PARAMETERS;                         \
    __attribute__((noinline, cold)) static int forward_##NAME PARAMETERS {                                     \
        if (!ours::has_other_handles()) {                                                                      \
            return aapc_entry_##NAME(__VA_ARGS__);                                                             \
        }                                                                                                      \
        static constinit std::atomic<void*> next = nullptr;                                                    \
        void* routine = next.load(std::memory_order_acquire);                                                  \
        if (routine == nullptr) {                                                                              \
            routine = ours::find_next_address("PMPI_" #NAME, "MPI_" #NAME);                                    \
            next.store(routine, std::memory_order_release);                                                    \
        }                                                                                                      \
        return ours::pass_on(routine, __VA_ARGS__);                                                            \
    }                                                                                                          \
    extern "C" __attribute__((visibility("default"))) int MPI_##NAME PARAMETERS {                              \
        return ours::has_handles_as_compiled() ? aapc_entry_##NAME(__VA_ARGS__) : forward_##NAME(__VA_ARGS__); \
    }                                                                                                          \
    AAPC_FORWARDED_AS_PMPI(NAME, PARAMETERS)

AAPC_WORDS_WITH_HANDLES(AAPC_FORWARDED)
#if AAPC_MPI_HAS_PERSISTENT
AAPC_WORDS_WITH_HANDLES_PERSISTENT(AAPC_FORWARDED)
#endif
#if AAPC_MPI_HAS_LARGE_COUNTS
AAPC_WORDS_WITH_HANDLES_LARGE(AAPC_FORWARDED)
#endif
