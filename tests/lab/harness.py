"""What the tests of labs that are put up share: running lab/cluster, and looking for what a lab has left behind."""

import json
import os
import shutil
import subprocess
import tempfile
import time
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
CLUSTER = HERE.parents[1] / "lab" / "cluster"
LAB = f"test{os.getpid()}"
MPIS = ("openmpi", "mpich")


def cluster(*arguments: str, **options) -> subprocess.CompletedProcess:
    """Runs lab/cluster COMMAND --name LAB ... and returns what it said."""
    command = [str(CLUSTER), arguments[0], "--name", options.pop("name", LAB), *arguments[1:]]
    return subprocess.run(command, capture_output=True, text=True, timeout=300, check=False, **options)


def traces(name: str) -> list[str]:
    """Everything that a lab of this name has put on the machine, but for processes."""
    found = [str(path) for path in Path("/run/netns").glob(f"aapc-lab.{name}*")]
    found += [str(path) for path in Path("/etc/netns").glob(f"aapc-lab.{name}*")]
    found += [str(path) for path in Path("/run/aapc-lab").glob(f"*{name}*")]
    return found


def processes_with(marker: str) -> list[int]:
    """Processes that have this word among their arguments."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            if marker.encode() in entry.read_bytes().split(b"\0"):
                found.append(int(entry.parent.name))
        except OSError:
            pass
    return found


def wait_until(condition, seconds: float = 180) -> bool:
    deadline = time.monotonic() + seconds
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True


class Case(unittest.TestCase):
    topology: dict  # of the lab, as `aapc topology` prints it

    @classmethod
    def setUpClass(cls) -> None:
        cls.directory = Path(tempfile.mkdtemp())
        cls.addClassCleanup(shutil.rmtree, cls.directory)
        cls.file = cls.directory / "the topology.json"
        cls.file.write_text(json.dumps(cls.topology), encoding="utf-8")

    def expect(self, result: subprocess.CompletedProcess, status: int, message: str = "") -> str:
        self.assertEqual(result.returncode, status, result.stderr)
        self.assertIn(message, result.stderr)
        return result.stdout

    def expect_share(self, measure, lowest: float, highest: float) -> None:
        """A busy machine lowers a figure, or raises it when a receiver catches up; not six times running."""
        shares: list[float] = []
        while len(shares) < 6 and not (shares and lowest < shares[-1] < highest):
            shares.append(measure())
        self.assertGreater(shares[-1], lowest, shares)
        self.assertLess(shares[-1], highest, shares)


class UpCase(Case):
    """A lab that is up for all tests of a class."""

    @classmethod
    def setUpClass(cls) -> None:
        super().setUpClass()
        cls.addClassCleanup(cluster, "down")
        result = cluster("up", str(cls.file))
        if result.returncode != 0:
            raise AssertionError(result.stderr)


def each_mpi() -> list[str]:
    return [mpi for mpi in MPIS if f"AAPC_WHERE_{mpi}" in os.environ]


def main(kinds: tuple[str, ...]) -> int:
    """Runs the tests of the calling module; skips them where the machine does not allow labs of these kinds."""
    for kind in kinds:
        allowed = subprocess.run([CLUSTER, "check", "--kind", kind], capture_output=True, text=True, check=False)
        if allowed.returncode != 0:
            print(f"skipped: {allowed.stdout}{allowed.stderr}")
            return 77
    for mpi in MPIS:
        if mpi not in each_mpi():
            print(f"not tested, since it was not found: {mpi}")
    return 0 if unittest.main(exit=False, verbosity=2).result.wasSuccessful() else 1
