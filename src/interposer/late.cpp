// libaapc-late.so: for programs that are linked to no MPI and may load one later: interpreters, scripts and what they
// start. It needs no MPI itself, answers for the same names as the interposers, and looks at the first call which MPI
// is there. Then that MPI's interposer is loaded, and all calls go to it; where there is none, to the MPI itself.
#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

namespace {

/// An argument of one of MPI's routines: a pointer, an int or a handle that is one of the two. On processors of 64 bits
/// (System V x86-64, AAPCS64) each has a register or 8 bytes of the stack to itself, so that it can be passed on
/// without its type.
using Word = std::uintptr_t;
static_assert(sizeof(Word) == 8, "arguments are passed on as words of 64 bits");

bool is_mpi_library(std::string_view file) {
    return file.starts_with("libmpi.so") || file.starts_with("libmpich.so") || file.starts_with("libmpi_abi.so");
}

int note_mpi(dl_phdr_info* info, std::size_t /*size*/, void* path) {
    const std::string_view name = info->dlpi_name;
    if (!is_mpi_library(name.substr(name.rfind('/') + 1))) {
        return 0;
    }
    *static_cast<std::string*>(path) = name;
    return 1;
}

/// The interposer for the MPI of that file name, from AAPC_INTERPOSERS: LIBRARY=INTERPOSER, separated by colons, as
/// `aapc exec` writes it.
std::string interposer_for(std::string_view file) {
    const char* const variable = std::getenv("AAPC_INTERPOSERS");
    std::string_view rest = variable == nullptr ? "" : variable;
    while (!rest.empty()) {
        const std::string_view entry = rest.substr(0, rest.find(':'));
        rest.remove_prefix(std::min(entry.size() + 1, rest.size()));
        const std::size_t equals = entry.find('=');
        if (equals != std::string_view::npos && file.starts_with(entry.substr(0, equals))) {
            return std::string(entry.substr(equals + 1));
        }
    }
    return "";
}

/// Where calls go.
struct Target {
    void* interposer = nullptr;  ///< handles of dlopen()
    void* mpi = nullptr;
};

Target find_target() {
    std::string mpi;
    dl_iterate_phdr(note_mpi, &mpi);
    if (mpi.empty()) {
        return {};
    }
    Target target;
    target.mpi = dlopen(mpi.c_str(), RTLD_LAZY | RTLD_NOLOAD);
    const std::string interposer = interposer_for(std::string_view(mpi).substr(mpi.rfind('/') + 1));
    if (!interposer.empty()) {
        // It finds the MPI among its own needs, which is loaded already.
        target.interposer = dlopen(interposer.c_str(), RTLD_NOW | RTLD_LOCAL);
    }
    return target;
}

void* find_routine(const char* name) {
    static const Target target = find_target();
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

template <class... Words>
int pass_on(void* routine, Words... words) {
    return reinterpret_cast<int (*)(Words...)>(routine)(words...);
}

}  // namespace

/// The interposers look for this name to know that this library is in the process.
extern "C" __attribute__((visibility("default"))) const int aapc_late = 1;

// MPI_NAME and PMPI_NAME, of so many arguments.
#define AAPC_LATE_AS(NAME, PARAMETERS, ...)                                 \
    extern "C" __attribute__((visibility("default"))) int NAME PARAMETERS { \
        static void* const routine = find_routine(#NAME);                   \
        return pass_on(routine, __VA_ARGS__);                               \
    }
#define AAPC_LATE(NAME, ...)              \
    AAPC_LATE_AS(MPI_##NAME, __VA_ARGS__) \
    AAPC_LATE_AS(PMPI_##NAME, __VA_ARGS__)
#define AAPC_LATE_2(NAME) AAPC_LATE(NAME, (Word a, Word b), a, b)
#define AAPC_LATE_4(NAME) AAPC_LATE(NAME, (Word a, Word b, Word c, Word d), a, b, c, d)
#define AAPC_LATE_7(NAME) AAPC_LATE(NAME, (Word a, Word b, Word c, Word d, Word e, Word f, Word g), a, b, c, d, e, f, g)
#define AAPC_LATE_8(NAME) \
    AAPC_LATE(NAME, (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h), a, b, c, d, e, f, g, h)
#define AAPC_LATE_9(NAME) \
    AAPC_LATE(NAME, (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i), a, b, c, d, e, f, g, h, i)
#define AAPC_LATE_10(NAME)                                                                                           \
    AAPC_LATE(NAME, (Word a, Word b, Word c, Word d, Word e, Word f, Word g, Word h, Word i, Word j), a, b, c, d, e, \
              f, g, h, i, j)

// What all MPIs have. Routines of the fourth standard go to the MPI directly: programs ask whether a name is there in
// order to know whether the MPI has it.
AAPC_LATE_2(Init)
AAPC_LATE_4(Init_thread)
AAPC_LATE_7(Alltoall)
AAPC_LATE_9(Alltoallv)
AAPC_LATE_9(Alltoallw)
AAPC_LATE_8(Ialltoall)
AAPC_LATE_10(Ialltoallv)
AAPC_LATE_10(Ialltoallw)
AAPC_LATE_7(Neighbor_alltoall)
AAPC_LATE_9(Neighbor_alltoallv)
AAPC_LATE_9(Neighbor_alltoallw)
AAPC_LATE_8(Ineighbor_alltoall)
AAPC_LATE_10(Ineighbor_alltoallv)
AAPC_LATE_10(Ineighbor_alltoallw)
