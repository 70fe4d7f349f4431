/// @file
/// Learning in one communicator's calls of equal blocks: measures what they cost, and has the ranks agree on it.
///
/// The cost of a call is mean over ranks of (next entry - entry) - least over ranks of (next entry - return), where the
/// next entry is that of the next call on the communicator which no cache answers. That is what the program pays
/// between two calls less the least time that any rank spends outside of them. Where ranks wait for each other after
/// the call, it is the time until the last rank is through. No clock is compared with that of another rank, and no call
/// is preceded by a barrier. The results of a block of calls travel in one non-blocking reduction, which is posted with
/// the call after the block and collected with the next one.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "aapc/mpi/agreement.hpp"
#include "interposer/settled_calls.hpp"
#include "learning/learner.hpp"

namespace aapc::interposer {

/// Of one communicator. Used by one thread at a time.
class OwnCalls {
  public:
    /// The decision for one call.
    struct Turn {
        std::size_t slot = 0;   ///< the caller's number of the candidate
        bool measured = false;  ///< note() follows as soon as the call is over
    };

    /// What may serve a size.
    struct Candidates {
        std::vector<std::size_t> slots;     ///< the first is the native routine
        std::vector<bool> set_up;           ///< whether each is there already
        std::vector<double> least;          ///< seconds that each takes at least; 0 if only the bound is known
        double least_seconds = 0;           ///< the bound; 0 if it is not known
        std::optional<std::size_t> winner;  ///< index into slots, of an earlier job; nullopt if none
    };

    /// Expected prices, in seconds.
    struct Prices {
        double set_up_seconds = 0;
        double agreement_seconds = 0;
    };

    /// The first class counts `calls_before` calls that the native routine has served before it begins. Throws
    /// std::bad_alloc.
    OwnCalls(const Prices& prices, std::int64_t calls_before)
        : prices_(prices), calls_before_(calls_before), agreement_(std::make_unique<mpi::Agreement>()) {}
    /// Resumes from the evidence of other communicators. Throws std::bad_alloc.
    OwnCalls(const Prices& prices, learning::Learner shown);
    // Pointers into the maps are still right after a move, which leaves the maps' nodes where they are.
    OwnCalls(OwnCalls&&) = default;
    OwnCalls& operator=(OwnCalls&&) = default;
    OwnCalls(const OwnCalls&) = delete;
    OwnCalls& operator=(const OwnCalls&) = delete;
    /// Waits for what has been posted.
    ~OwnCalls() = default;

    /// True if the class of blocks of that many bytes (>= 1) is there.
    [[nodiscard]] bool knows(std::int64_t block_bytes);
    /// Makes it; local. Throws std::bad_alloc.
    void begin(std::int64_t block_bytes, const Candidates& candidates);
    /// True if the next call of a class is native whatever other ranks know of it.
    [[nodiscard]] bool begins_native(std::int64_t block_bytes) {
        return knows(block_bytes) && current_->trials->winner() == 0;
    }

    /// A call on the communicator begins: the one before is closed. Local, a few instructions.
    void note_entry();

    /// What is left of the rest of the latest call's class, which is there.
    [[nodiscard]] Rest rest() const { return {current_key_, current_->trials->resting_calls()}; }
    /// Counts calls of that class's rest, which were lent to the cache of settled calls. O(log classes).
    void skip(int size_class, std::int64_t calls);

    /// The winner's slot if the call is neither measured nor the time for an agreement; nullopt otherwise, or if the
    /// class is not there. Local, a few instructions.
    [[nodiscard]] std::optional<std::size_t> resting_slot(std::int64_t block_bytes);

    /// Otherwise: the decision for the next call of a class that is there, the same on all ranks. Collects what was
    /// posted with the call before, and posts the result of a full block. Collective over `comm` in that sense.
    /// nullopt, on all ranks, if the MPI failed.
    [[nodiscard]] std::optional<Turn> take_turn(MPI_Comm comm, std::int64_t block_bytes);
    /// The exchange of that call could not be set up, on all ranks.
    void withdraw();

    /// What this rank took to set up the exchange of that call, which begins now.
    void note_set_up(double seconds);
    /// That call is over on this rank. For measured calls.
    void note();

    /// Seconds that this rank waited for others in the latest take_turn(); below 0 if it collected nothing.
    [[nodiscard]] double waited_seconds() const { return waited_seconds_; }

    /// Waits for what has been posted. Afterwards nothing of it goes on.
    void complete() { agreement_->complete(); }

    [[nodiscard]] const learning::Learner& learner() const { return learner_; }

  private:
    /// A call on this rank, by its own clock in seconds.
    struct Span {
        double entry = 0;
        double exit = 0;
        double next_entry = 0;  ///< 0 until there is one
    };
    /// A class and the calls of the block that is being filled.
    struct Class {
        learning::Trials* trials = nullptr;
        std::array<Span, learning::longest_block> spans{};
        double set_up_seconds = 0;
    };

    [[nodiscard]] std::size_t slot_of(const Class& of, std::size_t candidate) const {
        return of.trials->prospects()[candidate].method;
    }
    void post(MPI_Comm comm);
    [[nodiscard]] bool collect();

    Prices prices_;
    std::int64_t calls_before_;
    std::unique_ptr<mpi::Agreement> agreement_;
    learning::Learner learner_;
    std::map<int, Class> classes_;
    int current_key_ = -1;
    Class* current_ = nullptr;      ///< of the latest call
    std::size_t candidate_ = 0;     ///< of the latest take_turn()
    Span* open_ = nullptr;          ///< the latest measured call, until the next one on the communicator
    Class* filled_ = nullptr;       ///< whose block is full and not yet posted
    Class* in_flight_ = nullptr;    ///< whose block is posted
    std::size_t flight_calls_ = 0;  ///< of that block
    double waited_seconds_ = -1;
};

}  // namespace aapc::interposer
