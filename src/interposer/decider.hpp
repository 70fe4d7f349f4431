/// @file
/// Which method serves which equal blocks on one communicator, within the limit of buffers.
#pragma once

#include <mpi.h>

#include <optional>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/methods/buffer_limit.hpp"
#include "aapc/methods/timetables.hpp"
#include "selection/rule.hpp"
#include "selection/settings.hpp"

namespace aapc::interposer {

/// Used by one thread at a time.
class Decider {
  public:
    /// `tuning` may be null. All outlive this.
    Decider(const selection::Configuration& configuration, const Tuning* tuning, Timetables& timetables)
        : configuration_(&configuration), tuning_(tuning), timetables_(&timetables) {}

    /// The decision where a start costs so much, with the buffers that are known of. Throws std::bad_alloc.
    [[nodiscard]] selection::Decision decide(double start_seconds) const;

    /// Finds what buffers the decision's methods take on this rank, where there is a limit or a user who wants to know.
    /// The same methods on all ranks, in the same order; local. Throws std::bad_alloc.
    void find_needs(MPI_Comm comm, const selection::Decision& decision, double start_seconds);
    /// Nothing is forwarded, or the buffers do not matter.
    [[nodiscard]] bool has_needs() const { return !needs_.empty(); }
    /// Afterwards all ranks know the needs of the rank that needs most. Collective over `comm`. False if the MPI failed
    /// on this rank.
    [[nodiscard]] bool find_largest_needs(MPI_Comm comm);

  private:
    /// For what does not keep within a limit of buffers: the decision without the method that the user insists on.
    [[nodiscard]] selection::Decision decide_otherwise(double start_seconds) const;

    const selection::Configuration* configuration_;
    const Tuning* tuning_;
    Timetables* timetables_;
    std::vector<BufferedMethod> needs_;  ///< of the rank that needs most, once the ranks have agreed
};

}  // namespace aapc::interposer
