// The entry of the Open MPI component coll/aapc: what its half in C (coll_aapc.c) has been called with goes the way of
// the preloaded interposer's calls. Below a component there is no MPI_Alltoall but the module that it has displaced.
#include <dlfcn.h>
#include <fmt/core.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>

#include "input/environment.hpp"
#include "interposer/carry_out.hpp"
#include "interposer/component/coll_aapc.h"
#include "interposer/handing_over.hpp"
#include "interposer/job.hpp"
#include "interposer/native.hpp"
#include "interposer/program_requests.hpp"
#include "interposer/remarks.hpp"
#include "mpi/have_memory.hpp"
#include "mpi/ranks.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/variables.hpp"

namespace aapc::interposer {

namespace {

/// The routine below with MPI's own parameters, for both kinds of counts: each calls what is named like it with what is
/// to follow.
#define AAPC_BELOW_EQUAL(NAME, MORE, ...)                                          \
    template <class Count>                                                         \
    int below_##NAME(AAPC_EQUAL(Count) MORE) {                                     \
        return aapc_below_##NAME(AAPC_EQUAL_ARGUMENTS __VA_OPT__(, ) __VA_ARGS__); \
    }
#define AAPC_BELOW_UNEQUAL(NAME, PARAMETERS, MORE, ...)                              \
    template <class Count, class Place>                                              \
    int below_##NAME(PARAMETERS(Count, Place) MORE) {                                \
        return aapc_below_##NAME(sizeof(Count) > sizeof(int) ? 1 : 0,                \
                                 AAPC_UNEQUAL_ARGUMENTS __VA_OPT__(, ) __VA_ARGS__); \
    }
#define AAPC_NOTHING
#define AAPC_REQUEST , MPI_Request* request
#define AAPC_INFO , MPI_Info info, MPI_Request *request
AAPC_BELOW_EQUAL(alltoall, AAPC_NOTHING)
AAPC_BELOW_EQUAL(ialltoall, AAPC_REQUEST, request)
AAPC_BELOW_EQUAL(alltoall_init, AAPC_INFO, info, request)
AAPC_BELOW_UNEQUAL(alltoallv, AAPC_UNEQUAL, AAPC_NOTHING)
AAPC_BELOW_UNEQUAL(alltoallw, AAPC_TYPED, AAPC_NOTHING)
AAPC_BELOW_UNEQUAL(ialltoallv, AAPC_UNEQUAL, AAPC_REQUEST, request)
AAPC_BELOW_UNEQUAL(ialltoallw, AAPC_TYPED, AAPC_REQUEST, request)
AAPC_BELOW_UNEQUAL(alltoallv_init, AAPC_UNEQUAL, AAPC_INFO, info, request)
AAPC_BELOW_UNEQUAL(alltoallw_init, AAPC_TYPED, AAPC_INFO, info, request)

}  // namespace

const NativeRoutines& native() {
    static const NativeRoutines routines = {
        below_alltoall<int>,
        below_alltoallv<int, int>,
        below_alltoallw<int, int>,
#if AAPC_MPI_HAS_LARGE_COUNTS
        below_alltoall<MPI_Count>,
        below_alltoallv<MPI_Count, MPI_Aint>,
        below_alltoallw<MPI_Count, MPI_Aint>,
#endif
    };
    return routines;
}

int make_request(MPI_Comm comm, int* /*error*/, MPI_Request* request) {
    *request = aapc_make_request(comm, 0);
    return *request != nullptr ? MPI_SUCCESS : mpi::raise(comm, MPI_ERR_NO_MEM);
}

void complete_request(MPI_Request request, int* error) {
    const std::unique_ptr<int> dropped(error);
    aapc_complete_request(request, *error);
}

int make_persistent_request(const Background& /*background*/, int /*tag*/, MPI_Comm comm, MPI_Request* request) {
    *request = aapc_make_request(comm, 1);
    return *request != nullptr ? MPI_SUCCESS : MPI_ERR_NO_MEM;
}

void complete_persistent_request(const Background& /*background*/, int /*tag*/, MPI_Request request) {
    aapc_complete_request(request, MPI_SUCCESS);
}

}  // namespace aapc::interposer

