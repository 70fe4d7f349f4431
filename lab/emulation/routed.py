"""Puts the layout of a torus up: machines that forward packets to each other."""

from __future__ import annotations

from collections.abc import Iterator

from . import system
from .interfaces import (
    Options,
    cable_between,
    limit_speed,
    on_each,
    set_parameters,
    set_up_machine,
    switch_offloads_off,
)
from .layout import NETWORK, NETWORK_CARD_QUEUE
from .torus import TorusHost, TorusLayout

# Packets may come in by one cable and their answers leave by another.
FORWARDING = (
    "net.ipv4.ip_forward=1",
    "net.ipv4.conf.all.rp_filter=0",
    "net.ipv4.conf.default.rp_filter=0",
    "net.ipv4.conf.all.send_redirects=0",
    "net.ipv4.conf.default.send_redirects=0",
)


def build(layout: TorusLayout, options: Options) -> None:
    """The namespaces are there."""
    on_each(layout.hosts, lambda host: _set_up(host, options))
    system.batch(["ip"], _cables(layout))
    on_each(layout.hosts, lambda host: _connect(host, layout.bits_per_second))


def _set_up(host: TorusHost, options: Options) -> None:
    set_up_machine(host.namespace, options)
    set_parameters(host.namespace, FORWARDING, required=True)


def _cables(layout: TorusLayout) -> Iterator[str]:
    for cable in layout.cables:
        ends = (cable.lower, cable.upper)
        yield cable_between(*((end.interface, end.hardware_address, layout.hosts[end.machine].namespace) for end in ends))


def _connect(host: TorusHost, bits_per_second: int) -> None:
    system.batch(["ip", "-n", host.namespace], _interfaces_and_routes(host))
    if host.interfaces:
        switch_offloads_off(host.namespace, host.interfaces)
        limits = [limit_speed(interface, bits_per_second, NETWORK_CARD_QUEUE) for interface in host.interfaces]
        system.batch(["tc", "-n", host.namespace], limits)


def _interfaces_and_routes(host: TorusHost) -> Iterator[str]:
    # MPIs take an interface that is up and running, which takes another end that is up, though nothing ever gets there.
    yield f"link add eth0 address {host.hardware_address} type veth peer name nowhere"
    yield f"address add {host.address}/{NETWORK.prefixlen} dev eth0 noprefixroute"
    for interface in ("lo", "nowhere", "eth0", *host.interfaces):
        yield f"link set {interface} up"
    for neighbour in host.neighbours:
        yield (
            f"neighbour add {neighbour.address} lladdr {neighbour.hardware_address} dev {neighbour.interface} "
            "nud permanent"
        )
    for route in host.routes:
        yield f"route add {route.destination} via {route.gateway} dev {route.interface} onlink src {host.address}"
