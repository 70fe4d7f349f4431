/// @file
/// The search at one message size: a screening of all entrants that drops losers round by round, then a final of the
/// best few and native. Its input is times; it has no clock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <vector>

#include "aapc/archive/tuning.hpp"

namespace aapc::searching {

/// A candidate that takes part at a size.
struct Entrant {
    std::size_t candidate = 0;    ///< index into the search's candidates; 0 is native
    bool finds_its_pace = false;  ///< its first few calls are slower than what a program sees later
    double expected_seconds = 0;  ///< of one exchange; what the budget is planned with until it has been measured
    bool untuned = false;         ///< what runs where there is no tuning: it is not dropped after a slow beginning
    /// For the best at the size before, which are not dropped after a slow beginning either: how many times as slow as
    /// the fastest they were there. 0: not one of them.
    double slowness_before = 0;
};

/// What one candidate was seen to take at a size.
struct Seen {
    std::size_t candidate = 0;
    double seconds = 0;  ///< median
};

struct SizeOutcome {
    std::int64_t bytes = 0;
    std::size_t chosen = 0;                ///< candidate
    std::optional<std::size_t> runner_up;  ///< candidate
    MeasuredSize evidence;                 ///< except the runner-up's method
    bool decided = false;                  ///< the budget sufficed for a comparison with native
    std::vector<Seen> seen;                ///< every candidate that was measured
};

class SizeSearch {
  public:
    enum class Form : std::uint8_t {
        screening_and_final,
        final_only,  ///< few entrants, all of which are worth the final
    };

    /// `entrants` begin with native; the others are in the order of their measurement if the share of the budget does
    /// not suffice for all.
    SizeSearch(std::int64_t bytes, const std::vector<Entrant>& entrants, double share_seconds, Form form,
               std::uint64_t seed);

    [[nodiscard]] bool finished() const { return stage_ == Stage::over; }
    /// The candidate to measure. Not when finished.
    [[nodiscard]] std::size_t next() const;
    void observe(double seconds, double spent_seconds);

    [[nodiscard]] std::int64_t bytes() const { return bytes_; }
    [[nodiscard]] double share_seconds() const { return share_seconds_; }
    [[nodiscard]] double spent_seconds() const { return spent_seconds_; }
    [[nodiscard]] std::size_t in_the_race() const;
    /// Not before finished.
    [[nodiscard]] SizeOutcome outcome() const;

  private:
    enum class Stage : std::uint8_t { screening, final, over };

    struct Candidate {
        Entrant entrant;
        std::vector<double> screening;  ///< counted seconds of each stage, one a round
        std::vector<double> final;
        double spent_seconds = 0;
        int calls = 0;  ///< counted or not
        bool racing = true;

        [[nodiscard]] bool native() const { return entrant.candidate == 0; }
        [[nodiscard]] double call_cost() const;
        [[nodiscard]] double median_seconds() const;
        [[nodiscard]] bool measured() const { return !screening.empty() || !final.empty(); }
        [[nodiscard]] bool must_stay() const;
    };

    struct Turn {
        std::size_t candidate;
        bool counted;
    };

    void begin_screening();
    void begin_final();
    void queue_round();
    void queue_calls(std::size_t candidate, int uncounted, bool counted);
    void advance();
    void after_screening_round();
    void after_final_round();
    void stop_late_entries();
    void drop_losers();
    void keep_best(std::size_t most);
    [[nodiscard]] bool screening_goes_on() const;
    [[nodiscard]] double round_cost() const;
    [[nodiscard]] std::vector<std::size_t> challengers() const;
    [[nodiscard]] std::size_t finalists_that_fit() const;
    [[nodiscard]] std::size_t first_look() const;
    [[nodiscard]] bool final_is_decided();
    [[nodiscard]] std::optional<std::size_t> winner() const;
    [[nodiscard]] double screening_share() const;

    std::int64_t bytes_;
    double share_seconds_;
    std::uint64_t seed_;
    Stage stage_ = Stage::screening;
    std::vector<Candidate> candidates_;
    std::deque<Turn> turns_;
    std::size_t rounds_ = 0;     ///< complete rounds of this stage
    std::size_t next_look_ = 0;  ///< rounds of the final before it is asked whether it is decided
    bool short_calls_ = false;
    double spent_seconds_ = 0;
};

}  // namespace aapc::searching
