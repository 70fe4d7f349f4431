// `aapc doctor` as an MPI program: aapc-doctor-<mpi>.
#include <dlfcn.h>
#include <fmt/format.h>
#include <mpi.h>
#include <netdb.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "aapc/input/statistics.hpp"
#include "aapc/methods/method.hpp"
#include "aapc/mpi/machine_memory.hpp"
#include "aapc/topology/detection.hpp"
#include "aapc/topology/routes.hpp"
#include "bench/collective.hpp"
#include "bench/doctor_report.hpp"
#include "bench/flow_meter.hpp"
#include "bench/harness.hpp"
#include "bench/program.hpp"
#include "bench/provenance.hpp"
#include "console/job_output.hpp"
#include "console/output.hpp"
#include "input/environment.hpp"
#include "mpi/rest.hpp"
#include "offline/discovery/rounds.hpp"

namespace {

using namespace aapc;
using namespace aapc::bench;
using discovery::Flow;
using discovery::Round;

constexpr int clock_tag = 13;
/// Payload and what goes with it, over payload: 1514 of 1448 bytes on Ethernet, and acknowledgements.
constexpr double wire_over_payload = 1 / 0.946;

/// The last number of a file of /proc; -1: there is none.
std::int64_t last_number(const char* file) {
    std::ifstream stream(file);
    std::int64_t number = -1;
    for (std::int64_t next = 0; stream >> next;) {
        number = next;
    }
    return number;
}

double seconds_of(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

/// The largest packet on the way to a host, as this machine's routes know it; -1: its name is not resolved.
std::int32_t path_mtu(const std::string& host) {
    addrinfo hints{};
    hints.ai_family = AF_INET;
    hints.ai_socktype = SOCK_DGRAM;
    addrinfo* found = nullptr;
    if (getaddrinfo(host.c_str(), "9", &hints, &found) != 0) {
        return -1;
    }
    int mtu = -1;
    const int socket_ = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, 0);
    // Nothing is sent: a datagram socket that is connected knows its route.
    if (socket_ >= 0 && connect(socket_, found->ai_addr, found->ai_addrlen) == 0) {
        socklen_t length = sizeof mtu;
        if (getsockopt(socket_, IPPROTO_IP, IP_MTU, &mtu, &length) != 0) {
            mtu = -1;
        }
    }
    if (socket_ >= 0) {
        close(socket_);
    }
    freeaddrinfo(found);
    return mtu;
}

void measure_wake_ups(RankFacts& facts) {
    constexpr int naps = 200;
    constexpr double nap_seconds = 1e-4;
    const mpi::PunctualSleep punctual;
    std::vector<double> late;
    for (int nap = 0; nap < naps; ++nap) {
        const double begin = mpi::now_seconds();
        usleep(static_cast<useconds_t>(1e6 * nap_seconds));
        late.push_back(std::max(0.0, mpi::now_seconds() - begin - nap_seconds));
    }
    facts.late = median(late);
    facts.late_sometimes = quantile(late, 0.99);
}

/// What rank 0's machine's clocks show more than this one's.
struct Reading {
    double steady = 0;
    double wall = 0;
    double round_trip = 1e9;
    double at = 0;
};

class Doctor {
  public:
    Doctor(const DoctorOptions& options, std::unique_ptr<Harness> harness)
        : options_(options),
          harness_(std::move(harness)),
          comm_(harness_->communicator()),
          output_("aapc doctor", harness_->rank() == 0),
          machines_(static_cast<Machine>(harness_->network().machines().size())) {}

    int run() {
        const std::string topology = shared_text(comm_, options_.topology);
        if (!topology.empty() && !asks_for_detection(topology)) {
            auto declared = shared_topology(comm_, topology);
            if (!declared) {
                return output_.refuse(declared.error());
            }
            declared_ = std::make_unique<Network>(std::move(*declared));
            facts_.topology = topology;
            facts_.declared_mtu = declared_->mtu_bytes();
        }
        facts_.mpi = short_mpi_version();
        facts_.library = fmt::format("libaapc-{}.so", AAPC_MPI);
        look_around();
        const Reading before = compare_clocks();
        barrier(comm_);
        measure_wake_ups(own_);
        find_shared_memory();
        measure_speeds();
        measure_reductions();
        measure_start();
        // The longer apart, the better drift shows.
        constexpr double least_baseline = 1;
        mpi::rest_until(before.at + least_baseline, least_baseline);
        barrier(comm_);
        note_clocks(before, compare_clocks());
        gather();
        return report();
    }

