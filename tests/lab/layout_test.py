"""The lab's arithmetic: units, topology documents, and where every switch sends frames for every machine."""

import copy
import dataclasses
import json
import math
import os
import random
import subprocess
import sys
import tempfile
import unittest
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))

from emulation import fabric, layout, topology, torus, units, wide_area  # noqa: E402
from emulation.errors import UsageError  # noqa: E402

DOCUMENT = {
    "format": "aapc-topology/1",
    "kind": "tree",
    "switches": [
        {"name": "s0", "uplink": None, "speed": None},
        {"name": "s1", "uplink": "s0", "speed": 1e9},
    ],
    "machines": [
        {"name": "n0", "switch": "s0", "ranks": 1, "speed": 1e8},
        {"name": "n1", "switch": "s1", "ranks": 4, "speed": 1e8},
    ],
}


def random_document(seed: int) -> dict:
    """A tree of up to 8 switches, listed in any order, and up to 20 machines."""
    choose = random.Random(seed)
    switches = [
        {"name": f"s{index}", "uplink": f"s{choose.randrange(index)}" if index else None, "speed": 10**8}
        for index in range(choose.randint(1, 8))
    ]
    machines = [
        {
            "name": f"n{index}",
            "switch": choose.choice(switches)["name"],
            "ranks": choose.randint(1, 4),
            "speed": 10**8,
        }
        for index in range(choose.randint(1, 20))
    ]
    choose.shuffle(switches)
    return {"format": "aapc-topology/1", "kind": "tree", "switches": switches, "machines": machines}


class Units(unittest.TestCase):
    def test_speeds(self) -> None:
        for text, speed in [("100Mbit", 10**8), ("2.5Gbit", 25 * 10**8), ("64kbit", 64000), ("7bit", 7)]:
            self.assertEqual(units.parse_speed(text), speed)
            self.assertEqual(units.parse_speed(units.format_speed(speed)), speed)

    def test_sizes(self) -> None:
        for text, size in [("128Ki", 131072), ("64k", 65536), ("64kB", 64000), ("1Mi", 1048576), ("1514", 1514), ("32KiB", 32768)]:
            self.assertEqual(units.parse_size(text), size)

    def test_what_is_neither(self) -> None:
        for text in ["", "100", "100Mbyte", "-1Mbit", "0bit", "1e9bit", "fast"]:
            self.assertRaises(UsageError, units.parse_speed, text)
        for text in ["", "128Kbit", "-1", "1e6", "0x10", "much"]:
            self.assertRaises(UsageError, units.parse_size, text)


class Documents(unittest.TestCase):
    def read(self, text: str) -> topology.Topology:
        with tempfile.TemporaryDirectory() as directory:
            file = Path(directory) / "cluster.json"
            file.write_text(text, encoding="utf-8")
            return topology.read_topology(file)

    def test_a_good_one(self) -> None:
        result = self.read(json.dumps(DOCUMENT))
        self.assertEqual([machine.name for machine in result.machines], ["n0", "n1"])
        self.assertEqual(result.ranks, 5)
        self.assertEqual(result.switches[1].speed, 10**9)

    def test_mistakes(self) -> None:
        mistakes = [
            (("format",), "aapc-topology/2", "format"),
            (("kind",), "ring", "ring"),
            (("kind",), "clusters", "wide area"),
            (("switches", 0, "uplink"), "s1", "without an uplink"),
            (("switches", 1, "uplink"), None, "without an uplink"),
            (("switches", 1, "uplink"), "s1", "circle"),
            (("switches", 1, "uplink"), "s9", "s9"),
            (("switches", 1, "speed"), None, "no speed"),
            (("switches", 1, "name"), "s0", "one name"),
            (("machines", 1, "name"), "n0", "taken"),
            (("machines", 1, "name"), "localhost", "taken"),
            (("machines", 1, "name"), "../../etc", "letters"),
            (("machines", 1, "name"), "a b", "letters"),
            (("machines", 1, "name"), "-n1", "letters"),
            (("machines", 1, "name"), "n" * 65, "at most 64"),
            (("machines", 1, "switch"), "s9", "s9"),
            (("machines", 1, "ranks"), 0, "rank"),
            (("machines", 1, "ranks"), "many", "many"),
            (("machines", 1, "speed"), None, "no speed"),
            (("machines",), [], "no machine"),
        ]
        for path, value, expected in mistakes:
            with self.subTest(path=path, value=value):
                document = copy.deepcopy(DOCUMENT)
                place = document
                for step in path[:-1]:
                    place = place[step]
                place[path[-1]] = value
                with self.assertRaisesRegex(UsageError, expected):
                    self.read(json.dumps(document))

    def test_what_is_no_document(self) -> None:
        for text, expected in [("", ":1:1: not JSON"), ("{", "not JSON"), ("[]", "format"), ("{}", "format")]:
            with self.subTest(text=text), self.assertRaisesRegex(UsageError, expected):
                self.read(text)
        with self.assertRaisesRegex(UsageError, "no such file"):
            topology.read_topology(Path("/nowhere/cluster.toml"))


