/// @file
/// The search for the fastest method of each message size: what to measure next, what to drop, when to stop. It knows
/// no MPI and has no clock: its input is times. Ranks with the same input make the same choices, so they agree on each
/// exchange without communication. docs/tuning.md describes the search.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"

namespace aapc {

/// The methods worth trying for this network and placement, native first: every algorithm of the table that can be
/// built, in every variant, with every synchronisation that fits its timetable, at a few values of their parameters.
/// `timed` only if a message crosses a link whose speed is known, since it needs the speed of the slowest. No two have
/// the same name, and methods that would do the same as another one are left out: windows and blocks end at the number
/// of phases, and of two variants with the same timetable one is taken. O(methods + variants · participants² · log
/// participants).
[[nodiscard]] std::vector<Method> candidate_methods(const Network& network, const Placement& placement);

/// 1, 4, 16, ... 1,048,576 bytes.
[[nodiscard]] std::vector<std::int64_t> default_tuned_sizes();

struct SearchSettings {
    std::vector<std::int64_t> sizes = default_tuned_sizes();  ///< bytes of a block, ascending, at least 1
    double budget_seconds = 720;                              ///< for all measurements; more than 0
    double bound_seconds_per_byte = 0;                        ///< Bound::seconds_per_byte; 0 if not known
    double slowest_bits_per_second = 0;                       ///< Bound::slowest_bits_per_second; 0 if not known
    std::uint64_t seed = 1;                                   ///< of the order within a round

    friend bool operator==(const SearchSettings&, const SearchSettings&) = default;
};

/// The expected time of an exchange of blocks of that size, in seconds. It orders candidates if the budget does not
/// suffice for all. Methods that were close to the best at the size before are measured in any case. Must be a pure
/// function.
using ExpectedSeconds = std::function<double(const Method& method, std::int64_t block_bytes)>;

/// The method for blocks of that size without a tuning. It is measured directly after native and is the last one to be
/// left out for lack of time, so that a tuning is not slower than none. Must be a pure function.
using UntunedMethod = std::function<Method(std::int64_t block_bytes)>;

/// Prior evidence, before any measurement; members are null if there is none.
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

    /// The time of one exchange.
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
        std::vector<TunedRange> ranges;  ///< ascending, the first from 0; neighbours differ in their methods
        std::int64_t measurements = 0;   ///< all of them
        double spent_seconds = 0;        ///< their sum
        std::vector<std::int64_t>
            unmet;  ///< sizes for which the budget did not suffice to find a method other than native
    };

    /// `candidates` begin with native and are all different. A diagnostic if settings make no sense.
    [[nodiscard]] static Expected<Search> create(SearchSettings settings, std::vector<Method> candidates,
                                                 Foreknowledge known = {});

    /// Continues a search from its state_text(), for a network of that kind and with the same foreknowledge, exactly as
    /// the uninterrupted one would have continued. The text is checked to its last line; damaged text is refused with
    /// its line. O(measurements).
    [[nodiscard]] static Expected<Search> resume(std::string_view text, NetworkKind kind, Foreknowledge known = {});

    Search(Search&&) noexcept;
    Search& operator=(Search&&) noexcept;
    ~Search();

    [[nodiscard]] const SearchSettings& settings() const;
    [[nodiscard]] const std::vector<Method>& candidates() const;

    [[nodiscard]] bool finished() const;
    /// What to measure now; the same until observe() is called. Not when finished.
    [[nodiscard]] Trial next() const;
    /// The time of the exchange of next(). Times that are no positive finite numbers count as the shortest possible
    /// time (a clock that stands still).
    void observe(const Measurement& measurement);

    [[nodiscard]] Progress progress() const;
    /// The result. Not before finished.
    [[nodiscard]] Result result() const;

    /// The state for resume(), as lines of text. O(measurements).
    [[nodiscard]] std::string state_text() const;

  private:
    class State;
    explicit Search(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace aapc
