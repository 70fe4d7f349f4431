"""Asking aapc, and running its programs on labs."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import IO

from emulation.cables import dropped_by_port
from emulation.errors import Interrupted, LabError
from emulation.program import find_aapc
from emulation.state import require_up

from .definition import Traffic

CLUSTER = Path(__file__).resolve().parents[1] / "cluster"
DATAGRAMS = Path(__file__).resolve().with_name("datagrams.py")
WIRE_OVER_PAYLOAD = 1514 / 1448  # of a full Ethernet frame under TCP
PATIENCE = 20.0  # seconds that a program has to clean up when it is interrupted


class RunFailed(LabError):
    """A program that was run ended with this status, and has said why."""

    def __init__(self, command: Sequence[str], status: int) -> None:
        super().__init__(f"{' '.join(command)}: status {status}")


def ask_aapc(*command: str) -> str:
    """What a command of aapc says that measures nothing."""
    return _run([find_aapc(), *command], stdout=subprocess.PIPE)


@cache
def seconds_per_byte(topology: Path) -> float:
    """Of an exchange at the bound, headers counted."""
    answer = json.loads(ask_aapc("topology", str(topology), "--format", "json"))
    return float(answer["bound"]["seconds_per_byte"]) * WIRE_OVER_PAYLOAD


def cluster(*arguments: str) -> None:
    """Runs lab/cluster, quietly."""
    _run([str(CLUSTER), *arguments], stdout=subprocess.DEVNULL)


def mpirun(lab: str, mpi: str, launcher_options: Sequence[str], *command: str, prefix: Sequence[str] = ()) -> None:
    """Runs a command of aapc on all machines of a lab, started by `prefix`."""
    launcher = ("mpirun", "--name", lab, "--mpi", mpi, "--timeout", "3600", *launcher_options)
    cluster(*launcher, "--", *prefix, find_aapc(), *command)


def aapc_beside(name: str) -> Path:
    """A program of the build that the lab asks."""
    return Path(find_aapc()).resolve().with_name(name)


def program_output(lab: str, mpi: str, launcher_options: Sequence[str], *command: str) -> str:
    """What any program prints that is run on all machines of a lab."""
    launcher = [str(CLUSTER), "mpirun", "--name", lab, "--mpi", mpi, "--timeout", "3600", *launcher_options]
    return _run([*launcher, "--", *command], stdout=subprocess.PIPE)


def program_streams(lab: str, mpi: str, launcher_options: Sequence[str], *command: str) -> tuple[str, str, float]:
    """What any program writes to standard output and to standard error, and how long its job took."""
    launcher = [str(CLUSTER), "mpirun", "--name", lab, "--mpi", mpi, "--timeout", "3600", *launcher_options]
    with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as errors:
        began = time.monotonic()
        try:
            output = _run([*launcher, "--", *command], stdout=subprocess.PIPE, stderr=errors)
        except RunFailed:
            errors.seek(0)
            print(errors.read()[-4000:], file=sys.stderr)
            raise
        seconds = time.monotonic() - began
        errors.seek(0)
        return output, errors.read(), seconds


def dropped_packets(lab: str) -> int:
    """What the switch ports of a lab have dropped since it is up."""
    return sum(dropped_by_port(require_up(lab)).values())


@contextmanager
def lab_up(lab: str, topology: Path, *options: str) -> Iterator[None]:
    """A lab that is there inside the `with`, and gone behind it, whatever happens."""
    try:
        cluster("up", str(topology), "--name", lab, *options)
    except Interrupted:
        cluster("down", "--name", lab)
        raise
    try:
        yield
    finally:
        cluster("down", "--name", lab)


@contextmanager
def environment(variables: Mapping[str, str]) -> Iterator[None]:
    """These variables inside the `with`, and what was there before behind it."""
    before = {name: os.environ.get(name) for name in variables}
    os.environ.update(variables)
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                os.environ.pop(name, None)
            else:
                os.environ[name] = value


@contextmanager
def foreign_traffic(lab: str, traffic: Traffic | None) -> Iterator[None]:
    """Datagrams of others on the wires inside the `with`."""
    if traffic is None:
        yield
        return
    command = [str(CLUSTER), "exec", "--name", lab, traffic.source, "--", sys.executable, str(DATAGRAMS)]
    sender = subprocess.Popen([*command, traffic.destination, str(traffic.bits_per_second)])
    try:
        yield
        if sender.poll() is not None:
            raise LabError(f"the traffic from {traffic.source} ended early, with status {sender.returncode}")
    finally:
        _end(sender)


def processor_ticks() -> tuple[int, int]:
    """Ticks that the processors of this machine were busy, and all of them, since it started."""
    with open("/proc/stat", encoding="ascii") as statistics:
        ticks = [int(field) for field in statistics.readline().split()[1:9]]
    idle = ticks[3] + ticks[4]
    return sum(ticks) - idle, sum(ticks)


def _run(command: Sequence[str], stdout: int, stderr: IO[str] | None = None) -> str:
    try:
        process = subprocess.Popen(command, stdout=stdout, stderr=stderr, text=True)
    except FileNotFoundError as error:
        raise LabError(f"the program {command[0]} is missing") from error
    try:
        output, _ = process.communicate()
    except BaseException:
        _end(process)
        raise
    if process.returncode != 0:
        raise RunFailed(command, process.returncode)
    return output


def _end(process: subprocess.Popen[str]) -> None:
    """Lets a program that was interrupted clean up after itself."""
    process.terminate()
    try:
        process.wait(PATIENCE)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
