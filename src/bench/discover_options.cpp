#include "bench/discover_options.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "aapc/archive/tuning.hpp"
#include "aapc/input/statistics.hpp"
#include "aapc/input/units.hpp"
#include "bench/common_options.hpp"
#include "input/version.hpp"
#include "offline/discovery/fit.hpp"

namespace aapc::bench {

namespace {

using discovery::Evidence;
using discovery::Findings;
using discovery::Group;

constexpr double bits_in_a_byte = 8;
/// Payload of what crosses an Ethernet link: 1448 of 1514 bytes one way, 1448 of 1547 with the acknowledgements of the
/// other; between the two.
constexpr double payload_share = 0.946;

double share_apart(double one, double other) { return std::abs(one / other - 1); }

std::string payload_text(double bytes_per_second) {
    const double bits = bits_in_a_byte * bytes_per_second;
    const double unit = std::pow(10, std::floor(std::log10(std::max(bits, 1.0))) - 2);
    return speed_text(std::round(bits / unit) * unit);
}

/// The machines' ports: what those of one speed have in common, so that one that was held up does not stand out.
std::vector<double> nominal_ports(const std::vector<double>& ports) {
    std::vector<double> sorted = ports;
    std::sort(sorted.begin(), sorted.end());
    std::vector<std::pair<double, double>> kinds;  // the fastest port of a kind, and its nominal speed
    constexpr double one_kind = 1.1;
    for (std::size_t first = 0; first < sorted.size();) {
        const auto end = std::upper_bound(sorted.begin(), sorted.end(), sorted[first] * one_kind);
        const std::vector<double> kind(sorted.begin() + static_cast<std::ptrdiff_t>(first), end);
        kinds.emplace_back(kind.back(), nominal_speed(median(kind)));
        first = static_cast<std::size_t>(end - sorted.begin());
    }
    std::vector<double> nominal;
    nominal.reserve(ports.size());
    for (const double port : ports) {
        nominal.push_back(
            std::find_if(kinds.begin(), kinds.end(), [&](const auto& kind) { return port <= kind.first; })->second);
    }
    return nominal;
}

/// The speed of most.
double most_common(std::vector<double> speeds) {
    std::sort(speeds.begin(), speeds.end());
    double best = speeds.front();
    std::ptrdiff_t most = 0;
    for (const double speed : speeds) {
        if (const auto count = std::count(speeds.begin(), speeds.end(), speed); count > most) {
            most = count;
            best = speed;
        }
    }
    return best;
}

/// Writes the file switch by switch.
class Writer {
  public:
    Writer(const Findings& findings, const DiscoveredWhere& where)
        : tree_(findings.tree),
          where_(where),
          parents_(parents(findings.tree)),
          switches_(switch_of(findings.tree)),
          nominal_(nominal_ports(findings.tree.ports)),
          usual_(most_common(nominal_)) {}

    [[nodiscard]] double usual() const { return usual_; }

    [[nodiscard]] std::string switch_table(int group) const {
        std::string text = fmt::format("\n[[switch]]\nname = \"{}\"\n", name(group));
        if (group >= 0) {
            text += uplink(group);
        }
        std::vector<std::string> names;
        std::vector<double> speeds;
        std::vector<double> carried;
        for (std::size_t machine = 0; machine < switches_.size(); ++machine) {
            if (switches_[machine] == group) {
                names.insert(names.end(), static_cast<std::size_t>(where_.ranks[machine]), where_.machines[machine]);
                speeds.push_back(nominal_[machine]);
                carried.push_back(tree_.ports[machine]);
            }
        }
        if (names.empty()) {
            return text + "# No machine of this job is plugged into it.\n";
        }
        text += fmt::format("machines = \"{}\"\n", compact_hostlist(names));
        const double speed = most_common(speeds);
        if (speed != usual_) {
            text += fmt::format("machine_speed = \"{}\"\n", written_speed(speed));
        }
        text += fmt::format("# Ports carried {} to {} of payload.\n", payload_text(quantile(carried, 0)),
                            payload_text(quantile(carried, 1)));
        for (std::size_t machine = 0; machine < switches_.size(); ++machine) {
            if (switches_[machine] == group && nominal_[machine] != speed) {
                text += fmt::format(
                    "# {} seems to have {}; the file says it of all machines of a switch. Is its cable "
                    "or card slow?\n",
                    where_.machines[machine], speed_text(nominal_[machine]));
            }
        }
        return text;
    }

  private:
    [[nodiscard]] static std::string name(int group) { return fmt::format("s{}", group + 1); }

