"""What machines and switches of every kind of network are set up with."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

from . import system
from .layout import token_bucket

_NO_IPV6 = ("net.ipv6.conf.all.disable_ipv6=1", "net.ipv6.conf.default.disable_ipv6=1")


@dataclass(frozen=True)
class Options:
    """What `up` may choose."""

    rate: int | None = None  # bits per second of every link; None: as the topology says
    buffer: int = 128 * 1024  # bytes that wait at a switch port before frames are lost
    congestion_control: str = "cubic"
    slow_start_after_idle: bool = True
    draw: int | None = None  # what the seeds of a fabric's hashes are drawn from; None: anew
    offloads: bool = False  # interfaces take 64 KB at a time, which links of 1 Gbit/s need where few cores emulate all


Node = TypeVar("Node")


def on_each(nodes: Sequence[Node], build_one: Callable[[Node], None]) -> None:
    """Several at once: most of the time is that of programs that are started."""
    with ThreadPoolExecutor(max_workers=os.cpu_count()) as pool:
        list(pool.map(build_one, nodes))


def cable_between(*ends: tuple[str, str, str]) -> str:
    """The command of `ip` for a pair of interfaces; each end is an interface, its hardware address and a namespace."""
    lower, upper = (f"name {interface} address {address} netns {namespace}" for interface, address, namespace in ends)
    return f"link add {lower} type veth peer {upper}"


def set_up_machine(namespace: str, options: Options) -> None:
    """Before its interfaces are up."""
    switch_ipv6_off(namespace)
    tcp = [
        f"net.ipv4.tcp_congestion_control={options.congestion_control}",
        f"net.ipv4.tcp_slow_start_after_idle={int(options.slow_start_after_idle)}",
    ]
    set_parameters(namespace, tcp, required=True)


def switch_ipv6_off(namespace: str) -> None:
    set_parameters(namespace, _NO_IPV6)


def set_parameters(namespace: str, parameters: Sequence[str], *, required: bool = False) -> None:
    skip_unknown = [] if required else ["-e"]
    system.run(["ip", "netns", "exec", namespace, "sysctl", "-q", *skip_unknown, "-w", *parameters])


def switch_offloads_off(namespace: str, interfaces: Sequence[str]) -> None:
    """Frames are to be frames: no segments of 64 KB that pass a token bucket as one."""
    script = 'for interface; do ethtool -K "$interface" tso off gso off gro off || exit; done'
    system.run(["ip", "netns", "exec", namespace, "sh", "-c", script, "sh", *interfaces])


def limit_speed(interface: str, bits_per_second: int, queue: int) -> str:
    """The command of tc; `queue` in bytes."""
    burst = token_bucket(bits_per_second)
    return f"qdisc add dev {interface} root tbf rate {bits_per_second}bit burst {burst} limit {queue}"