class DocumentsOfOtherKinds(unittest.TestCase):
    def test_clusters(self) -> None:
        document = {**copy.deepcopy(DOCUMENT), "kind": "clusters"}
        document["wide_area"] = {"switch": "s0", "latency_seconds": 0.01}
        parsed = topology.parse_topology(document)
        self.assertEqual([switch.latency for switch in parsed.switches], [0.0, 0.005])
        (trunk,) = layout.lay_out(parsed, "test", None).delayed_trunks
        self.assertEqual((trunk.lower.interface, trunk.upper.interface, trunk.latency), ("up1", "down1", 0.005))
        # Whatever the bucket lets through in the latency fits, frames of 60 bytes included.
        self.assertGreater(wide_area.frames_on_the_way(trunk) * 60 * 8, 2 * 10**9 * 0.005)
        for latency in (-1.0, float("inf"), "soon"):
            document["wide_area"]["latency_seconds"] = latency
            self.assertRaises(UsageError, topology.parse_topology, document)

    def test_tori(self) -> None:
        parsed = topology.parse_topology(torus_document([2, 3]))
        topology.check_network(parsed)
        self.assertEqual((parsed.sides, parsed.ranks, parsed.speed), ([2, 3], 6, 10**8))
        for key, value, expected in [
            ("sides", [2, 4], "6 machines for a torus with room for 8"),
            ("sides", [], "one to three sides"),
            ("sides", [6, 0], "at least 1"),
            ("sides", None, "sides"),
            ("machines", [{"name": "a b", "ranks": 1}] * 6, "letters"),
            ("machines", [{"name": "a", "ranks": 1}] * 6, "taken"),
            ("links", [{"bits_per_second": 1e8}, {"bits_per_second": 1e9}], "different speeds"),
            ("links", [{"bits_per_second": 0}], "speed above zero"),
        ]:
            with self.subTest(key=key, value=value), self.assertRaisesRegex(UsageError, expected):
                topology.check_network(topology.parse_topology({**torus_document([2, 3]), key: value}))


def torus_document(sides: list[int]) -> dict:
    machines = [{"name": f"t{index}", "ranks": 1} for index in range(math.prod(sides))]
    links = [{"bits_per_second": 10**8}]
    return {"format": "aapc-topology/1", "kind": "torus", "sides": sides, "machines": machines, "links": links}


TORI = [[1], [2], [5], [8], [2, 2], [1, 4], [4, 4], [3, 6], [8, 4], [2, 3, 4], [4, 4, 4], [6, 1, 2]]


