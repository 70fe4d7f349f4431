#include "methods/schedule_format.hpp"

#include <array>
#include <limits>

#include "input/enumerator_names.hpp"
#include "timetable/guarantee_names.hpp"

namespace aapc::documents {

namespace {

constexpr EnumeratorNames<Kind, Kind::list> kind_names({
    {Kind::text, "a string"},
    {Kind::number, "a whole number"},
    {Kind::number_or_null, "a whole number or null"},
    {Kind::real, "a number"},
    {Kind::null, "null"},
    {Kind::object, "an object"},
    {Kind::list, "a list"},
});

constexpr std::int64_t largest_rank = std::numeric_limits<Rank>::max();

constexpr std::array document_slots{
    Slot{"format"},
    Slot{"algorithm", Kind::text, false},
    Slot{"variant", Kind::text, false},
    Slot{"participants", Kind::list, true, Place::participants},
    Slot{"bound", Kind::number_or_null, false, {}, largest_number},
    Slot{"guarantee", Kind::text, false},
    Slot{"phases", Kind::list, false, Place::phases},
    Slot{"cycle", Kind::object, false, Place::cycle},
    Slot{"transfers", Kind::list, false, Place::transfers},
    Slot{"queue", Kind::object, false, Place::queue},
    Slot{"synchronisation", Kind::object, false, Place::synchronisation},
};
constexpr std::array participants_slots{Slot{"", Kind::object, true, Place::participant}};
constexpr std::array participant_slots{Slot{"name"}, Slot{"machine"}};
constexpr std::array phases_slots{Slot{"", Kind::list, true, Place::phase}};
constexpr std::array phase_slots{Slot{"", Kind::object, true, Place::message}};
constexpr std::array message_slots{Slot{"from", Kind::number, true, {}, largest_rank},
                                   Slot{"to", Kind::number, true, {}, largest_rank},
                                   Slot{"blocks", Kind::list, false, Place::blocks}};
constexpr std::array blocks_slots{Slot{"", Kind::list, true, Place::block}};
constexpr std::array block_slots{Slot{"", Kind::number, true, {}, largest_rank}};
constexpr std::array synchronisation_slots{Slot{"name"}, Slot{"edges", Kind::list, false, Place::edges},
                                           Slot{"dummies", Kind::list, false, Place::dummies}};
constexpr std::array edges_slots{Slot{"", Kind::object, true, Place::edge}};
constexpr std::array edge_slots{Slot{"after", Kind::list, true, Place::edge_end},
                                Slot{"before", Kind::list, true, Place::edge_end}};
constexpr std::array edge_end_slots{Slot{"", Kind::number, true, {}, largest_rank}};
constexpr std::array dummies_slots{Slot{"", Kind::object, true, Place::dummy}};
constexpr std::array dummy_slots{Slot{"phase", Kind::number, true, {}, largest_number},
                                 Slot{"from", Kind::number, true, {}, largest_rank},
                                 Slot{"to", Kind::number, true, {}, largest_rank}};
constexpr std::array cycle_slots{Slot{"seconds_per_byte", Kind::real}, Slot{"bound_seconds_per_byte", Kind::real},
                                 Slot{"ticks", Kind::number, false, {}, largest_number, 1}};
constexpr std::array transfers_slots{Slot{"", Kind::object, true, Place::transfer}};
constexpr std::array transfer_slots{Slot{"from", Kind::number, true, {}, largest_rank},
                                    Slot{"to", Kind::number, true, {}, largest_rank}, Slot{"at", Kind::real}};
constexpr std::array queue_slots{Slot{"messages", Kind::real}, Slot{"from", Kind::text, false},
                                 Slot{"to", Kind::text, false}, Slot{"sample", Kind::text, false}};

}  // namespace

std::span<const Slot> slots_of(Place place) {
    switch (place) {
        case Place::document:
            return document_slots;
        case Place::participants:
            return participants_slots;
        case Place::participant:
            return participant_slots;
        case Place::phases:
            return phases_slots;
        case Place::phase:
            return phase_slots;
        case Place::message:
            return message_slots;
        case Place::blocks:
            return blocks_slots;
        case Place::block:
            return block_slots;
        case Place::synchronisation:
            return synchronisation_slots;
        case Place::edges:
            return edges_slots;
        case Place::edge:
            return edge_slots;
        case Place::edge_end:
            return edge_end_slots;
        case Place::dummies:
            return dummies_slots;
        case Place::dummy:
            return dummy_slots;
        case Place::cycle:
            return cycle_slots;
        case Place::transfers:
            return transfers_slots;
        case Place::transfer:
            return transfer_slots;
        case Place::queue:
            return queue_slots;
    }
    return {};
}

std::string_view to_string(Kind kind) { return kind_names[kind]; }

std::optional<Guarantee> parse_guarantee(std::string_view text) { return guarantee_names.find(text); }

bool is_list(Place place) { return slots_of(place).front().name.empty(); }

}  // namespace aapc::documents
