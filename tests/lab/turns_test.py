"""Two jobs that call in turns, without a lab: how calls become a row, and what is said of a program that ends early."""

import statistics
import sys
import tempfile
import unittest
from pathlib import Path

LAB = Path(__file__).resolve().parents[2] / "lab"
sys.path.insert(0, str(LAB))
sys.dont_write_bytecode = True

from emulation.errors import LabError  # noqa: E402
from sweeping import turns  # noqa: E402

# Answers each line "CALLS SIZE" with that many calls of `SECONDS`, beside lines that are no calls.
PROGRAM = """
import sys
for line in open(sys.argv[1]):
    calls, size = map(int, line.split())
    if calls == 0:
        break
    print("a remark of the program's")
    for call in range(calls):
        print(size, float(sys.argv[2]) + call, flush=True)
"""


class Caller:
    """Calls that take what is told beforehand, and the order in which turns were taken."""

    def __init__(self, name: str, order: list[str], seconds: list[float]) -> None:
        self.name, self.order, self.seconds = name, order, seconds

    def take_turn(self, calls: int, size: int) -> list[float]:
        self.order.append(self.name)
        taken, self.seconds = self.seconds[:calls], self.seconds[calls:]
        return taken


class Measuring(unittest.TestCase):
    def test_first_calls_and_steady_state_are_told_apart_and_pairs_make_the_ratio(self) -> None:
        order: list[str] = []
        # A turn's first call is cold, and counts for nothing.
        native = Caller("native", order, [99, 4, 6] + [99, 8, 8] + [99, 2, 2])
        ours = Caller("ours", order, [7, 1, 5, 3, 2] + [50] * 5 + [99, 1, 1] + [99, 4, 4] + [99, 2, 2])
        row = turns.measure(8192, native, ours, pairs=3)
        self.assertEqual(row, turns.Row(8192, native=5, first=3, steady=2, ratio=statistics.median([5, 2, 1])))

    def test_who_begins_a_pair_alternates(self) -> None:
        order: list[str] = []
        turns.measure(1, Caller("native", order, [1] * 99), Caller("ours", order, [1] * 99), pairs=3)
        self.assertEqual(order, ["ours", "native", "ours", "ours", "native", "native", "ours"])


class Jobs(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.program = self.directory / "program.py"

    def commands(self, program: str):
        self.program.write_text(program)
        return [
            (name, lambda fifo, first=first: [sys.executable, str(self.program), str(fifo), str(first)])
            for name, first in (("native", 10), ("aapc", 20))
        ]

    def test_each_job_calls_only_in_its_turn(self) -> None:
        with turns.jobs(self.commands(PROGRAM), self.directory) as (native, ours):
            self.assertEqual(ours.take_turn(2, 64), [20, 21])
            self.assertEqual(native.take_turn(3, 64), [10, 11, 12])
            self.assertEqual(ours.take_turn(1, 8), [20])

    def test_a_program_that_ends_before_its_turn_is_over_is_named(self) -> None:
        ends_early = PROGRAM.replace("range(calls)", "range(1)").replace("flush=True)", "flush=True)\n    break")
        with self.assertRaisesRegex(LabError, r"ended before its turn was over \(aapc\)"):
            with turns.jobs(self.commands(ends_early), self.directory) as (_, ours):
                ours.take_turn(3, 64)


if __name__ == "__main__":
    unittest.main()
