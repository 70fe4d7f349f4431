"""How a tree is laid out in namespaces, interfaces and addresses. Pure arithmetic: nothing here touches the system.

Every machine is a network namespace with one interface, eth0. All switches live together in one more namespace, the
fabric: each is a bridge, each cable a veth pair with a token bucket at both ends. A cable with a latency is two TAP
devices with a token bucket each, and delay_line.c between them.
"""

from __future__ import annotations

import ipaddress
import re
from dataclasses import dataclass

from .errors import UsageError
from .topology import Machine, Topology

NETWORK = ipaddress.IPv4Network("198.18.0.0/15")  # RFC 2544: set aside for benchmarks
FRAME = 1514  # bytes of a full Ethernet frame as the kernel counts it: MTU 1500 and the header
NETWORK_CARD_QUEUE = 1_000_000  # bytes a machine's network card queues, for itself and, in a torus, for others; a switch port has --buffer

_LAB_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9_-]{0,31}")


@dataclass(frozen=True)
class Host:
    """A machine as the lab emulates it."""

    machine: Machine
    namespace: str
    address: str
    hardware_address: str
    port: str  # the switch's end of its cable, in the fabric
    bits_per_second: int  # of its cable


@dataclass(frozen=True)
class Port:
    """An interface of a bridge in the fabric."""

    interface: str
    bridge: str
    bits_per_second: int


@dataclass(frozen=True)
class Trunk:
    """A cable between two switches."""

    lower: Port
    upper: Port
    latency: float = 0.0  # seconds, one way


@dataclass(frozen=True)
class Layout:
    fabric: str  # the namespace of all switches
    bridges: dict[str, str]  # switch name -> bridge
    hosts: list[Host]  # in file order
    trunks: list[Trunk]
    machine_ports: list[Port]  # one for each of hosts
    forwarding: list[tuple[str, str]]  # (hardware address, port towards it), for every bridge and host

    @property
    def namespaces(self) -> list[str]:
        return [self.fabric] + [host.namespace for host in self.hosts]

    @property
    def delayed_trunks(self) -> list[Trunk]:
        return [trunk for trunk in self.trunks if trunk.latency > 0]

    @property
    def ports(self) -> list[Port]:
        return self.machine_ports + [port for trunk in self.trunks for port in (trunk.lower, trunk.upper)]


def check_lab_name(name: str) -> str:
    # No dots, so that the namespace of machine "y" in lab "x" is never the fabric of a lab "x.y".
    if not _LAB_NAME.fullmatch(name):
        raise UsageError(f"lab name {name!r}: write letters, digits, '_' and '-', at most 32 of them")
    return name


def fabric_namespace(lab: str) -> str:
    return f"aapc-lab.{lab}"


def machine_namespace(lab: str, machine: str) -> str:
    return f"{fabric_namespace(lab)}.{machine}"


def machine_address(index: int) -> ipaddress.IPv4Address:
    """Of the machine that comes at this place in the file, from 0."""
    return NETWORK[index + 1]


def require_addresses(machines: int) -> None:
    if machines > NETWORK.num_addresses - 2:
        raise UsageError(f"the lab has addresses for {NETWORK.num_addresses - 2} machines")


def hardware_address(group: int, address: ipaddress.IPv4Address) -> str:
    """Of an interface of the machine with that address; its interfaces differ in `group`, from 0 to 255."""
    return f"02:{group:02x}:" + ":".join(f"{byte:02x}" for byte in address.packed)


def token_bucket(bits_per_second: int) -> int:
    """Depth in bytes of a link's token bucket.

    A little over two frames, so that the link never idles between two; on fast links what passes in 100 µs, because the
    kernel's timer wakes the bucket that late at times. A deeper one would let bursts through above the link's speed.
    """
    return max(2 * FRAME + 64, bits_per_second // 8 // 10_000)


def lay_out(topology: Topology, lab: str, rate: int | None) -> Layout:
    """Lays a checked topology out. `rate`, in bits per second, replaces the speed of every link."""
    require_addresses(len(topology.machines))
    bridges = {switch.name: f"switch{index}" for index, switch in enumerate(topology.switches)}
    hosts = [_host(lab, index, machine, rate or machine.speed) for index, machine in enumerate(topology.machines)]
    machine_ports = [Port(host.port, bridges[host.machine.switch], host.bits_per_second) for host in hosts]
    trunks = [
        Trunk(
            Port(f"up{index}", bridges[switch.name], rate or switch.speed or 0),
            Port(f"down{index}", bridges[switch.uplink], rate or switch.speed or 0),
            switch.latency,
        )
        for index, switch in enumerate(topology.switches)
        if switch.uplink is not None
    ]
    return Layout(fabric_namespace(lab), bridges, hosts, trunks, machine_ports, _forwarding(topology, hosts))


def _host(lab: str, index: int, machine: Machine, bits_per_second: int) -> Host:
    address = machine_address(index)
    namespace = machine_namespace(lab, machine.name)
    return Host(machine, namespace, str(address), hardware_address(0, address), f"port{index}", bits_per_second)


def _forwarding(topology: Topology, hosts: list[Host]) -> list[tuple[str, str]]:
    """Which port of every switch leads to which machine: its own, one downwards, or else the uplink."""
    uplinks = {switch.name: switch.uplink for switch in topology.switches}
    numbers = {switch.name: index for index, switch in enumerate(topology.switches)}
    entries = []
    for host in hosts:
        towards = {host.machine.switch: host.port}
        below, above = host.machine.switch, uplinks[host.machine.switch]
        while above is not None:
            towards[above] = f"down{numbers[below]}"
            below, above = above, uplinks[above]
        entries += [(host.hardware_address, towards.get(name, f"up{numbers[name]}")) for name in uplinks]
    return entries
