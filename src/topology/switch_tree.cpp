#include "topology/switch_tree.hpp"

#include <fmt/format.h>

#include <utility>

#include "input/wording.hpp"
#include "topology/declared_names.hpp"

namespace aapc {

namespace {

constexpr std::size_t most_names_listed = 8;

/// Index into DeclaredTree::switches.
using SwitchIndex = DeclaredNames::SwitchIndex;
constexpr SwitchIndex none = DeclaredNames::none;

class Connector {
  public:
    Connector(const DeclaredTree& tree, std::string_view file) : tree_(tree), mistake_(file) {}

    Expected<Network> connect() {
        // Each step relies on the one before: an uplink means nothing while two switches have one name.
        for (const auto step : {&Connector::collect_names, &Connector::resolve_uplinks, &Connector::find_cycles,
                                &Connector::find_separate_parts, &Connector::count_machines, &Connector::find_speeds}) {
            (this->*step)();
            if (mistake_.found()) {
                return failure(*mistake_.found());
            }
        }
        return build();
    }

  private:
    [[nodiscard]] const DeclaredSwitch& declared(SwitchIndex index) const {
        return tree_.switches[static_cast<std::size_t>(index)];
    }

    void collect_names() { names_.collect(tree_.switches, mistake_); }

    void resolve_uplinks() {
        uplink_of_.assign(tree_.switches.size(), none);
        for (std::size_t index = 0; index < tree_.switches.size(); ++index) {
            const std::optional<DeclaredName>& uplink = tree_.switches[index].uplink;
            if (!uplink) {
                continue;
            }
            uplink_of_[index] = names_.find_uplink(*uplink, mistake_);
            if (mistake_.found()) {
                return;  // the switches are visited in file order, and the advice is not cheap
            }
            if (uplink_of_[index] == static_cast<SwitchIndex>(index)) {
                mistake_.add(uplink->position, fmt::format("switch {} is its own uplink", in_quotes(uplink->name)),
                             "name the switch that it is plugged into, or leave uplink out of the topmost switch");
            }
        }
    }

    void find_cycles() {
        // Every walk upwards marks its switches with its own number and stops at a marked one: all walks together are
        // linear, and a walk that meets its own mark has gone round a cycle.
        std::vector<SwitchIndex> walk_of(tree_.switches.size(), none);
        for (std::size_t start = 0; start < tree_.switches.size(); ++start) {
            auto at = static_cast<SwitchIndex>(start);
            while (at != none && walk_of[static_cast<std::size_t>(at)] == none) {
                walk_of[static_cast<std::size_t>(at)] = static_cast<SwitchIndex>(start);
                at = uplink_of_[static_cast<std::size_t>(at)];
            }
            if (at != none && walk_of[static_cast<std::size_t>(at)] == static_cast<SwitchIndex>(start)) {
                report_cycle(at);
            }
        }
    }

    void report_cycle(SwitchIndex member) {
        SwitchIndex first = member;
        for (SwitchIndex at = uplink(member); at != member; at = uplink(at)) {
            first = std::min(first, at);
        }
        std::string others;
        std::size_t count = 0;
        for (SwitchIndex at = uplink(first); at != first; at = uplink(at)) {
            if (++count > most_names_listed) {
                others += ", ...";
                break;
            }
            others += (count == 1 ? "" : ", ") + in_quotes(declared(at).name.name);
        }
        mistake_.add(
            declared(first).uplink->position,
            fmt::format("switch {} is its own uplink, through {}", in_quotes(declared(first).name.name), others),
            "remove one of these uplinks, so that the switches form a tree");
    }

    [[nodiscard]] SwitchIndex uplink(SwitchIndex index) const { return uplink_of_[static_cast<std::size_t>(index)]; }

    /// Without cycles, the parts that hang together are as many as the switches without uplink.
    void find_separate_parts() {
        const DeclaredSwitch* top = nullptr;
        for (const DeclaredSwitch& declaration : tree_.switches) {
            if (declaration.uplink) {
                continue;
            }
            if (top != nullptr) {
                mistake_.add(
                    declaration.name.position,
                    fmt::format("switch {} is not connected to switch {} (line {}): neither has an uplink",
                                in_quotes(declaration.name.name), in_quotes(top->name.name), top->name.position.line),
                    "give every switch but one the uplink that it is plugged into");
                return;
            }
            top = &declaration;
        }
    }

    void count_machines() {
        for (const DeclaredSwitch& declaration : tree_.switches) {
            if (!declaration.machines.empty()) {
                return;
            }
        }
        mistake_.add(tree_.switches.front().position, "no switch of this file has a machine",
                     "list the machines plugged into a switch, as in machines = \"n[0-3]\"");
    }

    void find_speeds() {
        if (tree_.speed) {
            return;
        }
        for (const DeclaredSwitch& declaration : tree_.switches) {
            if (declaration.uplink && !declaration.speed) {
                mistake_.add(declaration.position,
                             fmt::format("the uplink of switch {} has no speed", in_quotes(declaration.name.name)),
                             "add speed = \"1Gbit\" here, or to [network] for all links");
            }
            if (!declaration.machines.empty() && !declaration.machine_speed) {
                mistake_.add(declaration.position,
                             fmt::format("the links of the machines of {} {} have no speed", declaration.what,
                                         in_quotes(declaration.name.name)),
                             "add machine_speed = \"1Gbit\" here, or speed = \"1Gbit\" to [network] for all links");
            }
        }
    }

    [[nodiscard]] Network build() const {
        std::vector<NetworkVertex> vertices;
        vertices.reserve(tree_.switches.size());
        for (const DeclaredSwitch& declaration : tree_.switches) {
            vertices.push_back({declaration.name.name, true});
        }
        const double default_speed = tree_.speed.value_or(0);
        std::vector<Link> links;
        std::vector<NetworkMachine> machines;
        for (std::size_t index = 0; index < tree_.switches.size(); ++index) {
            const DeclaredSwitch& declaration = tree_.switches[index];
            const auto vertex = static_cast<Vertex>(index);
            if (declaration.uplink) {
                links.push_back({vertex, uplink_of_[index],
                                 declaration.speed.value_or(default_speed) * declaration.uplink_cables,
                                 declaration.latency_seconds, declaration.uplink_cables,
                                 first_said(declaration.uplink_buffer, declaration.buffer),
                                 first_said(declaration.uplink_buffer, declared(uplink_of_[index]).buffer)});
            }
            for (const DeclaredMachine& machine : declaration.machines) {
                const auto leaf = static_cast<Vertex>(vertices.size());
                vertices.push_back({machine.name.name, false});
                links.push_back({leaf, vertex, declaration.machine_speed.value_or(default_speed), 0, 1, 0,
                                 first_said(declaration.machine_buffer, declaration.buffer)});
                machines.push_back({leaf, machine.ranks});
            }
        }
        return {tree_.kind, std::move(vertices), std::move(links), std::move(machines), tree_.mtu_bytes};
    }

    /// What a link says of its buffer, otherwise the switch whose port it is, otherwise the file; 0 if none does.
    [[nodiscard]] std::int64_t first_said(const DeclaredBuffer& of_link, const DeclaredBuffer& of_switch) const {
        return of_link ? *of_link : of_switch ? *of_switch : tree_.buffer.value_or(0);
    }

    const DeclaredTree& tree_;
    FirstMistake mistake_;
    DeclaredNames names_;
    std::vector<SwitchIndex> uplink_of_;
};

}  // namespace

Expected<Network> connect(const DeclaredTree& tree, std::string_view file) { return Connector(tree, file).connect(); }

}  // namespace aapc
