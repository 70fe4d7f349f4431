/// @file
/// Shared timetables, each built once, and the bound that they are held against.
#pragma once

#include <list>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "aapc/algorithms/algorithm.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/given_schedule.hpp"
#include "aapc/timetable/timetable.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The timetables of the algorithms on one network for one placement. The code that decides, counts buffers and
/// prepares an exchange gets the same timetable here, or the same refusal. For one thread at a time.
class Timetables {
  public:
    /// All three outlive this and are not owned. `given` (null if there is none) replaces its algorithm's search for
    /// that placement.
    Timetables(const Network& network, const Placement& placement, const GivenSchedule* given = nullptr,
               Effort effort = Effort::at_set_up)
        : network_(&network), placement_(&placement), given_(given), effort_(effort) {}

    [[nodiscard]] const Network& network() const { return *network_; }
    [[nodiscard]] const Placement& placement() const { return *placement_; }
    /// network_bound() of both, worked out by the first call. O(1) after that. Throws std::bad_alloc.
    [[nodiscard]] const Bound& bound();

    /// As build_timetable(), which the first call uses. Never null. O(1) after that.
    [[nodiscard]] Expected<std::shared_ptr<const Timetable>> find(const Algorithm& algorithm, std::string_view variant);

    /// Timetable::phases() of find(), or why there is none; also known after release().
    [[nodiscard]] Expected<Phase> phases(const Algorithm& algorithm, std::string_view variant);

    /// Frees that timetable here, once its user has made its exchange.
    void release(const Algorithm& algorithm, std::string_view variant);

  private:
    struct Entry {
        const Algorithm* algorithm;
        std::string variant;
        std::optional<Diagnostic> refusal;
        Phase phases = 0;
        std::shared_ptr<const Timetable> timetable;  ///< null if refused or released
    };
    /// Built, unless it is known.
    Entry& entry(const Algorithm& algorithm, std::string_view variant);
    void build(Entry& entry) const;

    const Network* network_;
    const Placement* placement_;
    const GivenSchedule* given_;
    Effort effort_;
    std::optional<Bound> bound_;
    std::list<Entry> entries_;
};

}  // namespace aapc
