// `aapc discover` as an MPI program: aapc-discover-<mpi>.
#include <fmt/format.h>
#include <mpi.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "aapc/input/statistics.hpp"
#include "aapc/topology/detection.hpp"
#include "bench/collective.hpp"
#include "bench/discover_options.hpp"
#include "bench/flow_meter.hpp"
#include "bench/harness.hpp"
#include "bench/program.hpp"
#include "bench/provenance.hpp"
#include "console/job_output.hpp"
#include "console/output.hpp"
#include "mpi/rest.hpp"
#include "offline/discovery/explorer.hpp"
#include "offline/discovery/rounds.hpp"

namespace {

using namespace aapc;
using namespace aapc::bench;
using discovery::Explorer;
using discovery::Round;

/// Neighbour joining takes the cube of it, and the matrix travels.
constexpr Machine most_by_latency = 512;

class Discovery {
  public:
    Discovery(const DiscoverOptions& options, std::unique_ptr<Harness> harness)
        : options_(options),
          harness_(std::move(harness)),
          output_("aapc discover", harness_->rank() == 0),
          machines_(static_cast<Machine>(harness_->network().machines().size())),
          meter_(harness_->communicator(), harness_->placement(), machines_) {}

    int run() {
        if (machines_ < 2) {
            return output_.refuse({.problem = "all ranks are on one machine, which has no network to find",
                                   .advice = "start ranks on at least two machines"});
        }
        const double begin = mpi::now_seconds();
        discovery::RoundTrips trips;
        if (!options_.no_latency && machines_ >= 4 && machines_ <= most_by_latency) {
            output_.show_progress("round trips");
            trips = meter_.round_trips();
        }
        choose_chunk();
        // Rank 0 alone plans; the others measure what it asks for.
        Explorer explorer(machines_, output_.speaks() ? trips : discovery::RoundTrips{},
                          static_cast<std::uint64_t>(options_.seed));
        int rounds = 0;
        for (bool goes_on = true; goes_on && !meter_.interrupted();) {
            const std::vector<Round> asked = output_.speaks() ? explorer.next() : std::vector<Round>();
            output_.show_progress(fmt::format("{} rounds measured, {} to go in this step", rounds, asked.size()));
            const std::vector<Round> measured = meter_.measure(asked, options_.round);
            goes_on = !measured.empty();
            rounds += static_cast<int>(measured.size());
            if (output_.speaks() && goes_on && !meter_.interrupted()) {
                explorer.add(measured);
            }
        }
        output_.clear_progress();
        if (meter_.interrupted()) {
            output_.remark("interrupted; nothing is written");
            return ended_by_interruption;
        }
        return write(explorer, mpi::now_seconds() - begin);
    }

  private:
    /// By what flows of neighbours carry in a round that does not count.
    void choose_chunk() {
        std::vector<Round> pilot;
        for (int turn = 0; turn < 2 && output_.speaks(); ++turn) {
            pilot.push_back(discovery::sparse(machines_, 0, 2));
        }
        std::vector<double> rates;
        for (const Round& round : meter_.measure(pilot, options_.round)) {
            rates.clear();
            for (const discovery::Flow& flow : round) {
                rates.push_back(flow.bytes_per_second);
            }
        }
        meter_.set_chunk(median(rates), options_.round);
    }

    int write(const Explorer& explorer, double seconds) {
        int status = cli::done;
        if (output_.speaks()) {
            DiscoveredWhere where{{}, {}, short_mpi_version(), date_now(), seconds};
            for (Machine machine = 0; machine < machines_; ++machine) {
                where.machines.push_back(harness_->network().machine_name(machine));
                where.ranks.push_back(harness_->network().machines()[static_cast<std::size_t>(machine)].ranks);
            }
            status = cli::write_output(options_.output, discovered_topology(explorer.findings(), where));
        }
        return status_of_rank_0(harness_->communicator(), status);
    }

    const DiscoverOptions& options_;
    std::unique_ptr<Harness> harness_;
    cli::JobOutput output_;
    Machine machines_;
    FlowMeter meter_;
};

int run_discover(int argc, char** argv) {
    return run_where_found<Discovery>("aapc discover", "Finds the network by measuring. Started by aapc discover.",
                                      add_discover_options, argc, argv);
}

}  // namespace

int main(int argc, char** argv) { return end_job_on_exception("aapc discover", run_discover, argc, argv); }
