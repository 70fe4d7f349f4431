/// @file
/// What a communicator learns from its calls of one kind, equal or unequal messages, beginning with what its job has
/// shown elsewhere and what earlier jobs have learned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/topology/bound.hpp"
#include "interposer/chooser.hpp"
#include "interposer/shown.hpp"

namespace aapc::interposer {

/// Of one communicator. Used by one thread at a time. The size of a call is the nanoseconds of its bound, of messages
/// without headers.
class CallLearning {
  public:
    /// What is known before the first call.
    struct Before {
        std::int64_t calls = 0;      ///< that the native routine has served
        double message_seconds = 0;  ///< of a message of a collective on the job's hosts
        double share_of_ranks = 1;   ///< of all ranks of the job, that the communicator has
        const Tuning* learned =
            nullptr;  ///< by earlier jobs on communicators like this; null if nothing. Outlives this
        Shown shown;  ///< by this rank's other communicators
    };
    CallLearning(const CallLearning&) = delete;
    CallLearning& operator=(const CallLearning&) = delete;
    virtual ~CallLearning() = default;

    /// Of what other communicators have shown this rank; 0 if nothing.
    [[nodiscard]] std::uint64_t shown_digest() const { return shown_digest_; }
    /// After the ranks have agreed: resumes from the evidence of other communicators, if all ranks have it and it is on
    /// the same methods.
    virtual void resume(bool all_have_it);
    /// Calls on other communicators that this one resumes from.
    [[nodiscard]] std::int64_t shown_calls() const { return shown_calls_; }
    [[nodiscard]] const Tuning* learned_before() const { return learned_before_; }

    [[nodiscard]] Chooser& chooser() { return *chooser_; }
    [[nodiscard]] const Chooser& chooser() const { return *chooser_; }
    [[nodiscard]] const learning::Learner& learner() const { return chooser_->learner(); }
    /// What calls have shown so far, for other communicators. Throws std::bad_alloc.
    [[nodiscard]] Shown shown() const;
    /// The same for the next job, without a fingerprint; nullopt if there is nothing. Throws std::bad_alloc.
    [[nodiscard]] std::optional<Tuning> taught() const;
    /// Why a method serves the calls of one of its classes, for people. Throws std::bad_alloc.
    [[nodiscard]] std::string why(const learning::Trials& of) const;

    /// Waits for what goes on between calls.
    virtual void complete() { chooser_->complete(); }

  protected:
    /// Of so many ranks, whose equal blocks have that bound. To set an exchange up is expected to take
    /// `set_up_seconds`. Agreements have room for so many loads. Throws std::bad_alloc.
    CallLearning(const Bound& bound, int ranks, double set_up_seconds, std::size_t loads, Before&& before);

    /// The size of a call of blocks of so many bytes (>= 1): the nanoseconds of its bound; the bytes where no bound is
    /// known.
    [[nodiscard]] std::int64_t size_of_blocks(std::int64_t block_bytes) const;
    /// The reverse.
    [[nodiscard]] std::int64_t blocks_of_size(std::int64_t size) const;

    /// The method that served blocks of so many bytes best in earlier jobs; null if nothing is known.
    [[nodiscard]] const Method* learned_method(std::int64_t block_bytes) const;
    /// What the numbers of candidates stand for in that evidence of other communicators.
    [[nodiscard]] const std::vector<Method>& shown_methods() const { return shown_methods_; }

  private:
    /// What the numbers of candidates stand for. Throws std::bad_alloc.
    [[nodiscard]] virtual std::vector<Method> methods() const = 0;
    /// Whether evidence of candidates with such numbers can be resumed from.
    [[nodiscard]] virtual bool has_methods(const std::vector<Method>& shown) const = 0;
    /// "blocks of about 32 KiB".
    [[nodiscard]] virtual std::string words_of(std::int64_t size) const = 0;

    double seconds_per_byte_;
    const Tuning* learned_before_;
    std::unique_ptr<Chooser> chooser_;
    std::unique_ptr<Chooser> shown_;  ///< by other communicators, until the ranks have agreed on it
    std::vector<Method> shown_methods_;
    std::uint64_t shown_digest_ = 0;
    std::int64_t shown_calls_ = 0;
};

}  // namespace aapc::interposer
