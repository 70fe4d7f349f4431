#!/usr/bin/env python3
"""`aapc discover` and `aapc doctor` under an MPI, on this machine: site_commands.py AAPC LAUNCHER [PROGRAM...]

AAPC starts the PROGRAMs; they are named so that they are built (tests/needed_targets.py).

Four ranks say that they are on machines n0 to n3. Speeds are those of shared memory and mean nothing here: what is
tested is that the commands measure, write what can be read, and refuse what they cannot do.
"""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
sys.dont_write_bytecode = True

from launching import LAUNCHER_VARIABLES  # noqa: E402

AAPC, LAUNCHER = sys.argv[1:3]
ON_MACHINE = Path(__file__).resolve().parent.parent / "interposer" / "on_machine.sh"
CHECKS = (
    ["MPI", "interposer", "machines", "speeds", "path MTU", "TCP buffers", "congestion control"]
    + ["slow start after idle", "shared memory", "clock: resolution", "clock: offset", "clock: drift", "wake-ups"]
    + ["reductions", "start"]
)
# No shared memory is as fast as that, and none so slow that a busy machine could make it so.
FOUR = '[network]\nspeed = "1000Gbit"\n[[switch]]\nname = "s"\nmachines = "n[0-{last}]"\n'


class SiteCommands(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = Path(scratch.name)

    def run_ranks(self, *words, ranks=4, a_machine=1):
        """The command on so many ranks, without what the launcher adds to standard error."""
        settings = {
            "AAPC_TEST_HOST": "n",
            "AAPC_TEST_PER_MACHINE": str(a_machine),
        }
        command = [LAUNCHER, "-n", str(ranks), str(ON_MACHINE), AAPC, *words]
        return subprocess.run(
            command, cwd=self.directory, env={**os.environ, **LAUNCHER_VARIABLES, **settings}, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=300
        )

    def test_discover_writes_a_topology_file_of_all_machines(self):
        found = self.run_ranks("discover", "--round", "0.01", "-o", "found.toml")
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertEqual(found.stdout, "")
        text = (self.directory / "found.toml").read_text()
        self.assertIn("4 machines", text)
        read = subprocess.run([AAPC, "topology", "found.toml"], cwd=self.directory, capture_output=True, text=True)
        self.assertEqual(read.returncode, 0, read.stderr + text)
        self.assertIn("4 machines", read.stdout)

    def test_discover_counts_the_ranks_of_a_machine(self):
        found = self.run_ranks("discover", "--round", "0.01", "--no-latency", "--seed", "7", a_machine=2)
        self.assertEqual(found.returncode, 0, found.stderr)
        self.assertIn('machines = "n[0-1]:2"', found.stdout)

    def test_discover_refuses_what_it_cannot_find(self):
        # What is refused before ranks meet, one rank is asked: a launcher ends all as soon as one has gone.
        for words, ranks, complaint in (
            ([], 4, "on one machine"),
            (["--round", "0"], 1, "--round"),
            (["--seed", "x"], 1, "--seed"),
            (["--mpi", "none"], 1, "none"),
        ):
            with self.subTest(words=words):
                refused = self.run_ranks("discover", *words, ranks=ranks, a_machine=4)
                self.assertNotEqual(refused.returncode, 0)
                self.assertEqual(refused.stdout, "")
                self.assertIn(complaint, refused.stderr)

    def test_doctor_has_a_line_for_each_check(self):
        topology = self.directory / "four.toml"
        topology.write_text(FOUR.format(last=3))
        looked = self.run_ranks("doctor", "--round", "0.02", "--topology", str(topology))
        starts = [line for line in looked.stdout.splitlines() if not line.startswith(" ")]
        self.assertEqual([line.split("  ")[0].strip() for line in starts], CHECKS, looked.stderr)
        by_check = dict(zip(CHECKS, starts))
        self.assertIn("is loaded on all ranks", by_check["interposer"])
        self.assertIn("4 ranks on n[0-3]", by_check["MPI"])
        self.assertIn("all hosts of this job are in", by_check["machines"])
        self.assertIn("instead of 1 Tbit/s", by_check["speeds"])
        self.assertNotEqual(looked.returncode, 0)

    def test_doctor_names_hosts_that_the_topology_lacks(self):
        topology = self.directory / "three.toml"
        topology.write_text(FOUR.format(last=2))
        looked = self.run_ranks("doctor", "--round", "0.02", "--topology", str(topology))
        self.assertIn("three.toml does not have n3", looked.stdout)

    def test_doctor_tells_programs(self):
        looked = self.run_ranks("doctor", "--round", "0.02", "--format", "json", "-o", "looked.json", ranks=2)
        self.assertEqual(looked.stdout, "")
        found = json.loads((self.directory / "looked.json").read_text())
        self.assertEqual([line["check"] for line in found["checks"]], CHECKS)
        self.assertEqual([rank["host"] for rank in found["ranks"]], ["n0", "n1"])
        self.assertNotRegex(found["mpi"], r"[\t\n,]")
        self.assertEqual(looked.returncode, 1 if "wrong" in (line["finding"] for line in found["checks"]) else 0)

    def test_doctor_refuses_a_topology_that_is_wrong(self):
        (self.directory / "wrong.toml").write_text("[network]\nspeed = fast\n")
        for name in ("missing.toml", "wrong.toml"):
            refused = self.run_ranks("doctor", "--topology", name)
            self.assertNotEqual(refused.returncode, 0)
            self.assertEqual(refused.stdout, "")
            self.assertIn(name, refused.stderr)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1], verbosity=2)
