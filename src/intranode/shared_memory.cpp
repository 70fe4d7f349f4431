#include "aapc/intranode/shared_memory.hpp"

#include <fmt/format.h>

namespace aapc {

Expected<SharedMemory> parse_shared_memory(std::string_view text) {
    if (text.empty() || text == "1") {
        return SharedMemory::tickets_and_copies;
    }
    if (text == "tickets") {
        return SharedMemory::tickets;
    }
    if (text == "0") {
        return SharedMemory::nothing;
    }
    return failure(fmt::format("'{}' is no way to use shared memory", text),
                   "give 0 (not at all), tickets, or 1 (tickets and copies)");
}

}  // namespace aapc
