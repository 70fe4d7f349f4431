"""Puts the layout of a tree up: bridges in the fabric, a machine in each other namespace."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from . import system, wide_area
from .interfaces import (
    Options,
    limit_speed,
    on_each,
    set_parameters,
    set_up_machine,
    switch_ipv6_off,
    switch_offloads_off,
)
from .layout import NETWORK, NETWORK_CARD_QUEUE, Host, Layout

_NO_BRIDGE_FILTER = ["net.bridge.bridge-nf-call-iptables=0"]


def build(layout: Layout, options: Options, directory: Path) -> None:
    """The namespaces are there. Programs that belong to the lab are put into `directory`."""
    _build_fabric(layout, options)
    on_each(layout.hosts, lambda host: _build_host(host, layout.hosts, options))
    if layout.delayed_trunks:
        wide_area.start(layout.fabric, layout.delayed_trunks, directory)


def _build_fabric(layout: Layout, options: Options) -> None:
    system.batch(["ip", "-n", layout.fabric], _fabric_interfaces(layout))
    switch_ipv6_off(layout.fabric)
    set_parameters(layout.fabric, _NO_BRIDGE_FILTER)
    if not options.offloads:
        switch_offloads_off(layout.fabric, [port.interface for port in layout.ports])
    limits = [limit_speed(port.interface, port.bits_per_second, options.buffer) for port in layout.ports]
    system.batch(["tc", "-n", layout.fabric], limits)
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
        if trunk.latency > 0:
            yield f"tuntap add dev {trunk.lower.interface} mode tap"
            yield f"tuntap add dev {trunk.upper.interface} mode tap"
        else:
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


def _build_host(host: Host, hosts: Sequence[Host], options: Options) -> None:
    set_up_machine(host.namespace, options)
    if not options.offloads:
        switch_offloads_off(host.namespace, ["eth0"])
    system.run(["tc", "-n", host.namespace, *limit_speed("eth0", host.bits_per_second, NETWORK_CARD_QUEUE).split()])
    system.batch(["ip", "-n", host.namespace], _host_interfaces(host, hosts))


def _host_interfaces(host: Host, hosts: Sequence[Host]) -> Iterator[str]:
    yield f"address add {host.address}/{NETWORK.prefixlen} dev eth0"
    yield "link set lo up"
    yield "link set eth0 up"
    for other in hosts:  # nobody has to ask for a hardware address during a measurement
        if other is not host:
            yield f"neighbour add {other.address} lladdr {other.hardware_address} dev eth0 nud permanent"
