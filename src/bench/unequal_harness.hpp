/// @file
/// Unequal messages in the harness: ways of doing an MPI_Alltoallv, validated every time.
#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "aapc/input/diagnostic.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/mpi/demand_agreement.hpp"
#include "aapc/mpi/unequal_exchange.hpp"
#include "aapc/plan/plan.hpp"
#include "aapc/topology/demand.hpp"
#include "bench/harness.hpp"
#include "bench/sample.hpp"

namespace aapc::bench {

/// All functions but the observers are collective over the harness's communicator, with equal arguments, and return the
/// same on all ranks, errors included.
class UnequalHarness {
  public:
    /// `harness` outlives it.
    explicit UnequalHarness(Harness& harness);

    /// Says why `method` cannot serve unequal messages here, if so. Time-triggered methods can, as in the interposer,
    /// with the reduction in every call. So can windows of messages, as in MPI libraries: `linear` all at once,
    /// `pairwise` one after the other.
    [[nodiscard]] Expected<void> prepare(const Method& method);

    /// The messages of the calls that follow. A rank's messages have 2^31-1 bytes at most altogether.
    [[nodiscard]] Expected<void> set_demand(const Demand& demand);

    /// Carries out one exchange and checks every received byte, outside the timed part. Native is the MPI library's
    /// MPI_Alltoallv.
    [[nodiscard]] Expected<Sample> run_once(const Method& method);
    /// The same through MPI_Alltoallv, as a program calls it.
    [[nodiscard]] Expected<Sample> run_interposed_once();

    /// Seconds that no exchange of the demand can beat: the busiest link, headers included; 0: not known, or none.
    [[nodiscard]] double least_seconds() const { return least_seconds_; }

  private:
    /// A method, time-triggered or in windows.
    struct Prepared {
        std::unique_ptr<mpi::UnequalExchange> timed;
        Plan windows;  ///< of a method that is not time-triggered
    };
    [[nodiscard]] Expected<Prepared*> prepared(const Method& method);
    [[nodiscard]] int run_timed(mpi::UnequalExchange& exchange, double& agreement_seconds);
    [[nodiscard]] int run_windows(const Plan& plan);
    void fill_buffers();
    [[nodiscard]] std::optional<Diagnostic> judge(const std::string& what) const;
    [[nodiscard]] mpi::MessageBytes bytes() const { return {sent_, received_}; }

    Harness& harness_;
    std::size_t ranks_;
    std::optional<mpi::DemandAgreement> agreement_;  ///< made with the first method that needs it
    std::map<std::string, Prepared> methods_;        ///< by their texts
    std::vector<std::int64_t> sent_;
    std::vector<std::int64_t> received_;
    std::vector<int> send_counts_;
    std::vector<int> send_places_;
    std::vector<int> receive_counts_;
    std::vector<int> receive_places_;
    std::vector<std::byte> send_;
    std::vector<std::byte> receive_;
    std::vector<const std::byte*> send_at_;
    std::vector<std::byte*> receive_at_;
    std::vector<MPI_Request> requests_;
    double least_seconds_ = 0;
};

}  // namespace aapc::bench
