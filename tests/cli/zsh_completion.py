#!/usr/bin/env python3
"""Completion in a real zsh: types words and a tabulator at a terminal, and reads what is shown.

Usage: zsh_completion.py AAPC
"""

from __future__ import annotations

import os
import pty
import re
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

NOT_RUN = 77
READY = "READY>"
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[a-zA-Z]")


class Zsh:
    """A shell at a terminal of 200 columns, without the user's own settings."""

    def __init__(self, directory: str) -> None:
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "200", "HOME": directory, "ZDOTDIR": directory}
        self.process, self.terminal = pty.fork()
        if self.process == 0:
            os.chdir(directory)
            os.execvpe("zsh", ["zsh", "-f", "-i", "+o", "prompt_sp"], environment)
        self.shown_after(f"PS1='{READY}'; stty cols 200; setopt noautomenu\n", f"\n{READY}")

    def shown_after(self, typed: str, until: str, seconds: float = 60) -> str:
        """Types and returns what is shown until these words are, or until nothing came for a while."""
        os.write(self.terminal, typed.encode())
        shown = ""
        deadline = time.monotonic() + seconds
        while time.monotonic() < deadline:
            if select.select([self.terminal], [], [], 0.1)[0]:
                shown += os.read(self.terminal, 65536).decode(errors="replace").replace("\r", "")
            if until in ESCAPES.sub("", shown):
                return ESCAPES.sub("", shown)
        raise AssertionError(f"{typed!r} did not show {until!r} but {shown!r}")

    def end(self) -> None:
        os.close(self.terminal)
        os.waitpid(self.process, 0)


WORDS = [
    ("aapc topolo\t", "aapc topology "),
    ("aapc exec --topo\t", "--topology"),
    ("aapc exec --\t", "--verbose"),
    ("aapc exec --topology cl\t", "cluster.toml"),
    ("aapc exec -- zs\t", "zsh"),
    ("aapc topology cluster.toml --format \t", "dot"),
    ("aapc completion \t", "fish"),
    ("aapc exec --algorithm lat\t", "lattice"),
    ("aapc bench --pattern zi\t", "zipf"),
]


def completes(directory: str, begin: str) -> None:
    zsh = Zsh(directory)
    zsh.shown_after(f"autoload -U compinit; {begin}; print loa''ded\n", "loaded")
    for typed, until in WORDS:
        shown = zsh.shown_after(typed, until)
        complaint = next((line for line in shown.splitlines() if "_arguments" in line or "doubled" in line), None)
        if complaint is not None:
            raise AssertionError(f"{typed!r}: {complaint}")
        zsh.shown_after("\x15\n", READY)  # the line is cleared
    zsh.end()


def main(program: str) -> int:
    if shutil.which("zsh") is None:
        print("zsh is not installed")
        return NOT_RUN
    with tempfile.TemporaryDirectory() as directory:
        script = subprocess.run([program, "completion", "zsh"], check=True, capture_output=True, text=True).stdout
        Path(directory, "_aapc").write_text(script, encoding="utf-8")
        Path(directory, "cluster.toml").touch()
        completes(directory, "fpath=($PWD $fpath); compinit -u")
        completes(directory, "compinit -u -D; source $PWD/_aapc")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
