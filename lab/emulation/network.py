"""Puts a layout up on this machine and takes a recorded lab down again."""

from __future__ import annotations

import contextlib
import os
import random
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Union

from . import multipath, routed, switched, system
from . import state as states
from .errors import LabError, UsageError
from .fabric import FabricLayout, lay_out_fabric
from .interfaces import Options
from .layout import FRAME, Layout, lay_out
from .state import CableRecord, HostRecord, State
from .topology import Fabric, Network, Torus
from .torus import TorusLayout, lay_out_torus

AnyLayout = Union[Layout, TorusLayout, FabricLayout]

HOST_FILES = Path("/etc/netns")  # `ip netns exec` shows /etc/netns/NAMESPACE/hosts as /etc/hosts
CONGESTION_CONTROLS = ("cubic", "bbr", "reno")
_ALLOWED_CONGESTION_CONTROLS = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


def put_up(network: Network, source: str, name: str, options: Options) -> State:
    """Puts a lab up. If that fails half way or is interrupted, takes down what there is and raises."""
    if options.buffer < FRAME:
        raise UsageError(f"a buffer of {options.buffer} bytes holds no frame; it takes {FRAME} at least")
    if isinstance(network, Fabric) and options.draw is None:
        options = replace(options, draw=random.randrange(1, 2**31))
    layout = _lay_out(network, name, options)
    _require_nothing_there(name, layout)
    state = _record(network, layout, source, name, options)
    system.adopt_orphans()
    try:
        states.create(state)
        _build(layout, options, state.directory)
        system.ignore_signals()  # either it is up and says so, or nothing is left
        state = replace(state, status="up")
        states.update(state)
    except BaseException:
        system.ignore_signals()
        # A program that has just been started may still be on its way into a namespace, where take_down() looks.
        system.end_processes(lambda: system.descendants(os.getpid()), patience=1.0)
        if _is_mine(states.load(name), state):
            take_down(state)
        raise
    return state


def _lay_out(network: Network, name: str, options: Options) -> AnyLayout:
    if isinstance(network, Torus):
        return lay_out_torus(network, name, options.rate)
    if isinstance(network, Fabric):
        return lay_out_fabric(network, name, options.rate, options.draw or 0)
    return lay_out(network, name, options.rate)


def _is_mine(recorded: State | None, state: State) -> bool:
    mine = (state.process, state.process_start)
    return recorded is not None and (recorded.process, recorded.process_start) == mine


def _record(network: Network, layout: AnyLayout, source: str, name: str, options: Options) -> State:
    hosts = [HostRecord(host.machine.name, host.namespace, host.address, host.machine.ranks) for host in layout.hosts]
    return State(
        name=name,
        status="starting",
        process=os.getpid(),
        process_start=states.process_start(os.getpid()),
        topology=source,
        rate=options.rate,
        buffer=options.buffer,
        congestion_control=options.congestion_control,
        namespaces=layout.namespaces,
        hosts=hosts,
        kind=network.kind,
        cables=_cable_records(layout),
        draw=options.draw if isinstance(network, Fabric) else None,
    )


def _cable_records(layout: AnyLayout) -> list[CableRecord]:
    if isinstance(layout, TorusLayout):
        names = [host.machine.name for host in layout.hosts]
        return [
            CableRecord(names[cable.lower.machine], names[cable.upper.machine], layout.bits_per_second, 0.0)
            for cable in layout.cables
        ]
    if isinstance(layout, FabricLayout):
        return [
            CableRecord(
                layout.names[cable.lower.node],
                layout.names[cable.upper.node],
                cable.bits_per_second,
                0.0,
                *(f"{layout.namespace_of(end.node)}/{end.interface}" for end in (cable.lower, cable.upper)),
            )
            for cable in layout.cables
        ]
    switch_of = {bridge: name for name, bridge in layout.bridges.items()}
    machines = [
        CableRecord(host.machine.name, host.machine.switch, host.bits_per_second, 0.0) for host in layout.hosts
    ]
    return machines + [
        CableRecord(
            switch_of[trunk.lower.bridge], switch_of[trunk.upper.bridge], trunk.lower.bits_per_second, trunk.latency
        )
        for trunk in layout.trunks
    ]


