/// @file
/// How much memory there is.
#pragma once

#include <cstdint>
#include <optional>

namespace aapc::cli {

/// Bytes that this process may still take: what the system calls available, and what the process's limit (ulimit -v)
/// leaves. Nothing where the system does not say.
[[nodiscard]] std::optional<std::int64_t> free_memory();

}  // namespace aapc::cli
