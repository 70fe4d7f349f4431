#include "experiment.hpp"

#include <fmt/format.h>
#include <mpi.h>

#include <algorithm>
#include <ctime>
#include <simgrid/s4u/Actor.hpp>
#include <simgrid/s4u/Host.hpp>
#include <span>
#include <utility>

#include "aapc/plan/plan.hpp"
#include "bench/payload.hpp"

namespace aapc::simulation {

namespace {

double processor_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

std::int64_t planned_messages(const Plan& plan) {
    const auto to_others =
        std::count_if(plan.signals.begin(), plan.signals.end(), [&](const Token& t) { return t.peer != plan.rank; });
    return static_cast<std::int64_t>(plan.sends.size()) + to_others;
}

}  // namespace

Experiment::Experiment(const Network& network, ExperimentPlan plan)
    : plan_(std::move(plan)), placement_(full_placement(network)), bound_(network_bound(network, placement_)) {}

Expected<std::unique_ptr<Experiment>> Experiment::create(const Network& network, ExperimentPlan plan) {
    std::unique_ptr<Experiment> experiment(new Experiment(network, std::move(plan)));
    if (const auto built = experiment->prepare_methods(network); !built) {
        return failure(built.error());
    }
    return experiment;
}

Expected<void> Experiment::prepare_methods(const Network& network) {
    for (const Method& method : plan_.methods) {
        if (method.native()) {
            prepared_.emplace_back();
            continue;
        }
        auto prepared = prepare(network, placement_, bound_, method);
        if (!prepared) {
            return failure(prepared.error());
        }
        if (method.synchronisation.kind == Synchronisation::Kind::ports) {
            return failure(fmt::format("{}: simulated ranks share no memory", to_string(method)),
                           "choose a synchronisation by messages or by the clock");
        }
        prepared_.emplace_back(std::move(*prepared));
    }
    return {};
}

void Experiment::start_ranks(const Platform& platform) {
    platform_ = &platform;
    all_ranks_ = simgrid::s4u::Barrier::create(static_cast<unsigned>(placement_.participants()));
    for (Rank rank = 0; rank < placement_.participants(); ++rank) {
        simgrid::s4u::Host* const host =
            platform.hosts()[static_cast<std::size_t>(placement_.machine_of[static_cast<std::size_t>(rank)])];
        const auto actor = simgrid::s4u::Actor::init(fmt::format("rank-{}", rank), host);
        actor->set_property("instance_id", "aapc");
        actor->set_property("rank", fmt::format("{}", rank));
        actor->start([this, rank] { run_rank(rank); });
    }
}

void Experiment::run_rank(Rank rank) {
    PMPI_Init(nullptr, nullptr);
    for (std::size_t method = 0; method < plan_.methods.size() && !complaint_; ++method) {
        run_method(rank, method);
        all_ranks_->wait();
    }
    PMPI_Finalize();
    ++ended_;
}

void Experiment::run_method(Rank rank, std::size_t method) {
    std::unique_ptr<mpi::Exchange> exchange;
    current_.planned_messages = 0;
    all_ranks_->wait();
    // Not make_exchange(): what ranks agree on there, they would wait for in the time of this computer.
    if (const std::optional<Prepared>& prepared = prepared_[method]) {
        Plan plan = make_plan(*prepared->timetable, placement_, rank, prepared->method.synchronisation);
        current_.planned_messages += planned_messages(plan);
        mpi::ExchangeOptions options;
        options.cadence = prepared->cadence;
        if (const int error = mpi::Exchange::create(MPI_COMM_WORLD, std::move(plan), options, exchange);
            error != MPI_SUCCESS) {
            complain(method, fmt::format("rank {} has no exchange, the MPI says {}", rank, error));
        }
    }
    all_ranks_->wait();
    Buffers own;
    for (const std::int64_t block_bytes : plan_.sizes) {
        for (int repeat = 0; repeat < plan_.repeats && !complaint_; ++repeat) {
            run_once(rank, method, block_bytes, exchange.get(), plan_.unchecked ? shared_ : own);
            all_ranks_->wait();
        }
        if (rank == 0 && !complaint_) {
            samples_.push_back(current_);
        }
        all_ranks_->wait();
    }
}

void Experiment::run_once(Rank rank, std::size_t method, std::int64_t block_bytes, mpi::Exchange* exchange,
                          Buffers& buffers) {
    fill(rank, block_bytes, buffers);
    all_ranks_->wait();
    const std::int64_t messages_before = platform_->messages();
    const double processor_before = processor_seconds();
    current_.seconds = 0;
    all_ranks_->wait();
    const double start = PMPI_Wtime();
    const auto count = static_cast<int>(block_bytes);
    const int error = exchange != nullptr ? exchange->run(buffers.send.data(), buffers.receive.data(),
                                                          static_cast<std::size_t>(block_bytes))
                                          : PMPI_Alltoall(buffers.send.data(), count, MPI_BYTE, buffers.receive.data(),
                                                          count, MPI_BYTE, MPI_COMM_WORLD);
    current_.seconds = std::max(current_.seconds, PMPI_Wtime() - start);
    all_ranks_->wait();
    if (rank == 0) {
        current_.method = method;
        current_.block_bytes = block_bytes;
        current_.messages = platform_->messages() - messages_before;
        current_.processor_seconds = processor_seconds() - processor_before;
    }
    if (error != MPI_SUCCESS) {
        complain(method,
                 fmt::format("rank {} failed with blocks of {} bytes, the MPI says {}", rank, block_bytes, error));
    } else if (!plan_.unchecked) {
        judge(rank, method, block_bytes, buffers);
    }
}

/// Every byte to be received is wrong until it has come.
void Experiment::fill(Rank rank, std::int64_t block_bytes, Buffers& buffers) const {
    const auto block = static_cast<std::size_t>(block_bytes);
    const std::size_t bytes = block * placement_.machine_of.size();
    buffers.send.resize(bytes);
    buffers.receive.resize(bytes);
    if (plan_.unchecked) {
        return;
    }
    for (Rank other = 0; other < placement_.participants(); ++other) {
        const std::size_t offset = static_cast<std::size_t>(other) * block;
        bench::fill_block({buffers.send.data() + offset, block}, rank, other);
        bench::fill_block({buffers.receive.data() + offset, block}, other, rank);
    }
    std::transform(buffers.receive.begin(), buffers.receive.end(), buffers.receive.begin(),
                   [](std::byte right) { return ~right; });
}

void Experiment::judge(Rank rank, std::size_t method, std::int64_t block_bytes, const Buffers& buffers) {
    const auto block = static_cast<std::size_t>(block_bytes);
    for (Rank from = 0; from < placement_.participants(); ++from) {
        const std::span<const std::byte> received(buffers.receive.data() + static_cast<std::size_t>(from) * block,
                                                  block);
        if (const auto wrong = bench::first_wrong_byte(received, from, rank)) {
            complain(method, fmt::format("wrong data: of the {} bytes from rank {} to rank {}, the one at offset {} is "
                                         "not what was sent",
                                         block_bytes, from, rank, *wrong));
            return;
        }
    }
}

void Experiment::complain(std::size_t method, const std::string& wrong) {
    if (!complaint_) {
        complaint_ = Diagnostic{.problem = fmt::format("{}: {}", to_string(plan_.methods[method]), wrong),
                                .advice = "do not use it here, and report it"};
    }
}

}  // namespace aapc::simulation
