/// @file
/// The search for the fastest method of each message size: what to measure next, what to drop, when to stop. It knows
/// no MPI and has no clock: it is fed times. Ranks that feed it the same times do the same, so they agree on what they
/// run without asking. docs/tuning.md describes the search.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/selection/tuning.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// What is worth trying for this network and placement, the MPI's own routine first: every algorithm of the table that
/// can be built, in every variant, with every synchronisation that fits its timetable, at a few values of their
/// parameters; `timed` only where a message crosses a link whose speed is known, since it goes by the speed of the
/// slowest. No two have the same name, and none of those left out would do anything else than one that is in: windows
/// and blocks end at the number of phases, and of two variants with the same timetable one is taken. O(methods +
/// variants · participants² · log participants).
[[nodiscard]] std::vector<Method> candidate_methods(const Network& network, const Placement& placement);

/// 1, 4, 16, ... 1,048,576 bytes.
[[nodiscard]] std::vector<std::int64_t> default_tuned_sizes();

struct SearchSettings {
    std::vector<std::int64_t> sizes = default_tuned_sizes();  ///< bytes of a block, ascending, at least 1
    double budget_seconds = 720;                              ///< for everything; more than 0
    double bound_seconds_per_byte = 0;                        ///< Bound::seconds_per_byte; 0: not known
    double slowest_bits_per_second = 0;                       ///< Bound::slowest_bits_per_second; 0: not known
    std::uint64_t seed = 1;                                   ///< of the order within a round

    friend bool operator==(const SearchSettings&, const SearchSettings&) = default;
};

/// The seconds that an exchange of blocks of that size is expected to take. It orders candidates where the budget does
/// not reach for all; what was close to the best at the size before is measured whatever it says. Must be a pure
/// function.
using ExpectedSeconds = std::function<double(const Method& method, std::int64_t block_bytes)>;

/// What serves blocks of that size where there is no tuning. It gets its chance right behind the MPI's own routine and
/// is never left out for lack of time before others are, lest a tuning be slower than none. Must be a pure function.
using UntunedMethod = std::function<Method(std::int64_t block_bytes)>;

/// What is known before anything has been measured; null: nothing is.
struct Foreknowledge {
    ExpectedSeconds expected;
    UntunedMethod untuned;
};

class Search {
  public:
    /// One exchange that is to be carried out.
    struct Trial {
        Method method;
        std::int64_t block_bytes = 0;

        friend bool operator==(const Trial&, const Trial&) = default;
    };

    /// What one exchange took.
    struct Measurement {
        double seconds = 0;        ///< of the slowest rank; more than 0
        double spent_seconds = 0;  ///< off the budget: with preparation and validation
    };

    struct Progress {
        double done = 0;  ///< share of the work, 0 to 1; never goes back
        double seconds_left = 0;
        std::int64_t block_bytes = 0;  ///< that is being measured
        std::size_t in_the_race = 0;   ///< methods at that size
    };

    struct Result {
        std::vector<TunedRange> ranges;   ///< ascending, the first from 0; neighbours differ in their methods
        std::int64_t measurements = 0;    ///< all of them
        double spent_seconds = 0;         ///< their sum
        std::vector<std::int64_t> unmet;  ///< sizes for which the budget did not reach to find anything but native
    };

    /// `candidates` begin with the MPI's own and are all different. A diagnostic where settings make no sense.
    [[nodiscard]] static Expected<Search> create(SearchSettings settings, std::vector<Method> candidates,
                                                 Foreknowledge known = {});

    /// Continues a search from what state_text() said of it, for a network of that kind and with the same
    /// foreknowledge: from there on it does what the uninterrupted one would have done. The text is checked to its
    /// last line; what is damaged is refused with its line. O(measurements).
    [[nodiscard]] static Expected<Search> resume(std::string_view text, NetworkKind kind, Foreknowledge known = {});

    Search(Search&&) noexcept;
    Search& operator=(Search&&) noexcept;
    ~Search();

    [[nodiscard]] const SearchSettings& settings() const;
    [[nodiscard]] const std::vector<Method>& candidates() const;

    [[nodiscard]] bool finished() const;
    /// What to measure now; the same until observe() is called. Not when finished.
    [[nodiscard]] Trial next() const;
    /// What the exchange of next() took. Times that are no positive finite numbers count as the shortest time there is
    /// (a clock that stands still).
    void observe(const Measurement& measurement);

    [[nodiscard]] Progress progress() const;
    /// What was found. Not before finished.
    [[nodiscard]] Result result() const;

    /// Everything that resume() needs, as lines of text. O(measurements).
    [[nodiscard]] std::string state_text() const;

  private:
    class State;
    explicit Search(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace aapc
