"""Running system programs, and finding and ending processes."""

from __future__ import annotations

import contextlib
import ctypes
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from .errors import Interrupted, LabError

_PR_SET_CHILD_SUBREAPER = 36
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
NAMESPACES = Path("/run/netns")


def run(command: Sequence[str], text: str = "") -> str:
    """Runs a program with `text` as its input and returns its output; a failure names the command and its complaint.

    The program gets a session of its own: Ctrl-C reaches this process only, which then cleans up in order.
    """
    try:
        result = subprocess.run(
            command, input=text, capture_output=True, text=True, check=False, start_new_session=True
        )
    except FileNotFoundError as error:
        raise LabError(f"the program {command[0]} is missing") from error
    if result.returncode != 0:
        complaint = result.stderr.strip() or result.stdout.strip() or f"status {result.returncode}"
        raise LabError(f"{' '.join(command)}: {complaint}")
    return result.stdout


def batch(command: Sequence[str], lines: Iterable[str]) -> None:
    """Runs ip, tc or bridge once for many of its commands."""
    run([*command, "-batch", "-"], "\n".join(lines) + "\n")


def raise_on_signals() -> None:
    """From now on, a signal to end becomes the exception Interrupted. One that is ignored (nohup) stays ignored."""

    def interrupt(signal_number: int, _frame: object) -> None:
        raise Interrupted(signal_number)

    for number in _SIGNALS:
        if signal.getsignal(number) is not signal.SIG_IGN:
            signal.signal(number, interrupt)


def ignore_signals() -> None:
    """From now on, signals to end are ignored: this process is cleaning up, or done but for saying so."""
    for number in _SIGNALS:
        signal.signal(number, signal.SIG_IGN)


def adopt_orphans() -> None:
    """From now on, descendants of this process that lose their parent (daemons) become its children, so that none of
    them escapes descendants()."""
    library = ctypes.CDLL(None, use_errno=True)
    if library.prctl(_PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) != 0:
        raise LabError(f"prctl(PR_SET_CHILD_SUBREAPER): {os.strerror(ctypes.get_errno())}")


def descendants(ancestor: int) -> list[int]:
    """Children of a process, their children and so on; finished ones that nobody has waited for are left out."""
    children: dict[int, list[int]] = {}
    for process in _processes():
        with contextlib.suppress(OSError):
            text = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
            process_state, parent = text.rpartition(")")[2].split()[:2]
            if process_state not in "ZX":
                children.setdefault(int(parent), []).append(process)
    found = list(children.get(ancestor, []))
    for process in found:  # grows while it is walked
        found += children.get(process, [])
    return found


Identity = tuple[int, int]


def namespace_identities(namespaces: Iterable[str]) -> set[Identity]:
    """What tells these network namespaces (those that exist) from all others, even when their names are gone."""
    identities = set()
    for namespace in namespaces:
        with contextlib.suppress(OSError):
            identities.add(_identity(NAMESPACES / namespace))
    return identities


def namespace_processes(identities: set[Identity]) -> list[int]:
    """The processes (but this one) that are in one of these network namespaces."""
    found = []
    for process in _processes():
        with contextlib.suppress(OSError):
            if process != os.getpid() and _identity(Path(f"/proc/{process}/ns/net")) in identities:
                found.append(process)
    return found


def _identity(path: Path) -> Identity:
    status = path.stat()
    return status.st_dev, status.st_ino


def _processes() -> list[int]:
    return [int(entry) for entry in os.listdir("/proc") if entry.isdecimal()]


def end_processes(find: Callable[[], list[int]], patience: float) -> list[int]:
    """Ends what `find` finds: by request, after `patience` seconds by force. Returns those that survived even that."""
    remaining = find()
    for signal_number, seconds in ((signal.SIGTERM, patience), (signal.SIGKILL, 5.0)):
        deadline = time.monotonic() + seconds
        asked: set[int] = set()
        while remaining and time.monotonic() < deadline:
            for process in set(remaining) - asked:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(process, signal_number)
                asked.add(process)
            time.sleep(0.02)
            reap()
            remaining = find()
    return remaining


def reap() -> None:
    """Waits for children that have finished, adopted ones too."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0] != 0:
            pass
