#include "aapc/timetable/timetable.hpp"

#include "timetable/guarantee_names.hpp"

namespace aapc {

std::string_view to_string(Guarantee guarantee) { return guarantee_names[guarantee]; }

}  // namespace aapc
