/// @file
/// What the interposer knows of the whole job: the configuration and where each rank of the world runs.
#pragma once

#include <mpi.h>

#include <atomic>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "aapc/methods/timetables.hpp"
#include "aapc/topology/detection.hpp"
#include "aapc/topology/placement.hpp"
#include "interposer/call_cache.hpp"
#include "interposer/call_learning.hpp"
#include "interposer/communicators.hpp"
#include "interposer/expectations.hpp"
#include "interposer/job_learning.hpp"
#include "interposer/kept_connections.hpp"
#include "interposer/recorder.hpp"
#include "interposer/refusals.hpp"
#include "interposer/remarks.hpp"
#include "interposer/tally.hpp"
#include "learning/learner.hpp"
#include "selection/settings.hpp"
#include "selection/start.hpp"

namespace aapc::interposer {

class Background;
class CommunicatorState;

/// One process's share of the job. Immutable once it is there, but for the counters and the list of communicators.
class Job {
  public:
    /// Collective over the world, right after MPI_Init: rank 0 reads the settings, all ranks come to know them and one
    /// another's machines. Does nothing but one small broadcast where nothing is set. Whatever is wrong is said in one
    /// line by rank 0, and there is no job then.
    static void start();

    /// Null: every call goes to the MPI's own routine.
    [[nodiscard]] static Job* current() { return current_.load(std::memory_order_acquire); }

    Job(const Job&) = delete;
    Job& operator=(const Job&) = delete;
    ~Job();

    [[nodiscard]] const selection::Configuration& configuration() const { return configuration_; }
    /// What a message of a collective takes on the job's hosts; the same on all ranks.
    [[nodiscard]] double message_seconds() const { return message_seconds_; }
    /// Of equal messages; null if there is none, or if it was made for something else than this job.
    [[nodiscard]] const Tuning* tuning() const {
        return configuration_.tuning && !configuration_.tuning->fingerprint.unequal ? &*configuration_.tuning : nullptr;
    }
    /// Of MPI_COMM_WORLD.
    [[nodiscard]] const Placement& placement() const { return placement_; }
    [[nodiscard]] MPI_Group world() const { return world_; }
    /// What this MPI refuses.
    [[nodiscard]] const Refusals& refusals() const { return refusals_; }

    /// The states that are kept with communicators.
    [[nodiscard]] Communicators& communicators() { return communicators_; }
    /// The program frees `comm` now: nothing of ours goes on there any more, and what the program has started there is
    /// complete. An MPI may keep a communicator on which something goes on, and not say that it has been freed.
    void before_freeing(MPI_Comm comm);
    /// Sets nothing more up on `comm`: its calls are the MPI's own from now on. Local, and called by all its ranks.
    void leave_alone(MPI_Comm comm);
    /// What is known of the calls of a communicator with this placement before it learns from them, `calls` of which
    /// the native routine has served. What most calls on another communicator with this placement have shown is as far
    /// as this rank knows: it takes part in each of them, but others may know of more. In programs that call MPI from
    /// several threads at once it is of those that are freed, since another thread may be at work on the others. Throws
    /// std::bad_alloc.
    [[nodiscard]] CallLearning::Before before_learning(const Placement& placement, bool unequal,
                                                       std::int64_t calls) const;
    /// What connections of `rank` of a communicator that sits like this had in the job before; each communicator takes
    /// it only once. Throws std::bad_alloc.
    [[nodiscard]] mpi::Wire::Kept kept_connections(const Placement& placement, Rank rank) {
        return kept_connections_.take(placement, rank);
    }
    /// For a communicator that sits like this on such links, both of which outlive them: what setting up the job has
    /// built of it already, to whoever asks first. Throws std::bad_alloc.
    [[nodiscard]] Timetables timetables_for(const Network& network, const Placement& placement, Effort effort);
    /// Whether calls of ranks that sit like this decide which method serves them, so that what is assumed of their
    /// links is held against them.
    [[nodiscard]] bool learns_from_calls(const Placement& placement) const;
    /// Communicators begin without waiting for anybody: nobody asks for anything that it could not have later. On all
    /// ranks alike.
    [[nodiscard]] bool begins_in_passing() const { return begins_in_passing_; }
    /// Calls for which nothing is set up yet.
    [[nodiscard]] Opening& opening() { return opening_; }
    [[nodiscard]] const Opening& opening() const { return opening_; }
    /// Calls that need not be decided on again.
    [[nodiscard]] CallCache& cache() { return cache_; }
    /// Has communicators count the calls that cache() has answered for them. Before anything else is decided, or read
    /// of what communicators have learned.
    void count_settled();
    /// The calls of this process so far.
    [[nodiscard]] Tally& tally() { return tally_; }
    /// Null if calls that do not block are native: always, or since MPI_Finalize has ended our threads.
    [[nodiscard]] Background* background() const;
    /// Null if calls that do not block are always native.
    [[nodiscard]] Background* background_or_ended() const;
    /// Null: calls are not noted.
    [[nodiscard]] Recorder* recorder() const { return recorder_.get(); }

