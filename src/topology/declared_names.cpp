#include "topology/declared_names.hpp"

#include <fmt/format.h>

#include <vector>

#include "input/wording.hpp"

namespace aapc {

void DeclaredNames::collect(std::span<const DeclaredSwitch> switches, FirstMistake& mistake) {
    switches_ = switches;
    for (std::size_t index = 0; index < switches.size(); ++index) {
        const DeclaredSwitch& declaration = switches[index];
        collect(declaration.name, static_cast<SwitchIndex>(index), declaration.what, mistake);
        for (const DeclaredMachine& machine : declaration.machines) {
            collect(machine.name, none, "machine", mistake);
        }
    }
}

void DeclaredNames::collect(const DeclaredName& name, SwitchIndex switch_index, std::string_view what,
                            FirstMistake& mistake) {
    const auto [entry, is_new] = owner_of_.try_emplace(name.name, Owner{name.position, switch_index});
    if (is_new) {
        return;
    }
    const auto [first, first_index] = entry->second;
    const bool was_switch = first_index != none;
    const bool is_switch = switch_index != none;
    const std::string before = fmt::format("line {}, column {}", first.line, first.column);
    if (was_switch != is_switch) {
        const std::string_view of_switch = is_switch ? what : switches_[static_cast<std::size_t>(first_index)].what;
        mistake.add(
            name.position,
            fmt::format("{} is the name of a {} and of a machine ({})", in_quotes(name.name), of_switch, before),
            "give one of them another name");
    } else if (is_switch) {
        mistake.add(name.position,
                    fmt::format("a second {} {} (the first is in {})", what, in_quotes(name.name), before),
                    fmt::format("give every {} its own name", what));
    } else {
        mistake.add(name.position,
                    fmt::format("machine {} is listed twice (first in {})", in_quotes(name.name), before),
                    "list every machine once; for several ranks on it write NAME:RANKS");
    }
}

DeclaredNames::SwitchIndex DeclaredNames::find_uplink(const DeclaredName& uplink, FirstMistake& mistake) const {
    const auto owner = owner_of_.find(uplink.name);
    if (owner == owner_of_.end()) {
        mistake.add(uplink.position, fmt::format("uplink {} is not a switch of this file", in_quotes(uplink.name)),
                    advice_for_unknown(uplink.name));
        return none;
    }
    if (owner->second.switch_index == none) {
        mistake.add(uplink.position, fmt::format("uplink {} is a machine", in_quotes(uplink.name)),
                    "name the switch that this switch is plugged into");
    }
    return owner->second.switch_index;
}

DeclaredNames::SwitchIndex DeclaredNames::find_switch(std::string_view name) const {
    const auto owner = owner_of_.find(name);
    return owner == owner_of_.end() ? none : owner->second.switch_index;
}

std::string DeclaredNames::advice_for_unknown(std::string_view name) const {
    std::vector<std::string_view> names;
    names.reserve(switches_.size());
    for (const DeclaredSwitch& declaration : switches_) {
        names.emplace_back(declaration.name.name);
    }
    const auto nearest = nearest_word(name, names);
    return nearest ? fmt::format("did you mean {}?", in_quotes(*nearest))
                   : fmt::format("add a [[switch]] with name = \"{}\", or name one that is there", name);
}

}  // namespace aapc
