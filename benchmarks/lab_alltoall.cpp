// This MPI's own all-to-all against ours, side by side: the candidates take turns within one run, every call ends with
// a barrier, the time is the slowest rank's, every result is validated outside the timed part. Prints medians as
// fractions of the bound and the ratio native/candidate, pair by pair.
#include <fmt/core.h>
#include <mpi.h>
#include <unistd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "aapc/algorithm.hpp"
#include "aapc/bound.hpp"
#include "aapc/mpi/exchange.hpp"
#include "aapc/topology_file.hpp"

namespace {

using namespace aapc;

/// What makes a payload unmistakable: source, destination and offset are all in it.
std::uint64_t pattern(Rank from, Rank to, std::size_t word) {
    std::uint64_t value = (static_cast<std::uint64_t>(from) << 40) ^ (static_cast<std::uint64_t>(to) << 20) ^ word;
    value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
    value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
    return value ^ (value >> 31);
}

void fill(std::byte* block, std::size_t bytes, Rank from, Rank to) {
    for (std::size_t offset = 0; offset < bytes; offset += sizeof(std::uint64_t)) {
        const std::uint64_t value = pattern(from, to, offset);
        std::memcpy(block + offset, &value, std::min(sizeof value, bytes - offset));
    }
}

bool holds(const std::byte* block, std::size_t bytes, Rank from, Rank to) {
    for (std::size_t offset = 0; offset < bytes; offset += sizeof(std::uint64_t)) {
        const std::uint64_t value = pattern(from, to, offset);
        if (std::memcmp(block + offset, &value, std::min(sizeof value, bytes - offset)) != 0) {
            return false;
        }
    }
    return true;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

/// Waits for a request without keeping the processor from the other ranks. In the lab ranks outnumber cores, and an MPI
/// that spins in the barrier behind a call would slow down the ranks that are still in the call.
void wait_patiently(MPI_Request request) {
    int done = 0;
    while (MPI_Test(&request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && done == 0) {
        usleep(100);
    }
}

void barrier() {
    MPI_Request request = MPI_REQUEST_NULL;
    MPI_Ibarrier(MPI_COMM_WORLD, &request);
    wait_patiently(request);
}

/// The largest of each value over all ranks, everywhere.
void maximise(double* values, int count) {
    MPI_Request request = MPI_REQUEST_NULL;
    const std::vector<double> own(values, values + count);
    MPI_Iallreduce(own.data(), values, count, MPI_DOUBLE, MPI_MAX, MPI_COMM_WORLD, &request);
    wait_patiently(request);
}

struct Candidate {
    std::string name;
    std::unique_ptr<mpi::Exchange> exchange;  ///< none: the MPI's own routine
    std::vector<double> seconds;
};

struct Options {
    std::string topology;
    std::vector<std::string> sizes = {"8Ki", "32Ki", "128Ki", "512Ki"};
    std::vector<std::string> candidates = {"native", "sender", "timed"};
    std::string variant;
    int repeats = 7;
    int warm_up = 2;
    double most_seconds = 30;
    bool each = false;
};

[[noreturn]] void give_up(const Diagnostic& diagnostic) {
    fmt::print(stderr, "{}\n", to_string(diagnostic));
    MPI_Abort(MPI_COMM_WORLD, 2);
    std::abort();
}

/// One line about one call, with what `timed` says of its slowest rank. Collective.
void report_call(const Candidate& candidate, std::size_t bytes, double seconds) {
    int rank = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    const mpi::ExchangeReport report = candidate.exchange ? candidate.exchange->report() : mpi::ExchangeReport{};
    double worst[2] = {report.late_seconds, report.agreement_seconds};
    maximise(worst, 2);
    if (rank == 0) {
        fmt::print("#   {} {} {:.4f} s, pace {:.3f}, scheduled {:.4f} s, late {:.4f} s, agreement {:.4f} s\n", bytes,
                   candidate.name, seconds, report.pace, report.scheduled_seconds, worst[0], worst[1]);
    }
}

void run(const Options& options) {
    int rank = 0;
    int ranks = 0;
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);

    const auto network = read_topology_file(options.topology);
    if (!network) {
        give_up(network.error());
    }
    char host[256] = {};
    gethostname(host, sizeof host - 1);
    Machine machine = network->find_machine(host);
    if (machine < 0) {
        give_up({options.topology, 0, 0, fmt::format("does not name this machine, {}", host), "add it"});
    }
    Demand demand;
    demand.machine_of.resize(static_cast<std::size_t>(ranks));
    MPI_Allgather(&machine, 1, MPI_INT32_T, demand.machine_of.data(), 1, MPI_INT32_T, MPI_COMM_WORLD);
    const Bound bound = tree_bound(*network, demand);

    const auto timetable = build_timetable(**find_algorithm("tree"), options.variant, *network, demand);
    if (!timetable) {
        give_up(timetable.error());
    }
    std::vector<Candidate> candidates;
    for (const std::string& name : options.candidates) {
        Candidate candidate{name, nullptr, {}};
        if (name != "native") {
            const auto synchronisation = parse_synchronisation(name);
            if (!synchronisation) {
                give_up(synchronisation.error());
            }
            mpi::ExchangeOptions settings;
            settings.bits_per_second = bound.slowest_bits_per_second;
            if (mpi::Exchange::create(MPI_COMM_WORLD, make_plan(**timetable, rank, *synchronisation), settings,
                                      candidate.exchange) != MPI_SUCCESS) {
                give_up({"", 0, 0, "the exchange cannot be set up", ""});
            }
        }
        candidates.push_back(std::move(candidate));
    }
    if (rank == 0) {
        char version[MPI_MAX_LIBRARY_VERSION_STRING] = {};
        int length = 0;
        MPI_Get_library_version(version, &length);
        fmt::print("# {} ranks, bound {} messages, {}\n# fraction of the bound (median of {}), and native/candidate\n",
                   ranks, bound.messages, std::string(version).substr(0, 24), options.repeats);
        fmt::print("{:>9}", "bytes");
        for (const Candidate& candidate : candidates) {
            fmt::print("{:>16}", candidate.name);
        }
        fmt::print("\n");
    }

    for (const std::string& size_text : options.sizes) {
        const auto size = parse_size(size_text);
        if (!size) {
            give_up(size.error());
        }
        const auto bytes = static_cast<std::size_t>(*size);
        std::vector<std::byte> send(bytes * static_cast<std::size_t>(ranks));
        std::vector<std::byte> receive(send.size());
        for (Rank to = 0; to < ranks; ++to) {
            fill(send.data() + static_cast<std::size_t>(to) * bytes, bytes, rank, to);
        }
        for (Candidate& candidate : candidates) {
            candidate.seconds.clear();
        }
        const double started = MPI_Wtime();
        bool wrong = false;
        for (int repeat = -options.warm_up; repeat < options.repeats; ++repeat) {
            for (Candidate& candidate : candidates) {
                std::fill(receive.begin(), receive.end(), std::byte{0xee});
                barrier();
                const double before = MPI_Wtime();
                if (candidate.exchange) {
                    if (candidate.exchange->run(send.data(), receive.data(), bytes) != MPI_SUCCESS) {
                        give_up({"", 0, 0, "an exchange failed", ""});
                    }
                } else {
                    PMPI_Alltoall(send.data(), static_cast<int>(bytes), MPI_BYTE, receive.data(),
                                  static_cast<int>(bytes), MPI_BYTE, MPI_COMM_WORLD);
                }
                double seconds = MPI_Wtime() - before;
                barrier();  // behind every call, as in the papers; validating must not steal time from those still in
                            // it
                for (Rank from = 0; from < ranks; ++from) {
                    wrong |= !holds(receive.data() + static_cast<std::size_t>(from) * bytes, bytes, from, rank);
                }
                maximise(&seconds, 1);
                if (repeat >= 0) {
                    candidate.seconds.push_back(seconds);
                }
                if (options.each) {
                    report_call(candidate, bytes, seconds);
                }
            }
            double elapsed = MPI_Wtime() - started;
            maximise(&elapsed, 1);
            if (repeat >= 2 && elapsed > options.most_seconds) {
                break;
            }
        }
        if (wrong) {
            give_up({"", 0, 0, fmt::format("rank {} got wrong data", rank), ""});
        }
        if (rank == 0) {
            constexpr double wire_over_payload = 1514.0 / 1448.0;
            const double best = bound.seconds_per_byte * static_cast<double>(bytes) * wire_over_payload;
            fmt::print("{:>9}", bytes);
            for (const Candidate& candidate : candidates) {
                std::vector<double> ratios;
                for (std::size_t repeat = 0; repeat < candidate.seconds.size(); ++repeat) {
                    ratios.push_back(candidates.front().seconds[repeat] / candidate.seconds[repeat]);
                }
                fmt::print("{:>8.3f} x{:<6.2f}", best / median(candidate.seconds), median(ratios));
            }
            fmt::print("\n");
            std::fflush(stdout);
        }
    }
}

}  // namespace

int main(int argc, char** argv) {
    MPI_Init(&argc, &argv);
    Options options;
    CLI::App app{"All-to-all on real wires: this MPI's own and ours, interleaved."};
    app.add_option("--topology", options.topology, "topology file")->required();
    app.add_option("--sizes", options.sizes, "bytes a pair")->delimiter(',')->capture_default_str();
    app.add_option("--candidates", options.candidates,
                   "native, none, sender, receiver, timed; ratios are against the first")
        ->delimiter(',')
        ->capture_default_str();
    app.add_option("--variant", options.variant, "variant of the tree schedule");
    app.add_option("--repeats", options.repeats)->capture_default_str();
    app.add_option("--warm-up", options.warm_up)->capture_default_str();
    app.add_option("--most-seconds", options.most_seconds, "stop repeating a size after so long")
        ->capture_default_str();
    app.add_flag("--each", options.each, "print every call");
    try {
        app.parse(argc, argv);
        run(options);
    } catch (const CLI::ParseError& error) {
        app.exit(error);
        MPI_Finalize();
        return 2;
    }
    MPI_Finalize();
    return 0;
}
