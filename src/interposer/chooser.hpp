/// @file
/// Learning in one communicator's calls of one kind: measures what they cost, and has the ranks agree on it.
///
/// The cost of a call is mean over ranks of (next entry - entry) - least over ranks of (next entry - return), where the
/// next entry is that of the next call on the communicator which no cache answers. That is what the program pays
/// between two calls less the least time that any rank spends outside of them. Where ranks wait for each other after
/// the call, it is the time until the last rank is through. No clock is compared with that of another rank, and no
/// native call is preceded by a barrier. The results of a block of calls travel in one non-blocking reduction, which is
/// posted with the call after the block and collected with the next one.
///
/// The size of a call is its bound in nanoseconds. That of a call of equal blocks is known to all ranks. That of
/// another call is known after an agreement, which only calls need that a candidate may serve. A native call is
/// measured without one: the loads that it put on the links travel with the results of its block, and say afterwards
/// which size the calls had.
#pragma once

#include <mpi.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "aapc/mpi/agreement.hpp"
#include "interposer/verdict.hpp"
#include "learning/learner.hpp"

namespace aapc::interposer {

/// Of one communicator. Used by one thread at a time.
class Chooser {
  public:
    /// What trials are expected to cost, and who bears it.
    struct Prices {
        double set_up_seconds = 0;
        double agreement_seconds = 0;
        double share_of_ranks = 1;  ///< learning::Beginning::share_of_ranks
    };

    /// What travels beside the results of a block.
    struct Beside {
        bool has_memory = true;  ///< this rank has memory for what follows from the result
        std::span<const std::int64_t> sums = {};
        std::span<const std::int64_t> maxima = {};
        std::span<const std::int64_t> loads = {};
    };

    /// The first class counts `calls_before` calls that the native routine has served before it begins. Agreements have
    /// room for so many loads. Throws std::bad_alloc.
    Chooser(const Prices& prices, std::int64_t calls_before, std::size_t loads);
    /// Resumes from the evidence of other communicators. Throws std::bad_alloc.
    Chooser(const Prices& prices, learning::Learner shown, std::size_t loads);
    Chooser(const Chooser&) = delete;
    Chooser& operator=(const Chooser&) = delete;
    /// Waits for what has been posted.
    ~Chooser() = default;

    /// A call belongs to the class that began with the size nearest to its own (Learner::find_near()). True if the
    /// class of that size (>= 1) is there.
    [[nodiscard]] bool knows(std::int64_t size) { return find(size) != nullptr; }
    /// Makes it; local. Calls and prices of `beginning` are filled in; prospects need to be set up if their
    /// set_up_seconds is not 0. Throws std::bad_alloc.
    void begin(learning::Beginning beginning);
    /// True if the next call of a class is native whatever other ranks know of it.
    [[nodiscard]] bool begins_native(std::int64_t size);

    /// A call on the communicator begins: the one before is closed. Local, a few instructions.
    void note_entry();

    /// What is left of the rest of the latest call's class, which is there.
    [[nodiscard]] Rest rest() const;
    /// The key of the class of that size; nullopt if it is not there.
    [[nodiscard]] std::optional<int> key_of(std::int64_t size);
    /// Counts calls of that class's rest, which were lent to the cache of settled calls. O(log classes).
    void skip(int size_class, std::int64_t calls);

    /// The method of the winner if the call is neither measured nor the time for an agreement; nullopt otherwise, or if
    /// the class is not there. Local, a few instructions.
    [[nodiscard]] std::optional<std::size_t> resting_method(std::int64_t size);

    /// Expected, or as the latest set-up took.
    [[nodiscard]] const Prices& prices() const { return prices_; }

    /// True if a block is on its way: collect() is due with the next call.
    [[nodiscard]] bool is_in_flight() const { return flight_.of != nullptr; }
    /// True if it is due at once.
    [[nodiscard]] bool awaits_result() const {
        return is_in_flight() && flight_.of->trials != nullptr && flight_.of->trials->awaits_result();
    }
    /// Its result, which waits for the slowest rank. learn(), learn_unsized() or lose() follows.
    [[nodiscard]] mpi::Agreed collect();
    [[nodiscard]] const mpi::Agreement& agreement() const { return *agreement_; }
    /// Calls of that block whose size was not known.
    [[nodiscard]] std::size_t unsized_in_flight() const { return flight_.unsized; }
    /// In its result, Beside::sums and Beside::maxima begin here.
    [[nodiscard]] std::size_t first_sum_beside() const { return flight_.calls; }
    [[nodiscard]] std::size_t first_maximum_beside() const { return flight_.calls + 1; }
    /// Learns the result of a block of known sizes.
    void learn(const mpi::Agreed& agreed);
    /// The same where unsized calls have turned out to be of `size`, whose class is there.
    void learn_unsized(const mpi::Agreed& agreed, std::int64_t size);
    /// Nothing is learned from that block. `mixed`: its calls differ from each other.
    void lose(bool mixed);
    /// Nothing can be learned from such calls: native calls follow that nobody measures, as many as there were so far,
    /// within limits.
    void lose_in_vain();