class Tori(unittest.TestCase):
    def lay_out(self, sides: list[int]) -> torus.TorusLayout:
        return torus.lay_out_torus(topology.parse_topology(torus_document(sides)), "test", None)

    def routes(self, plan: torus.TorusLayout) -> list[list[tuple[str, str]]]:
        """For every two machines the directed cables, as pairs of addresses, that packets take by the routing tables."""
        tables = {host.address: {route.destination: route for route in host.routes} for host in plan.hosts}
        other_end = {}
        for cable in plan.cables:
            lower, upper = (plan.hosts[end.machine].address for end in (cable.lower, cable.upper))
            other_end[lower, cable.lower.interface] = upper
            other_end[upper, cable.upper.interface] = lower
        routes = []
        for start in tables:
            for end in tables:
                here, route = start, []
                while here != end:
                    there = other_end[here, tables[here][end].interface]
                    self.assertEqual(there, tables[here][end].gateway)
                    route.append((here, there))
                    self.assertLess(len(route), len(tables), "in a circle")
                    here = there
                routes.append(route)
        return routes

    def test_packets_arrive_by_the_shortest_way(self) -> None:
        for sides in TORI:
            with self.subTest(sides=sides):
                plan, grid = self.lay_out(sides), torus.Grid(sides)
                self.assertEqual(len(plan.cables), sum(math.prod(sides) // side * (side > 1) * (side if side > 2 else 1) for side in sides))
                pairs = [(start, end) for start in range(grid.machines) for end in range(grid.machines)]
                for (start, end), route in zip(pairs, self.routes(plan)):
                    distances = [
                        abs(grid.coordinate(start, dimension) - grid.coordinate(end, dimension))
                        for dimension in range(len(sides))
                    ]
                    shortest = sum(min(distance, side - distance) for distance, side in zip(distances, sides))
                    self.assertEqual(len(route), shortest)

    def test_neighbours_are_those_at_the_other_end(self) -> None:
        for sides in TORI:
            plan = self.lay_out(sides)
            with self.subTest(sides=sides):
                for cable in plan.cables:
                    for here, there in [(cable.lower, cable.upper), (cable.upper, cable.lower)]:
                        found = [
                            neighbour
                            for neighbour in plan.hosts[here.machine].neighbours
                            if neighbour.interface == here.interface
                        ]
                        self.assertEqual([neighbour.hardware_address for neighbour in found], [there.hardware_address])
                        self.assertEqual(found[0].address, plan.hosts[there.machine].address)
                addresses = [end.hardware_address for cable in plan.cables for end in (cable.lower, cable.upper)]
                addresses += [host.hardware_address for host in plan.hosts]
                self.assertEqual(len(addresses), len(set(addresses)))

    @unittest.skipUnless("AAPC_PROGRAM" in os.environ, "the program aapc was not built")
    def test_links_carry_what_aapc_says(self) -> None:
        """The routes are those of aapc: every link has as many messages under an all-to-all."""
        for sides in TORI:
            with self.subTest(sides=sides), tempfile.TemporaryDirectory() as directory:
                file = Path(directory) / "torus.toml"
                file.write_text(
                    f'[network]\nkind = "torus"\nspeed = "100Mbit"\nsides = {sides}\n'
                    f'machines = "t[0-{math.prod(sides) - 1}]"\n'
                )
                command = [os.environ["AAPC_PROGRAM"], "topology", str(file), "--format", "json"]
                answer = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
                plan = torus.lay_out_torus(topology.parse_topology(answer), "test", None)
                names = {host.address: host.machine.name for host in plan.hosts}
                loads = Counter((names[start], names[end]) for route in self.routes(plan) for start, end in route)
                for link in answer["links"]:
                    ends = link["lower"], link["upper"]
                    self.assertEqual(max(loads[ends], loads[ends[::-1]]), link["messages"], ends)
                self.assertEqual(len(answer["links"]), len(plan.cables))


class Layouts(unittest.TestCase):
    def test_frames_arrive(self) -> None:
        """Following the forwarding tables from every switch leads to every machine, at most once through a switch."""
        for seed in range(200):
            with self.subTest(seed=seed):
                self.follow_all(layout.lay_out(topology.parse_topology(random_document(seed)), "test", None))

    def follow_all(self, plan: layout.Layout) -> None:
        bridge_of = {port.interface: port.bridge for port in plan.ports}
        other_end = {}
        for trunk in plan.trunks:
            other_end[trunk.lower.interface] = trunk.upper
            other_end[trunk.upper.interface] = trunk.lower
        towards = {}
        for hardware_address, port in plan.forwarding:
            key = bridge_of[port], hardware_address
            self.assertNotIn(key, towards)
            towards[key] = port
        for bridge in plan.bridges.values():
            for host in plan.hosts:
                here, passed = bridge, set()
                while (port := towards[here, host.hardware_address]) != host.port:
                    self.assertNotIn(here, passed)
                    passed.add(here)
                    here = other_end[port].bridge

    def test_names_and_addresses_are_unique(self) -> None:
        plan = layout.lay_out(topology.parse_topology(random_document(7)), "test", None)
        interfaces = [port.interface for port in plan.ports] + list(plan.bridges.values())
        for names in (
            plan.namespaces,
            interfaces,
            [host.address for host in plan.hosts],
            [host.hardware_address for host in plan.hosts],
        ):
            self.assertEqual(len(names), len(set(names)))
        self.assertLessEqual(max(map(len, interfaces)), 15)

    def test_speeds(self) -> None:
        parsed = topology.parse_topology(DOCUMENT)
        own = layout.lay_out(parsed, "test", None)
        self.assertEqual([port.bits_per_second for port in own.ports], [10**8, 10**8, 10**9, 10**9])
        one = layout.lay_out(parsed, "test", 10**7)
        self.assertEqual({port.bits_per_second for port in one.ports}, {10**7})
        self.assertEqual({host.bits_per_second for host in one.hosts}, {10**7})

    def test_lab_names(self) -> None:
        for name in ["aapc", "a-b_c", "7"]:
            self.assertEqual(layout.check_lab_name(name), name)
        for name in ["", ".", "..", "a.b", "a/b", "-a", "a b", "x" * 33]:
            self.assertRaises(UsageError, layout.check_lab_name, name)


class FabricLayout(unittest.TestCase):
    def fabric(self, seed: int) -> topology.Fabric:
        """Leaves that are all connected through some spines; some cables are doubled or missing."""
        choose = random.Random(seed)
        leaves, spines = choose.randint(2, 5), choose.randint(1, 4)
        switches = []
        for leaf in range(leaves):
            uplinks = [{"switch": "spine0", "speed": 10**8}]
            for spine in range(1, spines):
                uplinks += [{"switch": f"spine{spine}", "speed": 10**8}] * choose.randint(0, 2)
            switches.append({"name": f"leaf{leaf}", "uplinks": uplinks})
        switches += [{"name": f"spine{spine}", "uplinks": []} for spine in range(spines)]
        machines = [
            {"name": f"n{index}", "switch": f"leaf{choose.randrange(leaves)}", "ranks": 1, "speed": 10**8}
            for index in range(choose.randint(1, 12))
        ]
        choose.shuffle(switches)
        document = {"format": "aapc-topology/1", "kind": "fabric", "paths": "hashed", "switches": switches, "machines": machines}
        network = topology.parse_topology(document)
        topology.check_network(network)
        return network

    def test_every_way_of_a_packet_is_a_shortest_one(self) -> None:
        for seed in range(60):
            laid_out = fabric.lay_out_fabric(self.fabric(seed), "t", None, 1)
            switches = len(laid_out.routers)
            for index, host in enumerate(laid_out.hosts):
                for start in laid_out.hosts:
                    lengths = set()
                    self.walk(laid_out, start.leaf.node, host.address, switches + index, 0, lengths)
                    same_leaf = start.leaf.node == host.leaf.node
                    self.assertEqual(lengths, {0} if same_leaf else {2}, f"seed {seed}")

    def walk(self, laid_out, at: int, address: str, target: int, hops: int, lengths: set) -> None:
        (ways,) = [ways for destination, ways in laid_out.routers[at].routes if destination == address]
        self.assertTrue(ways)
        for way in ways:
            if way.node >= len(laid_out.routers):
                self.assertEqual(way.node, target)
                lengths.add(hops)
            else:
                self.walk(laid_out, way.node, address, target, hops + 1, lengths)

    def test_all_cables_between_two_switches_are_used(self) -> None:
        for seed in range(20):
            network = self.fabric(seed)
            laid_out = fabric.lay_out_fabric(network, "t", None, 1)
            self.assertEqual(len(laid_out.cables), len(network.machines) + sum(len(s.uplinks) for s in network.switches))
            interfaces = [(end.node, end.interface) for cable in laid_out.cables for end in (cable.lower, cable.upper)]
            self.assertEqual(len(set(interfaces)), len(interfaces))
            addresses = [end.hardware_address for cable in laid_out.cables for end in (cable.lower, cable.upper)]
            self.assertEqual(len(set(addresses)), len(addresses))

    def test_seeds_follow_the_draw(self) -> None:
        seeds = [[router.hash_seed for router in fabric.lay_out_fabric(self.fabric(3), "t", None, draw).routers] for draw in (1, 1, 2)]
        self.assertEqual(seeds[0], seeds[1])
        self.assertNotEqual(seeds[0], seeds[2])
        self.assertEqual(len(set(seeds[0])), len(seeds[0]))

    def test_what_no_lab_can_be(self) -> None:
        network = self.fabric(1)
        for wrong, message in (
            (dataclasses.replace(network, paths="static"), "paths are static"),
            (dataclasses.replace(network, switches=[topology.FabricSwitch("leaf0", [("top", 1)])]), "'top'"),
            (dataclasses.replace(network, machines=[*network.machines, topology.Machine("x", "nowhere", 1, 1)]), "nowhere"),
            (
                dataclasses.replace(
                    network,
                    switches=[*network.switches, topology.FabricSwitch("alone", [])],
                    machines=[*network.machines, topology.Machine("x", "alone", 1, 1)],
                ),
                "no cables lead",
            ),
        ):
            with self.assertRaisesRegex(UsageError, message):
                topology.check_network(wrong)


if __name__ == "__main__":
    unittest.main()
