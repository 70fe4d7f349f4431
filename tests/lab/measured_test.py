"""lab/sweep on labs that are put up: what it keeps, that it goes on where it was, and that nothing is left when it is ended.

Needs root, the program aapc in AAPC_PROGRAM and its benches beside it; exits 77 (skipped) where there is none.
"""

import csv
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

from harness import CLUSTER, LAB, Case, each_mpi, main, traces, wait_until

SWEEP = CLUSTER.with_name("sweep")
TOPOLOGY = """[network]
speed = "20Mbit"
[[switch]]
name = "s0"
machines = "n[0-1]"
[[switch]]
name = "s1"
uplink = "s0"
machines = "n[2-3]"
"""


class Sweeps(Case):
    topology: dict = {}

    def setUp(self) -> None:
        self.results = self.directory / self.id()
        self.results.mkdir()
        self.addCleanup(shutil.rmtree, self.results)
        self.network = self.results / "small.toml"
        self.network.write_text(TOPOLOGY)

    def command(self, *arguments: str) -> list[str]:
        words = ["--name", LAB, "--results", str(self.results), "--topologies", str(self.network)]
        return [str(SWEEP), "trees", *words, "--repeats", "2", "--buffers", "64Ki", *arguments]

    def sweep(self, *arguments: str) -> subprocess.CompletedProcess:
        return subprocess.run(self.command(*arguments), capture_output=True, text=True, timeout=300, check=False)

    def rows(self) -> list[dict]:
        with open(self.results / "trees.csv", newline="", encoding="utf-8") as lines:
            return list(csv.DictReader(lines))

    def test_measures_what_is_missing(self) -> None:
        few = ("--methods", "native,ring", "--mpis", *benches())
        shown = self.expect(self.sweep(*few, "--sizes", "4Ki"), 0)
        self.assertEqual(shown.count("| `ring/plain+window:1` |"), len(benches()))
        first = self.rows()
        self.assertEqual(len(first), 2 * len(benches()))
        for row in first:
            self.assertEqual(
                (row["network"], row["ranks"], row["buffer_bytes"], row["rounds"]), ("small", "4", "65536", "2")
            )
            # Four messages of 4 KB cross the trunk at 20 Mbit/s; the token buckets let a few frames through at once.
            self.assertAlmostEqual(float(row["bound_seconds"]), 4 * 4096 * 8 / 20e6 * 1514 / 1448, delta=1e-9)
            self.assertGreater(float(row["median_seconds"]), 0.3 * float(row["bound_seconds"]))
        self.expect(self.sweep(*few, "--sizes", "4Ki"), 0, "has all of it")
        self.assertEqual(self.rows(), first)
        self.expect(self.sweep(*few, "--sizes", "4Ki,8Ki"), 0)
        self.assertEqual(self.rows()[: len(first)], first)
        self.assertEqual(len(self.rows()), 2 * len(first))
        self.assertEqual(traces(LAB), [])

    def test_goes_on_behind_a_run_that_fails(self) -> None:
        mpi = benches()[0]
        result = self.sweep("--methods", "native,torus", "--mpis", mpi, "--sizes", "64", "--buffers", "32Ki", "64Ki")
        self.expect(result, 1, "2 of 2 runs failed")
        self.assertEqual(result.stderr.count("'torus' is for a torus"), 2, result.stderr)
        self.assertFalse((self.results / "trees.csv").exists())
        self.assertEqual(traces(LAB), [])

    def test_leaves_nothing_when_it_is_ended(self) -> None:
        for number in (signal.SIGTERM, signal.SIGINT):
            with self.subTest(number):
                command = self.command("--sizes", "4Mi", "--mpis", benches()[0])
                process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
                self.assertTrue(wait_until(lambda: len(traces(LAB)) >= 4))
                process.send_signal(number)
                _, said = process.communicate(timeout=180)
                self.assertEqual(process.returncode, 128 + number, said)
                self.assertIn("the next start goes on here", said)
                self.assertEqual(traces(LAB), [])


def benches() -> list[str]:
    """The MPIs for which aapc bench was built."""
    program = os.environ.get("AAPC_PROGRAM")
    if program is None:
        return []
    return [mpi for mpi in each_mpi() if Path(program).with_name(f"aapc-bench-{mpi}").exists()]


if __name__ == "__main__":
    if not benches():
        print("skipped: aapc bench was not built")
        sys.exit(77)
    sys.exit(main(("tree",)))