namespace ours = aapc::interposer;

namespace {

/// What Open MPI hands to its components counts in, and the places that go with it. Only where it has the routines for
/// large counts do these differ from ints.
#if AAPC_MPI_HAS_LARGE_COUNTS
using Count = MPI_Count;
#else
using Count = int;
#endif

/// Calls `with_numbers` with the arrays as they are: of int, or of MPI_Count and MPI_Aint.
template <class WithNumbers>
int with_width(int wide, const void* sent, const void* from, const void* received, const void* to,
               WithNumbers with_numbers) {
#if AAPC_MPI_HAS_LARGE_COUNTS
    if (wide != 0) {
        return with_numbers(static_cast<const MPI_Count*>(sent), static_cast<const MPI_Aint*>(from),
                            static_cast<const MPI_Count*>(received), static_cast<const MPI_Aint*>(to));
    }
#else
    static_cast<void>(wide);
#endif
    return with_numbers(static_cast<const int*>(sent), static_cast<const int*>(from), static_cast<const int*>(received),
                        static_cast<const int*>(to));
}

/// The elements' type of an array.
template <class Pointer>
using Of = std::remove_const_t<std::remove_pointer_t<Pointer>>;

}  // namespace

int aapc_coll_alltoall(AAPC_COLL_EQUAL) {
    return ours::alltoall<ours::Routine::Alltoall>(sendbuf, static_cast<Count>(sendcount), sendtype, recvbuf,
                                                   static_cast<Count>(recvcount), recvtype, comm);
}

// NAME, a call of that FORM, BELOW which there is that routine; behind its usual arguments come others.
#define AAPC_COLL_EQUAL_HANDED_OVER(NAME, FORM, BELOW, MORE, ...)                                                \
    int aapc_coll_##BELOW(AAPC_COLL_EQUAL MORE) {                                                                \
        return ours::hand_over_or_pass<ours::Routine::NAME, ours::Form::FORM>(                                   \
            AAPC_EQUAL_CALL(NAME), request, &ours::below_##BELOW<Count>, sendbuf, static_cast<Count>(sendcount), \
            sendtype, recvbuf, static_cast<Count>(recvcount), recvtype, comm, __VA_ARGS__);                      \
    }
#define AAPC_COLL_UNEQUAL_CALLED(NAME, BELOW, CALL, PARAMETERS)                                   \
    int aapc_coll_##BELOW(PARAMETERS) {                                                           \
        return with_width(wide, sent, from, received, to,                                         \
                          [&](auto* sendcounts, auto* sdispls, auto* recvcounts, auto* rdispls) { \
                              return ours::exchange_or_pass(CALL(NAME));                          \
                          });                                                                     \
    }
#define AAPC_COLL_UNEQUAL_HANDED_OVER(NAME, FORM, BELOW, CALL, PARAMETERS, MORE, ...)                               \
    int aapc_coll_##BELOW(PARAMETERS MORE) {                                                                        \
        return with_width(                                                                                          \
            wide, sent, from, received, to, [&](auto* sendcounts, auto* sdispls, auto* recvcounts, auto* rdispls) { \
                return ours::hand_over_or_pass<ours::Routine::NAME, ours::Form::FORM>(                              \
                    CALL(NAME), request, &ours::below_##BELOW<Of<decltype(sendcounts)>, Of<decltype(sdispls)>>,     \
                    AAPC_UNEQUAL_ARGUMENTS, __VA_ARGS__);                                                           \
            });                                                                                                     \
    }

AAPC_COLL_UNEQUAL_CALLED(Alltoallv, alltoallv, AAPC_UNEQUAL_CALL, AAPC_COLL_UNEQUAL)
AAPC_COLL_UNEQUAL_CALLED(Alltoallw, alltoallw, AAPC_TYPED_CALL, AAPC_COLL_TYPED)
AAPC_COLL_EQUAL_HANDED_OVER(Ialltoall, immediate, ialltoall, AAPC_REQUEST, request)
AAPC_COLL_EQUAL_HANDED_OVER(Alltoall_init, persistent, alltoall_init, AAPC_INFO, info, request)
AAPC_COLL_UNEQUAL_HANDED_OVER(Ialltoallv, immediate, ialltoallv, AAPC_UNEQUAL_CALL, AAPC_COLL_UNEQUAL, AAPC_REQUEST,
                              request)
