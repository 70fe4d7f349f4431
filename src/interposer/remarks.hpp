/// @file
/// What the interposer says, on standard error. All of it does without memory if it must.
#pragma once

#include <string>
#include <string_view>

#include "mpi/have_memory.hpp"

namespace aapc::interposer {

/// Writes "aapc: LINE" to standard error in one piece; control characters are shown as \xNN.
void say(std::string_view line) noexcept;

/// Says why settings are not followed, and keeps it for all who ask.
void reject(std::string_view remark) noexcept;

/// What takes a text's place if there is no memory to make it.
inline constexpr std::string_view no_memory_to_go_on = "no memory is left; using the MPI's own MPI_Alltoall";

/// Rejects with the text that `words` makes, or for want of memory if it cannot make it.
template <class Words>
void reject_with(Words words) noexcept {
    std::string remark;
    reject(mpi::have_memory_for([&] { remark = words(); }) ? std::string_view(remark) : no_memory_to_go_on);
}

/// What was rejected on this rank, separated by "; ". Null where all settings are followed.
[[nodiscard]] const char* rejected_settings();

}  // namespace aapc::interposer
