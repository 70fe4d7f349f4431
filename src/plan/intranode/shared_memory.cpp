#include "aapc/plan/shared_memory.hpp"

#include <fmt/format.h>

#include "input/enumerator_names.hpp"

namespace aapc {

namespace {

constexpr EnumeratorNames<SharedMemory, SharedMemory::tickets_and_copies> shared_memory_names({
    {SharedMemory::nothing, "0"},
    {SharedMemory::tickets, "tickets"},
    {SharedMemory::tickets_and_copies, "1"},
});

}  // namespace

Expected<SharedMemory> parse_shared_memory(std::string_view text) {
    if (text.empty()) {
        return SharedMemory::tickets_and_copies;
    }
    if (const auto named = shared_memory_names.find(text)) {
        return *named;
    }
    return failure(fmt::format("'{}' is no way to use shared memory", text),
                   "give 0 (not at all), tickets, or 1 (tickets and copies)");
}

}  // namespace aapc
