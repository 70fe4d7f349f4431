"""simulation/evaluate with a program in place of aapc-simulate: what it asks, keeps and goes on with."""

import csv
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

EVALUATE = Path(__file__).resolve().parents[1] / "evaluate"

# Writes what aapc-simulate would, of a network on which a byte takes a microsecond; knows no `bruck`.
PROGRAM = """#!{python}
import json, sys
options = dict(zip(sys.argv[1::2], sys.argv[2::2]))
with open("{log}", "a") as log:
    log.write(options["--methods"] + "\\n")
if options["--methods"] == "bruck":
    sys.exit(2)
assert open(options["--topology"]).read().startswith("[network]")
samples = [
    {{"bytes": int(size), "seconds": int(size) * 1e-6, "of_bound": 0.5, "messages": 7, "processor_seconds": 0.1}}
    for size in options["--sizes"].split(",")
]
with open(options["--output"], "w") as output:
    json.dump({{"processor_seconds": 1.5, "memory_bytes": 4096, "samples": samples}}, output)
"""


class Evaluate(unittest.TestCase):
    def setUp(self) -> None:
        directory = tempfile.TemporaryDirectory()
        self.addCleanup(directory.cleanup)
        self.directory = Path(directory.name)
        self.results = self.directory / "simulation.csv"
        self.log = self.directory / "log"
        self.program = self.directory / "aapc-simulate"
        self.program.write_text(PROGRAM.format(python=sys.executable, log=self.log))
        self.program.chmod(0o755)

    def evaluate(self, *arguments: str) -> subprocess.CompletedProcess:
        files = ["--results", str(self.results), "--report", str(self.directory / "page.md")]
        return subprocess.run(
            [sys.executable, "-B", str(EVALUATE), *files, *arguments],
            env=os.environ | {"AAPC_SIMULATE": str(self.program)},
            capture_output=True,
            text=True,
            check=False,
        )

    def test_goes_on_where_it_was(self) -> None:
        first = self.evaluate("--only", "torus-8x8-torus-")
        self.assertEqual(first.returncode, 0, first.stderr)
        asked = self.log.read_text().splitlines()
        self.assertEqual(len(asked), 7)
        with open(self.results, newline="", encoding="utf-8") as lines:
            rows = list(csv.DictReader(lines))
        self.assertIn(("torus-8x8-torus-direct+timed", "8", "8e-06", "4096"), [_brief(row) for row in rows])
        self.assertIn("### torus-8x8: 64 ranks", (self.directory / "page.md").read_text())
        self.evaluate("--only", "torus-8x8-torus-")
        self.assertEqual(self.log.read_text().splitlines(), asked)
        self.evaluate("--only", "torus-8x8-ring")
        self.assertEqual(self.log.read_text().splitlines(), [*asked, "ring"])

    def test_says_what_failed_and_keeps_the_rest(self) -> None:
        result = self.evaluate("--only", "torus-8x8-")
        self.assertEqual(result.returncode, 1)
        self.assertIn("not simulated: torus-8x8-bruck\n", result.stderr)
        self.assertNotIn("torus-8x8-bruck,", self.results.read_text())
        self.assertIn("torus-8x8-SMPI-bruck,", self.results.read_text())


def _brief(row: dict) -> tuple:
    return row["experiment"], row["message_bytes"], row["seconds"], row["run_memory_bytes"]


if __name__ == "__main__":
    unittest.main()
