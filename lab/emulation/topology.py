"""The tree of switches and machines that is to be emulated, as `aapc topology --format json` describes it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from .errors import UsageError

FORMAT = "aapc-topology/1"
REPOSITORY = Path(__file__).resolve().parents[2]

# A machine's name becomes a host name, a word of a host file and part of a namespace's name.
_MACHINE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Switch:
    name: str
    uplink: str | None  # the switch it is plugged into; None for the root
    speed: int | None  # bits per second of that uplink


@dataclass(frozen=True)
class Machine:
    name: str
    switch: str
    ranks: int
    speed: int  # bits per second of its cable


@dataclass(frozen=True)
class Topology:
    """A tree: one root switch, every other switch plugged into one; machines in file order."""

    switches: list[Switch]
    machines: list[Machine]

    @property
    def ranks(self) -> int:
        return sum(machine.ranks for machine in self.machines)


def read_topology(file: Path) -> Topology:
    """Reads a topology file (through the program aapc), or what that program would print (a name ending in .json)."""
    if not file.is_file():
        raise UsageError(f"{file}: there is no such file")
    text = file.read_text(encoding="utf-8") if file.suffix == ".json" else _ask_aapc(file)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{file}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    try:
        topology = parse_topology(document)
        _check_tree(topology)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    return topology


def _ask_aapc(file: Path) -> str:
    command = [_find_aapc(), "topology", str(file), "--format", "json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UsageError(result.stderr.strip() or f"{command[0]} failed with status {result.returncode}")
    return result.stdout


def _find_aapc() -> str:
    """$AAPC_PROGRAM; or the newest of the builds beside this repository's sources; or the one on the PATH."""
    named = os.environ.get("AAPC_PROGRAM")
    if named:
        return named
    builds = [path for path in REPOSITORY.glob("build*/bin/aapc") if os.access(path, os.X_OK)]
    if builds:
        return str(max(builds, key=lambda path: path.stat().st_mtime))
    installed = shutil.which("aapc")
    if installed:
        return installed
    raise UsageError("the program aapc, which reads topology files, is not built yet: build it, or set AAPC_PROGRAM")


def parse_topology(document: Any) -> Topology:
    """The JSON document as a Topology; its parts are there and of the right type, but it need not be a tree."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UsageError(f'this is no topology document: its "format" should be "{FORMAT}"')
    if document.get("kind") != "tree":
        raise UsageError(f"the lab emulates trees of switches, and this network is of kind '{document.get('kind')}'")
    try:
        switches = [Switch(str(s["name"]), s["uplink"], _speed(s["speed"])) for s in document["switches"]]
        machines = [
            Machine(str(m["name"]), m["switch"], int(m["ranks"]), _known_speed(m)) for m in document["machines"]
        ]
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(
            f"a switch needs name, uplink, speed; a machine name, switch, ranks, speed: {error!r}"
        ) from error
    return Topology(switches, machines)


def _speed(value: Any) -> int | None:
    return None if value is None else round(float(value))


def _known_speed(machine: dict[str, Any]) -> int:
    speed = _speed(machine["speed"])
    if speed is None:
        raise ValueError(f"machine {machine['name']} has no speed")
    return speed


def _check_tree(topology: Topology) -> None:
    parents = {switch.name: switch.uplink for switch in topology.switches}
    if len(parents) != len(topology.switches):
        raise UsageError("two switches have one name")
    roots = [name for name, uplink in parents.items() if uplink is None]
    if len(roots) != 1:
        raise UsageError(f"a tree has one switch without an uplink, this network has {len(roots)}")
    for switch in topology.switches:
        _check_switch(switch, parents)
    _check_machines(topology.machines, parents)


def _check_switch(switch: Switch, parents: dict[str, str | None]) -> None:
    if switch.uplink is not None and not switch.speed:
        raise UsageError(f"the uplink of switch {switch.name} has no speed")
    seen = {switch.name}
    above = switch.uplink
    while above is not None:
        if above not in parents:
            raise UsageError(f"switch {switch.name} leads to '{above}', which is not a switch")
        if above in seen:
            raise UsageError(f"the uplinks of switch {switch.name} run in a circle")
        seen.add(above)
        above = parents[above]


def _check_machines(machines: list[Machine], parents: dict[str, str | None]) -> None:
    if not machines:
        raise UsageError("there is no machine in this network")
    names: set[str] = set()
    for machine in machines:
        if not _MACHINE_NAME.fullmatch(machine.name):
            raise UsageError(f"machine name {machine.name!r}: the lab takes letters, digits, '.', '_', '-', at most 64")
        if machine.name in names or machine.name == "localhost":
            raise UsageError(f"machine name {machine.name} is taken already")
        names.add(machine.name)
        if machine.switch not in parents:
            raise UsageError(f"machine {machine.name} is plugged into '{machine.switch}', which is not a switch")
        if machine.ranks < 1 or machine.speed < 1:
            raise UsageError(f"machine {machine.name} needs at least one rank and a speed above zero")
