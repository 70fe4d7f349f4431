#include "aapc/methods/given_schedule.hpp"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <optional>
#include <type_traits>
#include <utility>

namespace aapc {

namespace {

class GivenTimetable final : public Timetable {
  public:
    explicit GivenTimetable(const GivenSchedule& given)
        : participants_(static_cast<Rank>(given.machine_of.size())),
          cycle_(given.cycle),
          ticks_(given.ticks),
          start_tick_(given.start_tick) {}

    [[nodiscard]] Rank participants() const override { return participants_; }
    [[nodiscard]] Phase phases() const override { return ticks_; }
    [[nodiscard]] Guarantee guarantee() const override { return Guarantee::within_capacity; }
    [[nodiscard]] std::optional<Cycle> cycle() const override { return cycle_; }
    [[nodiscard]] std::string remark() const override { return "its times are those of a schedule file"; }
    [[nodiscard]] std::vector<Transfer> sends_of(Rank rank) const override {
        return with_others(rank, [&](Rank other) { return Transfer{start_tick(rank, other), rank, other}; });
    }
    [[nodiscard]] std::vector<Transfer> receives_of(Rank rank) const override {
        return with_others(rank, [&](Rank other) { return Transfer{start_tick(other, rank), other, rank}; });
    }

  private:
    [[nodiscard]] Phase start_tick(Rank from, Rank to) const {
        return start_tick_[static_cast<std::size_t>(from) * static_cast<std::size_t>(participants_) +
                           static_cast<std::size_t>(to)];
    }

    template <typename TransferWith>
    [[nodiscard]] std::vector<Transfer> with_others(Rank rank, TransferWith transfer_with) const {
        std::vector<Transfer> transfers;
        transfers.reserve(static_cast<std::size_t>(participants_));
        for (Rank other = 0; other < participants_; ++other) {
            if (other != rank) {
                transfers.push_back(transfer_with(other));
            }
        }
        std::sort(transfers.begin(), transfers.end());
        return transfers;
    }

    Rank participants_;
    Cycle cycle_;
    Phase ticks_;
    std::vector<Phase> start_tick_;
};

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

std::unique_ptr<Timetable> timetable_of(const GivenSchedule& given) { return std::make_unique<GivenTimetable>(given); }

std::string pack(const GivenSchedule& given) {
    std::string bytes;
    append(bytes, given.algorithm.data(), given.algorithm.size());
    append(bytes, given.variant.data(), given.variant.size());
    append(bytes, given.machine_of.data(), given.machine_of.size());
    append(bytes, &given.cycle, 1);
    append(bytes, &given.ticks, 1);
    append(bytes, given.start_tick.data(), given.start_tick.size());
    return bytes;
}

GivenSchedule unpack_given_schedule(std::string_view bytes) {
    GivenSchedule given;
    given.algorithm = take<std::string>(bytes);
    given.variant = take<std::string>(bytes);
    given.machine_of = take<std::vector<Machine>>(bytes);
    given.cycle = take<std::vector<Cycle>>(bytes).front();
    given.ticks = take<std::vector<Phase>>(bytes).front();
    given.start_tick = take<std::vector<Phase>>(bytes);
    return given;
}

}  // namespace aapc