  private:
    [[nodiscard]] std::string next_host() const {
        // The first rank of the next machine.
        const std::vector<Machine>& machine_of = harness_->placement().machine_of;
        const Machine next = (machine_of[static_cast<std::size_t>(harness_->rank())] + 1) % machines_;
        const auto rank = std::find(machine_of.begin(), machine_of.end(), next) - machine_of.begin();
        return real_names_[static_cast<std::size_t>(rank)];
    }

    void look_around() {
        host_name().copy(own_.host.data(), own_.host.size() - 1);
        own_.interposer = harness_->interposer_is_there() ? 1 : 0;
        own_.in_topology = declared_ == nullptr ? -1 : declared_->find_machine(host_name()) >= 0 ? 1 : 0;
        congestion_control().copy(own_.congestion_control.data(), own_.congestion_control.size() - 1);
        own_.slow_start_after_idle =
            static_cast<std::int32_t>(last_number("/proc/sys/net/ipv4/tcp_slow_start_after_idle"));
        own_.send_buffer = last_number("/proc/sys/net/ipv4/tcp_wmem");
        own_.receive_buffer = last_number("/proc/sys/net/ipv4/tcp_rmem");
        struct statvfs room {};
        if (statvfs("/dev/shm", &room) == 0) {
            own_.shared_memory_free = static_cast<std::int64_t>(room.f_bavail * room.f_frsize);
        }
        timespec resolution{};
        clock_getres(CLOCK_MONOTONIC, &resolution);
        own_.clock_resolution = static_cast<double>(resolution.tv_sec) + 1e-9 * static_cast<double>(resolution.tv_nsec);
        // What MPI's hosts call themselves, whatever AAPC_HOSTNAME says.
        std::array<char, longest_host_name> name{};
        gethostname(name.data(), name.size() - 1);
        std::vector<char> all(name.size() * harness_->host_names().size());
        PMPI_Allgather(name.data(), static_cast<int>(name.size()), MPI_CHAR, all.data(), static_cast<int>(name.size()),
                       MPI_CHAR, comm_);
        for (std::size_t rank = 0; rank < harness_->host_names().size(); ++rank) {
            real_names_.emplace_back(all.data() + rank * name.size());
        }
        own_.path_mtu = machines_ < 2 ? 0 : path_mtu(next_host());
    }

    /// Every rank asks rank 0 in turn; of several answers the fastest counts.
    Reading compare_clocks() {
        constexpr int questions = 20;
        Reading best;
        best.at = mpi::now_seconds();
        const auto ranks = static_cast<Rank>(real_names_.size());
        for (Rank asking = 1; asking < ranks; ++asking) {
            for (int question = 0; question < questions; ++question) {
                std::array<double, 2> clocks{};
                if (harness_->rank() == 0) {
                    PMPI_Recv(nullptr, 0, MPI_DOUBLE, asking, clock_tag, comm_, MPI_STATUS_IGNORE);
                    clocks = {seconds_of(CLOCK_MONOTONIC), seconds_of(CLOCK_REALTIME)};
                    PMPI_Send(clocks.data(), 2, MPI_DOUBLE, asking, clock_tag, comm_);
                } else if (harness_->rank() == asking) {
                    const double begin = seconds_of(CLOCK_MONOTONIC);
                    PMPI_Send(nullptr, 0, MPI_DOUBLE, 0, clock_tag, comm_);
                    PMPI_Recv(clocks.data(), 2, MPI_DOUBLE, 0, clock_tag, comm_, MPI_STATUS_IGNORE);
                    const double end = seconds_of(CLOCK_MONOTONIC);
                    const double wall = seconds_of(CLOCK_REALTIME);
                    if (end - begin < best.round_trip) {
                        const double middle = (begin + end) / 2;
                        best = {clocks[0] - middle, clocks[1] - (wall - (end - middle)), end - begin, end};
                    }
                }
            }
            barrier(comm_);
        }
        return best;
    }

    void note_clocks(const Reading& before, const Reading& after) {
        if (harness_->rank() == 0) {
            own_.drift_uncertainty = 0;
            return;
        }
        const double baseline = after.at - before.at;
        own_.wall_offset = -after.wall;
        own_.clock_drift = -(after.steady - before.steady) / baseline;
        own_.drift_uncertainty = (before.round_trip + after.round_trip) / 2 / baseline;
        own_.round_trip = std::min(before.round_trip, after.round_trip);
    }

    void find_shared_memory() {
        const Placement& placement = harness_->placement();
        facts_.several_on_a_machine = placement.participants() > machines_;
        std::unique_ptr<aapc::mpi::MachineMemory> memory;
        if (aapc::mpi::MachineMemory::create(comm_, placement, SharedMemory::tickets_and_copies, memory) ==
                MPI_SUCCESS &&
            memory) {
            facts_.shared_memory = static_cast<int>(memory->available());
        }
    }

