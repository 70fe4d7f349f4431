/// @file
/// What a record comes to: sums, groups of calls that are alike, what they would gain, and pictures of one exchange.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/record.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "cli/report/lengths.hpp"
#include "cli/report/paths.hpp"
#include "cli/report/pictures.hpp"

namespace aapc::report {

/// Calls of one routine on communicators of one size, with messages of about one size, served alike.
struct Group {
    std::string routine;
    std::int64_t ranks = 0;
    std::int64_t least_bytes = 0;  ///< that a rank has for each other, on average over them
    std::int64_t most_bytes = 0;
    std::string method;  ///< "native" where aapc did not serve them
    std::string reason;  ///< why it was passed through; empty if it was not
    std::int64_t calls = 0;
    double seconds = 0;  ///< of all calls, by rank 0 of each communicator, for the mean rank
    double median_seconds = 0;
    std::optional<double> waited_share;   ///< of the time of those calls that know; nullopt if none does
    std::optional<double> bound_seconds;  ///< what no exchange of these messages can beat
    bool native_is_modelled = false;
    std::optional<double> native_seconds;  ///< what one of these calls takes natively
    /// What a call takes on average where those that something serves better are served so; nullopt if none is.
    std::optional<double> better_seconds;
    std::string better_method;
    std::string communicator;  ///< one of those
    struct Sum {
        std::int64_t calls = 0;
        double bytes = 0;  ///< that rank 0 sent in them
    };
    struct OnOne {
        std::int64_t calls = 0;
        double median_seconds = 0;
        std::array<Sum, longest_period> by_number;  ///< of the k-th call of the routine there, modulo the period
    };
    std::map<std::string, OnOne> on;  ///< each of those communicators
    bool lengths_known = false;       ///< of unequal messages: the length of each
    /// What a schedule would take for one of these calls, better or not: of native calls whose lengths are known. Rank
    /// 0 may leave such a call early and wait in the next one, so its time of one kind of calls alone says little.
    std::optional<double> scheduled_seconds;
    std::size_t together = 1;  ///< communicators that exchange at the same time; the bound is that of all of them

    [[nodiscard]] bool native() const { return method == "native"; }
    [[nodiscard]] double mean_bytes() const { return static_cast<double>(least_bytes + most_bytes) / 2; }
};

/// Links over time in one exchange, by several ways, on one axis of time.
struct Comparison {
    std::string heading;  ///< "64 KiB from each of 16 ranks to each other"
    const Network* network = nullptr;
    std::size_t links_with_messages = 0;
    std::size_t together = 1;  ///< communicators that exchange at the same time; the pictures are of one of them
    double seconds = 0;        ///< of the axis
    std::optional<double> bound_seconds;  ///< of the messages of all of these
    std::optional<double> own_seconds;    ///< median of the native calls in the job; nullopt if there were none
    std::optional<double> ours_seconds;   ///< the same of aapc
    std::vector<Panel> panels;
};

struct Figures {
    double job_seconds = 0;
    double call_seconds = 0;    ///< in all-to-alls that block, of the mean rank
    double waited_seconds = 0;  ///< of that, as far as is known, of the mean rank
    bool waiting_is_known = false;
    double calls = 0;  ///< of all ranks
    double exchanged = 0;
    double bytes = 0;
    std::vector<Group> groups;  ///< those that took most time first
    /// What aapc's calls took and what native ones would have taken, of the mean rank; nullopt if nothing tells.
    struct Effect {
        double seconds = 0;
        double native_seconds = 0;
        std::string basis;  ///< how the native time is known, as the end of a sentence
    };
    std::optional<Effect> effect;
    BoundKind bound_kind = BoundKind::only;  ///< of all bounds here
    std::optional<double> of_bound;          ///< bounds over times of the calls whose bound is known, by medians
    double gain_seconds = 0;                 ///< what could be gained, as predicted, of the mean rank
    double most_gain_seconds = 0;  ///< what no schedule can exceed, of native calls that several communicators make at
                                   ///< the same time, of the mean rank
    std::optional<Comparison> comparison;  ///< nullopt if there is no exchange of which all is known
    std::optional<LearnedPaths> paths;     ///< nullopt if the job has learned none
    std::vector<std::string> results;      ///< sentences: what the job's all-to-alls took, gained, and could gain
    std::vector<std::string> next_steps;   ///< sentences: what its user can do now
    std::vector<std::string> remarks;      ///< sentences: how to read the figures
};

/// `network` is that of the job (null: not known), `model` what was measured of it (null: nothing); both outlive the
/// figures. O(calls · log calls), and for the pictures what their exchange takes.
[[nodiscard]] Figures figures_of(const Record& record, const Network* network, const NetworkModel* model);

}  // namespace aapc::report
