"""The network that is to be emulated, as `aapc topology --format json` describes it: a tree of switches, a torus, or a
fabric of switches with several ways between them."""

from __future__ import annotations

import json
import math
import re
import subprocess
from collections.abc import Container, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Union

from .errors import UsageError
from .program import find_aapc

FORMAT = "aapc-topology/1"
KINDS = ("tree", "clusters", "torus", "fabric")
_TREE_PARTS = "a switch needs name, uplink, speed; a machine name, switch, ranks, speed"
_PARTS = {
    "tree": _TREE_PARTS,
    "clusters": f"{_TREE_PARTS}; a wide area switch, latency_seconds",
    "fabric": "a switch needs name, uplinks with switch and speed; a machine name, switch, ranks, speed; paths",
    "torus": "a torus needs sides, machines with name and ranks, and links of one bits_per_second",
}

# A machine's name becomes a host name, a word of a host file and part of a namespace's name.
_MACHINE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")


@dataclass(frozen=True)
class Switch:
    name: str
    uplink: str | None  # the switch it is plugged into; None for the root
    speed: int | None  # bits per second of that uplink
    latency: float = 0.0  # seconds that a frame is under way on it


@dataclass(frozen=True)
class Machine:
    name: str
    switch: str
    ranks: int
    speed: int  # bits per second of its cable


@dataclass(frozen=True)
class Topology:
    """A tree: one root switch, every other switch plugged into one; machines in file order.

    Clusters are a tree, too: their root is the wide area, and the links to it have a latency.
    """

    kind: str  # of the file: "tree" or "clusters"
    switches: list[Switch]
    machines: list[Machine]

    @property
    def ranks(self) -> int:
        return sum(machine.ranks for machine in self.machines)


@dataclass(frozen=True)
class TorusMachine:
    name: str
    ranks: int


@dataclass(frozen=True)
class Torus:
    """Machines in a grid whose lines are rings; row-major, the last coordinate running fastest."""

    sides: list[int]
    machines: list[TorusMachine]
    speed: int  # bits per second of every link
    kind: str = "torus"

    @property
    def ranks(self) -> int:
        return sum(machine.ranks for machine in self.machines)


@dataclass(frozen=True)
class FabricSwitch:
    name: str
    uplinks: list[tuple[str, int]]  # a switch and bits per second, for every cable


@dataclass(frozen=True)
class Fabric:
    """Switches with several ways between them; every cable is listed at one of its ends."""

    switches: list[FabricSwitch]
    machines: list[Machine]
    paths: str  # "hashed"; the kernel's multipath routes are nothing else
    kind: str = "fabric"

    @property
    def ranks(self) -> int:
        return sum(machine.ranks for machine in self.machines)


Network = Union[Topology, Torus, Fabric]


def read_topology(file: Path) -> Network:
    """Reads a topology file (through the program aapc), or what that program would print (a name ending in .json)."""
    if not file.is_file():
        raise UsageError(f"{file}: there is no such file")
    text = file.read_text(encoding="utf-8") if file.suffix == ".json" else _ask_aapc(file)
    try:
        document = json.loads(text)
    except json.JSONDecodeError as error:
        raise UsageError(f"{file}:{error.lineno}:{error.colno}: not JSON: {error.msg}") from error
    try:
        network = parse_topology(document)
        check_network(network)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    return network


