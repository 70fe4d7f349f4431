/// @file
/// What `aapc schedule`, `explain` and `predict` say of unequal messages.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/diagnostic.hpp"
#include "aapc/input/statistics.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/offline/network_model.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/link_loads.hpp"
#include "cli/demand_options.hpp"
#include "selection/unequal_rule.hpp"

namespace aapc::cli {

/// A method that can carry out exchanges of unequal messages here.
struct UnequalMethod {
    Prepared prepared;
    Cadence cadence;         ///< for messages of any lengths
    std::size_t sums = 0;    ///< what the reduction adds up, in numbers
    std::size_t maxima = 0;  ///< and of what it takes the largest
    double pace = 1;         ///< that an exchange starts with
    /// The interposer exchanges what has a bound of so much, headers included, and leaves the rest to the MPI.
    selection::UnequalCrossover crossover;
    const Tuning* tuning = nullptr;     ///< of unequal messages, which decides instead; not owned; null if none
    std::string tuning_rejected = {};   ///< why a given tuning does not decide; empty if it does, or there is none
    double equal_seconds_per_byte = 0;  ///< bound of a byte of equal messages, in which a tuning counts
    std::size_t siblings = 1;           ///< communicators, with this one, that are taken to exchange at the same time
};

/// Time-triggered `lattice/formula` if `text` is empty. A diagnostic if the method forwards blocks, is not
/// time-triggered, or cannot run here. `start_seconds` is the start-up overhead, if it was given.
[[nodiscard]] Expected<UnequalMethod> find_unequal_method(const std::string& text, const Network& network,
                                                          const Placement& placement,
                                                          std::optional<double> start_seconds = std::nullopt);

/// One demand by one method.
struct UnequalLine {
    std::string name;                        ///< of the demand
    std::int64_t messages = 0;               ///< between different ranks that are not empty
    std::int64_t bytes = 0;                  ///< of them together
    std::int64_t longest = 0;                ///< of them
    DemandBound bound;                       ///< of the bytes alone
    double predicted_seconds = 0;            ///< time-triggered, at the declared speeds
    bool exchanged = false;                  ///< by the interposer, and not left to the MPI
    std::optional<Estimate> native_seconds;  ///< by a model
    UnequalExchange exchange;
};

/// Refers to `demand`. Without a model no start-up counts, and there is no prediction for native.
[[nodiscard]] Expected<UnequalLine> examine_unequal(const Network& network, const Placement& placement,
                                                    const UnequalMethod& method, const NamedDemand& demand,
                                                    const NetworkModel* model);

/// For `aapc explain` and `aapc predict`: a line for each demand, the links that need longest of the last one, the
/// reduction.
[[nodiscard]] std::string unequal_text(const Network& network, const UnequalMethod& method,
                                       const std::vector<UnequalLine>& lines);
[[nodiscard]] std::string unequal_json(const Network& network, const UnequalMethod& method,
                                       const std::vector<UnequalLine>& lines);

/// For `aapc schedule`: all messages of one demand in the order in which they start.
[[nodiscard]] std::string unequal_schedule_text(const Network& network, const Placement& placement,
                                                const UnequalMethod& method, const UnequalLine& line);
/// As a document (format "aapc-unequal/1", docs/unequal.md).
[[nodiscard]] std::string unequal_schedule_json(const Network& network, const Placement& placement,
                                                const UnequalMethod& method, const UnequalLine& line);

/// All of it for the demands of a topology: reads them, examines them, writes text or JSON to standard output. Returns
/// the exit status. `models` may be empty.
struct UnequalQuestion {
    const Network& network;
    const Placement& placement;
    const DemandOptions& demand;
    std::vector<std::int64_t> mean_bytes;
    std::vector<std::string> methods;  ///< empty for lattice
    std::optional<NetworkModel> model;
    std::optional<double> start_seconds;  ///< the start-up overhead; nullopt for the expected one
    bool as_json = false;
    const Tuning* tuning = nullptr;  ///< as in UnequalMethod; without a demand it is all that is shown
    std::string tuning_rejected = {};
    std::size_t siblings = 1;  ///< as in UnequalMethod
};
[[nodiscard]] int answer_unequal(const UnequalQuestion& question);

}  // namespace aapc::cli
