#include "bench/unequal_harness.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <span>
#include <utility>

#include "aapc/interposer.h"
#include "aapc/methods/preparation.hpp"
#include "aapc/methods/unequal_exchange.hpp"
#include "aapc/topology/link_loads.hpp"
#include "bench/collective.hpp"
#include "bench/payload.hpp"
#include "mpi/complaints.hpp"
#include "selection/unequal_rule.hpp"

namespace aapc::bench {

namespace {

constexpr int tag = 7;

using Alltoallv = decltype(&aapc_native_alltoallv);

Alltoallv native_alltoallv() {
    const auto found = reinterpret_cast<Alltoallv>(dlsym(RTLD_DEFAULT, "aapc_native_alltoallv"));
    return found != nullptr ? found : &PMPI_Alltoallv;
}

/// One behind the other; false if they are too many bytes for MPI's int.
bool lay_out(const std::vector<std::int64_t>& bytes, std::vector<int>& counts, std::vector<int>& places,
             std::vector<std::byte>& buffer) {
    std::int64_t end = 0;
    counts.clear();
    places.clear();
    for (const std::int64_t length : bytes) {
        if (end + length > INT32_MAX) {
            return false;
        }
        counts.push_back(static_cast<int>(length));
        places.push_back(static_cast<int>(end));
        end += length;
    }
    buffer.resize(static_cast<std::size_t>(end));
    return true;
}

}  // namespace

UnequalHarness::UnequalHarness(Harness& harness)
    : harness_(harness), ranks_(static_cast<std::size_t>(harness.placement().participants())) {}

Expected<UnequalHarness::Prepared*> UnequalHarness::prepared(const Method& method) {
    const std::string text = to_string(method);
    if (const auto known = methods_.find(text); known != methods_.end()) {
        return &known->second;
    }
    Prepared made;
    const bool by_windows = method.synchronisation.kind == Synchronisation::Kind::window;
    auto ready = selection::prepare_for_unequal(harness_.network(), harness_.placement(), harness_.bound(), method);
    if (by_windows) {
        if (!ready) {
            return failure(ready.error());
        }
        made.windows = make_plan(*ready->timetable, harness_.rank(), method.synchronisation);
        if (made.windows.forwarding) {
            return failure(said_of(method, {.problem = "it forwards blocks, which have to be equal",
                                            .advice = "choose linear, scattered, pairwise, ring or lattice"}));
        }
    } else {
        const auto memory = harness_.machine_memory();
        if (!memory) {
            return failure(memory.error());
        }
        const auto wire = harness_.own_wire();
        if (!wire) {
            return failure(wire.error());
        }
        auto exchange = mpi::UnequalExchange::make(harness_.communicator(), ready, harness_.placement(),
                                                   &harness_.network(), *memory, *wire);
        if (!exchange) {
            return failure(exchange.error());
        }
        if (const auto opened = harness_.check_wire(); !opened) {
            return failure(opened.error());
        }
        made.timed = std::move(*exchange);
        if (!agreement_) {
            auto loads = LinkLoads::find(harness_.network(), harness_.placement());
            if (!loads) {
                return failure(loads.error());
            }
            agreement_.emplace(std::move(*loads), harness_.rank());
        }
    }
    return &methods_.emplace(text, std::move(made)).first->second;
}

Expected<void> UnequalHarness::prepare(const Method& method) {
    if (!method.native()) {
        if (const auto made = prepared(method); !made) {
            return failure(made.error());
        }
    }
    return {};
}

Expected<void> UnequalHarness::set_demand(const Demand& demand) {
    const std::span<const std::int64_t> row = demand.row(harness_.rank());
    sent_.assign(row.begin(), row.end());
    received_ = demand.column(harness_.rank());
    std::optional<Diagnostic> complaint;
    if (!lay_out(sent_, send_counts_, send_places_, send_) ||
        !lay_out(received_, receive_counts_, receive_places_, receive_)) {
        complaint =
            Diagnostic{.problem = fmt::format("rank {} has more than 2^31-1 bytes of messages", harness_.rank()),
                       .advice = "choose a smaller mean size or fewer ranks"};
    }
    if (auto first = mpi::first_complaint(harness_.communicator(), complaint)) {
        return failure(std::move(*first));
    }
    send_at_.clear();
    receive_at_.clear();
    for (std::size_t other = 0; other < ranks_; ++other) {
        send_at_.push_back(send_.data() + send_places_[other]);
        receive_at_.push_back(receive_.data() + receive_places_[other]);
        fill_block({send_.data() + send_places_[other], static_cast<std::size_t>(send_counts_[other])}, harness_.rank(),
                   static_cast<Rank>(other));
    }
    const auto bound = demand_bound(harness_.network(), harness_.placement(), demand);
    const double equal = harness_.bound().seconds_per_byte;
    least_seconds_ = bound && equal > 0 ? bound->seconds() * harness_.least_seconds(1) / equal : 0;
    return {};
}

/// Every byte is wrong until it has come.
void UnequalHarness::fill_buffers() {
    for (std::size_t from = 0; from < ranks_; ++from) {
        fill_block({receive_at_[from], static_cast<std::size_t>(receive_counts_[from])}, static_cast<Rank>(from),
                   harness_.rank());
    }
    std::transform(receive_.begin(), receive_.end(), receive_.begin(), [](std::byte right) { return ~right; });
}

std::optional<Diagnostic> UnequalHarness::judge(const std::string& what) const {
    for (std::size_t from = 0; from < ranks_; ++from) {
        const std::span<const std::byte> received(receive_at_[from], static_cast<std::size_t>(receive_counts_[from]));
        if (const auto wrong = first_wrong_byte(received, static_cast<Rank>(from), harness_.rank())) {
            return harness_.wrong_data(what, received_[from], static_cast<Rank>(from), *wrong);
        }
    }
    return std::nullopt;
}

int UnequalHarness::run_timed(mpi::UnequalExchange& exchange, double& agreement_seconds) {
    const WireCounts counts = exchange.on_the_wire(bytes());
    exchange.prepare(bytes());
    mpi::DemandClaim claim;
    claim.bytes = bytes();
    claim.wire_to = counts.to;
    claim.wire_from = counts.from;
    mpi::AgreedDemand agreed;
    if (const int error = agreement_->agree(harness_.communicator(), claim, agreed); error != MPI_SUCCESS) {
        return error;
    }
    agreement_seconds = 1e-9 * static_cast<double>(agreement_->nanoseconds());
    return agreed.possible() ? exchange.run(bytes(), {send_at_, receive_at_}, agreed.bound) : MPI_ERR_OTHER;
}

/// As in MPI libraries: receives and sends of a window of phases at a time, then a wait for all of them.
int UnequalHarness::run_windows(const Plan& plan) {
    const MPI_Comm comm = harness_.communicator();
    const auto own = static_cast<std::size_t>(plan.rank);
    std::copy_n(send_at_[own], sent_[own], receive_at_[own]);
    const Phase window = std::clamp<Phase>(plan.synchronisation.block_phases, 1, std::max<Phase>(plan.phases, 1));
    auto receive = plan.receives.begin();
    auto send = plan.sends.begin();
    int error = MPI_SUCCESS;
    for (Phase end = window; error == MPI_SUCCESS && (receive != plan.receives.end() || send != plan.sends.end());
         end += window) {
        requests_.clear();
        for (; error == MPI_SUCCESS && receive != plan.receives.end() && receive->phase < end; ++receive) {
            const auto from = static_cast<std::size_t>(receive->from);
            if (receive_counts_[from] > 0) {
                error = PMPI_Irecv(receive_at_[from], receive_counts_[from], MPI_BYTE, receive->from, tag, comm,
                                   &requests_.emplace_back(MPI_REQUEST_NULL));
            }
        }
        for (; error == MPI_SUCCESS && send != plan.sends.end() && send->phase < end; ++send) {
            const auto to = static_cast<std::size_t>(send->to);
            if (send_counts_[to] > 0) {
                error = PMPI_Isend(send_at_[to], send_counts_[to], MPI_BYTE, send->to, tag, comm,
                                   &requests_.emplace_back(MPI_REQUEST_NULL));
            }
        }
        if (error == MPI_SUCCESS) {
            error = PMPI_Waitall(static_cast<int>(requests_.size()), requests_.data(), MPI_STATUSES_IGNORE);
        }
    }
    return error;
}

Expected<Sample> UnequalHarness::run_once(const Method& method) {
    Prepared* made = nullptr;
    if (!method.native()) {
        const auto found = prepared(method);
        if (!found) {
            return failure(found.error());
        }
        made = *found;
    }
    fill_buffers();
    const std::string what = to_string(method);
    double agreement_seconds = 0;
    const auto run = [&] {
        if (made == nullptr) {
            return native_alltoallv()(send_.data(), send_counts_.data(), send_places_.data(), MPI_BYTE, receive_.data(),
                                      receive_counts_.data(), receive_places_.data(), MPI_BYTE,
                                      harness_.communicator());
        }
        return made->timed ? run_timed(*made->timed, agreement_seconds) : run_windows(made->windows);
    };
    auto sample = harness_.measure(what, run, [&] { return judge(what); });
    if (sample && made != nullptr) {
        sample->by_aapc = true;
        if (made->timed) {
            const mpi::ExchangeReport& report = made->timed->report();
            harness_.add_worst(report, *sample, agreement_seconds);
        }
    }
    return sample;
}

Expected<Sample> UnequalHarness::run_interposed_once() {
    if (const auto there = harness_.check_interposer(); !there) {
        return failure(there.error());
    }
    fill_buffers();
    const long before = Harness::calls_by_aapc();
    auto sample = harness_.measure(
        "interposed",
        [&] {
            return MPI_Alltoallv(send_.data(), send_counts_.data(), send_places_.data(), MPI_BYTE, receive_.data(),
                                 receive_counts_.data(), receive_places_.data(), MPI_BYTE, harness_.communicator());
        },
        [&] { return judge("interposed"); });
    if (sample) {
        sample->by_aapc = Harness::calls_by_aapc() > before;
    }
    return sample;
}

}  // namespace aapc::bench
