/// @file
/// What a timetable that forwards says of its messages inside machines.
#pragma once

#include "input/polymorphic.hpp"

namespace aapc {

/// A second base of timetables whose messages inside machines only gather blocks for other machines, and scatter those
/// that have arrived. With `window:W` these are copies in memory that the ranks of a machine share, and the method is
/// refused where they share none.
class SharesMemory : public Polymorphic {};

}  // namespace aapc
