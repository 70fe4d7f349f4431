#!/usr/bin/env python3
"""What commands say on standard error at a terminal, and not in a pipe.

Usage: at_a_terminal.py AAPC
"""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

PROGRAM = ""
WRONG = """[network]
name = "small"

[[switch]]
name = "s0"
\tuplnk = "s1"  # \u00e4
"""


def said(directory: str, *words: str) -> tuple[int, str]:
    """The status, and what a terminal shows of standard error."""
    terminal, end = pty.openpty()
    process = subprocess.Popen([PROGRAM, *words], cwd=directory, stdout=subprocess.DEVNULL, stderr=end)
    os.close(end)
    shown = b""
    while True:
        try:
            piece = os.read(terminal, 65536)
        except OSError:  # its other end is closed
            break
        if not piece:
            break
        shown += piece
    os.close(terminal)
    return process.wait(), shown.decode().replace("\r", "")


class AtATerminal(unittest.TestCase):
    def setUp(self) -> None:
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.directory = scratch.name

    def write(self, name: str, text: str) -> None:
        Path(self.directory, name).write_text(text, encoding="utf-8")

    def test_the_help_of_settings_has_every_variable(self) -> None:
        listed = subprocess.run([PROGRAM, "settings", "--format", "json"], capture_output=True, text=True, check=True)
        names = [setting["name"] for setting in json.loads(listed.stdout)["settings"]]
        shown = subprocess.run([PROGRAM, "help", "settings"], capture_output=True, text=True, check=True).stdout
        self.assertGreater(len(names), 15)
        for name in names:
            self.assertIn(f"\n  {name} ", shown)

    def test_a_mistake_is_shown_in_its_line(self) -> None:
        self.write("wrong.toml", WRONG)
        in_pipe = subprocess.run(
            [PROGRAM, "topology", "wrong.toml"], cwd=self.directory, capture_output=True, text=True, check=False
        )
        complaint = in_pipe.stderr
        self.assertEqual(complaint.count("\n"), 1, complaint)
        _, line, column = complaint.split(": ")[0].split(":")
        text = WRONG.splitlines()[int(line) - 1].replace("\t", "\\x09")
        status, shown = said(self.directory, "topology", "wrong.toml")
        self.assertEqual(status, 2)
        self.assertEqual(shown.splitlines()[:2], [complaint.rstrip(), f"  {line} | {text}"])
        before = WRONG.splitlines()[int(line) - 1][: int(column) - 1].replace("\t", "\\x09")
        self.assertEqual(shown.splitlines()[2], f"  {' ' * len(line)} | {' ' * len(before)}^")

    def test_a_mistake_without_a_place_is_one_line(self) -> None:
        status, shown = said(self.directory, "topology", "missing.toml")
        self.assertEqual(status, 2)
        self.assertEqual(len(shown.splitlines()), 1, shown)

    def test_files_that_were_written_are_named(self) -> None:
        status, shown = said(self.directory, "schedule", "--help")
        self.assertEqual((status, shown), (0, ""))
        self.write(
            "two.toml",
            '[network]\nspeed = "1Gbit"\n\n[[switch]]\nname = "s0"\nmachines = "n[0-3]"\n',
        )
        for words in (["schedule", "two.toml", "-o", "made"], ["generate", "two.toml", "-o", "made.c"]):
            status, shown = said(self.directory, *words)
            self.assertEqual((status, shown), (0, f"wrote {words[-1]}\n"))
            self.assertTrue(Path(self.directory, words[-1]).exists())
        status, shown = said(self.directory, "schedule", "two.toml", "-o", "-")
        self.assertEqual((status, shown), (0, ""))


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main()
