"""Puts the layout of a fabric up: leaves and spines that route, by the kernel's multipath."""

from __future__ import annotations

from collections.abc import Iterator

from . import system
from .fabric import FabricHost, FabricLayout, Hop, Router
from .interfaces import (
    Options,
    cable_between,
    limit_speed,
    on_each,
    set_parameters,
    set_up_machine,
    switch_ipv6_off,
    switch_offloads_off,
)
from .layout import NETWORK, NETWORK_CARD_QUEUE
from .routed import FORWARDING

# Policy 1 would take the hash that the sending socket has given its packets, so that all switches choose alike. Policy 3
# takes these fields: addresses, protocol and ports.
_HASH = ("net.ipv4.fib_multipath_hash_policy=3", "net.ipv4.fib_multipath_hash_fields=55")


def build(layout: FabricLayout, options: Options) -> None:
    """The namespaces are there."""
    on_each(layout.routers, _set_up_router)
    on_each(layout.hosts, lambda host: set_up_machine(host.namespace, options))
    system.batch(["ip"], _cables(layout))
    limits = _limits(layout, options)
    on_each(layout.routers, lambda router: _connect_router(router, limits[router.namespace], options))
    on_each(layout.hosts, lambda host: _connect_host(host, limits[host.namespace], options))


def _set_up_router(router: Router) -> None:
    switch_ipv6_off(router.namespace)
    set_parameters(router.namespace, [*FORWARDING, *_HASH], required=True)
    # Kernels before 6.11 have one seed for all switches, drawn when they start.
    set_parameters(router.namespace, [f"net.ipv4.fib_multipath_hash_seed={router.hash_seed}"])


def _cables(layout: FabricLayout) -> Iterator[str]:
    for cable in layout.cables:
        ends = (cable.lower, cable.upper)
        yield cable_between(*((end.interface, end.hardware_address, layout.namespace_of(end.node)) for end in ends))


def _limits(layout: FabricLayout, options: Options) -> dict[str, list[str]]:
    """By namespace: the commands of tc."""
    limits: dict[str, list[str]] = {namespace: [] for namespace in layout.namespaces}
    for cable in layout.cables:
        for end in (cable.lower, cable.upper):
            queue = options.buffer if end.node < len(layout.routers) else NETWORK_CARD_QUEUE
            limit = limit_speed(end.interface, cable.bits_per_second, queue)
            limits[layout.namespace_of(end.node)].append(limit)
    return limits


def _connect_router(router: Router, limits: list[str], options: Options) -> None:
    system.batch(["ip", "-n", router.namespace], _interfaces_and_routes(router))
    _finish(router.namespace, [hop.interface for hop in router.hops], limits, options)


def _interfaces_and_routes(router: Router) -> Iterator[str]:
    for interface in ("lo", *(hop.interface for hop in router.hops)):
        yield f"link set {interface} up"
    for hop in router.hops:
        yield _neighbour(hop)
    for address, ways in router.routes:
        hops = [f"via {way.gateway} dev {way.interface} onlink" for way in ways]
        yield f"route add {address} " + (hops[0] if len(hops) == 1 else " ".join(f"nexthop {hop}" for hop in hops))


def _neighbour(hop: Hop) -> str:
    return f"neighbour add {hop.gateway} lladdr {hop.hardware_address} dev {hop.interface} nud permanent"


def _connect_host(host: FabricHost, limits: list[str], options: Options) -> None:
    system.batch(
        ["ip", "-n", host.namespace],
        [
            f"address add {host.address}/{NETWORK.prefixlen} dev eth0 noprefixroute",
            "link set lo up",
            "link set eth0 up",
            _neighbour(host.leaf),
            f"route add {NETWORK} via {host.leaf.gateway} dev eth0 onlink src {host.address}",
        ],
    )
    _finish(host.namespace, ["eth0"], limits, options)


def _finish(namespace: str, interfaces: list[str], limits: list[str], options: Options) -> None:
    if not options.offloads:
        switch_offloads_off(namespace, interfaces)
    system.batch(["tc", "-n", namespace], limits)
