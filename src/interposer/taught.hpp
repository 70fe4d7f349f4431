/// @file
/// What a learner has learned, in the words of a tuning file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>

#include "aapc/archive/tuning.hpp"
#include "learning/learner.hpp"

namespace aapc::interposer {

/// Sizes at which a candidate was tried beside the native routine, with the winner and the times of both; without a
/// fingerprint. nullopt if there is no such size. `method_of` says what the caller's number of a candidate stands for,
/// `bytes_of` what size of a tuning a class of that size is. Throws std::bad_alloc.
[[nodiscard]] std::optional<Tuning> tuning_of(const learning::Learner& learner,
                                              const std::function<Method(std::size_t)>& method_of,
                                              const std::function<std::int64_t(std::int64_t)>& bytes_of);

}  // namespace aapc::interposer
