#include "input/version.hpp"

namespace aapc {

std::string_view version() { return AAPC_VERSION; }

}  // namespace aapc
