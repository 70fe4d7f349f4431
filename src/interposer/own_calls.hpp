/// @file
/// Learning in the calls of one communicator: the times of its ranks, agreed on, fed to a learner that each of them
/// has.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "learning/learner.hpp"

namespace aapc::interposer {

/// What is learned on a communicator. Used by one thread at a time, as collectives on one communicator are.
class OwnCalls {
  public:
    /// Whose turn a call is.
    struct Turn {
        std::size_t slot = 0;   ///< what the caller calls the candidate
        bool measured = false;  ///< note() wants to know what it takes, as soon as it is over
    };

    /// What may serve a size.
    struct Candidates {
        std::vector<std::size_t> slots;     ///< the first is the MPI's own
        std::vector<bool> set_up;           ///< whether each is there already
        std::vector<double> least;          ///< what each takes at least; 0: no more is known than of all
        double least_seconds = 0;           ///< no exchange takes less; 0: not known
        std::optional<std::size_t> winner;  ///< index into slots, of an earlier job
    };

    /// What setting an exchange up is expected to take, and how many calls the MPI's own has served before the first
    /// class begins, which counts them as its own.
    OwnCalls(double expected_set_up_seconds, std::int64_t calls_before)
        : set_up_seconds_(expected_set_up_seconds), calls_before_(calls_before) {}
    /// Goes on with what other communicators have shown. Throws std::bad_alloc.
    OwnCalls(double expected_set_up_seconds, learning::Learner shown);

    /// Whether the class of blocks of so many bytes (>= 1) is there.
    [[nodiscard]] bool knows(std::int64_t block_bytes);
    /// Makes it; local. Throws std::bad_alloc.
    void begin(std::int64_t block_bytes, const Candidates& candidates);
    /// Of a class that is there and has had no call: whether the first one is the MPI's own, and take_turn() is not
    /// collective.
    [[nodiscard]] bool begins_unasked(std::int64_t block_bytes) {
        return knows(block_bytes) && current_->size_class->begins_unasked();
    }
    /// All ranks have just left a collective that nobody leaves before all have entered it: at about the same moment.
    void note_common_moment(double seconds_ago = 0) { common_moment_ = PMPI_Wtime() - seconds_ago; }
    [[nodiscard]] double seconds_since_common_moment() const { return PMPI_Wtime() - common_moment_; }
    /// The same, and what has been noted since the one before is not to be told: that was too long ago.
    void note_later_common_moment();
    /// Whether anything has been noted that is yet to be told.
    [[nodiscard]] bool has_pending() const;

    /// That of the latest call, which is there.
    [[nodiscard]] learning::SizeClass* current_class() const { return current_->size_class; }

    /// The winner's slot where nothing else is to be done for a call of a class that is known. A few instructions.
    [[nodiscard]] std::optional<std::size_t> resting_slot(std::int64_t block_bytes) {
        if (!knows(block_bytes) || !current_->size_class->resting()) {
            return std::nullopt;
        }
        current_->size_class->skip();
        return slot_of(current_->size_class->winner());
    }

    /// Otherwise: whose turn it is, on all ranks alike. Collective over `comm`: one small all-reduce where a time is to
    /// be agreed on or the ranks are to begin together. Nothing: a rank has no memory left or the MPI failed, on all
    /// ranks.
    [[nodiscard]] std::optional<Turn> take_turn(MPI_Comm comm, std::int64_t block_bytes);
    /// The turn cannot be taken: the exchange could not be set up. On all ranks alike.
    void withdraw(std::int64_t block_bytes);

    /// What this rank took to set up the exchange of the turn.
    void note_set_up(double seconds) { current_->set_up_seconds = seconds; }
    /// What this rank took for the call of the turn that take_turn() gave last, which is over now.
    void note(double seconds);

    /// How long this rank waited for others while take_turn() agreed last; below 0: it agreed on nothing.
    [[nodiscard]] double waited_seconds() const { return waited_seconds_; }

    [[nodiscard]] const learning::Learner& learner() const { return learner_; }

  private:
    /// When a call began and ended on this rank, by its own clock since the latest common moment. Where the ranks began
    /// together that is when it began, whatever had to be set up meanwhile.
    struct Span {
        double begin = 0;
        double end = 0;
    };
    /// A class, and what this rank has to tell of its latest turns.
    struct Class {
        learning::SizeClass* size_class = nullptr;
        std::size_t candidate = 0;
        bool apart = false;  ///< the ranks do not begin the latest turn together
        std::array<Span, learning::most_pending> spans{};
        double set_up_seconds = 0;
        double waiting_seconds = 0;  ///< in the latest agreement, for the last rank and for the agreement itself
    };

    [[nodiscard]] std::size_t slot_of(std::size_t candidate) const {
        return current_->size_class->prospects()[candidate].method;
    }
    [[nodiscard]] bool agree(MPI_Comm comm, std::size_t turns);

    learning::Learner learner_;
    std::map<int, Class> classes_;
    int current_key_ = -1;
    Class* current_ = nullptr;  ///< of the latest call
    double waited_seconds_ = -1;
    double common_moment_ = 0;
    std::array<learning::Measured, learning::most_pending> measured_{};  ///< what was agreed on last
    bool credible_ = true;                                               ///< whether clocks were right when it was
    double set_up_seconds_;  ///< what a set-up takes, as far as is known; agreed
    std::int64_t calls_before_;
};

}  // namespace aapc::interposer
