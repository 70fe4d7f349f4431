/// @file
/// What is behind a Search: the sizes one after the other, then the middles between neighbours that differ.
#pragma once

#include <optional>
#include <vector>

#include "aapc/offline/search.hpp"
#include "offline/search/size_search.hpp"

namespace aapc {

class Search::State {
  public:
    /// One line of the log from which a search is resumed.
    struct Logged {
        std::size_t candidate;
        std::int64_t bytes;
        Measurement measurement;
    };

    State(SearchSettings settings, std::vector<Method> candidates, Foreknowledge foreknowledge);

    [[nodiscard]] bool finished() const { return !current_; }
    /// Index of the candidate to measure, at bytes().
    [[nodiscard]] std::size_t next() const { return current_->next(); }
    [[nodiscard]] std::int64_t bytes() const { return current_->bytes(); }
    void observe(const Measurement& measurement);

    [[nodiscard]] Progress progress() const;
    [[nodiscard]] Result result() const;

    [[nodiscard]] const SearchSettings& settings() const { return settings_; }
    [[nodiscard]] const std::vector<Method>& candidates() const { return candidates_; }
    [[nodiscard]] const std::vector<Logged>& log() const { return log_; }

  private:
    /// A size at which the neighbours' winners meet.
    struct Border {
        std::int64_t bytes;
        std::size_t one;
        std::size_t other;
    };

    /// How a candidate did where it was measured last.
    struct Known {
        std::vector<double> slowness;  ///< times the best one's seconds, the latest size last
        double seconds = 0;            ///< at the latest size
        std::int64_t bytes = 0;        ///< the latest size
    };

    void begin_next();
    void begin_size();
    void begin_border();
    void find_borders();
    void learn(const searching::SizeOutcome& outcome);
    [[nodiscard]] std::vector<searching::Entrant> entrants(std::int64_t bytes, double share) const;
    [[nodiscard]] std::vector<std::size_t> in_order(std::int64_t bytes, std::size_t favourite) const;
    [[nodiscard]] searching::Entrant entrant(std::size_t candidate, std::int64_t bytes) const;
    [[nodiscard]] bool was_close(std::size_t candidate) const;
    [[nodiscard]] double place(std::size_t candidate, std::int64_t bytes) const;
    [[nodiscard]] bool hopeless(std::size_t candidate) const;
    [[nodiscard]] Synchronisation effective(std::size_t candidate, std::int64_t bytes) const;
    /// The first candidate that equals the method without a tuning; 0 if that is native or no candidate.
    [[nodiscard]] std::size_t untuned(std::int64_t bytes) const;
    /// Whether two candidates do the same at this size.
    [[nodiscard]] bool same_at(std::size_t one, std::size_t other, std::int64_t bytes) const;
    [[nodiscard]] double likely_seconds(std::int64_t bytes) const;
    [[nodiscard]] double weight(std::int64_t bytes) const;
    [[nodiscard]] double share_of_next_size() const;
    [[nodiscard]] double share_of_next_border() const;
    [[nodiscard]] double left_to_do() const;

    SearchSettings settings_;
    std::vector<Method> candidates_;
    Foreknowledge foreknowledge_;
    std::vector<Known> known_;  ///< of each candidate
    double best_seconds_ = 0;   ///< at the latest size; 0: none yet
    std::int64_t best_bytes_ = 0;
    std::size_t sizes_begun_ = 0;
    std::vector<Border> borders_;
    std::size_t borders_begun_ = 0;
    std::optional<searching::SizeSearch> current_;
    std::vector<searching::SizeOutcome> outcomes_;
    std::vector<Logged> log_;
    double spent_seconds_ = 0;
    double share_seconds_of_outcomes_ = 0;
    double done_ = 0;
};

}  // namespace aapc
