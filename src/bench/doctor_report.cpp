#include "bench/doctor_report.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/units.hpp"
#include "bench/common_options.hpp"
#include "input/enumerator_names.hpp"
#include "input/version.hpp"
#include "selection/start.hpp"

namespace aapc::bench {

namespace {

/// What ranks have in common, and who differs: "cubic; n3 has reno".
struct Opinion {
    std::string text;
    std::string usual;
    bool unanimous = true;
};

/// Each host once, as a hostlist.
std::string hosts_text(std::vector<std::string> hosts) {
    std::vector<std::string> once;
    for (std::string& host : hosts) {
        if (std::find(once.begin(), once.end(), host) == once.end()) {
            once.push_back(std::move(host));
        }
    }
    return compact_hostlist(once);
}

std::string host_of(const RankFacts& rank) { return rank.host.data(); }

Opinion opinion(const std::vector<RankFacts>& ranks, const std::function<std::string(const RankFacts&)>& value) {
    std::map<std::string, std::vector<std::string>> hosts;
    for (const RankFacts& rank : ranks) {
        hosts[value(rank)].push_back(host_of(rank));
    }
    const auto usual = std::max_element(hosts.begin(), hosts.end(), [](const auto& one, const auto& other) {
        return one.second.size() < other.second.size();
    });
    Opinion opinion{usual->first, usual->first, hosts.size() == 1};
    for (const auto& [other, of] : hosts) {
        if (other != usual->first) {
            opinion.text += fmt::format("; on {}: {}", hosts_text(of), other);
        }
    }
    return opinion;
}

/// Hosts of ranks for which `holds` is true; empty if of none.
std::string hosts_where(const std::vector<RankFacts>& ranks, const std::function<bool(const RankFacts&)>& holds) {
    std::vector<std::string> hosts;
    for (const RankFacts& rank : ranks) {
        if (holds(rank)) {
            hosts.push_back(host_of(rank));
        }
    }
    return hosts.empty() ? "" : hosts_text(std::move(hosts));
}

/// The rank for which `value` is largest. `value` is a pointer, not a std::function: GCC 14 takes the result for a
/// reference into a temporary function object (-Wdangling-reference).
const RankFacts& worst(const std::vector<RankFacts>& ranks, double (*value)(const RankFacts&)) {
    return *std::max_element(ranks.begin(), ranks.end(),
                             [&](const RankFacts& one, const RankFacts& other) { return value(one) < value(other); });
}

DoctorLine check_interposer(const DoctorFacts& facts) {
    DoctorLine line{"interposer", Finding::good, fmt::format("{} is loaded on all ranks", facts.library), ""};
    const std::string missing = hosts_where(facts.ranks, [](const RankFacts& rank) { return rank.interposer == 0; });
    if (!missing.empty()) {
        line.finding = Finding::bad;
        line.found = fmt::format("{} is not loaded on {}", facts.library, missing);
        line.advice =
            "install aapc at the same path on every node; programs get the library by aapc exec -- ./app, or "
            "by LD_PRELOAD for the ranks alone";
    }
    return line;
}

DoctorLine check_names(const DoctorFacts& facts) {
    if (facts.topology.empty()) {
        return {"machines", Finding::remark, "no topology file is given",
                "give --topology FILE or AAPC_TOPOLOGY; aapc discover writes one"};
    }
    const std::string unknown = hosts_where(facts.ranks, [](const RankFacts& rank) { return rank.in_topology == 0; });
    if (unknown.empty()) {
        return {"machines", Finding::good, fmt::format("all hosts of this job are in {}", facts.topology), ""};
    }
    return {"machines", Finding::bad, fmt::format("{} does not have {}", facts.topology, unknown),
            "add them to their switches, or set AAPC_HOSTNAME where a host calls itself differently"};
}

DoctorLine check_resolution(const DoctorFacts& facts) {
    const RankFacts& coarsest = worst(facts.ranks, [](const RankFacts& rank) { return rank.clock_resolution; });
    DoctorLine line{
        "clock: resolution", Finding::good,
        fmt::format("{} or finer", duration_text(coarsest.clock_resolution, significant(3), DurationUnit::nanoseconds)),
        ""};
    constexpr double coarse = 1e-6;
    if (coarsest.clock_resolution > coarse) {
        line.finding = Finding::bad;
        line.found =
            fmt::format("{} on {}", duration_text(coarsest.clock_resolution, significant(3)), host_of(coarsest));
        line.advice = "choose the clock source tsc (/sys/devices/system/clocksource)";
    }
    return line;
}

DoctorLine check_offset(const DoctorFacts& facts) {
    const auto apart = [](const RankFacts& rank) { return std::abs(rank.wall_offset); };
    const RankFacts& most = worst(facts.ranks, apart);
    constexpr double tolerable = 0.01;
    DoctorLine line{"clock: offset", Finding::good,
                    fmt::format("wall clocks are at most {} from rank 0's",
                                duration_text(apart(most), decimals(0), DurationUnit::nanoseconds)),
                    ""};
    if (apart(most) > tolerable) {
        line.finding = Finding::remark;
        line.found +=
            fmt::format(" ({})", hosts_where(facts.ranks, [&](const auto& rank) { return apart(rank) > tolerable; }));
        line.advice = "start chrony or another NTP client there; aapc itself does not go by wall clocks";
    }
    return line;
}

DoctorLine check_drift(const DoctorFacts& facts) {
    // What the execution follows without a word (src/mpi/grid_clock.cpp).
    constexpr double followed = 200e-6;
    constexpr double parts_per_million = 1e6;
    const auto certain = [](const RankFacts& rank) {
        return std::max(0.0, std::abs(rank.clock_drift) - std::max(0.0, rank.drift_uncertainty));
    };
    const RankFacts& most = worst(facts.ranks, certain);
    DoctorLine line{"clock: drift", Finding::good,
                    fmt::format("steady clocks run apart by {:.1f} ppm at most, give or take {:.1f}",
                                parts_per_million * std::abs(most.clock_drift),
                                parts_per_million * std::max(0.0, most.drift_uncertainty)),
                    ""};
    if (certain(most) > followed) {
        line.finding = Finding::bad;
        line.found += fmt::format(" ({})", host_of(most));
        line.advice = "that is more than aapc follows: look at that machine's clock source and at its NTP client";
    }
    return line;
}

DoctorLine check_wake_ups(const DoctorFacts& facts) {
    const RankFacts& latest = worst(facts.ranks, [](const RankFacts& rank) { return rank.late_sometimes; });
    DoctorLine line{"wake-ups", Finding::good,
                    fmt::format("from a nap of 100 µs {} late, one time in a hundred {} and more (worst: {})",
                                duration_text(latest.late, decimals(0)),
                                duration_text(latest.late_sometimes, decimals(0)), host_of(latest)),
                    ""};
    constexpr double a_slot = 500e-6;
    if (latest.late_sometimes > a_slot) {
        line.finding = Finding::remark;
        line.advice = fmt::format(
            "timed exchanges take longer slots then: give every rank a core of its own, and look for other work on {}",
            hosts_where(facts.ranks, [](const RankFacts& rank) { return rank.late_sometimes > a_slot; }));
    }
    return line;
}

DoctorLine check_reductions(const DoctorFacts& facts) {
    if (facts.reduction_seconds < 0) {
        return {"reductions", Finding::good, "one rank; there are none", ""};
    }
    const auto messages = static_cast<int>(std::bit_width(facts.ranks.size() - 1));
    return {"reductions", Finding::good,
            fmt::format("one of 8 bytes over all ranks takes {}: {} messages in a row of {}",
                        duration_text(facts.reduction_seconds, significant(3)), messages,
                        duration_text(facts.reduction_seconds / messages, significant(3))),
            ""};
}

DoctorLine check_start(const DoctorFacts& facts) {
    if (facts.start_seconds < 0 || facts.reduction_seconds <= 0) {
        return {"start", Finding::good,
                "not measured: that takes a topology file with the speeds of links, and two machines", ""};
    }
    const double expected = selection::usual_reductions_of_start * facts.reduction_seconds;
    DoctorLine line{
        "start", Finding::good,
        fmt::format("a scheduled exchange takes {} beyond its schedule; {} reductions, which is usual, take {}",
                    duration_text(facts.start_seconds, significant(3)), selection::usual_reductions_of_start,
                    duration_text(expected, significant(3))),
        ""};
    constexpr double much = 3;
    if (facts.start_seconds > much * expected) {
        line.finding = Finding::remark;
        line.advice =
            "only long exchanges can gain then: give every rank a core of its own, and look for other work on the "
            "hosts";
    }
    return line;
}

/// "19.8 Gbit/s to 20.3 Gbit/s", or one speed where they are the same in three digits. There is at least one.
std::string speeds_text(const std::vector<SpeedFact>& speeds) {
    const auto text = [](double speed) {
        const double unit = std::pow(10, std::floor(std::log10(std::max(speed, 1.0))) - 2);
        return speed_text(std::round(speed / unit) * unit);
    };
    const auto [least, most] =
        std::minmax_element(speeds.begin(), speeds.end(),
                            [](const SpeedFact& one, const SpeedFact& other) { return one.measured < other.measured; });
    const std::string low = text(least->measured);
    const std::string high = text(most->measured);
    return low == high ? low : fmt::format("{} to {}", low, high);
}

/// Which streams these are: "n0 to n1", or for several "from n[0-3] to n[1-4]".
std::string streams_text(const std::vector<SpeedFact>& speeds) {
    if (speeds.size() == 1) {
        return fmt::format("{} to {}", speeds.front().from, speeds.front().to);
    }
    std::vector<std::string> from;
    std::vector<std::string> to;
    for (const SpeedFact& speed : speeds) {
        from.push_back(speed.from);
        to.push_back(speed.to);
    }
    return fmt::format("{} streams from {} to {}", speeds.size(), hosts_text(from), hosts_text(to));
}

DoctorLine check_speeds(const DoctorFacts& facts) {
    if (facts.speeds.empty()) {
        return {"speeds", Finding::remark, "all ranks are on one machine", "start ranks on at least two"};
    }
    const bool declared = facts.speeds.front().declared > 0;
    std::map<std::pair<double, bool>, std::vector<SpeedFact>> wrong;  // by declared speed, slower and faster ones
    constexpr double nearly = 0.85;
    for (const SpeedFact& speed : facts.speeds) {
        const double share = speed.declared > 0 ? speed.measured / speed.declared : 1;
        if (share < nearly || share > 1 / nearly) {
            wrong[{speed.declared, share > 1}].push_back(speed);
        }
    }
    const std::string range = fmt::format("streams carry {}", speeds_text(facts.speeds));
    if (!declared) {
        return {"speeds", Finding::remark, range + "; none is declared", "aapc discover writes a topology file"};
    }
    if (wrong.empty()) {
        return {"speeds", Finding::good, range + ", as declared", ""};
    }
    std::vector<std::string> groups;
    groups.reserve(wrong.size());
    for (const auto& [key, speeds] : wrong) {
        groups.push_back(
            fmt::format("{}: {} instead of {}", streams_text(speeds), speeds_text(speeds), speed_text(key.first)));
    }
    return {"speeds", Finding::bad, fmt::format("{}", fmt::join(groups, "; ")),
            "look for other traffic, a slow cable or card (ethtool), or another interface than you think; else correct "
            "the topology file (aapc discover measures it)"};
}

DoctorLine check_mtu(const DoctorFacts& facts) {
    const auto text = [](const RankFacts& rank) {
        return rank.path_mtu > 0    ? fmt::format("{} bytes", rank.path_mtu)
               : rank.path_mtu == 0 ? std::string("no other machine")
                                    : std::string("the next machine's name is not resolved");
    };
    const Opinion paths = opinion(facts.ranks, text);
    DoctorLine line{"path MTU", Finding::good, paths.text, ""};
    const std::string wrong = hosts_where(facts.ranks, [&](const RankFacts& rank) {
        return rank.path_mtu > 0 && facts.declared_mtu > 0 && rank.path_mtu != facts.declared_mtu;
    });
    if (!paths.unanimous) {
        line.finding = Finding::bad;
        line.advice = "give all machines and switch ports the same MTU, and names that all machines resolve";
    } else if (!wrong.empty()) {
        line.finding = Finding::remark;
        line.found += fmt::format("; {} says {}", facts.topology, facts.declared_mtu);
        line.advice = "write mtu = ... below [network] as it is on the path that MPI takes";
    }
    return line;
}

DoctorLine check_buffers(const DoctorFacts& facts) {
    const auto text = [](const RankFacts& rank) {
        return fmt::format("sends {}, receives {}", size_text(rank.send_buffer), size_text(rank.receive_buffer));
    };
    const Opinion buffers = opinion(facts.ranks, text);
    double fastest = 0;
    for (const SpeedFact& speed : facts.speeds) {
        fastest = std::max(fastest, speed.measured);
    }
    const double trip = std::max(0.0, worst(facts.ranks, [](const auto& rank) { return rank.round_trip; }).round_trip);
    constexpr double bits = 8;
    // Twice what is under way in a round trip, and in any case what a few segments take.
    const auto wanted = static_cast<std::int64_t>(std::max(2 * fastest / bits * trip, 1.0 * (1 << 20)));
    const std::string small = hosts_where(facts.ranks, [&](const RankFacts& rank) {
        return rank.send_buffer >= 0 && std::min(rank.send_buffer, rank.receive_buffer) < wanted;
    });
    DoctorLine line{"TCP buffers", buffers.unanimous ? Finding::good : Finding::remark, "at most: " + buffers.text,
                    buffers.unanimous ? "" : "set net.ipv4.tcp_wmem and tcp_rmem alike on all machines"};
    if (!small.empty()) {
        line.finding = Finding::bad;
        line.advice = fmt::format("raise the last number of net.ipv4.tcp_wmem and tcp_rmem to {} or more on {}",
                                  size_text(wanted), small);
    }
    return line;
}

DoctorLine check_congestion_control(const DoctorFacts& facts) {
    const Opinion names = opinion(facts.ranks, [](const RankFacts& rank) { return rank.congestion_control.data(); });
    return {"congestion control", names.unanimous ? Finding::good : Finding::bad, names.text,
            names.unanimous ? "" : "set net.ipv4.tcp_congestion_control alike: one kind drives the other out"};
}

DoctorLine check_slow_start(const DoctorFacts& facts) {
    const Opinion idle = opinion(facts.ranks, [](const RankFacts& rank) {
        return rank.slow_start_after_idle == 0   ? std::string("off")
               : rank.slow_start_after_idle == 1 ? std::string("on")
                                                 : std::string("not known");
    });
    if (idle.unanimous && idle.usual != "on") {
        return {"slow start after idle", Finding::good, idle.text, ""};
    }
    return {"slow start after idle", Finding::remark, idle.text,
            "sysctl -w net.ipv4.tcp_slow_start_after_idle=0: exchanges come in bursts, and each would begin slowly"};
}

DoctorLine check_shared_memory(const DoctorFacts& facts) {
    constexpr std::int64_t little = 64 << 20;
    const std::string short_of_it = hosts_where(facts.ranks, [](const RankFacts& rank) {
        return rank.shared_memory_free >= 0 && rank.shared_memory_free < little;
    });
    if (!short_of_it.empty()) {
        return {"shared memory", Finding::bad,
                fmt::format("/dev/shm has less than {} left on {}", size_text(little), short_of_it),
                "remove what killed jobs left there, or mount it larger (docker: --shm-size)"};
    }
    if (!facts.several_on_a_machine) {
        return {"shared memory", Finding::good, "one rank a machine; not needed", ""};
    }
    if (facts.shared_memory == 2) {
        return {"shared memory", Finding::good, "ranks of a machine share memory and copy for each other", ""};
    }
    return {"shared memory", Finding::remark,
            facts.shared_memory == 1 ? "ranks of a machine share memory but may not copy for each other"
                                     : "ranks of a machine share no memory",
            "blocks within a machine go through the MPI; process_vm_readv takes kernel.yama.ptrace_scope = 0 or the "
            "capability SYS_PTRACE, and ranks in one container"};
}

constexpr EnumeratorNames<Finding, Finding::bad> finding_words({
    {Finding::good, "good"},
    {Finding::remark, "could be better"},
    {Finding::bad, "WRONG"},
});

constexpr EnumeratorNames<Finding, Finding::bad> finding_names({
    {Finding::good, "good"},
    {Finding::remark, "remark"},
    {Finding::bad, "wrong"},
});

using Json = nlohmann::ordered_json;

/// Null for what could not be found out.
template <class Number>
Json known(Number value) {
    return value < 0 ? Json() : Json(value);
}

Json switch_json(std::int32_t value) { return value < 0 ? Json() : Json(value != 0); }

Json rank_json(const RankFacts& rank, Rank number) {
    return {{"rank", number},
            {"host", host_of(rank)},
            {"interposer", rank.interposer != 0},
            {"in_topology", switch_json(rank.in_topology)},
            {"congestion_control", std::string(rank.congestion_control.data())},
            {"slow_start_after_idle", switch_json(rank.slow_start_after_idle)},
            {"path_mtu_bytes", known(rank.path_mtu)},
            {"send_buffer_bytes", known(rank.send_buffer)},
            {"receive_buffer_bytes", known(rank.receive_buffer)},
            {"shared_memory_free_bytes", known(rank.shared_memory_free)},
            {"clock_resolution_seconds", known(rank.clock_resolution)},
            {"wall_offset_seconds", rank.wall_offset},
            {"clock_drift", rank.clock_drift},
            {"clock_drift_uncertainty", known(rank.drift_uncertainty)},
            {"round_trip_seconds", known(rank.round_trip)},
            {"late_seconds", known(rank.late)},
            {"late_seconds_99_percent", known(rank.late_sometimes)}};
}

}  // namespace

void add_doctor_options(cli::Command& command, DoctorOptions& options) {
    command.option("FILE,--topology", options.topology, "topology file to hold the machines of this job against")
        .type_name("FILE")
        .from_environment("AAPC_TOPOLOGY");
    command.option("--round", options.round, "how long streams go to see how fast they are")
        .duration()
        .between_reals(0.01, 60)
        .show_default();
    add_output_options(command, options.format, {"table", "json"},
                       "table for people, json for programs (with what was found on each rank)", options.output);
    add_mpi_option(command, options.mpi);
}

std::vector<DoctorLine> diagnose(const DoctorFacts& facts) {
    const auto machines = hosts_where(facts.ranks, [](const RankFacts&) { return true; });
    return {
        {"MPI", Finding::good, fmt::format("{}; {} ranks on {}", facts.mpi, facts.ranks.size(), machines), ""},
        check_interposer(facts),
        check_names(facts),
        check_speeds(facts),
        check_mtu(facts),
        check_buffers(facts),
        check_congestion_control(facts),
        check_slow_start(facts),
        check_shared_memory(facts),
        check_resolution(facts),
        check_offset(facts),
        check_drift(facts),
        check_wake_ups(facts),
        check_reductions(facts),
        check_start(facts),
    };
}

std::string doctor_table(const std::vector<DoctorLine>& lines) {
    std::size_t checks = 0;
    for (const DoctorLine& line : lines) {
        checks = std::max(checks, line.check.size());
    }
    std::string text;
    for (const DoctorLine& line : lines) {
        text += fmt::format("{:<{}}  {:<15}  {}\n", line.check, checks, finding_words[line.finding], line.found);
        if (!line.advice.empty()) {
            text += fmt::format("{:<{}}  {:<15}  -> {}\n", "", checks, "", line.advice);
        }
    }
    return text;
}

std::string doctor_json(const DoctorFacts& facts, const std::vector<DoctorLine>& lines) {
    Json checks = Json::array();
    for (const DoctorLine& line : lines) {
        checks.push_back({{"check", line.check},
                          {"finding", finding_names[line.finding]},
                          {"found", line.found},
                          {"advice", line.advice.empty() ? Json() : Json(line.advice)}});
    }
    Json ranks = Json::array();
    for (const RankFacts& rank : facts.ranks) {
        ranks.push_back(rank_json(rank, static_cast<Rank>(ranks.size())));
    }
    Json streams = Json::array();
    for (const SpeedFact& speed : facts.speeds) {
        streams.push_back({{"from", speed.from},
                           {"to", speed.to},
                           {"declared_bits_per_second", speed.declared > 0 ? Json(speed.declared) : Json()},
                           {"measured_bits_per_second", speed.measured}});
    }
    const Json document = {{"format", "aapc-doctor/1"},
                           {"aapc", version()},
                           {"mpi", facts.mpi},
                           {"topology", facts.topology.empty() ? Json() : Json(facts.topology)},
                           {"reduction_seconds", known(facts.reduction_seconds)},
                           {"start_seconds", known(facts.start_seconds)},
                           {"checks", std::move(checks)},
                           {"ranks", std::move(ranks)},
                           {"streams", std::move(streams)}};
    return document.dump(2) + "\n";
}

}  // namespace aapc::bench
