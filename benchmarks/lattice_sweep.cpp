// What the lattice does on networks nobody chose: random trees, tori of every size, very many ranks. Prints how long
// the cycle is, over the bound, and how long queues get, in messages, with the seed that repeats each line.
#include <fmt/core.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include "aapc/topology/bound.hpp"
#include "aapc/topology/torus.hpp"
#include "algorithms/lattice/choice.hpp"
#include "algorithms/lattice/lattice_timetable.hpp"
#include "algorithms/lattice/queue_meter.hpp"
#include "algorithms/lattice/settle.hpp"
#include "console/command_line.hpp"
#include "support/networks.hpp"

namespace {

using namespace aapc;
using lattice::LatticeTimetable;

constexpr double port = 1e9;

double seconds_since(std::chrono::steady_clock::time_point start) {
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double megabytes() {
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

/// Switches anywhere, links between them of any of the speeds, up to four ranks a machine.
test::TreeBuilder random_speeds(std::uint64_t seed, int least, int most) {
    constexpr double speeds[] = {0.4, 1, 2, 2.5, 4, 10, 40};
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
    test::TreeBuilder tree;
    const int machines = least + below(most - least + 1);
    const int switches = 1 + below(std::max(machines / 2, 1));
    const int shape = below(3);
    tree.add_switch(-1);
    for (int index = 1; index < switches; ++index) {
        const int uplink = shape == 0 ? index - 1 : shape == 1 ? below(index) : std::max(0, index - 1 - below(4));
        tree.add_switch(uplink, port * speeds[below(7)]);
    }
    const int ranks = below(5);  // 0: from 1 to 4, as they come
    for (int machine = 0; machine < machines; ++machine) {
        tree.add_machine(below(switches), ranks > 0 ? ranks : 1 + below(4), port);
    }
    return tree;
}

struct Outcome {
    double queue = 0;  ///< in messages
    double cycle = 0;  ///< over the bound
    double seconds = 0;
};

/// The lattice of a network, and its queue, played in full.
Outcome outcome_of(const Network& network) {
    const Placement placement = full_placement(network);
    const auto start = std::chrono::steady_clock::now();
    const auto timetable = lattice::build_formula(network, placement);
    Outcome outcome;
    outcome.seconds = seconds_since(start);
    const auto traffic = lattice::Traffic::find(network, placement, (*timetable)->positions(), 1 << 30);
    const LatticeTimetable& lattice = **timetable;
    const Cycle cycle = *lattice.cycle();
    outcome.cycle = cycle.bound_seconds_per_byte > 0 ? cycle.seconds_per_byte / cycle.bound_seconds_per_byte : 1;
    std::vector<std::tuple<lattice::Tick, lattice::Position, lattice::Position>> starts;
    for (lattice::Position from = 0; from < traffic->positions(); ++from) {
        for (lattice::Position to = 0; to < traffic->positions(); ++to) {
            if (from != to) {
                starts.emplace_back(lattice.formula().tick(from, to), from, to);
            }
        }
    }
    std::sort(starts.begin(), starts.end());
    lattice::QueueMeter meter(*traffic, lattice.phases(),
                              is_tree(network.kind()) ? lattice::slack_of_trees : lattice::slack_of_tori);
    for (const auto& [tick, from, to] : starts) {
        meter.add(from, to, tick);
    }
    outcome.queue = static_cast<double>(meter.longest(std::int64_t{1} << 60)) / lattice::parts_of_message;
    return outcome;
}

double quantile(std::vector<double> values, double share) {
    std::sort(values.begin(), values.end());
    return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

void show_trees(int trees, std::uint64_t seed, double all_above) {
    std::vector<double> queues;
    std::vector<double> cycles;
    std::vector<double> seconds;
    for (int tree = 0; tree < trees; ++tree) {
        const std::uint64_t own = seed + static_cast<std::uint64_t>(tree);
        const Network network = random_speeds(own, 8, 64).build();
        const Outcome outcome = outcome_of(network);
        queues.push_back(outcome.queue);
        cycles.push_back(outcome.cycle);
        seconds.push_back(outcome.seconds);
        if (outcome.queue > all_above) {
            fmt::print("  seed {}: {} ranks, queue {:.2f}\n", own, full_placement(network).participants(),
                       outcome.queue);
        }
    }
    fmt::print(
        "{} random trees from seed {}: cycle/bound {:.3f} at most; queue: half {:.2f}, 90 % {:.2f}, 99 % {:.2f}, all "
        "{:.2f}; choice: half {:.1f} ms, all {:.1f} ms\n",
        trees, seed, *std::max_element(cycles.begin(), cycles.end()), quantile(queues, 0.5), quantile(queues, 0.9),
        quantile(queues, 0.99), quantile(queues, 1), quantile(seconds, 0.5) * 1e3, quantile(seconds, 1) * 1e3);
}

Network torus_of(const std::vector<std::int32_t>& sides) {
    std::vector<TorusMachine> machines;
    const TorusGrid grid(sides);
    for (Machine machine = 0; machine < grid.machines(); ++machine) {
        machines.push_back({fmt::format("t{}", machine), 1});
    }
    return torus_network(sides, machines, port);
}

void show_torus(const std::vector<std::int32_t>& sides, std::vector<double>& queues, double all_above) {
    const TorusGrid grid(sides);
    const Outcome outcome = outcome_of(torus_of(sides));
    queues.push_back(outcome.queue);
    if (outcome.queue > all_above) {
        fmt::print("  {}: queue {:.2f}, choice {:.1f} ms\n", grid.text(), outcome.queue, outcome.seconds * 1e3);
    }
}

void show_tori(int side_of_two, int side_of_three, double all_above) {
    std::vector<double> queues;
    for (int rows = 3; rows <= side_of_two; ++rows) {
        for (int columns = 3; columns <= side_of_two; ++columns) {
            show_torus({rows, columns}, queues, all_above);
        }
    }
    if (!queues.empty()) {
        fmt::print("{} tori of two dimensions to {}: queue: half {:.2f}, all {:.2f}\n", queues.size(), side_of_two,
                   quantile(queues, 0.5), quantile(queues, 1));
    }
    queues.clear();
    for (int first = 3; first <= side_of_three; ++first) {
        for (int second = 3; second <= side_of_three; ++second) {
            for (int third = 3; third <= side_of_three; ++third) {
                show_torus({first, second, third}, queues, all_above);
            }
        }
    }
    if (!queues.empty()) {
        fmt::print("{} tori of three dimensions to {}: queue: half {:.2f}, all {:.2f}\n", queues.size(), side_of_three,
                   quantile(queues, 0.5), quantile(queues, 1));
    }
}

/// Machines on racks on pods.
Network pods(int pods, int racks, int machines, int ranks, double rack_speed, double pod_speed) {
    test::TreeBuilder tree;
    const int core = tree.add_switch(-1);
    for (int pod = 0; pod < pods; ++pod) {
        const int above = tree.add_switch(core, pod_speed * port);
        for (int rack = 0; rack < racks; ++rack) {
            const int at = tree.add_switch(above, rack_speed * port);
            for (int machine = 0; machine < machines; ++machine) {
                tree.add_machine(at, ranks, port);
            }
        }
    }
    return tree.build();
}

/// Trees whose links are as fast as the ports or whole multiples of them.
test::TreeBuilder random_multiples(std::uint64_t seed, int least, int most) {
    constexpr int multiples[] = {1, 2, 3, 4, 6, 8, 10, 16};
    std::mt19937_64 random(seed);
    const auto below = [&](int limit) { return static_cast<int>(random() % static_cast<std::uint64_t>(limit)); };
    test::TreeBuilder tree;
    const int machines = least + below(most - least + 1);
    const int switches = 1 + below(std::max(machines / 2, 1));
    const int shape = below(3);
    tree.add_switch(-1);
    for (int index = 1; index < switches; ++index) {
        const int uplink = shape == 0 ? index - 1 : shape == 1 ? below(index) : std::max(0, index - 1 - below(4));
        tree.add_switch(uplink, port * multiples[below(8)]);
    }
    for (int machine = 0; machine < machines; ++machine) {
        tree.add_machine(below(switches), 1, port);
    }
    return tree;
}

/// Slots settled for a network, with so much work: their number and how long it took.
struct Settled {
    lattice::Settlement settlement;
    double seconds = 0;
    lattice::Position ranks = 0;
};

Settled settle(const Network& network, std::int64_t work, std::int64_t slack) {
    const Placement placement = full_placement(network);
    const auto start = std::chrono::steady_clock::now();
    const auto traffic = lattice::Traffic::find(network, placement, *lattice::place_ranks(network, placement), 1 << 30);
    Settled settled{lattice::settle(*traffic, {work, slack}, traffic->positions()), 0, traffic->positions()};
    settled.seconds = seconds_since(start);
    return settled;
}

void show_settled_trees(int trees, std::uint64_t seed, int least, int most, std::int64_t work) {
    int at_bound = 0;
    int failed = 0;
    std::vector<double> seconds;
    for (int tree = 0; tree < trees; ++tree) {
        const std::uint64_t own = seed + static_cast<std::uint64_t>(tree);
        const Settled settled = settle(random_multiples(own, least, most).build(), work, lattice::slack_of_trees);
        const lattice::Settlement& found = settled.settlement;
        seconds.push_back(settled.seconds);
        at_bound += found.unplaced == 0 && found.slot_count == found.bound ? 1 : 0;
        failed += found.unplaced > 0 ? 1 : 0;
        if (found.unplaced > 0 || found.slot_count > found.bound) {
            fmt::print("  seed {}: {} ranks, bound {}, slots {}, {} messages left, {:.3f} s\n", own, settled.ranks,
                       found.bound, found.slot_count, found.unplaced, settled.seconds);
        }
    }
    fmt::print(
        "settled, {} random trees of {} to {} machines from seed {}, work {:.0e}: {} with queue 0 at 1.02 times "
        "the bound or less, {} at the bound; half within {:.1f} ms, 99 % {:.1f} ms, all {:.1f} ms\n",
        trees, least, most, seed, static_cast<double>(work), trees - failed, at_bound, quantile(seconds, 0.5) * 1e3,
        quantile(seconds, 0.99) * 1e3, quantile(seconds, 1) * 1e3);
}

void show_settled(const std::string& name, const Network& network, std::int64_t work, std::int64_t slack) {
    const Settled settled = settle(network, work, slack);
    const lattice::Settlement& found = settled.settlement;
    fmt::print(
        "settled, {}: {} ranks, bound {}, slots {}{}, {:.3f} s\n", name, settled.ranks, found.bound, found.slot_count,
        found.unplaced > 0 ? fmt::format(" and {} messages left", found.unplaced) : std::string(), settled.seconds);
}

void show_settled_named(std::int64_t work) {
    struct Racks {
        int racks;
        int machines;
        int speed;
    };
    for (const Racks& row :
         {Racks{4, 4, 2}, Racks{4, 4, 4}, Racks{2, 8, 4}, Racks{4, 8, 6}, Racks{8, 8, 4}, Racks{4, 16, 10},
          Racks{2, 24, 10}, Racks{3, 10, 4}, Racks{16, 8, 4}, Racks{8, 16, 8}, Racks{16, 16, 8}, Racks{8, 32, 16},
          Racks{32, 8, 3}, Racks{16, 16, 16}, Racks{16, 32, 16}}) {
        test::TreeBuilder tree;
        tree.add_switch(-1);
        for (int rack = 0; rack < row.racks; ++rack) {
            const int at = tree.add_switch(0, port * row.speed);
            for (int machine = 0; machine < row.machines; ++machine) {
                tree.add_machine(at, 1, port);
            }
        }
        show_settled(fmt::format("{} racks of {}, uplinks {} times the port", row.racks, row.machines, row.speed),
                     tree.build(), work, lattice::slack_of_trees);
    }
    for (const std::vector<std::int32_t>& sides :
         std::vector<std::vector<std::int32_t>>{{4, 4}, {5, 7}, {4, 8}, {6, 6}, {8, 8}, {3, 3, 3}, {4, 4, 4}}) {
        show_settled(fmt::format("torus {}", TorusGrid(sides).text()), torus_of(sides), work, lattice::slack_of_tori);
    }
}

/// One rank's own plan among very many.
void show_plan(int ranks_a_machine) {
    const Network network = pods(64, 32, 512 / ranks_a_machine, ranks_a_machine, 16, 64);
    const Placement placement = full_placement(network);
    const double before = megabytes();
    auto start = std::chrono::steady_clock::now();
    const auto timetable = lattice::build_formula(network, placement);
    const double built = seconds_since(start);
    start = std::chrono::steady_clock::now();
    const std::vector<Transfer> sends = (*timetable)->sends_of(12345);
    const std::vector<Transfer> receives = (*timetable)->receives_of(12345);
    const double planned = seconds_since(start);
    const double memory = megabytes() - before;
    std::mt19937_64 random(1);
    constexpr int queries = 1'000'000;
    std::vector<std::pair<Rank, Rank>> pairs;
    for (int query = 0; query < queries; ++query) {
        pairs.emplace_back(random() % static_cast<std::uint64_t>(placement.participants()),
                           random() % static_cast<std::uint64_t>(placement.participants()));
    }
    start = std::chrono::steady_clock::now();
    Phase sum = 0;
    for (const auto& [from, to] : pairs) {
        sum += (*timetable)->tick(from, to);
    }
    const double asked = seconds_since(start) / queries;
    fmt::print(
        "{} ranks, {} a machine, three levels: built {:.3f} s, sends and receives of one rank {:.3f} s ({} and {}), "
        "{:.0f} "
        "MB more than the network's {:.0f}; {:.0f} ns a query (sum {:x})\n",
        placement.participants(), ranks_a_machine, built, planned, sends.size(), receives.size(), memory, before,
        asked * 1e9, sum);
}

/// The queue of the channels up and down of one switch, which has the positions first … last-1 below it: everything
/// that crosses them, played. Ports are as fast as `inflow`, of which the channel is `speed` times. In messages.
double queue_of_interval(const lattice::LatticeFormula& formula, lattice::Position first, lattice::Position last,
                         double speed, double cycle_messages, bool up) {
    std::vector<std::pair<double, double>> events;
    const auto positions = static_cast<lattice::Position>(formula.positions());
    const double scale = cycle_messages / static_cast<double>(formula.ticks());
    for (lattice::Position inside = first; inside < last; ++inside) {
        for (lattice::Position outside = 0; outside < positions; ++outside) {
            if (outside < first || outside >= last) {
                const double at =
                    scale * static_cast<double>(up ? formula.tick(inside, outside) : formula.tick(outside, inside));
                events.emplace_back(at, 1.0);
                events.emplace_back(at + 1 < cycle_messages ? at + 1 : at + 1 - cycle_messages, -1.0);
            }
        }
    }
    std::sort(events.begin(), events.end());
    double flow = 0;
    double least = 0;
    for (const auto& event : events) {
        flow += event.second;
        least = std::min(least, flow);
    }
    flow = -least;
    double queue = 0;
    double longest = 0;
    for (int cycle = 0; cycle < 2; ++cycle) {
        double now = 0;
        for (const auto& [at, change] : events) {
            queue = std::max(0.0, queue + (flow - speed) * (at - now));
            longest = std::max(longest, queue);
            now = at;
            flow += change;
        }
        queue = std::max(0.0, queue + (flow - speed) * (cycle_messages - now));
    }
    return longest;
}

void show_sampled(int pod_count, int racks, int machines, double rack_speed, double pod_speed) {
    const Network network = pods(pod_count, racks, machines, 1, rack_speed, pod_speed);
    const Placement placement = full_placement(network);
    const auto timetable = lattice::build_formula(network, placement);
    const lattice::LatticeFormula& formula = (*timetable)->formula();
    const double cycle_messages = (*timetable)->cycle()->seconds_per_byte * port / 8;
    double worst[3] = {0, 0, 0};
    for (const int pod : {0, pod_count / 3, pod_count - 1}) {
        const int first = pod * racks * machines;
        for (const bool up : {true, false}) {
            worst[2] = std::max(
                worst[2], queue_of_interval(formula, first, first + racks * machines, pod_speed, cycle_messages, up));
            for (const int rack : {0, racks / 2, racks - 1}) {
                const int start = first + rack * machines;
                worst[1] = std::max(
                    worst[1], queue_of_interval(formula, start, start + machines, rack_speed, cycle_messages, up));
                worst[0] = std::max(worst[0], queue_of_interval(formula, start + 1, start + 2, 1, cycle_messages, up));
            }
        }
    }
    fmt::print(
        "{} x {} x {} machines, racks {} and pods {} times the port: queue on ports {:.2f}, racks {:.2f}, pods "
        "{:.2f} (sampled)\n",
        pod_count, racks, machines, rack_speed, pod_speed, worst[0], worst[1], worst[2]);
}

}  // namespace

int main(int argc, char** argv) {
    cli::CommandLine line("Queues of the lattice on random trees, tori and large networks", "lattice_sweep");
    int trees = 0;
    std::uint64_t seed = 1;
    int side_of_two = 0;
    int side_of_three = 0;
    int settled = 0;
    int least = 8;
    int most = 128;
    double work = 1e9;
    bool named = false;
    bool large = false;
    double above = 8;
    line.option("--trees", trees, "random trees of 8 to 64 machines, 1 to 4 ranks on each");
    line.option("--seed", seed, "of the first one");
    line.option("--tori-2", side_of_two, "all tori of two dimensions from 3 to this side");
    line.option("--tori-3", side_of_three, "all tori of three dimensions from 3 to this side");
    line.option("--settled", settled, "settle slots for so many random trees with whole multiples of the ports");
    line.option("--least", least, "machines of these trees, at least");
    line.option("--most", most, "machines of these trees, at most");
    line.option("--work", work, "for each settlement; at set-up it is 2.5e7");
    line.flag("--named", named, "settle slots for racks and tori");
    line.flag("--large", large, "a million ranks' plan, and sampled queues of 16,384");
    line.option("--print-above", above, "print every network whose queue is longer, in messages");
    if (const auto outcome = line.parse(argc, argv); !outcome.parsed) {
        return outcome.status;
    }
    if (trees > 0) {
        show_trees(trees, seed, above);
    }
    show_tori(side_of_two, side_of_three, above);
    if (settled > 0) {
        show_settled_trees(settled, seed, least, most, static_cast<std::int64_t>(work));
    }
    if (named) {
        show_settled_named(static_cast<std::int64_t>(work));
    }
    if (large) {
        for (const int ranks : {1, 64}) {
            show_plan(ranks);
        }
        show_sampled(16, 16, 16, 8, 64);
        show_sampled(32, 32, 16, 4, 64);
        show_sampled(32, 16, 32, 32, 512);
    }
    return 0;
}
