"""Puts a layout up on this machine and takes a recorded lab down again."""

from __future__ import annotations

import contextlib
import os
import shutil
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path

from . import state as states
from . import system
from .errors import LabError, UsageError
from .layout import FRAME, NETWORK, NETWORK_CARD_QUEUE, Host, Layout, Port, lay_out, token_bucket
from .state import HostRecord, State
from .topology import Topology

HOST_FILES = Path("/etc/netns")  # `ip netns exec` shows /etc/netns/NAMESPACE/hosts as /etc/hosts
CONGESTION_CONTROLS = ("cubic", "bbr", "reno")
_ALLOWED_CONGESTION_CONTROLS = Path("/proc/sys/net/ipv4/tcp_allowed_congestion_control")


@dataclass(frozen=True)
class Options:
    """What `up` may choose."""

    rate: int | None = None  # bits per second of every link; None: as the topology says
    buffer: int = 128 * 1024  # bytes that wait at a switch port before frames are lost
    congestion_control: str = "cubic"
    slow_start_after_idle: bool = True


def put_up(topology: Topology, source: str, name: str, options: Options) -> State:
    """Puts a lab up. If that fails half way or is interrupted, takes down what there is and raises."""
    if options.buffer < FRAME:
        raise UsageError(f"a buffer of {options.buffer} bytes holds no frame; it takes {FRAME} at least")
    layout = lay_out(topology, name, options.rate)
    _require_nothing_there(name, layout)
    state = _record(layout, source, name, options)
    try:
        states.create(state)
        _build(layout, options)
        system.ignore_signals()  # either it is up and says so, or nothing is left
        state = replace(state, status="up")
        states.update(state)
    except BaseException:
        system.ignore_signals()
        if _is_mine(states.load(name), state):
            take_down(state)
        raise
    return state


def _is_mine(recorded: State | None, state: State) -> bool:
    mine = (state.process, state.process_start)
    return recorded is not None and (recorded.process, recorded.process_start) == mine


def _record(layout: Layout, source: str, name: str, options: Options) -> State:
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
    )


def _require_nothing_there(name: str, layout: Layout) -> None:
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


def _build(layout: Layout, options: Options) -> None:
    _allow_congestion_control(options.congestion_control)
    _write_host_files(layout)
    system.batch(["ip"], [f"netns add {namespace}" for namespace in layout.namespaces])
    _build_fabric(layout, options.buffer)
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(lambda host: _build_host(host, layout.hosts, options), layout.hosts))


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


def _write_host_files(layout: Layout) -> None:
    lines = ["127.0.0.1 localhost"] + [f"{host.address} {host.machine.name}" for host in layout.hosts]
    for host in layout.hosts:
        directory = HOST_FILES / host.namespace
        directory.mkdir(parents=True)
        (directory / "hosts").write_text("\n".join(lines) + "\n", encoding="ascii")


def _build_fabric(layout: Layout, buffer: int) -> None:
    system.batch(["ip", "-n", layout.fabric], _fabric_interfaces(layout))
    _set_parameters(layout.fabric, _NO_IPV6 + _NO_BRIDGE_FILTER)
    _switch_offloads_off(layout.fabric, [port.interface for port in layout.ports])
    system.batch(["tc", "-n", layout.fabric], [_limit_speed(port, buffer) for port in layout.ports])
    system.batch(["bridge", "-n", layout.fabric], _fixed_forwarding(layout))
    interfaces = ["lo", *layout.bridges.values(), *(port.interface for port in layout.ports)]
    system.batch(["ip", "-n", layout.fabric], [f"link set {interface} up" for interface in interfaces])


def _fabric_interfaces(layout: Layout) -> Iterator[str]:
    for bridge in layout.bridges.values():
        yield f"link add {bridge} type bridge stp_state 0 forward_delay 0 mcast_snooping 0"
    for host in layout.hosts:
        peer = f"name eth0 address {host.hardware_address} netns {host.namespace}"
        yield f"link add {host.port} type veth peer {peer}"
    for trunk in layout.trunks:
        yield f"link add {trunk.lower.interface} type veth peer name {trunk.upper.interface}"
    for port in layout.ports:
        yield f"link set {port.interface} master {port.bridge}"


def _fixed_forwarding(layout: Layout) -> Iterator[str]:
    """Switches know every machine from the start: nothing is learnt, forgotten or flooded during a measurement."""
    bridge_of = {port.interface: port.bridge for port in layout.ports}
    for interface in bridge_of:
        yield f"link set dev {interface} learning off flood off mcast_flood off"
    for hardware_address, interface in layout.forwarding:
        yield f"fdb add {hardware_address} dev {interface} master static"


def _limit_speed(port: Port, queue: int) -> str:
    rate = port.bits_per_second
    return f"qdisc add dev {port.interface} root tbf rate {rate}bit burst {token_bucket(rate)} limit {queue}"


_NO_IPV6 = ["net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1"]
_NO_BRIDGE_FILTER = ["net.bridge.bridge-nf-call-iptables=0"]


def _set_parameters(namespace: str, parameters: Sequence[str], *, required: bool = False) -> None:
    skip_unknown = [] if required else ["-e"]
    system.run(["ip", "netns", "exec", namespace, "sysctl", "-q", *skip_unknown, "-w", *parameters])


def _switch_offloads_off(namespace: str, interfaces: Sequence[str]) -> None:
    """Frames are to be frames: no segments of 64 KB that pass a token bucket as one."""
    script = 'for interface; do ethtool -K "$interface" tso off gso off gro off || exit; done'
    system.run(["ip", "netns", "exec", namespace, "sh", "-c", script, "sh", *interfaces])


def _build_host(host: Host, hosts: Sequence[Host], options: Options) -> None:
    _set_parameters(host.namespace, _NO_IPV6)
    tcp = [
        f"net.ipv4.tcp_congestion_control={options.congestion_control}",
        f"net.ipv4.tcp_slow_start_after_idle={int(options.slow_start_after_idle)}",
    ]
    _set_parameters(host.namespace, tcp, required=True)
    _switch_offloads_off(host.namespace, ["eth0"])
    cable = Port("eth0", "", host.bits_per_second)
    system.run(["tc", "-n", host.namespace, *_limit_speed(cable, NETWORK_CARD_QUEUE).split()])
    system.batch(["ip", "-n", host.namespace], _host_interfaces(host, hosts))


def _host_interfaces(host: Host, hosts: Sequence[Host]) -> Iterator[str]:
    yield f"address add {host.address}/{NETWORK.prefixlen} dev eth0"
    yield "link set lo up"
    yield "link set eth0 up"
    for other in hosts:  # nobody has to ask for a hardware address during a measurement
        if other is not host:
            yield f"neighbour add {other.address} lladdr {other.hardware_address} dev eth0 nud permanent"


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