  private:
    explicit Job(selection::Configuration configuration);
    /// What start() does with settings that came from rank 0; null if something is wrong, on all ranks alike.
    static std::unique_ptr<Job> make(const selection::Settings& settings);
    /// This rank's machine as the settings and the hosts' names say; below that of an unknown host without memory, or
    /// if MPI refuses what it takes. Local. `places`: of all ranks, where machines are detected.
    [[nodiscard]] static Machine set_up(const selection::Settings& settings,
                                        const std::optional<std::vector<RankPlace>>& places, std::unique_ptr<Job>& job);
    /// Where calls that do not block are to be carried out by threads of ours; rank 0 says if that cannot be.
    /// Collective then.
    void begin_background();
    /// What short cuts this job's calls may take. Collective over the world.
    void allow_short_cuts();
    /// Finds out message_seconds_. Collective over the world where calls are learned from.
    void measure_message();
    /// Takes the network that the places of all ranks make, and says which of its machines is this rank's.
    Machine place_by_detection(const std::vector<RankPlace>& places);
    /// False if MPI gives no communicator for that. Local.
    bool find_out_refusals();
    /// Has MPI tell us of freed communicators and of its end; false if MPI refuses. Local.
    bool register_callbacks();
    /// If calls are to be noted. Throws std::bad_alloc.
    bool make_recorder();
    void unregister_callbacks();
    void finish();
    /// What AAPC_VERBOSE=2 says at the end; collective over the world.
    void report();
    /// Has the calls written down that were noted; collective over the world.
    void write_record();
    /// What this rank knows of the job. Throws std::bad_alloc.
    [[nodiscard]] RecordHead record_head() const;
    static int communicator_freed(MPI_Comm comm, int key, void* state, void* job);
    static int world_ends(MPI_Comm comm, int key, void* value, void* job);

    static std::atomic<Job*> current_;

    selection::Configuration configuration_;
    Placement placement_;  ///< of the world's ranks
    Refusals refusals_;
    MPI_Group world_ = MPI_GROUP_NULL;
    Communicators communicators_;
    int self_key_ = MPI_KEYVAL_INVALID;
    bool finished_ = false;  ///< communicators that are freed from now on have been reported
    Tally tally_;
    Opening opening_;
    CallCache cache_;
    std::unique_ptr<Recorder> recorder_;
    std::unique_ptr<Background> background_;
    /// Within communicators_.locked() alone while communicators may be freed.
    JobLearning learned_{configuration_};
    KeptConnections kept_connections_{configuration_};
    std::mutex timetables_mutex_;           ///< guards timetables_
    std::optional<Timetables> timetables_;  ///< of the world; nothing: nobody insists on anything
    /// The time of these hosts' processors for a message of a collective: measured as the job starts, if calls are
    /// learned from, and the same on all ranks.
    double message_seconds_ = selection::usual_message_seconds;
    bool one_thread_ = false;  ///< at a time calls MPI
    bool begins_in_passing_ = false;
};

}  // namespace aapc::interposer
