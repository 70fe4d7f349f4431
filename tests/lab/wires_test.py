"""What lab/wires makes of the counters of wires, without a lab."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "lab"))
sys.dont_write_bytecode = True

from emulation.errors import LabError  # noqa: E402
from sweeping.wires import BIN, Wire, bytes_at, loads, sent_bytes  # noqa: E402

WIRES = [Wire("s0", "s1", "up0", 80_000_000), Wire("s1", "s0", "down0", 80_000_000)]  # 100,000 bytes fill a bin


class Counters(unittest.TestCase):
    def test_are_read_by_interface(self) -> None:
        head = "Inter-|   Receive | Transmit\n face |bytes ... |bytes ...\n"
        rows = "    lo:  1 2 3 4 5 6 7 8  9 10 11 12 13 14 15 16\n   up0:10 0 0 0 0 0 0 0 250 1 0 0 0 0 0 0\n"
        self.assertEqual(sent_bytes(head + rows), {"lo": 9, "up0": 250})

    def test_a_wire_carries_evenly_between_readings(self) -> None:
        readings = [(1.0, (0,)), (2.0, (100,)), (4.0, (100,))]
        for moment, expected in ((0.5, 0), (1.0, 0), (1.25, 25), (2.0, 100), (3.0, 100), (9.0, 100)):
            self.assertAlmostEqual(bytes_at(readings, 0, moment), expected, msg=str(moment))

    def test_an_exchange_begins_with_its_first_bytes(self) -> None:
        # At rest, then 25 ms at full speed one way and half of that the other way, then at rest.
        readings = []
        for step in range(100):
            busy = min(max(step * 0.001 - 0.02, 0), 0.025)
            readings.append((5 + step * 0.001, (int(busy * 1e7), int(busy * 5e6))))
        one, other = loads(readings, WIRES, 0.045)
        self.assertEqual(len(one), int(0.045 / BIN + 1))
        for found, expected in zip(one, (1.0, 1.0, 0.4, 0.0, 0.0)):
            self.assertAlmostEqual(found, expected, delta=0.01)
        for full, half in zip(one, other):
            self.assertAlmostEqual(half, full / 2, delta=0.01)

    def test_wires_that_carry_nothing_are_an_error(self) -> None:
        with self.assertRaisesRegex(LabError, "no exchange crossed"):
            loads([(0.0, (0, 0)), (1.0, (700, 0))], WIRES, 0.5)


if __name__ == "__main__":
    unittest.main()
