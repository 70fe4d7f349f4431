"""Which program aapc the lab asks: the one that it was told, and no other."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

from .errors import UsageError

VARIABLE = "AAPC_PROGRAM"


def use_build(directory: Path) -> None:
    """From now on, for this process and those it starts, aapc is that of a build directory or an installation."""
    program = directory.resolve() / "bin" / "aapc"
    if not os.access(program, os.X_OK):
        raise UsageError(
            f"{directory} has no bin/aapc: give a build directory in which aapc is built, or an installation"
        )
    os.environ[VARIABLE] = str(program)


def find_aapc() -> str:
    named = os.environ.get(VARIABLE)
    if not named:
        raise UsageError(
            f"which aapc? Give --build DIRECTORY (a build or an installation, with bin/aapc) or set {VARIABLE} to the program"
        )
    if shutil.which(named) is None:
        raise UsageError(f"{VARIABLE} is {named}, and there is no such program")
    return named
