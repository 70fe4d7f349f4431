"""Whether this machine lets us emulate a cluster."""

from __future__ import annotations

import contextlib
import os
import shutil

from . import system
from .errors import LabError

_PROGRAMS = {"ip": "iproute2", "tc": "iproute2", "bridge": "iproute2", "ethtool": "ethtool", "sysctl": "procps"}
_WIDE_AREA_PROGRAMS = {"cc": "gcc"}


def obstacle(kind: str) -> str | None:
    """Why no lab of that kind can be put up here, in one sentence; None if it can. Tries each kernel facility in a
    namespace of its own, which is gone again afterwards."""
    if os.geteuid() != 0:
        return "network namespaces take root's rights, and this is not root"
    programs = {**_PROGRAMS, **(_WIDE_AREA_PROGRAMS if kind == "clusters" else {})}
    for program, package in programs.items():
        if shutil.which(program) is None:
            return f"the program {program} is missing (Debian: apt-get install {package})"
    namespace = f"aapc-lab-check.{os.getpid()}"
    try:
        return _try_in(namespace, kind)
    finally:
        system.ignore_signals()
        with contextlib.suppress(LabError):
            system.run(["ip", "netns", "del", namespace])


def _try_in(namespace: str, kind: str) -> str | None:
    in_namespace = ["-n", namespace]
    trials = [
        ("network namespaces", ["ip", "netns", "add", namespace]),
        ("programs in a network namespace", ["ip", "netns", "exec", namespace, "unshare", "--uts", "true"]),
        ("bridges", ["ip", *in_namespace, "link", "add", "switch0", "type", "bridge"]),
        (
            "virtual cables (veth)",
            ["ip", *in_namespace, "link", "add", "port0", "type", "veth", "peer", "name", "port1"],
        ),
        (
            "token buckets (tbf)",
            ["tc", *in_namespace, *"qdisc add dev port0 root tbf rate 1mbit burst 3028 limit 9k".split()],
        ),
    ]
    if kind == "fabric":
        ways = " ".join(f"nexthop via 198.18.0.{port + 1} dev port{port} onlink" for port in (0, 1))
        trials += [
            *(("interfaces", ["ip", *in_namespace, "link", "set", name, "up"]) for name in ("lo", "port0", "port1")),
            ("multipath routes", ["ip", *in_namespace, "route", "add", "198.18.1.0/24", *ways.split()]),
        ]
    if kind == "clusters":
        trials.append(("TAP devices", ["ip", *in_namespace, "tuntap", "add", "dev", "tap0", "mode", "tap"]))
    for facility, command in trials:
        try:
            system.run(command)
        except LabError as error:
            return f"{facility} are not allowed here ({error})"
    return None
