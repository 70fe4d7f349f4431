/// @file
/// The names of the switches and machines of a topology file.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>

#include "input/first_mistake.hpp"
#include "topology/switch_tree.hpp"

namespace aapc {

/// Whose each name is. Refers to the declarations.
class DeclaredNames {
  public:
    /// Index into the declarations.
    using SwitchIndex = std::int32_t;
    static constexpr SwitchIndex none = -1;

    /// Adds a mistake for every name that two have. O(names).
    void collect(std::span<const DeclaredSwitch> switches, FirstMistake& mistake);
    /// The switch that an uplink names; none, with a mistake, if it names no switch. O(1); O(names) for a mistake.
    [[nodiscard]] SwitchIndex find_uplink(const DeclaredName& uplink, FirstMistake& mistake) const;
    /// The switch of that name, or none.
    [[nodiscard]] SwitchIndex find_switch(std::string_view name) const;

  private:
    struct Owner {
        Position position;
        SwitchIndex switch_index = none;  ///< none: it is a machine
    };
    void collect(const DeclaredName& name, SwitchIndex switch_index, std::string_view what, FirstMistake& mistake);
    [[nodiscard]] std::string advice_for_unknown(std::string_view name) const;

    std::span<const DeclaredSwitch> switches_;
    std::unordered_map<std::string_view, Owner> owner_of_;
};

}  // namespace aapc