    void measure_reductions() {
        constexpr int reductions = 100;
        if (real_names_.size() < 2) {
            return;
        }
        std::vector<double> took;
        for (int reduction = 0; reduction < reductions; ++reduction) {
            const double begin = mpi::now_seconds();
            double sum = begin;
            PMPI_Allreduce(MPI_IN_PLACE, &sum, 1, MPI_DOUBLE, MPI_MAX, comm_);
            took.push_back(mpi::now_seconds() - begin);
        }
        facts_.reduction_seconds = median(took);
    }

    /// A schedule takes speeds, which only a topology file has.
    void measure_start() {
        if (machines_ < 2 || declared_ == nullptr) {
            return;
        }
        const auto harness = Harness::create(comm_, *declared_);
        const auto method = parse_method("lattice", declared_->kind());
        if (!harness || !method) {
            return;
        }
        if (const auto seconds = (*harness)->measure_start(*method)) {
            facts_.start_seconds = *seconds;
        }
    }

    void measure_speeds() {
        if (machines_ < 2) {
            return;
        }
        FlowMeter meter(comm_, harness_->placement(), machines_);
        constexpr Machine spread = 8;
        const Machine stride = std::min(spread, machines_);
        std::vector<Round> rounds;
        for (Machine first = 0; first < stride && harness_->rank() == 0; ++first) {
            rounds.push_back(discovery::sparse(machines_, first, stride));
        }
        const std::vector<Round> pilot =
            meter.measure({rounds.begin(), rounds.begin() + (rounds.empty() ? 0 : 1)}, options_.round);
        meter.set_chunk(pilot.front().front().bytes_per_second, options_.round);
        const std::vector<Round> once = meter.measure(rounds, options_.round);
        const std::vector<Round> again = meter.measure(rounds, options_.round);
        for (std::size_t round = 0; round < once.size(); ++round) {
            for (std::size_t flow = 0; flow < once[round].size(); ++flow) {
                const Flow& one = once[round][flow];
                note_speed(one, std::max(one.bytes_per_second, again[round][flow].bytes_per_second));
            }
        }
    }

    void note_speed(const Flow& flow, double bytes_per_second) {
        constexpr double bits_in_a_byte = 8;
        SpeedFact fact{harness_->network().machine_name(flow.from), harness_->network().machine_name(flow.to), 0,
                       bits_in_a_byte * bytes_per_second * wire_over_payload};
        const Machine from = declared_ == nullptr ? -1 : declared_->find_machine(fact.from);
        const Machine to = declared_ == nullptr ? -1 : declared_->find_machine(fact.to);
        if (from >= 0 && to >= 0) {
            if (const auto routes = Routes::find(*declared_)) {
                std::vector<DirectedLink> route;
                routes->append(from, to, route);
                for (const DirectedLink directed : route) {
                    const Link& link = declared_->links()[static_cast<std::size_t>(directed / 2)];
                    fact.declared = fact.declared == 0 ? link.flow_bits_per_second()
                                                       : std::min(fact.declared, link.flow_bits_per_second());
                }
            }
        }
        facts_.speeds.push_back(std::move(fact));
    }

    void gather() {
        facts_.ranks.resize(real_names_.size());
        MPI_Request request = MPI_REQUEST_NULL;
        PMPI_Igather(&own_, sizeof own_, MPI_BYTE, facts_.ranks.data(), sizeof own_, MPI_BYTE, 0, comm_, &request);
        mpi::wait_patiently(request);
    }

    int report() {
        int status = cli::done;
        if (output_.speaks()) {
            const std::vector<DoctorLine> lines = diagnose(facts_);
            status = cli::write_output(options_.output,
                                       options_.format == "json" ? doctor_json(facts_, lines) : doctor_table(lines));
            const bool wrong = std::any_of(lines.begin(), lines.end(),
                                           [](const DoctorLine& line) { return line.finding == Finding::bad; });
            status = status == cli::done && wrong ? cli::check_failed : status;
        }
        return status_of_rank_0(comm_, status);
    }

    const DoctorOptions& options_;
    std::unique_ptr<Harness> harness_;
    MPI_Comm comm_;
    cli::JobOutput output_;
    Machine machines_;
    std::unique_ptr<Network> declared_;
    std::vector<std::string> real_names_;
    RankFacts own_;
    DoctorFacts facts_;
};

int run_doctor(int argc, char** argv) {
    return run_where_found<Doctor>("aapc doctor", "Says what is wrong with this cluster. Started by aapc doctor.",
                                   add_doctor_options, argc, argv);
}

}  // namespace

int main(int argc, char** argv) { return end_job_on_exception("aapc doctor", run_doctor, argc, argv); }
