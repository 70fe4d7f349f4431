"""Puts clusters with a wide area, tori and fabrics up, and asks whether every machine is reached, on the right way and in the right
time. As cluster_test.py otherwise."""

import json
import os
import random
import re
import signal
import subprocess
import sys
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from harness import CLUSTER, LAB, Case, UpCase, cluster, each_mpi, main, processes_with, traces, wait_until

sys.path.insert(0, str(CLUSTER.parent))

from emulation.torus import Grid  # noqa: E402

SPEED = 50_000_000
LATENCY = 0.04  # seconds, one way, from cluster to cluster
CLUSTERS = {
    "format": "aapc-topology/1",
    "kind": "clusters",
    "switches": [
        {"name": "wide-area", "uplink": None, "speed": None},
        {"name": "a", "uplink": "wide-area", "speed": SPEED},
        {"name": "b", "uplink": "wide-area", "speed": SPEED // 2},
        {"name": "rack", "uplink": "b", "speed": SPEED},
        {"name": "c", "uplink": "wide-area", "speed": SPEED},
    ],
    "machines": [
        {"name": "a0", "switch": "a", "ranks": 1, "speed": SPEED},
        {"name": "a1", "switch": "a", "ranks": 1, "speed": SPEED},
        {"name": "b0", "switch": "b", "ranks": 1, "speed": SPEED},
        {"name": "b1", "switch": "rack", "ranks": 2, "speed": SPEED},
        {"name": "c0", "switch": "c", "ranks": 1, "speed": SPEED},
    ],
    "wide_area": {"switch": "wide-area", "latency_seconds": LATENCY},
}
SIDES = [4, 2]
TORUS = {
    "format": "aapc-topology/1",
    "kind": "torus",
    "sides": SIDES,
    "machines": [{"name": f"t{index}", "ranks": 1} for index in range(8)],
    "links": [{"bits_per_second": SPEED}],
}
FABRIC = {
    "format": "aapc-topology/1",
    "kind": "fabric",
    "paths": "hashed",
    "switches": [
        *({"name": f"leaf{leaf}", "uplinks": [{"switch": f"spine{s}", "speed": SPEED} for s in range(2)]} for leaf in range(3)),
        {"name": "spine0", "uplinks": []},
        {"name": "spine1", "uplinks": []},
    ],
    "machines": [{"name": f"n{n}", "switch": f"leaf{n // 2}", "ranks": 1, "speed": SPEED} for n in range(6)],
}
# Takes connections one after the other and reads each to its end.
RECEIVE = """
import socket
server = socket.create_server(("", 0))
print(server.getsockname()[1], flush=True)
while True:
    connection = server.accept()[0]
    while connection.recv(65536):
        pass
    connection.sendall(b"x")
    connection.close()
"""
SEND = """
import socket, sys
connection = socket.create_connection((sys.argv[1], int(sys.argv[2])), source_address=("", int(sys.argv[3])))
connection.sendall(bytes(250000))
connection.shutdown(socket.SHUT_WR)
connection.recv(1)
"""
# Datagrams from so many ports that the hash takes every cable.
SEND_FROM_MANY_PORTS = """
import socket, sys
for port in range(20000, 20064):
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.bind(("", port))
    sender.sendto(bytes(1000), (sys.argv[1], 9))
    sender.close()
"""
NETWORKS = CLUSTER.parent / "networks"
# Of `lab/cluster calibrate`: two machines, cables, least round trip in milliseconds, share of the speed asked for.
CALIBRATION = re.compile(r"(\S+) to (\S+), (\d+) cables: round trip ([\d.]+)/.* Mbit/s, ([\d.]+)")


def least_seconds(said: str) -> float:
    """The shortest round trip that ping tells."""
    return float(re.search(r"= ([\d.]+)/", said)[1]) / 1e3


class KindCase(UpCase):
    def names(self) -> list[str]:
        return [machine["name"] for machine in self.topology["machines"]]

    def ping_all(self, *options: str) -> dict[tuple[str, str], str]:
        """What ping says, for every two machines."""
        pairs = [(start, end) for start in self.names() for end in self.names() if start != end]
        with ThreadPoolExecutor(4) as pool:
            return dict(zip(pairs, pool.map(lambda pair: self.ping(*pair, *options), pairs)))

    def ping(self, start: str, end: str, *options: str) -> str:
        return self.expect(cluster("exec", start, "--", "ping", "-n", "-W", "10", *options, end), 0)

    def calibrate(self, start: str, end: str) -> tuple[int, float, float]:
        """Cables, least round trip in milliseconds, share of the speed."""
        match = CALIBRATION.search(self.expect(cluster("calibrate", start, end), 0))
        self.assertIsNotNone(match)
        self.assertEqual((match[1], match[2]), (start, end))
        return int(match[3]), float(match[4]), float(match[5])

    def expect_speed(self, start: str, end: str, lowest: float, highest: float) -> list[tuple[int, float, float]]:
        """What calibrate() said, as often as it took for the share to be right."""
        found: list[tuple[int, float, float]] = []

        def share() -> float:
            found.append(self.calibrate(start, end))
            return found[-1][2]

        self.expect_share(share, lowest, highest)
        return found

    def expect_bytes_under_every_mpi(self) -> None:
        machines = self.topology["machines"]
        placement = [machine["name"] for machine in machines for _ in range(machine["ranks"])]
        expected = [*(f"rank {rank} on {name}" for rank, name in enumerate(placement)), "wrong bytes: 0"]
        for mpi in each_mpi():
            result = cluster("mpirun", "--mpi", mpi, "--timeout", "250", "--", os.environ[f"AAPC_WHERE_{mpi}"])
            self.assertEqual(self.expect(result, 0).splitlines(), expected)


class WideArea(KindCase):
    topology = CLUSTERS

    def test_everybody_reaches_everybody_and_far_is_far(self) -> None:
        often = ("-q", "-c", "3", "-i", "0.2")
        for (start, end), output in self.ping_all(*often).items():
            asked = 0.0 if start[0] == end[0] else 2 * LATENCY
            most = asked + LATENCY / 2
            least = least_seconds(output)
            for _ in range(5):  # a busy machine makes any of them late, but not all
                self.assertGreaterEqual(least, asked)
                if least < most:
                    break
                least = least_seconds(self.ping(start, end, *often))
            with self.subTest(start=start, end=end):
                self.assertLess(least, most)

    def test_speed_across(self) -> None:
        # With so long a way and so small a buffer, TCP does not always fill the link; it must not get more than that.
        self.assertEqual(self.expect_speed("a0", "b1", 0.6, 1.02)[0][0], 5)
        self.expect_speed("a0", "a1", 0.95, 1.02)

    def test_bytes_arrive(self) -> None:
        self.expect_bytes_under_every_mpi()

    def test_calibrate_takes_machines_of_this_lab(self) -> None:
        self.expect(cluster("calibrate", "a0"), 2, "at least two machines")
        self.expect(cluster("calibrate", "a0", "t0"), 2, "no machine 't0'")


class UpAndDown(Case):
    topology = CLUSTERS

    def setUp(self) -> None:
        self.addCleanup(cluster, "down")

    def expect_nothing_left(self) -> None:
        self.assertEqual(traces(LAB), [])
        self.assertEqual(self.delay_lines(), [])

    def delay_lines(self) -> list[int]:
        return processes_with(f"/run/aapc-lab/{LAB}/delay_line")

    def test_down_ends_the_delay_line(self) -> None:
        self.expect(cluster("up", str(self.file)), 0)
        self.assertEqual(len(self.delay_lines()), 1)
        self.expect(cluster("down"), 0)
        self.expect_nothing_left()

    def test_a_delay_line_that_ended_is_a_cut_cable(self) -> None:
        self.expect(cluster("up", str(self.file)), 0)
        (process,) = self.delay_lines()
        os.kill(process, signal.SIGKILL)
        self.assertTrue(wait_until(lambda: not self.delay_lines()))
        self.assertNotEqual(cluster("exec", "a0", "--", "ping", "-c", "1", "-W", "1", "c0").returncode, 0)
        self.expect(cluster("exec", "a0", "--", "ping", "-c", "1", "-W", "5", "a1"), 0)
        self.expect(cluster("down"), 0)
        self.expect_nothing_left()

    def test_up_that_is_interrupted(self) -> None:
        seed = 11
        choose = random.Random(seed)
        for _ in range(6):
            command = [CLUSTER, "up", "--name", LAB, str(self.file)]
            process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)
            time.sleep(choose.uniform(0.1, 0.8))
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=180)
            if process.returncode == 0:  # it was up already
                self.expect(cluster("down"), 0)
            self.expect_nothing_left()

    def test_a_compiler_is_needed(self) -> None:
        programs = self.directory / "programs"
        programs.mkdir()
        (programs / "cc").write_text("#!/bin/sh\necho 'no compiler today' >&2\nexit 1\n", encoding="utf-8")
        (programs / "cc").chmod(0o755)
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.expect(cluster("up", str(self.file), env=environment), 1, "no compiler today")
        self.expect_nothing_left()