    /// True if a full block is to be posted.
    [[nodiscard]] bool is_full() const { return filled_ != nullptr; }
    /// Calls of that block whose size is not known.
    [[nodiscard]] std::size_t unsized_to_post() const;
    /// Posts it without waiting for any rank. Nothing is in flight. Collective over `comm` in that sense.
    void post(MPI_Comm comm, const Beside& beside);

    /// A call of unknown size begins. False: it is native; measures_unsized() says whether it is measured. True: its
    /// size is to be agreed on, and next() follows. The same on all ranks. Local.
    [[nodiscard]] bool asks();
    [[nodiscard]] bool measures_unsized() const { return measures_unsized_; }
    /// Asks about the next call rather than measuring it unasked, as long as there is no class.
    void ask_first() { asks_first_ = true; }

    /// The decision for a call of known size, whose class is there; the same on all ranks. Of a measured one
    /// note_return() follows. Local.
    [[nodiscard]] learning::Trial next(std::int64_t size);
    /// What that candidate stands for: learning::Prospect::method.
    [[nodiscard]] std::size_t method_of(const learning::Trial& trial) const {
        return current_->trials->prospects()[trial.candidate].method;
    }
    /// The exchange of that call could not be set up, on all ranks.
    void withdraw();
    /// What this rank took to set up the exchange of that call.
    void note_set_up(double seconds);
    /// That call is over on this rank. For measured calls.
    void note_return();

    /// Seconds that this rank waited for others in the latest collect() of this call; below 0 if there was none.
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
        std::int64_t size = 0;  ///< 0 if it is not known
    };
    /// A class and the calls of the block that is being filled.
    struct Class {
        learning::Trials* trials = nullptr;  ///< null: no class is known yet
        std::array<Span, learning::longest_block> spans{};
        std::size_t filled = 0;  ///< of these
        double set_up_seconds = 0;
        std::optional<learning::Trial> granted;  ///< the decision for its next call, if that is made already
        std::int64_t latest = 0;                 ///< number of its latest call
        std::int64_t period = 1;                 ///< calls between its latest two
    };
    struct Flight {
        Class* of = nullptr;  ///< null: nothing is in flight
        std::size_t calls = 0;
        std::size_t unsized = 0;
        std::array<std::int64_t, learning::longest_block> sizes{};
        std::int64_t posted_with = 0;  ///< number of the call
    };

    [[nodiscard]] Class* find(std::int64_t size);
    [[nodiscard]] learning::Block result(const mpi::Agreed& agreed, const Class& of, std::int64_t unsized_size);
    void replay(const learning::Block& block, Class& of);
    [[nodiscard]] learning::Trial take(Class& of);
    void open_span(Class& of, double entry, std::int64_t size);
    [[nodiscard]] bool is_mixed() const { return calls_ < mixed_until_; }
    void note_mixed() { mixed_until_ = 2 * calls_ + fewest_mixed; }
    [[nodiscard]] bool wants(const Class& of) const;
    [[nodiscard]] Class* expected();

    /// Calls that are taken to be of several sizes after one was not of the size that was expected, at least.
    static constexpr std::int64_t fewest_mixed = 8;

    Prices prices_;
    std::int64_t calls_before_;
    std::unique_ptr<mpi::Agreement> agreement_;
    learning::Learner learner_;
    std::map<int, Class> classes_;
    Class opening_;  ///< the calls before any class is known
    std::size_t opening_wanted_;
    int current_key_ = -1;
    Class* current_ = nullptr;   ///< of the latest call
    Class* expected_ = nullptr;  ///< of the latest call of unknown size, as far as could be known
    std::size_t candidate_ = 0;  ///< of the latest next()
    Span* open_ = nullptr;       ///< the latest measured call, until the next one on the communicator
    Class* filled_ = nullptr;    ///< whose block is full and not yet posted
    Flight flight_;
    std::int64_t calls_ = 0;  ///< of this kind
    std::int64_t passes_until_ = 0;
    std::int64_t mixed_until_ = 0;
    std::optional<double> asked_seconds_;  ///< the latest call of unknown size began then; nullopt once it is decided
    bool measures_unsized_ = false;
    bool asks_first_ = false;
    double waited_seconds_ = -1;
};

}  // namespace aapc::interposer
