/// @file
/// Methods on a simulated network, as many ranks as the topology file names.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <simgrid/s4u/Barrier.hpp>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/topology/bound.hpp"
#include "aapc/topology/network.hpp"
#include "aapc/topology/placement.hpp"
#include "platform.hpp"

namespace aapc::simulation {

struct ExperimentPlan {
    std::vector<Method> methods;
    std::vector<std::int64_t> sizes;  ///< bytes from each rank to each, 1 … 2^31-1
    int repeats = 1;                  ///< of each size; the last one counts
    /// All ranks share one pair of buffers and nobody looks at what came, so that sizes can be simulated for which the
    /// memory of one computer is too small.
    bool unchecked = false;
};

/// One all-to-all.
struct Sample {
    std::size_t method = 0;  ///< index into ExperimentPlan::methods
    std::int64_t block_bytes = 0;
    double seconds = 0;                 ///< simulated, from the common start to the end of the last rank
    std::int64_t messages = 0;          ///< that the network saw
    std::int64_t planned_messages = 0;  ///< of blocks and tokens, in the plans of all ranks; 0 for the MPI's own
    double processor_seconds = 0;       ///< of this computer
};

/// All ranks run the methods one after the other, each with all sizes.
class Experiment {
  public:
    /// Builds the timetables. `network` must outlive the experiment. An error says which method cannot be had.
    [[nodiscard]] static Expected<std::unique_ptr<Experiment>> create(const Network& network, ExperimentPlan plan);

    /// Makes the ranks: they run when the simulation does. `platform` must outlive it.
    void start_ranks(const Platform& platform);

    /// Afterwards: in the order in which they were taken; none after the first complaint.
    [[nodiscard]] const std::vector<Sample>& samples() const { return samples_; }
    /// What went wrong: a byte that is not what was sent, or an error of the MPI.
    [[nodiscard]] const std::optional<Diagnostic>& complaint() const { return complaint_; }
    /// Whether all ranks came to their end.
    [[nodiscard]] bool complete() const { return ended_ == placement_.participants(); }

    [[nodiscard]] const ExperimentPlan& plan() const { return plan_; }
    [[nodiscard]] const Bound& bound() const { return bound_; }
    [[nodiscard]] Rank ranks() const { return placement_.participants(); }

  private:
    /// A rank's buffers.
    struct Buffers {
        std::vector<std::byte> send;
        std::vector<std::byte> receive;
    };

    explicit Experiment(const Network& network, ExperimentPlan plan);
    [[nodiscard]] Expected<void> prepare_methods(const Network& network);
    void run_rank(Rank rank);
    void run_method(Rank rank, std::size_t method);
    void run_once(Rank rank, std::size_t method, std::int64_t block_bytes, mpi::Exchange* exchange, Buffers& buffers);
    void fill(Rank rank, std::int64_t block_bytes, Buffers& buffers) const;
    void judge(Rank rank, std::size_t method, std::int64_t block_bytes, const Buffers& buffers);
    void complain(std::size_t method, const std::string& wrong);

    ExperimentPlan plan_;
    Placement placement_;
    Bound bound_;
    std::vector<std::optional<Prepared>> prepared_;  ///< by method, for all ranks; nothing: the MPI's own
    const Platform* platform_ = nullptr;

    // Ranks take turns in one thread and may look at the same things.
    simgrid::s4u::BarrierPtr all_ranks_;  ///< takes no time
    Buffers shared_;                      ///< of unchecked experiments
    Sample current_;
    std::vector<Sample> samples_;
    std::optional<Diagnostic> complaint_;
    Rank ended_ = 0;
};

}  // namespace aapc::simulation
