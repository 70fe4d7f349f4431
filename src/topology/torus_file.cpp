#include "topology/torus_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string>
#include <unordered_map>
#include <utility>

#include "aapc/input/hostlist.hpp"
#include "aapc/topology/torus.hpp"
#include "input/wording.hpp"

namespace aapc {

namespace {

constexpr std::array<std::string_view, 1> torus_root_keys{"network"};
constexpr std::array<std::string_view, 6> torus_network_keys{"kind", "speed", "sides", "machines", "buffer", "mtu"};

constexpr std::string_view example_of_sides = "sides = [8, 8]";

class TorusReader {
  public:
    explicit TorusReader(TopologyTables& tables) : tables_(tables) {}

    Expected<Network> read(const toml::table& root) {
        if (const toml::table* network = tables_.network_at(root, torus_root_keys, torus_network_keys)) {
            read_network(*network);
        }
        if (!tables_.complaint()) {
            check_room();
        }
        if (const auto complaint = tables_.complaint()) {
            return failure(*complaint);
        }
        return torus_network(sides_, machines_, speed_, buffer_bytes_, mtu_bytes_);
    }

  private:
    void read_network(const toml::table& network) {
        const Position here = tables_.position(network);
        if (const auto speed = tables_.speed_at(network, "speed")) {
            speed_ = *speed;
        } else if (!network.contains("speed")) {
            tables_.add_absence(here, "the links of the torus have no speed", "add speed = \"1Gbit\" to [network]");
        }
        buffer_bytes_ = tables_.buffer_at(network, "buffer").value_or(0);
        mtu_bytes_ = tables_.mtu_at(network);
        if (const toml::node* sides = network.get("sides")) {
            read_sides(*sides);
        } else {
            tables_.add_absence(here, "a torus without sides",
                                fmt::format("add {} to [network]: rows and columns", example_of_sides));
        }
        if (const toml::node* machines = network.get("machines")) {
            machines_position_ = tables_.position(*machines);
            read_machines(network);
        } else {
            tables_.add_absence(here, "a torus without machines",
                                "add machines = \"t[0-63]\" to [network], row by row");
        }
    }

    void read_sides(const toml::node& node) {
        const toml::array* sides = node.as_array();
        if (sides == nullptr) {
            tables_.add_type_mistake(node, "sides", example_of_sides);
            return;
        }
        if (sides->empty() || sides->size() > max_torus_dimensions) {
            tables_.add_mistake(tables_.position(node), fmt::format("a torus of {} sides", sides->size()),
                                fmt::format("write one to {} sides, as in {}", max_torus_dimensions, example_of_sides));
            return;
        }
        room_ = 1;
        for (const toml::node& element : *sides) {
            read_side(element);
        }
    }

    /// room_ stays within 64 bits: it is given up once it is larger than any file may be.
    void read_side(const toml::node& node) {
        const auto* side = node.as_integer();
        if (side == nullptr) {
            tables_.add_type_mistake(node, "a side", example_of_sides);
            room_ = 0;
            return;
        }
        const bool is_possible = side->get() >= 1 && side->get() <= max_machines;
        if (!is_possible) {
            tables_.add_mistake(tables_.position(node), fmt::format("a side of {} machines", side->get()),
                                fmt::format("write a number from 1 to {}", max_machines));
            room_ = 0;
            return;
        }
        room_ *= side->get();
        sides_.push_back(static_cast<std::int32_t>(side->get()));
        if (room_ > max_machines) {
            tables_.add_mistake(tables_.position(node), fmt::format("{} machines up to this side", room_),
                                fmt::format("describe at most {} machines in a file", max_machines));
            room_ = 0;
        }
    }

    void read_machines(const toml::table& network) {
        const std::vector<DeclaredMachine> declared = tables_.machines_at(network);
        std::unordered_map<std::string_view, Position> first_of;
        for (const DeclaredMachine& machine : declared) {
            const auto [entry, is_new] = first_of.try_emplace(machine.name.name, machine.name.position);
            if (!is_new) {
                tables_.add_mistake(machine.name.position,
                                    fmt::format("machine {} is listed twice (first in line {}, column {})",
                                                in_quotes(machine.name.name), entry->second.line, entry->second.column),
                                    "list every machine once; for several ranks on it write NAME:RANKS");
            }
            machines_.push_back({machine.name.name, machine.ranks});
        }
    }

    /// Only where nothing else is wrong: a mistyped list has another number of machines.
    void check_room() {
        if (static_cast<std::int64_t>(machines_.size()) != room_) {
            tables_.add_mistake(
                machines_position_,
                fmt::format("{} {} for a torus of {}, which has room for {}", machines_.size(),
                            machines_.size() == 1 ? "machine" : "machines", fmt::join(sides_, " x "), room_),
                "list as many machines as the product of the sides, row by row");
        }
    }

    TopologyTables& tables_;
    std::vector<std::int32_t> sides_;
    std::int64_t room_ = 0;  ///< the product of the sides; 0 where these are wrong
    double speed_ = 0;
    std::int64_t buffer_bytes_ = 0;
    std::int32_t mtu_bytes_ = usual_mtu_bytes;
    std::vector<TorusMachine> machines_;
    Position machines_position_;
};

}  // namespace

Expected<Network> read_torus(const toml::table& root, TopologyTables& tables) { return TorusReader(tables).read(root); }

}  // namespace aapc
