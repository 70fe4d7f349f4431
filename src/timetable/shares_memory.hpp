/// @file
/// What a timetable that forwards says of its messages inside machines.
#pragma once

#include "input/polymorphic.hpp"

namespace aapc {

/// Timetables derive from it, too, if their messages inside machines only put together what goes to other machines, and
/// hand out what has come: with `window:W` these are copies in memory that the ranks of a machine share, and the method
/// is refused where they share none.
class SharesMemory : public Polymorphic {};

}  // namespace aapc
