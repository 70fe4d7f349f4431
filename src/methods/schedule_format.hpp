/// @file
/// The format "aapc-schedule/1": which members stand where, and of what kind they are.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>

#include "aapc/timetable/timetable.hpp"

namespace aapc::documents {

inline constexpr std::string_view document_format = "aapc-schedule/1";

/// The containers of the format.
enum class Place : std::uint8_t {
    document,
    participants,
    participant,
    phases,
    phase,
    message,
    blocks,
    block,
    synchronisation,
    edges,
    edge,
    edge_end,
    dummies,
    dummy,
    cycle,
    transfers,
    transfer,
    queue,
};

enum class Kind : std::uint8_t { text, number, number_or_null, real, null, object, list };

/// "a string", "an object".
[[nodiscard]] std::string_view to_string(Kind kind);

inline constexpr std::int64_t largest_number = std::numeric_limits<std::int64_t>::max();

/// What may stand in one place of a container: a member of an object, or (without a name) each element of a list.
struct Slot {
    std::string_view name;
    Kind kind = Kind::text;
    bool required = true;
    Place inside = Place::document;  ///< of an object or a list
    std::int64_t largest = 0;        ///< of a whole number
    std::int64_t smallest = 0;
};

inline constexpr std::size_t phases_slot = 6;      // of the document
inline constexpr std::size_t cycle_slot = 7;       // of the document
inline constexpr std::size_t transfers_slot = 8;   // of the document
inline constexpr std::size_t blocks_slot = 2;      // of a message
inline constexpr std::size_t dummies_slot = 2;     // of the synchronisation
inline constexpr std::size_t queue_from_slot = 1;  // of the queue
inline constexpr std::size_t queue_to_slot = 2;    // of the queue

/// What may stand in a container: the members of an object, or the one kind of elements of a list.
[[nodiscard]] std::span<const Slot> slots_of(Place place);

[[nodiscard]] bool is_list(Place place);

/// The guarantee that is called so, or none.
[[nodiscard]] std::optional<Guarantee> parse_guarantee(std::string_view text);

}  // namespace aapc::documents
