// libaapc-late.so: for programs that are linked to no MPI and may load one later: interpreters, scripts and what they
// start. It needs no MPI itself, answers for the same names as the interposers, and looks at the first call which MPI
// is there. Then that MPI's interposer is loaded, and all calls go to it; where there is none, to the MPI itself.
// It asks for no memory itself and throws nothing: where there is none, a call still gets to the MPI.
#include <dlfcn.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "interposer/loaded_mpi.hpp"
#include "interposer/words.hpp"

namespace {

/// The path of an interposer, with its end; empty if there is none.
using Path = std::array<char, PATH_MAX>;

/// The interposer for the MPI of that name, from AAPC_INTERPOSERS: LIBRARY=INTERPOSER, separated by colons, as
/// `aapc exec` writes it.
Path interposer_for(std::string_view name) {
    Path path{};
    const char* const variable = std::getenv("AAPC_INTERPOSERS");
    std::string_view rest = variable == nullptr ? "" : variable;
    while (!rest.empty()) {
        std::string_view entry = rest;
        entry.remove_suffix(rest.size() - std::min(rest.find(':'), rest.size()));
        rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
        const std::size_t equals = std::min(entry.find('='), entry.size());
        std::string_view library = entry;
        library.remove_suffix(entry.size() - equals);
        if (equals == entry.size() || name != library) {
            continue;
        }
        entry.remove_prefix(equals + 1);
        if (entry.size() < path.size()) {  // no longer one can be opened
            std::copy(entry.begin(), entry.end(), path.begin());
        }
        break;
    }
    return path;
}

/// Where calls go.
struct Target {
    void* interposer = nullptr;  ///< handles of dlopen()
    void* mpi = nullptr;
};

Target find_target() {
    const aapc::interposer::LoadedLibrary mpi = aapc::interposer::first_loaded_mpi();
    if (mpi.path == nullptr) {
        return {};
    }
    Target target;
    // Its names become visible to all: interposers of MPICH's ABI and of the standard one are linked to no library.
    target.mpi = dlopen(mpi.path, RTLD_LAZY | RTLD_NOLOAD | RTLD_GLOBAL);
    if (const Path interposer = interposer_for(mpi.name); interposer[0] != '\0') {
        target.interposer = dlopen(interposer.data(), RTLD_NOW | RTLD_LOCAL);
    }
    return target;
}

/// Decided at the first call, for all of them.
const Target& settled_target() {
    static Target target;
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, [] { target = find_target(); });
    return target;
}

void* find_routine(const char* name) {
    const Target& target = settled_target();
    for (void* const object : {target.interposer, target.mpi, RTLD_NEXT}) {
        if (object == nullptr) {
            continue;
        }
        if (void* const routine = dlsym(object, name); routine != nullptr) {
            return routine;
        }
    }
    std::fprintf(stderr, "aapc: %s is called, and there is no MPI that has it\n", name);
    std::abort();
}

}  // namespace

/// The interposers look for this name to know that this library is in the process.
extern "C" __attribute__((visibility("default"))) const int aapc_late = 1;

// MPI_NAME and PMPI_NAME, of so many arguments. Threads that look for a routine at the same time find the same.
#define AAPC_LATE_AS(NAME, PARAMETERS, ...)                                   \
    extern "C" __attribute__((visibility("default"))) int NAME PARAMETERS {   \
        static constinit std::atomic<void*> found = nullptr;                  \
        void* routine = found.load(std::memory_order_acquire);                \
        if (routine == nullptr) {                                             \
            routine = find_routine(#NAME);                                    \
            found.store(routine, std::memory_order_release);                  \
        }                                                                     \
        return aapc::interposer::pass_on(routine __VA_OPT__(, ) __VA_ARGS__); \
    }
#define AAPC_LATE(NAME, ...)              \
    AAPC_LATE_AS(MPI_##NAME, __VA_ARGS__) \
    AAPC_LATE_AS(PMPI_##NAME, __VA_ARGS__)

// Also routines of the fourth standard, which only some MPIs have: mpi4py calls nothing but those for large counts
// where it was built for an MPI that has them.
AAPC_WORDS_WITHOUT_HANDLES(AAPC_LATE)
AAPC_WORDS_WITH_HANDLES(AAPC_LATE)
AAPC_WORDS_WITH_HANDLES_PERSISTENT(AAPC_LATE)
AAPC_WORDS_WITH_HANDLES_LARGE(AAPC_LATE)
