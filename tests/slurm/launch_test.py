#!/usr/bin/env python3
"""aapc under a real Slurm: srun with PMIx and PMI-2, mpirun and mpiexec within an allocation.

    launch_test.py --build build/dev --mpi openmpi CONFORMANCE LIBUSES --mpi mpich CONFORMANCE LIBUSES
"""

import argparse
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

from cluster import NODES, Cluster, why_not

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "support"))
from launching import component_answers, counts_fit  # noqa: E402

SKIPPED = 77
RANKS = 3
HERE = os.path.dirname(os.path.abspath(__file__))
INTERPOSER_TESTS = os.path.join(os.path.dirname(HERE), "interposer")
COUNTS = re.compile(r"(\d+) calls exchanged, (\d+) passed through")
TOPOLOGY = os.path.join(INTERPOSER_TESTS, "slow-eight.toml")
PMI = {"openmpi": "pmix", "mpich": "pmi2"}  # what Debian's builds of these MPIs speak
OPTIONS = None


class LaunchTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.cluster = cls.enterClassContext(Cluster())

    def run_on_nodes(self, options, *command, **variables):
        # All nodes of this Slurm are one host; each rank says that it is on one of its own.
        return self.cluster.run(
            ["srun", *options, "-N", str(NODES), "-n", str(RANKS), "sh", "-c",
             'AAPC_HOSTNAME=n$SLURM_PROCID exec "$@"', "sh", *command],
            AAPC_VERBOSE="2", AAPC_START="245.75us",  # so much is worth it from exactly 8,192 bytes on
            OMPI_MCA_hwloc_base_binding_policy="none", OMPI_MCA_mpi_yield_when_idle="1", **variables)

    def srun(self, pmi, *command):
        return self.run_on_nodes([f"--mpi={pmi}"], *command, AAPC_TOPOLOGY=TOPOLOGY)

    def assert_counted(self, run):
        said = [line for line in run.stderr.splitlines() if line.startswith("aapc:")]
        texts = (run.stdout, "\n".join(said))
        should, counted = ([tuple(map(int, counts)) for counts in COUNTS.findall(text)] for text in texts)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertEqual((len(should), len(counted)), (1, 1), run.stderr)
        self.assertGreater(counted[0][0], 0)
        self.assertTrue(counts_fit(should[0], counted[0], component_answers(said)), (should, run.stderr))

    def test_exec(self):
        for mpi, program, _ in OPTIONS.mpi:
            with self.subTest(mpi):
                self.assert_counted(self.srun(PMI[mpi], OPTIONS.aapc, "exec", "--", program, "8192", "all"))

    def test_task_prolog(self):
        prefix = Path(self.cluster.path("installed"))
        for component in ("program", "openmpi_component"):
            subprocess.run(["cmake", "--install", OPTIONS.build, "--component", component, "--prefix", prefix], check=True,
                           stdout=subprocess.DEVNULL)
        if not list(prefix.rglob("mca_coll_aapc.so")):
            self.skipTest("Open MPI's component was not built")
        prolog = prefix / "share/aapc/task-prolog.sh"
        prolog.write_text(prolog.read_text().replace("/etc/aapc/cluster.toml", TOPOLOGY))
        for mpi, program, _ in OPTIONS.mpi:
            for off in ("0", "1"):
                with self.subTest(mpi, off=off):
                    run = self.run_on_nodes([f"--mpi={PMI[mpi]}", f"--task-prolog={prolog}"], program, "8192", "all",
                                            AAPC_OFF=off)
                    self.assertEqual(run.returncode, 0, run.stderr)
                    exchanged = [int(count) for count, _ in COUNTS.findall(run.stderr)]
                    self.assertEqual(len(exchanged), int(mpi == "openmpi" and off == "0"), run.stderr)
                    self.assertGreater(sum(exchanged), 0 if exchanged else -1)

    def test_an_interpreter_that_loads_the_mpi_later(self):
        for mpi, _, library in OPTIONS.mpi:
            with self.subTest(mpi):
                late = os.path.join(INTERPOSER_TESTS, "late.py")
                self.assert_counted(self.srun(PMI[mpi], OPTIONS.aapc, "exec", "--", sys.executable, late, library))

    def test_bench_finds_its_mpi(self):
        for mpi, *_ in OPTIONS.mpi:
            with self.subTest(mpi):
                run = self.srun(PMI[mpi], OPTIONS.aapc, "bench", "--sizes", "4Ki", "--repeats", "6", "--candidates",
                                "native,tree+none", "--format", "csv")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertIn("4096", run.stdout)
                self.assertRegex(run.stdout.lower(), "open mpi" if mpi == "openmpi" else "mpich")

    def test_ranks_that_find_themselves_alone(self):
        if "mpich" not in [mpi for mpi, *_ in OPTIONS.mpi]:
            self.skipTest("Open MPI itself refuses to start")
        run = self.srun("pmix", OPTIONS.aapc, "bench", "--mpi", "mpich", "--sizes", "4Ki")
        self.assertNotEqual(run.returncode, 0)
        self.assertEqual(run.stdout, "")
        self.assertEqual(run.stderr.count("each finds itself alone"), 1, run.stderr)

    def test_without_pmi(self):
        for command in ("bench", "tune", ("fit", "--topology", "x")):
            words = (command,) if isinstance(command, str) else command
            run = self.srun("none", OPTIONS.aapc, *words)
            self.assertNotEqual(run.returncode, 0)
            self.assertEqual(run.stderr.count("write srun --mpi=pmix for Open MPI"), 1, run.stderr)

    def test_the_mpis_own_launcher_in_an_allocation(self):
        for mpi, *_ in OPTIONS.mpi:
            with self.subTest(mpi):
                run = self.cluster.run(
                    ["salloc", "-N2", "-n2", f"mpiexec.{mpi}", OPTIONS.aapc, "bench", "--sizes", "4Ki", "--repeats",
                     "6", "--candidates", "native,linear", "--format", "csv"],
                    OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1")
                self.assertEqual(run.returncode, 0, run.stderr)
                self.assertRegex(run.stdout.lower(), "open mpi" if mpi == "openmpi" else "mpich")


def main():
    global OPTIONS
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", required=True)
    parser.add_argument("--mpi", action="append", default=[], nargs=3, metavar=("NAME", "PROGRAM", "LIBRARY"))
    OPTIONS = parser.parse_args()
    OPTIONS.aapc = os.path.join(OPTIONS.build, "bin/aapc")
    problem = why_not()
    if problem is not None:
        print(f"skipped: {problem}")
        return SKIPPED
    return 0 if unittest.main(argv=sys.argv[:1], exit=False).result.wasSuccessful() else 1


if __name__ == "__main__":
    sys.exit(main())
