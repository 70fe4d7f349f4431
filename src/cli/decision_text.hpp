/// @file
/// What `aapc explain` has found out, and how it is told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/plan/pacing.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/fabric.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "cli/modelled_sizes.hpp"
#include "learning/reasons.hpp"
#include "selection/rule.hpp"

namespace aapc::cli {

/// What is said of one message size.
struct SizeLine {
    std::int64_t bytes = 0;
    Method method;
    std::int64_t buffer_bytes = 0;  ///< of the rank that needs most, for blocks that are forwarded
    double bound_seconds = 0;
    std::optional<double> predicted_seconds;
    std::optional<MeasuredSize> measured;
    /// Why a program's calls begin with what serves them, and what would change it; empty if nothing is learned.
    std::optional<learning::Reasons> reasons;
};

/// What the method of a range is timed by.
struct Timing {
    std::optional<Phase> phases;  ///< nullopt if native
    bool cyclic = false;          ///< those phases are the ticks of a cycle
    Cadence cadence;              ///< of `timed`
    std::string remark = {};      ///< on how the timetable was made; mostly empty
};

/// An algorithm that could have been chosen, with its default variant.
struct Alternative {
    std::string name;
    std::optional<Phase> phases;
    bool cyclic = false;  ///< those phases are the ticks of a cycle
    std::string reason;
};

struct Explanation {
    explicit Explanation(Network of) : network(std::move(of)) {}

    Network network;               ///< if there are siblings, with this communicator's share of each link
    std::optional<Tuning> tuning;  ///< or what was learned
    std::string tuning_rejected;   ///< the interposer's remark; empty if it is used, or there is none
    std::string not_learned;       ///< why learned evidence is not used; empty if it is, or not requested
    Placement placement;
    double share_of_ranks = 1;  ///< of all ranks of the job, that are in the communicator
    std::string name;           ///< which communicator of which job; empty if not known
    std::string in_record;      ///< whether a record has its siblings exchange with it; empty without one
    std::size_t siblings = 1;   ///< communicators, with this one, that are taken to exchange at the same time
    Bound bound;
    std::optional<HashedBounds> hashed;  ///< what a hash leaves of it; nullopt where no path is hashed
    double start_seconds = 0;            ///< what the start of a scheduled exchange is taken to cost
    selection::Decision decision{""};
    std::vector<Timing> timings;  ///< for each range of the decision
    std::vector<SizeLine> sizes;
    std::vector<Method> candidates;  ///< what numbers in SizeLine::reasons stand for
    std::vector<Alternative> alternatives;
    std::vector<ModelledSize> modelled;  ///< for each of the sizes; empty if there is no model
};

/// The machine of every rank, by its name.
[[nodiscard]] std::vector<std::string> places(const Network& network, const Placement& placement);

/// For people.
[[nodiscard]] std::string explanation_text(const Explanation& shown);

/// For programs (docs/commands.md).
[[nodiscard]] std::string explanation_json(const Explanation& shown);

}  // namespace aapc::cli