class Torus(KindCase):
    topology = TORUS

    def test_packets_take_the_routes_of_the_page(self) -> None:
        grid = Grid(SIDES)
        addresses = {f"198.18.0.{index + 1}": index for index in range(grid.machines)}
        indices = {name: index for index, name in enumerate(self.names())}
        for (start, end), output in self.ping_all("-c", "1", "-R").items():
            expected = [indices[start]]
            while expected[-1] != indices[end]:
                expected.append(grid.neighbour(expected[-1], *grid.next_hop(expected[-1], indices[end])))
            recorded = [addresses[address] for address in re.findall(r"^(?:RR: )?\s+(198[\d.]+)", output, re.M)]
            with self.subTest(start=start, end=end):
                self.assertEqual(recorded[: len(expected)], expected)

    def test_a_machine_has_one_address(self) -> None:
        output = self.expect(cluster("exec", "t5", "--", "ip", "-4", "-br", "address"), 0)
        self.assertEqual([line.split()[2] for line in output.splitlines()], ["127.0.0.1/8", "198.18.0.6/15"])

    def test_speed(self) -> None:
        found = self.expect_speed("t0", "t5", 0.9, 1.02)
        self.assertEqual(found[0][0], 3)
        # Nothing is far on a torus: a round trip takes milliseconds, not the 80 of the wide area.
        self.expect_share(lambda: (found.pop() if found else self.calibrate("t0", "t5"))[1], 0, 20)

    def test_bytes_arrive(self) -> None:
        self.expect_bytes_under_every_mpi()

    def test_down_leaves_nothing(self) -> None:
        other = f"{LAB}-other"
        self.expect(cluster("up", str(self.file), name=other), 0)
        self.expect(cluster("down", name=other), 0)
        self.assertEqual(traces(other), [])


