"""The pages of docs: their links lead somewhere, and what programs write into them is what the kept medians say."""

import os
import re
import sys
import tempfile
import types
import unittest
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
DOCS = ROOT / "docs"
sys.path[:0] = [str(ROOT / "lab"), str(ROOT / "simulation")]
sys.dont_write_bytecode = True

_LINK = re.compile(r"\]\(([^)#\s]+)(?:#[^)]*)?\)")
_PATH = re.compile(r"(?<![\w./-])(?:lab|examples|simulation|benchmarks|docs)/[\w+./-]*\w")


class Links(unittest.TestCase):
    def test_links_lead_somewhere(self) -> None:
        for page in (*ROOT.glob("*.md"), *DOCS.glob("*.md")):
            for target in _LINK.findall(page.read_text(encoding="utf-8")):
                if not target.startswith(("http:", "https:")):
                    self.assertTrue((page.parent / target).exists(), f"{page.name}: {target}")

    def test_paths_in_the_text_are_there(self) -> None:
        for page in (*ROOT.glob("*.md"), *DOCS.glob("*.md")):
            if page.name == "CHANGELOG.md":  # says what was
                continue
            for path in _PATH.findall(page.read_text(encoding="utf-8")):
                found = (ROOT / path).exists() or any(ROOT.glob(f"{path}.*"))
                self.assertTrue(found, f"{page.name}: {path}")

    def test_every_picture_and_every_result_is_of_a_page(self) -> None:
        text = "".join(page.read_text(encoding="utf-8") for page in DOCS.glob("*.md"))
        for file in (DOCS / "experiments").iterdir():
            self.assertTrue(f"experiments/{file.name}" in text, file.name)


class WrittenByPrograms(unittest.TestCase):
    def test_the_results_of_the_simulation(self) -> None:
        from evaluation.report import report
        from evaluation.results import read_results, write_results

        results = read_results(DOCS / "experiments/simulation.csv")
        page = (DOCS / "simulation-results.md").read_text(encoding="utf-8")
        self.assertEqual(page.splitlines(), report(list(results.values())).splitlines())
        with tempfile.TemporaryDirectory() as directory:
            write_results(Path(directory) / "again.csv", results)
            again = (Path(directory) / "again.csv").read_text()
            self.assertEqual(again, (DOCS / "experiments/simulation.csv").read_text())

    @unittest.skipUnless("AAPC_PROGRAM" in os.environ, "the program aapc was not built")
    def test_the_papers_experiments(self) -> None:
        """But for the pictures, which take matplotlib."""
        page = (DOCS / "experiments.md").read_text(encoding="utf-8")
        drawing = types.ModuleType("reproduction.drawing")
        drawing.plot, drawing.save = mock.MagicMock(), mock.MagicMock()
        drawing.plot.subplots.side_effect = _subplots
        with mock.patch.dict(sys.modules, {"reproduction.drawing": drawing}):
            from reproduction import report
            from reproduction.page import with_block

            blocks = dict(report.blocks(DOCS / "experiments", Path("pictures")))
        self.assertEqual(len(blocks), 12)
        for name, block in blocks.items():
            self.assertTrue(f"<!-- {name}: written by lab/report -->" in page, name)
            self.assertEqual(with_block(page, name, "lab/report", block).splitlines(), page.splitlines(), name)
        drawn = {call.args[1].name for call in drawing.save.call_args_list}
        self.assertEqual(drawn, {picture.name for picture in (DOCS / "experiments").glob("*.svg")})


def _subplots(rows: int = 1, columns: int = 1, squeeze: bool = True, **_: object) -> tuple:
    axes = [[mock.MagicMock() for _ in range(columns)] for _ in range(rows)]
    for axis in (axis for row in axes for axis in row):
        axis.get_legend_handles_labels.return_value = ([], [])
    if not squeeze:
        return mock.MagicMock(), axes
    return mock.MagicMock(), axes[0] if columns > 1 else axes[0][0]


if __name__ == "__main__":
    unittest.main()
