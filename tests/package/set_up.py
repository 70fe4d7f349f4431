#!/usr/bin/env python3
"""./set-up beside another program that installs packages: it waits, says so once, and fails for every other reason at
once. The system's programs are stood in for.

    set_up.py SOURCE-DIRECTORY
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

STAND_INS = {
    "dpkg-query": "exit 1",
    "id": "echo 0",
    "sleep": "echo slept >>$LOG",
    # Fails as often as FAILURES says, with that message.
    "apt-get": """case "$*" in *update*) exit 0 ;; esac
echo tried >>$LOG
[ "$(grep -c tried $LOG)" -gt "$FAILURES" ] && exit 0
echo "$MESSAGE" >&2
exit 100""",
}
LOCKED = "E: Could not get lock /var/lib/dpkg/lock-frontend. It is held by process 4711 (unattended-upgr)"


def set_up(source: Path, failures: int, message: str) -> tuple[int, str, list[str]]:
    """Status, standard error without the list of packages, and what was called."""
    with tempfile.TemporaryDirectory() as directory:
        for name, text in STAND_INS.items():
            program = Path(directory, name)
            program.write_text(f"#!/bin/sh\n{text}\n")
            program.chmod(0o755)
        log = Path(directory, "log")
        log.touch()
        environment = {
            "PATH": f"{directory}:{os.environ['PATH']}", "LOG": str(log), "FAILURES": str(failures), "MESSAGE": message,
        }
        run = subprocess.run([source / "set-up"], env=environment, text=True, capture_output=True, check=False)
        told = "".join(line for line in run.stderr.splitlines(True) if not line.startswith("installing: "))
        return run.returncode, told, log.read_text().split()


def expect(found: object, wanted: object) -> None:
    if found != wanted:
        sys.exit(f"set_up: {found!r} instead of {wanted!r}")


def main() -> None:
    source = Path(sys.argv[1]).resolve()
    waiting = "waiting for another program that is installing packages (10 minutes at most)\n"
    expect(set_up(source, 0, ""), (0, "", ["tried"]))
    expect(set_up(source, 2, LOCKED), (0, waiting, ["tried", "slept", "tried", "slept", "tried"]))
    expect(set_up(source, 1, "E: Unable to locate package"), (1, "E: Unable to locate package\n", ["tried"]))
    status, told, called = set_up(source, 1000, LOCKED)
    expect((status, told), (1, waiting + LOCKED + "\n"))
    expect(called.count("tried"), 120)


if __name__ == "__main__":
    main()
