#include "bench/harness.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <new>
#include <thread>
#include <utility>

#include "aapc/interposer.h"
#include "aapc/methods/preparation.hpp"
#include "aapc/mpi/make_exchange.hpp"
#include "aapc/plan/pacing.hpp"
#include "bench/collective.hpp"
#include "bench/interruption.hpp"
#include "bench/payload.hpp"
#include "input/environment.hpp"
#include "mpi/connections_of_mpi.hpp"
#include "mpi/returned_errors.hpp"
#include "selection/wire_use.hpp"

namespace aapc::bench {

namespace {

/// Counts of MPI_Alltoall are int.
constexpr std::int64_t largest_block = INT32_MAX;

/// What a preloaded interposer exports; null where there is none.
struct Interposer {
    decltype(&aapc_native_alltoall) native_alltoall;
    decltype(&aapc_calls) calls;
    decltype(&aapc_rejected) rejected;
};

const Interposer& interposer() {
    static const Interposer found = {
        reinterpret_cast<decltype(&aapc_native_alltoall)>(dlsym(RTLD_DEFAULT, "aapc_native_alltoall")),
        reinterpret_cast<decltype(&aapc_calls)>(dlsym(RTLD_DEFAULT, "aapc_calls")),
        reinterpret_cast<decltype(&aapc_rejected)>(dlsym(RTLD_DEFAULT, "aapc_rejected")),
    };
    return found;
}

/// The setting by which the environment forces a method: "AAPC_ALGORITHM=tree"; empty if none.
std::string forced_by_environment() {
    std::string forced;
    for (const char* name : {"AAPC_ALGORITHM", "AAPC_SYNCHRONISATION"}) {
        if (const std::string value = environment_variable(name); !value.empty()) {
            forced += fmt::format("{}{}={}", forced.empty() ? "" : " ", name, value);
        }
    }
    return forced;
}

}  // namespace

Harness::Harness(MPI_Comm comm, const Network& network) : network_(network) {
    PMPI_Comm_dup(comm, &comm_);
    PMPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    PMPI_Comm_rank(comm_, &rank_);
    host_names_ = bench::host_names(comm_);
    forced_ = shared_text(comm_, forced_by_environment());
    forced_native_ = shared_text(comm_, environment_variable("AAPC_ALGORITHM")) == "native";
}

Harness::~Harness() {
    release_all();
    int finalized = 0;
    PMPI_Finalized(&finalized);
    if (finalized == 0) {
        PMPI_Comm_free(&comm_);
    }
}

Expected<std::unique_ptr<Harness>> Harness::create(MPI_Comm comm, const Network& network) {
    std::unique_ptr<Harness> harness(new Harness(comm, network));
    // Every rank knows the same names, so all come to the same complaint.
    if (auto complaint = harness->place_ranks()) {
        return failure(std::move(*complaint));
    }
    harness->bound_ = network_bound(network, harness->placement_);
    return harness;
}

std::unique_ptr<Harness> Harness::create(MPI_Comm comm, const Network& network, Placement placement) {
    std::unique_ptr<Harness> harness(new Harness(comm, network));
    harness->placement_ = std::move(placement);
    harness->bound_ = network_bound(network, harness->placement_);
    return harness;
}

std::optional<Diagnostic> Harness::place_ranks() {
    placement_.machine_of.reserve(host_names_.size());
    for (std::size_t rank = 0; rank < host_names_.size(); ++rank) {
        const Machine machine = network_.find_machine(host_names_[rank]);
        if (machine < 0) {
            return Diagnostic{
                .problem = fmt::format("host '{}' of rank {} is not in the topology", host_names_[rank], rank),
                .advice = "add it to the machines of its switch"};
        }
        placement_.machine_of.push_back(machine);
    }
    return std::nullopt;
}

double Harness::least_seconds(std::int64_t block_bytes) const {
    // Of full frames; what a message's own header adds may share a frame with another message.
    const WireFormat wire = wire_format(network_.mtu_bytes());
    const double wire_over_payload =
        static_cast<double>(wire.payload_per_frame + wire.frame_overhead) / static_cast<double>(wire.payload_per_frame);
    return bound_.seconds_per_byte * static_cast<double>(block_bytes) * wire_over_payload;
}

bool Harness::interposer_is_there() const { return interposer().calls != nullptr; }

Expected<mpi::Exchange*> Harness::exchange_of(const Method& method) {
    const std::string text = to_string(method);
    if (const auto known = exchanges_.find(text); known != exchanges_.end()) {
        return known->second.get();
    }
    const auto memory = machine_memory();
    if (!memory) {
        return failure(memory.error());
    }
    const auto prepared = aapc::prepare(network_, placement_, bound_, method).map_error([&](Diagnostic why) {
        return said_of(method, std::move(why));
    });
    const auto wire = own_wire();
    if (!wire) {
        return failure(wire.error());
    }
    auto exchange = mpi::make_exchange(comm_, prepared, placement_, *memory, std::nullopt, *wire);
    if (!exchange) {
        return failure(std::move(exchange.error()));
    }
    if (const auto opened = check_wire(); !opened) {
        return failure(opened.error());
    }
    return exchanges_.emplace(text, std::move(*exchange)).first->second.get();
}

Expected<std::optional<mpi::OwnWire>> Harness::own_wire() {
    auto wanted = selection::parse_wire_use(shared_text(comm_, environment_variable("AAPC_WIRE")));
    if (!wanted) {
        wanted.error().file = "AAPC_WIRE";
        return failure(std::move(wanted.error()));
    }
    wire_is_asked_for_ = *wanted == selection::WireUse::tcp;
    const bool wants = selection::wants_wire(*wanted, network_) && (wire_is_asked_for_ || mpi::mpi_uses_tcp(comm_));
    return wants ? std::optional<mpi::OwnWire>({wire_, network_}) : std::nullopt;
}

Expected<void> Harness::check_wire() const {
    if (!wire_.complaint() || !wire_is_asked_for_) {
        return {};
    }
    Diagnostic why = *wire_.complaint();
    why.file = "AAPC_WIRE";
    return failure(std::move(why));
}

Expected<double> Harness::measure_start(const Method& method) {
    const auto exchange = exchange_of(method);
    if (!exchange) {
        return failure(exchange.error());
    }
    std::vector<std::byte> blocks(2 * static_cast<std::size_t>(placement_.participants()));
    double seconds = 0;
    if ((*exchange)->measure_start(blocks.data(), seconds) != MPI_SUCCESS) {
        return failure({.problem = "the start of an exchange could not be measured"});
    }
    return seconds;
}

Expected<mpi::MachineMemory*> Harness::machine_memory() {
    if (!machine_memory_) {
        auto wanted = parse_shared_memory(shared_text(comm_, environment_variable("AAPC_SHARED_MEMORY")));
        if (!wanted) {
            wanted.error().file = "AAPC_SHARED_MEMORY";
            return failure(wanted.error());
        }
        std::optional<Diagnostic> complaint;
        if (const int error = mpi::MachineMemory::create(comm_, placement_, *wanted, machine_memory_);
            error != MPI_SUCCESS) {
            complaint = Diagnostic{
                .problem = fmt::format("shared memory of machines: MPI says: {}", mpi::text_of_error(error))};
        }
        if (auto first = first_complaint(comm_, complaint)) {
            machine_memory_.reset();
            return failure(std::move(*first));
        }
    }
    return machine_memory_.get();
}

Expected<void> Harness::prepare(const Method& method) {
    if (method.native()) {
        return {};
    }
    if (const auto exchange = exchange_of(method); !exchange) {
        return failure(exchange.error());
    }
    return {};
}

Expected<void> Harness::make_blocks(std::int64_t block_bytes) {
    if (block_bytes < 1 || block_bytes > largest_block) {
        return failure(fmt::format("blocks of {} bytes cannot be measured", block_bytes),
                       fmt::format("choose 1 to {} bytes", largest_block));
    }
    const auto block = static_cast<std::size_t>(block_bytes);
    if (block_bytes != block_bytes_) {
        std::optional<Diagnostic> complaint;
        try {
            send_.resize(block * placement_.machine_of.size());
            receive_.resize(send_.size());
        } catch (const std::bad_alloc&) {
            complaint =
                Diagnostic{.problem = fmt::format("rank {} has no memory for two buffers of {} blocks of {} bytes",
                                                  rank_, placement_.machine_of.size(), block_bytes),
                           .advice = "choose smaller blocks or fewer ranks"};
        }
        if (auto first = first_complaint(comm_, complaint)) {
            block_bytes_ = 0;
            return failure(std::move(*first));
        }
        block_bytes_ = block_bytes;
        for (Rank to = 0; to < placement_.participants(); ++to) {
            fill_block({send_.data() + static_cast<std::size_t>(to) * block, block}, rank_, to);
        }
    }
    // Every byte is wrong until it has come.
    for (Rank from = 0; from < placement_.participants(); ++from) {
        fill_block({receive_.data() + static_cast<std::size_t>(from) * block, block}, from, rank_);
    }
    std::transform(receive_.begin(), receive_.end(), receive_.begin(), [](std::byte right) { return ~right; });
    return {};
}

long Harness::calls_by_aapc() {
    long exchanged = 0;
    long passed_through = 0;
    interposer().calls(&exchanged, &passed_through);
    return exchanged;
}

Diagnostic Harness::wrong_data(const std::string& what, std::int64_t bytes, Rank from, std::size_t offset) const {
    const auto host = [this](Rank rank) -> const std::string& { return host_names_[static_cast<std::size_t>(rank)]; };
    return {.problem = fmt::format("{}: wrong data: of the {} bytes from rank {} ({}) to rank {} ({}), the one "
                                   "at offset {} is not what was sent",
                                   what, bytes, from, host(from), rank_, host(rank_), offset),
            .advice = "do not use it here, and report it"};
}

std::optional<Diagnostic> Harness::judge(const std::string& what) const {
    const auto block = static_cast<std::size_t>(block_bytes_);
    for (Rank from = 0; from < placement_.participants(); ++from) {
        const std::span<const std::byte> received(receive_.data() + static_cast<std::size_t>(from) * block, block);
        if (const auto wrong = first_wrong_byte(received, from, rank_)) {
            return wrong_data(what, block_bytes_, from, *wrong);
        }
    }
    return std::nullopt;
}

Expected<Sample> Harness::measure(const std::string& what, const std::function<int()>& run,
                                  const std::function<std::optional<Diagnostic>()>& judge) const {
    barrier(comm_);
    const double before = PMPI_Wtime();
    be_late(what);
    const int error = run();
    std::array<double, 2> values = {PMPI_Wtime() - before, interrupted() ? 1.0 : 0.0};
    // Behind every call (2007, Figure 5); and looking at the data must not steal time from ranks that are still in it.
    barrier(comm_);
    std::optional<Diagnostic> complaint;
    if (error == MPI_SUCCESS) {
        complaint = judge();
    } else {
        complaint = Diagnostic{
            .problem = fmt::format("{}: rank {} failed, MPI says: {}", what, rank_, mpi::text_of_error(error))};
    }
    if (auto first = first_complaint(comm_, complaint)) {
        return failure(std::move(*first));
    }
    maximise(comm_, values);
    Sample sample;
    sample.seconds = values[0];
    sample.interrupted = values[1] > 0;
    return sample;
}

Expected<Sample> Harness::run_once(const Method& method, std::int64_t block_bytes) {
    mpi::Exchange* exchange = nullptr;
    if (!method.native()) {
        const auto prepared = exchange_of(method);
        if (!prepared) {
            return failure(prepared.error());
        }
        exchange = *prepared;
    }
    if (const auto made = make_blocks(block_bytes); !made) {
        return failure(made.error());
    }
    const auto alltoall = interposer().native_alltoall != nullptr ? interposer().native_alltoall : &PMPI_Alltoall;
    const std::string what = to_string(method);
    const auto run = [&] {
        const auto count = static_cast<int>(block_bytes);
        return exchange != nullptr ? exchange->run(send_.data(), receive_.data(), static_cast<std::size_t>(block_bytes))
                                   : alltoall(send_.data(), count, MPI_BYTE, receive_.data(), count, MPI_BYTE, comm_);
    };
    auto sample = measure(what, run, [&] { return judge(what); });
    if (sample && exchange != nullptr) {
        sample->by_aapc = true;
        add_worst(exchange->report(), *sample);
    }
    return sample;
}

void Harness::be_late(const std::string& what) const {
    if (late_.rank == rank_ && ++calls_[what] % late_.every == 0) {
        std::this_thread::sleep_for(std::chrono::duration<double>(late_.seconds));
    }
}

void Harness::add_worst(const mpi::ExchangeReport& report, Sample& sample, double agreement_seconds) const {
    std::array<double, 5> worst = {report.pace, report.scheduled_seconds, report.late_seconds,
                                   report.agreement_seconds + agreement_seconds, agreement_seconds};
    maximise(comm_, worst);
    sample.pace = worst[0];
    sample.scheduled_seconds = worst[1];
    sample.late_seconds = worst[2];
    sample.agreement_seconds = worst[3];
    sample.reduction_seconds = worst[4];
}

Expected<void> Harness::check_interposer() const {
    std::optional<Diagnostic> complaint;
    if (!interposer_is_there()) {
        complaint = Diagnostic{
            .problem = "interposed: no interposer is preloaded",
            .advice = "start the program by `aapc bench`, or preload libaapc-openmpi.so or libaapc-mpich.so"};
    } else if (const char* const remark = interposer().rejected(); remark != nullptr) {
        // Rank 0 alone knows. Whatever would run is not what was asked for.
        complaint =
            Diagnostic{.problem = fmt::format("interposed: the interposer rejected what it was given: {}", remark),
                       .advice = "give it settings that hold here"};
    } else if (calls_by_aapc() < 0) {
        complaint = Diagnostic{.problem = "interposed: the interposer could not follow its settings and does nothing",
                               .advice = "give it a topology file that names every host and settings that it knows"};
    }
    if (auto first = first_complaint(comm_, complaint)) {
        return failure(std::move(*first));
    }
    return {};
}

Expected<Sample> Harness::run_interposed_once(std::int64_t block_bytes) {
    if (const auto there = check_interposer(); !there) {
        return failure(there.error());
    }
    if (const auto made = make_blocks(block_bytes); !made) {
        return failure(made.error());
    }
    const long calls_before = calls_by_aapc();
    const auto run = [&] {
        const auto count = static_cast<int>(block_bytes);
        return MPI_Alltoall(send_.data(), count, MPI_BYTE, receive_.data(), count, MPI_BYTE, comm_);
    };
    auto sample = measure("interposed", run, [&] { return judge("interposed"); });
    if (!sample) {
        return sample;
    }
    sample->by_aapc = calls_by_aapc() > calls_before;
    std::optional<Diagnostic> complaint;
    if (!forced_.empty() && sample->by_aapc == forced_native_) {
        complaint =
            Diagnostic{.problem = fmt::format("interposed: {} was asked for, and for {} bytes {} ran instead", forced_,
                                              block_bytes, forced_native_ ? "a schedule" : "the MPI's own routine"),
                       .advice = "AAPC_VERBOSE=1 says why"};
    }
    if (auto first = first_complaint(comm_, complaint)) {
        return failure(std::move(*first));
    }
    return sample;
}

void Harness::release(const Method& method) { exchanges_.erase(to_string(method)); }

void Harness::release_all() { exchanges_.clear(); }

}  // namespace aapc::bench