class Fabric(KindCase):
    topology = FABRIC

    def counters(self) -> dict[tuple[str, str, str], int]:
        """Bytes sent, by the ends of a cable and its interface."""
        crossed = json.loads(self.expect(cluster("cables", "--format", "json"), 0))
        return {(one["start"], one["end"], one["interface"]): one["sent_bytes"] for one in crossed}

    def test_all_machines_reach_each_other_by_shortest_ways(self) -> None:
        for (start, end), output in self.ping_all("-c", "1").items():
            same_leaf = int(start[1:]) // 2 == int(end[1:]) // 2
            with self.subTest(start=start, end=end):
                self.assertIn("ttl=63" if same_leaf else "ttl=61", output)

    def test_connections_take_the_cable_that_the_leaf_says(self) -> None:
        # `ip route get` in the leaf asks for the same hash of addresses and ports.
        namespace = f"aapc-lab.{LAB}.+0"
        used = set()
        receive = [sys.executable, "-c", RECEIVE]
        with subprocess.Popen(
            [CLUSTER, "exec", "--name", LAB, "n5", "--", *receive], stdout=subprocess.PIPE, text=True
        ) as receiver:
            port = receiver.stdout.readline().strip()
            for source in range(20000, 20016):
                ask = ["ip", "-n", namespace, "route", "get", "198.18.0.6", "from", "198.18.0.1", "iif", "port0"]
                said = subprocess.run([*ask, "ipproto", "tcp", "sport", str(source), "dport", port], capture_output=True, text=True, check=True)
                expected = re.search(r"dev (up\d)", said.stdout)[1]
                before = self.counters()
                send = ("exec", "n0", "--", sys.executable, "-c", SEND, "198.18.0.6", port, str(source))
                self.expect(cluster(*send), 0)
                after = self.counters()
                grown = {key[2]: after[key] - before[key] for key in after if key[0] == "leaf0" and key[1].startswith("spine")}
                self.assertGreater(grown[expected], 200_000)
                self.assertLess(min(grown.values()), 20_000)
                used.add(expected)
            receiver.terminate()
        self.assertEqual(used, {"up0", "up1"})

    def test_the_same_draw_chooses_the_same_cables(self) -> None:
        seeds = []
        for name, draw in ((f"{LAB}-a", "7"), (f"{LAB}-b", "7"), (f"{LAB}-c", "8")):
            self.addCleanup(cluster, "down", name=name)
            self.expect(cluster("up", str(self.file), "--draw", draw, name=name), 0)
            read = ["ip", "netns", "exec", f"aapc-lab.{name}.+0", "sysctl", "-n", "net.ipv4.fib_multipath_hash_seed"]
            seeds.append(subprocess.run(read, capture_output=True, text=True, check=False).stdout)
            self.expect(cluster("down", name=name), 0)
            self.assertEqual(traces(name), [])
        self.assertEqual(seeds[0], seeds[1])
        if seeds[0]:  # this kernel has seeds
            self.assertNotEqual(seeds[0], seeds[2])

    def test_speed(self) -> None:
        self.assertEqual(self.expect_speed("n0", "n5", 0.9, 1.02)[0][0], 4)

    def test_bytes_arrive(self) -> None:
        self.expect_bytes_under_every_mpi()

    def test_a_spine_goes_and_comes_back(self) -> None:
        def sent_by(spine: str) -> int:
            """By the leaves, while packets from many ports of n0 go to another leaf."""
            before = self.counters()
            send = [sys.executable, "-c", SEND_FROM_MANY_PORTS, "198.18.0.6"]
            self.expect(cluster("exec", "n0", "--", *send), 0)
            after = self.counters()
            return sum(after[key] - before[key] for key in after if key[1] == spine)

        self.assertGreater(sent_by("spine1"), 0)
        self.expect(cluster("switch", "spine1", "out"), 0)
        self.assertEqual(sent_by("spine1"), 0)
        self.assertGreater(sent_by("spine0"), 0)
        self.expect(cluster("exec", "n0", "--", "ping", "-c", "1", "-W", "5", "n5"), 0)
        self.expect(cluster("switch", "spine1", "in"), 0)
        self.assertGreater(sent_by("spine1"), 0)
        for machine in ("n1", "n3", "n4"):
            self.expect(cluster("exec", "n0", "--", "ping", "-c", "1", "-W", "5", machine), 0)
        self.expect(cluster("switch", "leaf0", "out"), 2, "no switch 'leaf0' without machines; there is spine0, spine1")

    @unittest.skipUnless("AAPC_PROGRAM" in os.environ, "the program aapc was not built")
    def test_aapc_exchanges_over_all_cables(self) -> None:
        topology = self.directory / "fabric.toml"
        lines = ['[network]', 'kind = "fabric"', 'speed = "50Mbit"', 'paths = "hashed"']
        for leaf in range(3):
            lines += ["[[switch]]", f'name = "leaf{leaf}"', 'uplinks = "spine[0-1]"', f'machines = "n[{2 * leaf}-{2 * leaf + 1}]"']
        for spine in range(2):
            lines += ["[[switch]]", f'name = "spine{spine}"']
        topology.write_text("\n".join(lines) + "\n", encoding="utf-8")
        environment = {**os.environ, "AAPC_ALGORITHM": "lattice", "AAPC_VERBOSE": "1"}
        for mpi in each_mpi():
            before = self.counters()
            command = [os.environ["AAPC_PROGRAM"], "exec", "--topology", str(topology), "--", os.environ[f"AAPC_WHERE_{mpi}"]]
            result = cluster("mpirun", "--mpi", mpi, "--timeout", "250", "--", *command, env=environment)
            self.assertIn("wrong bytes: 0", self.expect(result, 0))
            self.assertRegex(result.stderr, r"communicator of 6 ranks on 6 machines: native; from 1 bytes lattice\S*\+timed \(even bound 5 messages")
            after = self.counters()
            carried = sum(
                after[key] - before[key] for key in after if key[0].startswith("leaf") and key[1].startswith("spine")
            )
            self.assertGreater(carried, 24 * 20_000)  # what pairs of machines at different leaves have for each other


class LabNetworks(Case):
    """The fabrics that sweeps use, put up and down."""

    topology = FABRIC

    @unittest.skipUnless("AAPC_PROGRAM" in os.environ, "the program aapc was not built")
    def test_each_can_be_put_up(self) -> None:
        self.addCleanup(cluster, "down")
        for name, machines, cables in (
            ("leaf-spine-4x4x2", 16, 24),
            ("leaf-spine-4x4x4", 16, 32),
            ("leaf-spine-2x8x4", 16, 24),
            ("fat-tree-2x2x2", 8, 20),
        ):
            with self.subTest(name):
                self.expect(cluster("up", str(NETWORKS / f"{name}.toml")), 0, f"{machines} machines")
                crossed = json.loads(self.expect(cluster("cables", "--format", "json"), 0))
                self.assertEqual(len(crossed), 2 * cables)
                last = f"n{machines - 1}"
                self.expect(cluster("exec", "n0", "--", "ping", "-c", "1", "-W", "5", last), 0)
                self.expect(cluster("down"), 0)
        self.assertEqual(traces(LAB), [])


if __name__ == "__main__":
    sys.exit(main(("clusters", "torus", "fabric")))
