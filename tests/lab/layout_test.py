"""The lab's arithmetic: units, topology documents, and where every switch sends frames for every machine."""

import copy
import json
import random
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))

from emulation import layout, topology, units  # noqa: E402
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
        for text, size in [("128Ki", 131072), ("64k", 64000), ("1Mi", 1048576), ("1514", 1514), ("32KiB", 32768)]:
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
            (("kind",), "torus", "torus"),
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


if __name__ == "__main__":
    unittest.main()
