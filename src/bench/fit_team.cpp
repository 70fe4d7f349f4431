#include "bench/fit_team.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "bench/collective.hpp"
#include "bench/interruption.hpp"

namespace aapc::bench {

Expected<std::unique_ptr<Team>> Team::create(Harness& world, const std::vector<Rank>& members) {
    std::unique_ptr<Team> team(new Team(world));
    const bool member = std::binary_search(members.begin(), members.end(), world.rank());
    PMPI_Comm_split(world.communicator(), member ? 0 : MPI_UNDEFINED, world.rank(), &team->comm_);
    std::optional<Diagnostic> complaint;
    if (member) {
        auto harness = Harness::create(team->comm_, world.network());
        if (harness) {
            team->harness_ = std::move(*harness);
        } else {
            complaint = std::move(harness.error());
        }
    }
    if (auto first = first_complaint(world.communicator(), complaint)) {
        return failure(std::move(*first));
    }
    return team;
}

Team::~Team() {
    harness_.reset();
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (comm_ != MPI_COMM_NULL && finalized == 0) {
        PMPI_Comm_free(&comm_);
    }
}

Expected<Sample> Team::run_once(const Method& method, std::int64_t block_bytes) {
    std::array<double, 2> values = {0, 0};
    std::optional<Diagnostic> complaint;
    if (harness_) {
        const auto sample = harness_->run_once(method, block_bytes);
        if (sample) {
            values = {sample->seconds, sample->interrupted ? 1.0 : 0.0};
        } else {
            complaint = sample.error();
        }
    }
    if (auto first = first_complaint(world_.communicator(), complaint)) {
        return failure(std::move(*first));
    }
    values[1] = std::max(values[1], interrupted() ? 1.0 : 0.0);
    maximise(world_.communicator(), values);
    Sample sample;
    sample.seconds = values[0];
    sample.interrupted = values[1] > 0;
    return sample;
}

}  // namespace aapc::bench