AAPC_COLL_UNEQUAL_HANDED_OVER(Ialltoallw, immediate, ialltoallw, AAPC_TYPED_CALL, AAPC_COLL_TYPED, AAPC_REQUEST,
                              request)
AAPC_COLL_UNEQUAL_HANDED_OVER(Alltoallv_init, persistent, alltoallv_init, AAPC_UNEQUAL_CALL, AAPC_COLL_UNEQUAL,
                              AAPC_INFO, info, request)
AAPC_COLL_UNEQUAL_HANDED_OVER(Alltoallw_init, persistent, alltoallw_init, AAPC_TYPED_CALL, AAPC_COLL_TYPED, AAPC_INFO,
                              info, request)

void aapc_coll_started(int count, MPI_Request* requests) {
    ours::tell_background(
        [&](ours::Background& background) {
            std::for_each(requests, requests + count, [&](MPI_Request request) { background.started(request); });
        },
        &ours::Job::background_or_ended);
}

void aapc_coll_freed(MPI_Request request) {
    ours::tell_background([&](ours::Background& background) { background.freed(request); },
                          &ours::Job::background_or_ended);
}

void aapc_coll_begin() {
    aapc::mpi::caller_raises = true;
    ours::Job::start();
}

void aapc_coll_end() {
    ours::tell_background([](ours::Background& background) { background.end(); });
}

int aapc_coll_is_preloaded() {
    if (dlsym(RTLD_DEFAULT, "aapc_late") != nullptr) {
        return 1;
    }
    // Open MPI lets everybody see what a component exports; what is preloaded comes first.
    Dl_info here{};
    Dl_info there{};
    void* const seen = dlsym(RTLD_DEFAULT, "aapc_calls");
    const bool another = seen != nullptr && dladdr(seen, &there) != 0 &&
                         dladdr(reinterpret_cast<void*>(&aapc_coll_is_preloaded), &here) != 0 &&
                         there.dli_fbase != here.dli_fbase;
    return another ? 1 : 0;
}

void aapc_coll_say_preloaded() {
    const std::string verbosity = aapc::environment_variable("AAPC_VERBOSE");
    const bool off = aapc::environment_variable("AAPC_OFF") == "1";
    if (!off && !verbosity.empty() && verbosity != "0" && aapc::mpi::rank_in(MPI_COMM_WORLD) == 0) {
        ours::say("the preloaded library serves this job, so Open MPI's component coll/aapc leaves its calls alone");
    }
}

namespace {

constexpr std::string_view beginning = "AAPC_";

const aapc::selection::Variable* find_setting(int index) {
    const auto all = aapc::selection::variables();
    const auto place = static_cast<std::size_t>(index);
    return place < all.size() ? &all[place] : nullptr;
}

}  // namespace

int aapc_coll_setting(int index, char name[aapc_coll_longest_name], char meaning[aapc_coll_longest_meaning]) {
    const aapc::selection::Variable* const setting = find_setting(index);
    if (setting == nullptr) {
        return 0;
    }
    const std::string_view own = setting->name.substr(beginning.size());
    const std::size_t length = std::min<std::size_t>(own.size(), aapc_coll_longest_name - 1);
    std::transform(own.begin(), own.begin() + length, name, [](unsigned char letter) { return std::tolower(letter); });
    name[length] = '\0';
    const auto written = fmt::format_to_n(meaning, aapc_coll_longest_meaning - 1, "{}, as {}. Not set: {}",
                                          setting->meaning, setting->name, setting->default_value);
    *written.out = '\0';
    return 1;
}

const char* aapc_coll_environment(int index) {
    const aapc::selection::Variable* const setting = find_setting(index);
    return setting == nullptr ? nullptr : std::getenv(std::string(setting->name).c_str());
}

void aapc_coll_set(int index, const char* value) {
    const aapc::selection::Variable* const setting = find_setting(index);
    if (setting != nullptr && value != nullptr && *value != '\0') {
        setenv(std::string(setting->name).c_str(), value, 0);
    }
}
