#include "selection/wire_use.hpp"

#include <fmt/format.h>

#include "input/enumerator_names.hpp"

namespace aapc::selection {

namespace {

constexpr EnumeratorNames<WireUse, WireUse::tcp> wire_use_names({
    {WireUse::automatic, "auto"},
    {WireUse::mpi, "mpi"},
    {WireUse::tcp, "tcp"},
});

}  // namespace

Expected<WireUse> parse_wire_use(std::string_view text) {
    if (text.empty()) {
        return WireUse::automatic;
    }
    if (const auto named = wire_use_names.find(text)) {
        return *named;
    }
    return failure(fmt::format("'{}' is no kind of connections", text), "give auto, mpi or tcp");
}

bool wants_wire(WireUse use, const Network& network) {
    return use == WireUse::tcp || (use == WireUse::automatic && network.has_hashed_paths());
}

}  // namespace aapc::selection
