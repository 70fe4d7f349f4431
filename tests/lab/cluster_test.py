"""Puts emulated clusters up, uses them as a user would, and looks at what is left when they are down.

Needs root; exits 77 (skipped) with the reason where the machine does not allow namespaces. The programs to run under
the MPIs come in AAPC_WHERE_<mpi>, the program aapc in AAPC_PROGRAM; what needs one that is missing is skipped.
"""

import json
import os
import random
import signal
import subprocess
import sys
import time
import unittest
from pathlib import Path

from harness import CLUSTER, HERE, LAB, Case, UpCase, cluster, each_mpi, main, processes_with, traces, wait_until

FOREIGN = f"foreign{os.getpid()}"  # a namespace that is none of the lab's
GOODPUT = HERE.parents[1] / "lab" / "emulation" / "goodput.py"
SPEED = 100_000_000
GOODPUT_SHARE = 1448 / 1514  # payload of a full frame, with time stamps, as the token bucket counts it
TOPOLOGY = {
    "format": "aapc-topology/1",
    "kind": "tree",
    "switches": [
        {"name": "s0", "uplink": None, "speed": None},
        {"name": "s1", "uplink": "s0", "speed": SPEED},
    ],
    "machines": [
        {"name": "n0", "switch": "s0", "ranks": 1, "speed": SPEED},
        {"name": "n1", "switch": "s0", "ranks": 2, "speed": SPEED},
        {"name": "n2", "switch": "s1", "ranks": 1, "speed": SPEED},
        {"name": "n3", "switch": "s1", "ranks": 1, "speed": SPEED // 5},
    ],
}
PLACEMENT = ["n0", "n1", "n1", "n2", "n3"]  # of the ranks
ADDRESSES = {"n0": "198.18.0.1", "n1": "198.18.0.2", "n2": "198.18.0.3", "n3": "198.18.0.4"}

# Tells its host name to everybody who calls, until its input ends.
ANSWER = """
import os, socket, sys, threading
server = socket.create_server(("0.0.0.0", 4000))
def serve():
    while True:
        server.accept()[0].sendall(socket.gethostname().encode())
threading.Thread(target=serve, daemon=True).start()
print("ready", flush=True)
sys.stdin.read()
"""
BURST = """
import socket, sys
# Of one socket the kernel lets no more be under way than a port's buffer holds.
senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(4)]
for number in range(300):
    senders[number % 4].sendto(bytes(1400), (sys.argv[1], 4000))
"""
CALL = """
import socket, sys
print(*(socket.create_connection((name, 4000), timeout=30).recv(100).decode() for name in sys.argv[1:]))
"""


class InUse(UpCase):
    """What can be done with a cluster that is up."""

    topology = TOPOLOGY

    def test_status(self) -> None:
        lines = self.expect(cluster("status"), 0).splitlines()
        self.assertIn("4 machines, 5 ranks", lines[0])
        self.assertIn("n1\t198.18.0.2\t2 ranks", lines)
        state = json.loads(self.expect(cluster("status", "--format", "json"), 0))
        self.assertEqual(state["status"], "up")
        self.assertEqual(state["buffer"], 131072)

    def test_up_again(self) -> None:
        self.expect(cluster("up", str(self.file)), 2, "is up already")
        self.assertEqual(self.expect(cluster("exec", "n0", "--", "hostname"), 0), "n0\n")

    def test_a_machine_is_alone_with_its_cable(self) -> None:
        for name, address in ADDRESSES.items():
            with self.subTest(machine=name):
                run = lambda *command: self.expect(cluster("exec", name, "--", *command), 0)  # noqa: E731,B023
                self.assertEqual(run("hostname"), f"{name}\n")
                self.assertEqual(run("ip", "route"), f"198.18.0.0/15 dev eth0 proto kernel scope link src {address} \n")
                self.assertEqual(
                    [line.split()[0].split("@")[0] for line in run("ip", "-br", "link").splitlines()], ["lo", "eth0"]
                )
                self.assertEqual(run("ip", "-6", "address"), "")
                self.assertEqual(run("sysctl", "-n", "net.ipv4.tcp_congestion_control"), "cubic\n")

    def test_everybody_reaches_everybody_by_name(self) -> None:
        answering = [
            subprocess.Popen(
                [CLUSTER, "exec", "--name", LAB, name, "--", sys.executable, "-c", ANSWER],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                text=True,
            )
            for name in ADDRESSES
        ]
        try:
            for process in answering:
                self.assertEqual(process.stdout.readline(), "ready\n")
            for name in ADDRESSES:
                output = self.expect(cluster("exec", name, "--", sys.executable, "-c", CALL, *ADDRESSES), 0)
                self.assertEqual(output.split(), list(ADDRESSES), f"called from {name}")
        finally:
            for process in answering:
                process.communicate(timeout=180)

    def test_goodput(self) -> None:
        for sender, receiver, speed in [("n0", "n1", SPEED), ("n0", "n2", SPEED), ("n1", "n3", SPEED // 5)]:
            with self.subTest(sender=sender, receiver=receiver):
                self.expect_share(
                    lambda: self.goodput(sender, receiver) * 8 / (speed * GOODPUT_SHARE),  # noqa: B023
                    0.95,
                    1.01,
                )

    def goodput(self, sender: str, receiver: str) -> float:
        measure = [sys.executable, str(GOODPUT)]
        command = [CLUSTER, "exec", "--name", LAB, receiver, "--", *measure, "receive", "1.5"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as receiving:
            port = receiving.stdout.readline().strip()
            self.expect(cluster("exec", sender, "--", *measure, "send", ADDRESSES[receiver], port), 0)
            return float(receiving.communicate(timeout=180)[0])

    def test_exec_passes_everything_on(self) -> None:
        words = ["two  words", "it's", 'a "quote"', "$HOME", "*", "", "--", "-n"]
        show = [sys.executable, "-c", "import sys; print(sys.argv[1:]); print(sys.stdin.read()); sys.exit(7)"]
        output = self.expect(cluster("exec", "n3", "--", *show, *words, input="in"), 7)
        self.assertEqual(output, f"{words}\nin\n")

    def test_mistakes(self) -> None:
        self.expect(cluster("exec", "n9", "--", "true"), 2, "no machine 'n9'; it has n0, n1, n2, n3")
        self.expect(cluster("exec", "n0"), 2, "after --")
        self.expect(cluster("exec", "n0", "--", "true", name="nobody"), 2, "is not up")
        self.expect(cluster("mpirun", "--mpi", "openmpi", "-n", "6", "--", "true"), 2, "1 to 5 ranks, not for 6")
        self.expect(cluster("up", str(self.file), "--rate", "fast", name="other"), 2, "'fast' is not a speed")
        self.expect(cluster("up", str(self.file), "--buffer", "1k", name="other"), 2, "holds no frame")
        self.expect(cluster("up", "nowhere.toml", name="other"), 2, "no such file")
        self.expect(cluster("up", str(self.file), name="a/b"), 2, "lab name 'a/b'")

    def test_second_lab_at_the_same_time(self) -> None:
        other = f"{LAB}-other"
        self.addCleanup(cluster, "down", name=other)
        self.expect(cluster("up", str(self.file), "--rate", "50Mbit", "--congestion-control", "reno", name=other), 0)
        control = ("exec", "n0", "--", "sysctl", "-n", "net.ipv4.tcp_congestion_control")
        self.assertEqual(self.expect(cluster(*control, name=other), 0), "reno\n")
        self.assertEqual(self.expect(cluster(*control), 0), "cubic\n")
        self.expect(cluster("down", name=other), 0)
        self.assertEqual(self.expect(cluster("exec", "n0", "--", "hostname"), 0), "n0\n")


class Losses(UpCase):
    """What the ports of switches drop: nothing on a new cluster, and later what their buffers have no room for."""

    topology = TOPOLOGY

    def dropped(self) -> int:
        return json.loads(self.expect(cluster("status", "--format", "json"), 0))["dropped_packets"]

    def burst_is_dropped(self) -> bool:
        """420 KB leave n0 five times as fast as the cable of n3 takes them, and its port has room for 128 KB."""
        before = self.dropped()
        self.expect(cluster("exec", "n0", "--", sys.executable, "-c", BURST, ADDRESSES["n3"]), 0)
        return self.dropped() > before

    def test_dropped_packets(self) -> None:
        self.assertEqual(self.dropped(), 0)
        self.assertIn("0 packets dropped at switch ports", self.expect(cluster("status"), 0).splitlines())
        for _ in range(2):
            self.assertTrue(wait_until(self.burst_is_dropped))
        said = self.expect(cluster("status"), 0)
        self.assertRegex(said, rf"(?m)^\d+ packets dropped at switch ports: aapc-lab\.{LAB}/port3 [1-9]\d*$")


class UnderMpi(UpCase):
    """MPI programs across the machines."""

    topology = TOPOLOGY

    def mpirun(self, mpi: str, *arguments: str, **options) -> subprocess.CompletedProcess:
        result = cluster("mpirun", "--mpi", mpi, "--timeout", "180", *arguments, **options)
        state = Path("/run/aapc-lab") / LAB
        self.assertEqual([path.name for path in state.iterdir()], ["state.json"], "files of the run are left")
        return result

    def test_ranks_are_where_they_belong_and_bytes_arrive(self) -> None:
        for mpi in each_mpi():
            for ranks in (5, 3):
                result = self.mpirun(mpi, "-n", str(ranks), "--", os.environ[f"AAPC_WHERE_{mpi}"])
                expected = [f"rank {rank} on {machine}" for rank, machine in enumerate(PLACEMENT[:ranks])]
                self.assertEqual(self.expect(result, 0).splitlines(), [*expected, "wrong bytes: 0"])
                self.assertEqual(result.stderr, "")

    def test_finalize_ends_every_time(self) -> None:
        """MPICH 4.0 hangs in MPI_Finalize two times out of three without the lab's remedy."""
        for mpi in each_mpi():
            for _ in range(6):
                result = self.mpirun(mpi, "--", os.environ[f"AAPC_WHERE_{mpi}"])
                self.expect(result, 0)

    def test_shared_memory_stays_inside_a_machine(self) -> None:
        """n1 has two ranks, which send each other one message each and three each to others."""
        message = 20000  # as in where.c
        for mpi in each_mpi():
            inside = []
            for options in ([], ["--shared-memory"]):
                with self.subTest(mpi=mpi, options=options):
                    before = self.sent_bytes("n1")
                    self.expect(self.mpirun(mpi, *options, "--", os.environ[f"AAPC_WHERE_{mpi}"]), 0)
                    after = self.sent_bytes("n1")
                    self.assertGreater(after["eth0"] - before["eth0"], 2 * 3 * message)
                    inside.append(after["lo"] - before["lo"])
            # Open MPI 5's ranks talk to their launcher that way as well, at some 65 KB each.
            self.assertGreater(inside[0] - inside[1], message, mpi)

    def sent_bytes(self, machine: str) -> dict[str, int]:
        """By interface."""
        lines = self.expect(cluster("exec", machine, "--", "cat", "/proc/net/dev"), 0).splitlines()[2:]
        return {line.split(":")[0].strip(): int(line.split(":")[1].split()[8]) for line in lines}

    def test_words_environment_and_status_pass(self) -> None:
        words = ["two  words", "it's", 'a "quote"', "$HOME"]
        setting = 'a "b"  c'
        # in one piece, so that the lines of different ranks do not mix
        show = (
            "import os, sys; e = os.environ; "
            'os.write(1, f\'{sys.argv[1:]} {e["AAPC_SETTING"]} {e.get("LD_PRELOAD")}\\n\'.encode())'
        )
        environment = {**os.environ, "AAPC_SETTING": setting, "LD_PRELOAD": "libnothere.so"}
        for mpi in each_mpi():
            result = self.mpirun(mpi, "--", sys.executable, "-c", show, *words, env=environment)
            lines = self.expect(result, 0).splitlines()
            self.assertEqual(len(lines), 5)
            for line in lines:
                self.assertTrue(line.startswith(f"{words} {setting}"), line)
                self.assertNotIn("libnothere.so", line)
            self.assertEqual(self.mpirun(mpi, "-n", "1", "--", "sh", "-c", "exit 7").returncode, 7)

    def test_further_options_reach_the_mpi(self) -> None:
        options = {"openmpi": ["--tag-output"], "mpich": ["-prepend-rank"]}
        for mpi in each_mpi():
            output = self.expect(self.mpirun(mpi, *options[mpi], "-n", "1", "--", "hostname"), 0)
            self.assertRegex(output, r"^\[.*0\]\S*\s*n0$")

    def test_timeout_leaves_no_process(self) -> None:
        for mpi in each_mpi():
            marker = f"{LAB}-{mpi}-sleeper"
            script = 'setsid sh -c "sleep 100; :" "$0" & sh -c "sleep 100; :" "$0"'
            result = self.mpirun(mpi, "--timeout", "1", "--", "sh", "-c", script, marker)
            self.expect(result, 124, "no end after 1 s")
            self.assertEqual(processes_with(marker), [])

    def test_interrupt_leaves_no_process(self) -> None:
        for mpi in each_mpi():
            for number in (signal.SIGINT, signal.SIGTERM):
                marker = f"{LAB}-{mpi}-{number}"
                command = [CLUSTER, "mpirun", "--name", LAB, "--mpi", mpi, "--", "sh", "-c", "sleep 100; :", marker]
                with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
                    # the launcher and its agents name the marker too; ranks are five more than those
                    self.assertTrue(wait_until(lambda: len(processes_with(marker)) > 5))  # noqa: B023
                    process.send_signal(number)
                    process.communicate(timeout=180)
                self.assertEqual(process.returncode, 128 + number)
                self.assertEqual(processes_with(marker), [])


class UpAndDown(Case):
    """What is left when a cluster is taken down, or never got up."""

    topology = TOPOLOGY

    def setUp(self) -> None:
        self.addCleanup(cluster, "down")
        subprocess.run(["ip", "netns", "add", FOREIGN], check=True)
        self.addCleanup(subprocess.run, ["ip", "netns", "del", FOREIGN], check=True)
        self.bystander = subprocess.Popen(["ip", "netns", "exec", FOREIGN, "sleep", "1000"])
        self.addCleanup(self.bystander.wait)
        self.addCleanup(self.bystander.kill)

    def expect_nothing_left(self) -> None:
        self.assertEqual(traces(LAB), [])
        self.assertTrue(Path("/run/netns", FOREIGN).exists())
        self.assertIsNone(self.bystander.poll())

    def test_down_removes_everything_and_nothing_else(self) -> None:
        marker = f"{LAB}-stays-behind"
        self.expect(cluster("up", str(self.file)), 0)
        self.assertEqual(len(traces(LAB)), 5 + 4 + 1)
        script = 'trap "" TERM; sleep 100; :'
        with subprocess.Popen([CLUSTER, "exec", "--name", LAB, "n2", "--", "sh", "-c", script, marker]) as process:
            self.assertTrue(wait_until(lambda: self.arguments_of(process.pid)[:2] == ["sh", "-c"]))
            self.expect(cluster("down"), 0)
            process.wait(timeout=180)
        self.assertEqual(processes_with(marker), [])
        self.expect_nothing_left()
        self.expect(cluster("down"), 0, "is not up")
        self.expect(cluster("status"), 1, "is not up")

    def arguments_of(self, process: int) -> list[str]:
        return Path(f"/proc/{process}/cmdline").read_text(encoding="utf-8").split("\0")

    def test_up_that_fails_half_way(self) -> None:
        programs = self.directory / "programs"
        programs.mkdir()
        (programs / "bridge").write_text("#!/bin/sh\necho 'no bridges today' >&2\nexit 1\n", encoding="utf-8")
        (programs / "bridge").chmod(0o755)
        environment = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}"}
        self.expect(cluster("up", str(self.file), env=environment), 1, "no bridges today")
        self.expect_nothing_left()

    def test_up_that_is_interrupted(self) -> None:
        choose = random.Random(5)
        outcomes = set()
        for _ in range(8):
            delay = choose.uniform(0.05, 0.3)
            process = self.start_up()
            time.sleep(delay)
            process.send_signal(signal.SIGINT)
            process.communicate(timeout=180)
            outcomes.add(process.returncode == 0)
            if process.returncode == 0:  # it was up already
                self.expect(cluster("down"), 0)
            self.expect_nothing_left()
        self.assertIn(False, outcomes, "no attempt was interrupted in time")

    def test_up_that_is_killed(self) -> None:
        partial = 0
        for attempt in range(8):
            process = self.start_up()
            self.assertTrue(wait_until(lambda: len(traces(LAB)) > 2 + attempt))  # noqa: B023
            process.kill()
            process.communicate(timeout=180)
            result = cluster("exec", "n0", "--", "true")
            if result.returncode == 2:
                partial += 1
                self.assertIn("only in part", result.stderr)
                self.expect(cluster("up", str(self.file)), 2, f"lab/cluster down --name {LAB}")
            self.expect(cluster("down"), 0)
            self.expect_nothing_left()
        self.assertGreater(partial, 0, "no attempt was killed in time")

    def start_up(self) -> subprocess.Popen:
        command = [CLUSTER, "up", "--name", LAB, str(self.file)]
        return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def test_namespaces_nobody_recorded(self) -> None:
        stray = f"aapc-lab.{LAB}.n0"
        subprocess.run(["ip", "netns", "add", stray], check=True)
        try:
            self.expect(cluster("up", str(self.file)), 2, f"ip netns del {stray}")
            self.assertTrue(Path("/run/netns", stray).exists())
        finally:
            subprocess.run(["ip", "netns", "del", stray], check=True)
        self.expect_nothing_left()

    @unittest.skipUnless("AAPC_PROGRAM" in os.environ, "the program aapc was not built")
    def test_topology_files(self) -> None:
        file = self.directory / "cluster.toml"
        file.write_text(
            '[network]\nspeed = "50Mbit"\n[[switch]]\nname = "s0"\nmachines = "n[0-1]"\n'
            '[[switch]]\nname = "s1"\nuplink = "s0"\nspeed = "100Mbit"\nmachines = ["m:3"]\n',
            encoding="utf-8",
        )
        self.expect(cluster("up", str(file)), 0)
        hosts = json.loads(self.expect(cluster("status", "--format", "json"), 0))["hosts"]
        self.assertEqual([(host["name"], host["ranks"]) for host in hosts], [("n0", 1), ("n1", 1), ("m", 3)])
        self.assertIn("rate 50Mbit", self.expect(cluster("exec", "n1", "--", "tc", "qdisc"), 0))
        self.expect(cluster("down"), 0)
        file.write_text('[[switch]]\nname = "s0"\nuplink = "s0"\n', encoding="utf-8")
        self.expect(cluster("up", str(file)), 2, f"{file}:")
        self.expect_nothing_left()


if __name__ == "__main__":
    sys.exit(main(("tree",)))