    [[nodiscard]] std::string uplink(int index) const {
        const Group& group = tree_.groups[static_cast<std::size_t>(index)];
        const double speed = nominal_speed(group.bytes_per_second, usual_);
        std::string text = fmt::format("uplink = \"{}\"\n", name(parents_[static_cast<std::size_t>(index)]));
        if (speed != usual_ || group.evidence == Evidence::latency) {
            text += fmt::format("speed = \"{}\"\n", written_speed(speed));
        }
        if (group.evidence == Evidence::latency) {
            return text + fmt::format(
                              "# At least that: {} passed, and the machines behind it or before it send {} together, "
                              "so that\n# no streams tell how fast it is. Round trips tell that it is there: {:.0f} % "
                              "of quartets agree, 33 % by chance.\n",
                              payload_text(group.bytes_per_second), payload_text(most_asked_of(group)),
                              100 * group.quartets_agree);
        }
        return text + fmt::format(
                          "# Carried {} of payload at most, {} to {} in the middle half of {} times that it was "
                          "full.\n",
                          payload_text(group.bytes_per_second), payload_text(group.low), payload_text(group.high),
                          group.times_full);
    }

    /// What the machines on one side of its link can send together, or take: the lesser.
    [[nodiscard]] double most_asked_of(const Group& group) const {
        double inside = 0;
        double all = 0;
        for (std::size_t machine = 0; machine < tree_.ports.size(); ++machine) {
            const bool is_inside =
                std::binary_search(group.machines.begin(), group.machines.end(), static_cast<Machine>(machine));
            inside += is_inside ? tree_.ports[machine] : 0;
            all += tree_.ports[machine];
        }
        return std::min(inside, all - inside);
    }

    const discovery::SwitchTree& tree_;
    const DiscoveredWhere& where_;
    std::vector<int> parents_;
    std::vector<int> switches_;
    std::vector<double> nominal_;
    double usual_;
};

}  // namespace

void add_discover_options(cli::Command& command, DiscoverOptions& options) {
    command.option("-o,--output", options.output, "topology file to write instead of standard output")
        .type_name("FILE");
    command.option("--round", options.round, "how long the flows of a round go")
        .duration()
        .between_reals(0.01, 60)
        .show_default();
    command.option("--seed", options.seed, "of what is measured at random").between(0, INT32_MAX).show_default();
    command.flag("--no-latency", options.no_latency, "go by bandwidth alone");
    add_mpi_option(command, options.mpi);
}

double nominal_speed(double bytes_per_second, double port) {
    const double raw = bits_in_a_byte * bytes_per_second / payload_share;
    constexpr double near = 0.05;
    double best = 0;
    const auto consider = [&](double speed) {
        if (share_apart(raw, speed) <= near && (best == 0 || share_apart(raw, speed) < share_apart(raw, best))) {
            best = speed;
        }
    };
    for (const double unit : {1e6, 1e9}) {
        for (const double speed : {1.0, 2.5, 5.0, 10.0, 20.0, 25.0, 40.0, 50.0, 56.0, 100.0, 200.0, 400.0, 800.0}) {
            consider(speed * unit);
        }
    }
    constexpr int most_cables = 8;
    for (int cables = 2; port > 0 && best == 0 && cables <= most_cables; ++cables) {
        consider(cables * port);
    }
    const double digit = std::pow(10, std::floor(std::log10(std::max(raw, 1.0))) - 2);
    return best > 0 ? best : std::max(1.0, std::round(raw / digit) * digit);
}

std::string discovered_topology(const Findings& findings, const DiscoveredWhere& where) {
    const Writer writer(findings, where);
    std::string text = fmt::format(
        "# Found by aapc discover {} on {} under {}: {} machines, {} rounds of flows, {:.0f} s.\n"
        "# Random rounds that were not used to find it: all flows together differed from what this file says by {:.0f} "
        "%, single\n# flows by {:.0f} % (medians).\n",
        version(), where.date, where.mpi, where.machines.size(), findings.rounds, where.seconds,
        100 * findings.total_error, 100 * findings.flow_error);
    constexpr double trustworthy = 0.15;
    if (findings.total_error > trustworthy) {
        text +=
            "# That is much: other traffic, a network that is no tree, or one too large to be found from machines in "
            "any\n"
            "# order. List the hosts of the job rack by rack and measure again before you rely on it.\n";
    }
    text +=
        "# Switches whose links carry all that the machines behind them can send are not to be told from one "
        "switch";
    text += findings.seen_by_latency_alone > 0
                ? fmt::format(" but by\n# latency: {} of the links below were.\n", findings.seen_by_latency_alone)
                : " and\n# do not slow down an all-to-all of these machines.\n";
    for (const discovery::LatencySplit& split : findings.hinted) {
        std::vector<std::string> names;
        names.reserve(split.machines.size());
        for (const Machine machine : split.machines) {
            names.push_back(where.machines[static_cast<std::size_t>(machine)]);
        }
        text += fmt::format(
            "# Not in this file: round trips hint at a switch for {} alone ({:.0f} % of quartets agree, 33 % by "
            "chance).\n",
            compact_hostlist(names), 100 * split.quartets_agree);
    }
    text += fmt::format("\n[network]\nspeed = \"{}\"\n", written_speed(writer.usual()));
    for (int group = -1; group < static_cast<int>(findings.tree.groups.size()); ++group) {
        text += writer.switch_table(group);
    }
    return text;
}

}  // namespace aapc::bench
