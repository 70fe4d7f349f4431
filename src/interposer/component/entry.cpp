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

const NativeRoutines& native() {
    static const NativeRoutines routines = {aapc_below_alltoall, aapc_below_alltoallv, aapc_below_alltoallw};
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

int aapc_coll_alltoall(AAPC_COLL_EQUAL) { return ours::alltoall<ours::Routine::Alltoall>(AAPC_COLL_EQUAL_ARGUMENTS); }

int aapc_coll_alltoallv(AAPC_COLL_UNEQUAL) { return ours::exchange_or_pass(AAPC_UNEQUAL_CALL(Alltoallv)); }

int aapc_coll_alltoallw(AAPC_COLL_TYPED) { return ours::exchange_or_pass(AAPC_TYPED_CALL(Alltoallw)); }

// NAME, a call of that FORM, BELOW which there is that routine.
#define AAPC_COLL_HANDED_OVER(NAME, FORM, CALL, BELOW, PARAMETERS, ...)                                                \
    int aapc_coll_##BELOW PARAMETERS {                                                                                 \
        return ours::hand_over_or_pass<ours::Routine::NAME, ours::Form::FORM>(CALL(NAME), request, aapc_below_##BELOW, \
                                                                              __VA_ARGS__);                            \
    }

AAPC_COLL_HANDED_OVER(Ialltoall, immediate, AAPC_EQUAL_CALL, ialltoall, (AAPC_COLL_EQUAL, MPI_Request* request),
                      AAPC_COLL_EQUAL_ARGUMENTS, request)
AAPC_COLL_HANDED_OVER(Ialltoallv, immediate, AAPC_UNEQUAL_CALL, ialltoallv, (AAPC_COLL_UNEQUAL, MPI_Request* request),
                      AAPC_COLL_UNEQUAL_ARGUMENTS, request)
AAPC_COLL_HANDED_OVER(Ialltoallw, immediate, AAPC_TYPED_CALL, ialltoallw, (AAPC_COLL_TYPED, MPI_Request* request),
                      AAPC_COLL_UNEQUAL_ARGUMENTS, request)
AAPC_COLL_HANDED_OVER(Alltoall_init, persistent, AAPC_EQUAL_CALL, alltoall_init,
                      (AAPC_COLL_EQUAL, MPI_Info info, MPI_Request* request), AAPC_COLL_EQUAL_ARGUMENTS, info, request)
AAPC_COLL_HANDED_OVER(Alltoallv_init, persistent, AAPC_UNEQUAL_CALL, alltoallv_init,
                      (AAPC_COLL_UNEQUAL, MPI_Info info, MPI_Request* request), AAPC_COLL_UNEQUAL_ARGUMENTS, info,
                      request)
AAPC_COLL_HANDED_OVER(Alltoallw_init, persistent, AAPC_TYPED_CALL, alltoallw_init,
                      (AAPC_COLL_TYPED, MPI_Info info, MPI_Request* request), AAPC_COLL_UNEQUAL_ARGUMENTS, info,
                      request)

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
    if (!verbosity.empty() && verbosity != "0" && aapc::mpi::rank_in(MPI_COMM_WORLD) == 0) {
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
    return setting == nullptr ? nullptr : std::getenv(setting->name.data());
}

void aapc_coll_set(int index, const char* value) {
    const aapc::selection::Variable* const setting = find_setting(index);
    if (setting != nullptr && value != nullptr && *value != '\0') {
        setenv(setting->name.data(), value, 0);
    }
}
