#include "aapc/methods/given_schedule.hpp"

#include <cstdint>
#include <cstring>
#include <type_traits>
#include <utility>

namespace aapc {

namespace {

template <typename Value>
void append(std::string& bytes, const Value* values, std::size_t count) {
    static_assert(std::is_trivially_copyable_v<Value>);
    const std::uint64_t length = count;
    bytes.append(reinterpret_cast<const char*>(&length), sizeof length);
    bytes.append(reinterpret_cast<const char*>(values), count * sizeof(Value));
}

/// A std::string or a std::vector.
template <typename Values>
Values take(std::string_view& bytes) {
    std::uint64_t length = 0;
    const char* const begin = bytes.data();
    std::memcpy(&length, begin, sizeof length);
    Values values(length, typename Values::value_type());
    const std::size_t size = length * sizeof(typename Values::value_type);
    std::memcpy(values.data(), begin + sizeof length, size);
    bytes.remove_prefix(sizeof length + size);
    return values;
}

}  // namespace

GivenSchedule make_given_schedule(std::string algorithm, std::string variant, std::vector<Machine> machine_of,
                                  Phase ticks, const Cycle& cycle, std::vector<Phase> start_ticks) {
    const auto participants = static_cast<Rank>(machine_of.size());
    return {std::move(algorithm), std::move(variant), std::move(machine_of),
            std::make_shared<const TickTable>(participants, ticks, cycle, std::move(start_ticks),
                                              "its times are those of a schedule file")};
}

std::string pack(const GivenSchedule& given) {
    std::string bytes;
    append(bytes, given.algorithm.data(), given.algorithm.size());
    append(bytes, given.variant.data(), given.variant.size());
    append(bytes, given.machine_of.data(), given.machine_of.size());
    const Cycle cycle = *given.timetable->cycle();
    const Phase ticks = given.timetable->phases();
    const std::vector<Phase>& start_ticks = given.timetable->start_ticks();
    append(bytes, &cycle, 1);
    append(bytes, &ticks, 1);
    append(bytes, start_ticks.data(), start_ticks.size());
    return bytes;
}

GivenSchedule unpack_given_schedule(std::string_view bytes) {
    auto algorithm = take<std::string>(bytes);
    auto variant = take<std::string>(bytes);
    auto machine_of = take<std::vector<Machine>>(bytes);
    const Cycle cycle = take<std::vector<Cycle>>(bytes).front();
    const Phase ticks = take<std::vector<Phase>>(bytes).front();
    return make_given_schedule(std::move(algorithm), std::move(variant), std::move(machine_of), ticks, cycle,
                               take<std::vector<Phase>>(bytes));
}

}  // namespace aapc
