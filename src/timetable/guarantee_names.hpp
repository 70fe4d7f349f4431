/// @file
/// What guarantees are called in files and messages.
#pragma once

#include "aapc/timetable/timetable.hpp"
#include "input/enumerator_names.hpp"

namespace aapc {

inline constexpr EnumeratorNames<Guarantee, Guarantee::nothing> guarantee_names({
    {Guarantee::shortest, "shortest"},
    {Guarantee::contention_free, "contention-free"},
    {Guarantee::within_capacity, "within-capacity"},
    {Guarantee::one_port, "one-port"},
    {Guarantee::nothing, "nothing"},
});

}  // namespace aapc