def _require_nothing_there(name: str, layout: AnyLayout) -> None:
    existing = states.load(name)
    if existing is not None:
        _require_not_recorded(existing)
    prefix = layout.fabric
    there = os.listdir(system.NAMESPACES) if system.NAMESPACES.is_dir() else []
    strays = sorted(entry for entry in there if entry == prefix or entry.startswith(prefix + "."))
    if strays:
        commands = "; ".join(f"ip netns del {stray}" for stray in strays)
        raise UsageError(
            f"no lab {name} is recorded in {states.DIRECTORY}, yet its namespaces are there, from a crash perhaps. "
            f"If nobody needs them: {commands}; or choose another --name"
        )
    for namespace in layout.namespaces:
        if (HOST_FILES / namespace).exists():
            raise UsageError(
                f"{HOST_FILES / namespace} is left over, from a crash perhaps: remove it, or choose another --name"
            )


def _require_not_recorded(existing: State) -> None:
    if existing.is_being_started():
        raise UsageError(f"lab {existing.name} is just being put up by process {existing.process}")
    if existing.status != "up":
        raise UsageError(f"lab {existing.name} is up only in part: {states.advice_down(existing.name)}")
    raise UsageError(f"lab {existing.name} is up already; to take it down: {states.advice_down(existing.name)}")


def _build(layout: AnyLayout, options: Options, directory: Path) -> None:
    _allow_congestion_control(options.congestion_control)
    _write_host_files(layout)
    system.batch(["ip"], [f"netns add {namespace}" for namespace in layout.namespaces])
    if isinstance(layout, TorusLayout):
        routed.build(layout, options)
    elif isinstance(layout, FabricLayout):
        multipath.build(layout, options)
    else:
        switched.build(layout, options, directory)


def _allow_congestion_control(name: str) -> None:
    """A namespace may only use what the machine as a whole allows. This adds to that list and is not undone."""
    if name in _ALLOWED_CONGESTION_CONTROLS.read_text(encoding="ascii").split():
        return
    if shutil.which("modprobe"):
        with contextlib.suppress(LabError):  # built in, perhaps; if not, the next step says so
            system.run(["modprobe", f"tcp_{name}"])
    try:
        allowed = _ALLOWED_CONGESTION_CONTROLS.read_text(encoding="ascii").strip()
        _ALLOWED_CONGESTION_CONTROLS.write_text(f"{allowed} {name}\n", encoding="ascii")
    except OSError as error:
        raise LabError(f"this kernel has no TCP congestion control '{name}' that can be used here: {error}") from error
    print(f"lab: added {name} to net.ipv4.tcp_allowed_congestion_control of this machine", file=sys.stderr)


def _write_host_files(layout: AnyLayout) -> None:
    lines = ["127.0.0.1 localhost"] + [f"{host.address} {host.machine.name}" for host in layout.hosts]
    for host in layout.hosts:
        directory = HOST_FILES / host.namespace
        directory.mkdir(parents=True)
        (directory / "hosts").write_text("\n".join(lines) + "\n", encoding="ascii")


def take_down(state: State) -> None:
    """Removes what a lab recorded, by name, and nothing else. May be repeated if it fails."""
    states.update(replace(state, status="going down"))
    identities = system.namespace_identities(state.namespaces)
    _end_processes(state, identities)
    there = [namespace for namespace in state.namespaces if (system.NAMESPACES / namespace).exists()]
    if there:
        system.batch(["ip"], [f"netns del {namespace}" for namespace in there])
    _end_processes(state, identities)  # that came in meanwhile; without names nobody comes any more
    for namespace in state.namespaces:
        _remove_host_file(HOST_FILES / namespace)
    states.remove(state)


def _end_processes(state: State, identities: set[system.Identity]) -> None:
    survivors = system.end_processes(lambda: system.namespace_processes(identities), patience=1.0)
    if survivors:
        raise LabError(f"processes {survivors} of lab {state.name} cannot be ended")


def _remove_host_file(directory: Path) -> None:
    with contextlib.suppress(FileNotFoundError):
        (directory / "hosts").unlink(missing_ok=True)
        directory.rmdir()