def _ask_aapc(file: Path) -> str:
    command = [find_aapc(), "topology", str(file), "--format", "json"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    if result.returncode != 0:
        raise UsageError(result.stderr.strip() or f"{command[0]} failed with status {result.returncode}")
    return result.stdout


def parse_topology(document: Any) -> Network:
    """The JSON document as a network; its parts are there and of the right type, but need not fit together."""
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UsageError(f'this is no topology document: its "format" should be "{FORMAT}"')
    kind = document.get("kind")
    if kind not in KINDS:
        raise UsageError(f"the lab emulates networks of kind {', '.join(KINDS)}, and this one is of kind '{kind}'")
    try:
        parse = {"torus": _parse_torus, "fabric": _parse_fabric}.get(kind, _parse_tree)
        return parse(document)
    except (KeyError, TypeError, ValueError) as error:
        raise UsageError(f"{_PARTS[kind]}: {error!r}") from error


def _parse_tree(document: dict[str, Any]) -> Topology:
    wide_area = document["wide_area"] if document["kind"] == "clusters" else None
    switches = [
        Switch(str(s["name"]), s["uplink"], _speed(s["speed"]), _uplink_latency(s, wide_area))
        for s in document["switches"]
    ]
    machines = [Machine(str(m["name"]), m["switch"], int(m["ranks"]), _known_speed(m)) for m in document["machines"]]
    return Topology(document["kind"], switches, machines)


def _uplink_latency(switch: dict[str, Any], wide_area: dict[str, Any] | None) -> float:
    """The file says what a message from one cluster to another is delayed; it crosses the links of both."""
    if wide_area is None or switch["uplink"] != wide_area["switch"]:
        return 0.0
    latency = float(wide_area["latency_seconds"]) / 2
    if not 0 <= latency < math.inf:
        raise ValueError(f"a latency of {latency} s")
    return latency


def _parse_torus(document: dict[str, Any]) -> Torus:
    machines = [TorusMachine(str(machine["name"]), int(machine["ranks"])) for machine in document["machines"]]
    speeds = {round(float(link["bits_per_second"])) for link in document["links"]}
    if len(speeds) > 1:
        raise ValueError(f"links of different speeds: {sorted(speeds)}")
    return Torus([int(side) for side in document["sides"]], machines, speeds.pop() if speeds else 1)


def _parse_fabric(document: dict[str, Any]) -> Fabric:
    switches = [
        FabricSwitch(str(s["name"]), [(str(up["switch"]), round(float(up["speed"]))) for up in s["uplinks"]])
        for s in document["switches"]
    ]
    machines = [Machine(str(m["name"]), m["switch"], int(m["ranks"]), _known_speed(m)) for m in document["machines"]]
    return Fabric(switches, machines, str(document["paths"]))


def _speed(value: Any) -> int | None:
    return None if value is None else round(float(value))


def _known_speed(machine: dict[str, Any]) -> int:
    speed = _speed(machine["speed"])
    if speed is None:
        raise ValueError(f"machine {machine['name']} has no speed")
    return speed


def check_network(network: Network) -> None:
    """Raises UsageError where the parts of a network do not fit together."""
    if isinstance(network, Torus):
        _check_torus(network)
    elif isinstance(network, Fabric):
        _check_fabric(network)
    else:
        _check_tree(network)


def _check_torus(torus: Torus) -> None:
    if not 1 <= len(torus.sides) <= 3 or min(torus.sides) < 1:
        raise UsageError(f"a torus has one to three sides of at least 1, not {torus.sides}")
    room = math.prod(torus.sides)
    if room != len(torus.machines):
        raise UsageError(f"{len(torus.machines)} machines for a torus with room for {room}")
    if torus.speed < 1:
        raise UsageError("the links need a speed above zero")
    _check_names_and_ranks(torus.machines)


def _check_fabric(fabric: Fabric) -> None:
    if fabric.paths != "hashed":
        raise UsageError(
            f"the lab's switches choose a cable for each connection, by a hash, and this fabric's paths are {fabric.paths}; "
            'try it with paths = "hashed"'
        )
    around: dict[str, set[str]] = {switch.name: set() for switch in fabric.switches}
    if len(around) != len(fabric.switches):
        raise UsageError("two switches have one name")
    for switch in fabric.switches:
        for above, speed in switch.uplinks:
            if above not in around or above == switch.name:
                raise UsageError(f"switch {switch.name} leads to '{above}', which is not another switch")
            if speed < 1:
                raise UsageError(f"the uplinks of switch {switch.name} need a speed above zero")
            around[switch.name].add(above)
            around[above].add(switch.name)
    _check_machines(fabric.machines, around)
    reached = {fabric.machines[0].switch}
    fresh = list(reached)
    while fresh:
        fresh = [name for name in around[fresh.pop()] if name not in reached] + fresh
        reached.update(fresh)
    for machine in fabric.machines:
        if machine.switch not in reached:
            raise UsageError(f"no cables lead from machine {fabric.machines[0].name} to machine {machine.name}")


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


def _check_machines(machines: list[Machine], switches: Container[str]) -> None:
    _check_names_and_ranks(machines)
    for machine in machines:
        if machine.switch not in switches:
            raise UsageError(f"machine {machine.name} is plugged into '{machine.switch}', which is not a switch")
        if machine.speed < 1:
            raise UsageError(f"machine {machine.name} needs a speed above zero")


def _check_names_and_ranks(machines: Sequence[Machine | TorusMachine]) -> None:
    if not machines:
        raise UsageError("there is no machine in this network")
    names: set[str] = set()
    for machine in machines:
        if not _MACHINE_NAME.fullmatch(machine.name):
            raise UsageError(f"machine name {machine.name!r}: the lab takes letters, digits, '.', '_', '-', at most 64")
        if machine.name in names or machine.name == "localhost":
            raise UsageError(f"machine name {machine.name} is taken already")
        names.add(machine.name)
        if machine.ranks < 1:
            raise UsageError(f"machine {machine.name} needs at least one rank")
