#include "aapc/synchronisation.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace aapc {

namespace {

constexpr SynchronisationEntry table[] = {
    {Synchronisation::none, "none", "phase order at each sender, nothing more"},
    {Synchronisation::sender, "sender", "a message waits until the sends it would meet are complete at their senders"},
    {Synchronisation::receiver, "receiver", "a message waits until the messages it would meet have been received"},
    {Synchronisation::timed, "timed",
     "segments start by the clock, in their phase's slot; no synchronisation messages"},
};

}  // namespace

std::span<const SynchronisationEntry> synchronisations() { return table; }

std::string_view to_string(Synchronisation synchronisation) {
    return table[static_cast<std::size_t>(synchronisation)].name;
}

Expected<Synchronisation> parse_synchronisation(std::string_view name) {
    std::vector<std::string_view> names;
    for (const SynchronisationEntry& entry : table) {
        if (entry.name == name) {
            return entry.value;
        }
        names.push_back(entry.name);
    }
    return failure({"", 0, 0, fmt::format("there is no synchronisation '{}'", name),
                    fmt::format("choose one of: {}", fmt::join(names, ", "))});
}

bool uses_edges(Synchronisation synchronisation) {
    return synchronisation == Synchronisation::sender || synchronisation == Synchronisation::receiver;
}

Rank signaller(Synchronisation synchronisation, const Edge& edge) {
    return synchronisation == Synchronisation::receiver ? edge.after.to : edge.after.from;
}

}  // namespace aapc
