/// @file
/// What a job has learned on all its communicators, and keeps for the next job.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/topology/placement.hpp"
#include "interposer/communicators.hpp"
#include "interposer/shown.hpp"
#include "learning/learner.hpp"
#include "selection/settings.hpp"

namespace aapc::interposer {

/// Of one process. Not for concurrent use.
class JobLearning {
  public:
    using States = Communicators::States;

    explicit JobLearning(const selection::Configuration& configuration) : configuration_(configuration) {}

    /// Reads what earlier jobs have learned, if there is a file for it. Collective over the world.
    void read();
    /// True if what is learned is kept in a file; the same on all ranks.
    [[nodiscard]] bool is_kept() const { return !path_.empty(); }
    /// That file; empty if there is none.
    [[nodiscard]] const std::string& path() const { return path_; }
    /// By earlier jobs on a communicator with that placement, from equal or unequal messages; null if nothing is known.
    [[nodiscard]] const Tuning* before(const Placement& placement, bool unequal) const;

    /// What most calls on another communicator with the same placement have shown, as far as this rank knows. Throws
    /// std::bad_alloc.
    [[nodiscard]] Shown shown(const Placement& placement, bool unequal, States states) const;
    /// Keeps what a communicator has learned that is no more.
    void inherit(const CommunicatorState& state);

    /// Says once, on AAPC_VERBOSE, if calls were faster than the topology file allows.
    void remark_on_speeds(const CommunicatorState& state);
    /// Says on AAPC_VERBOSE why methods serve a communicator's calls: one line, or one for each size on 2.
    void explain_choices(const CommunicatorState& state) const;
    /// In this rank's calls, on all communicators; nullopt if nothing was to be learned.
    [[nodiscard]] std::optional<learning::Summary> summary(States states) const;
    /// Says one line of that on rank 0.
    void report(States states) const;
    /// Adds what has been learned to the file. Collective over the world.
    void write(States states);

  private:
    void inherit_tunings(const CommunicatorState& state);

    const selection::Configuration& configuration_;
    std::string path_;            ///< empty if what is learned is not kept; the same on all ranks
    std::vector<Tuning> before_;  ///< the same on all ranks
    std::vector<Tuning> inherited_;
    std::optional<learning::Summary> summary_;  ///< of communicators that are freed
    ShownByOthers shown_;                       ///< by communicators that are freed
    bool speeds_remarked_ = false;
};

}  // namespace aapc::interposer
