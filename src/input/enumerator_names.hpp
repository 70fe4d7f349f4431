/// @file
/// Names of enumerators, said once for writing and for reading.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string_view>
#include <utility>

namespace aapc {

/// What the enumerators of an enum from 0 to `last` are called.
template <class Enum, Enum last>
class EnumeratorNames {
  public:
    using Entry = std::pair<Enum, std::string_view>;
    static constexpr std::size_t count = static_cast<std::size_t>(last) + 1;

    /// One entry for every enumerator, in their order; others do not compile.
    consteval EnumeratorNames(const Entry (&entries)[count]) {
        for (std::size_t index = 0; index < count; ++index) {
            if (static_cast<std::size_t>(entries[index].first) != index) {
                throw "an enumerator is not at its place";
            }
            names_[index] = entries[index].second;
        }
    }

    [[nodiscard]] constexpr std::string_view operator[](Enum value) const {
        return names_[static_cast<std::size_t>(value)];
    }

    /// The enumerator that is called so; nothing if none is.
    [[nodiscard]] constexpr std::optional<Enum> find(std::string_view name) const {
        for (std::size_t index = 0; index < count; ++index) {
            if (names_[index] == name) {
                return static_cast<Enum>(index);
            }
        }
        return std::nullopt;
    }

  private:
    std::array<std::string_view, count> names_{};
};

}  // namespace aapc
