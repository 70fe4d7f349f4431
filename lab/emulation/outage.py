"""Takes a switch out of a fabric that is up, as if it had lost its power, and puts it in again."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

from . import system
from .errors import UsageError
from .state import State


@dataclass(frozen=True)
class _Cable:
    """A cable of the switch: NAMESPACE/INTERFACE at the switch, and at the router at its other end."""

    own_port: str
    other_port: str


def take_out(state: State, switch: str) -> None:
    """The routers at the other ends lose the cables, and their multipath routes go by what is left."""
    for cable in _cables_of(state, switch):
        namespace, interface = cable.other_port.split("/")
        system.run(["ip", "-n", namespace, "link", "set", interface, "down"])


def put_in(state: State, switch: str) -> None:
    """The kernel revives its routes by the cables, but has forgotten who is at their other end."""
    for cable in _cables_of(state, switch):
        own_namespace, own_interface = cable.own_port.split("/")
        namespace, interface = cable.other_port.split("/")
        address = json.loads(system.run(["ip", "-n", own_namespace, "-j", "link", "show", own_interface]))[0]["address"]
        lines = [f"link set {interface} up"]
        lines += [
            f"neighbour replace {gateway} lladdr {address} dev {interface} nud permanent"
            for gateway in sorted(_gateways(namespace, interface))
        ]
        system.batch(["ip", "-n", namespace], lines)


def _gateways(namespace: str, interface: str) -> set[str]:
    routes = json.loads(system.run(["ip", "-n", namespace, "-j", "route", "show"]))
    hops = [hop for route in routes for hop in route.get("nexthops", [route])]
    return {hop["gateway"] for hop in hops if hop.get("dev") == interface and "gateway" in hop}


def _cables_of(state: State, switch: str) -> Iterator[_Cable]:
    """Those to other switches. A switch that machines are plugged into cannot go: they have no other."""
    if not any(cable.lower_port for cable in state.cables):
        raise UsageError(f"lab {state.name} is a {state.kind}; switches are taken out of a fabric")
    above = {cable.upper for cable in state.cables} - {cable.upper for cable in state.cables if _is_machine(state, cable.lower)}
    if switch not in above:
        raise UsageError(f"no switch '{switch}' without machines; there is {', '.join(sorted(above))}")
    for cable in state.cables:
        if cable.upper == switch:
            yield _Cable(cable.upper_port, cable.lower_port)
        elif cable.lower == switch:
            yield _Cable(cable.lower_port, cable.upper_port)


def _is_machine(state: State, name: str) -> bool:
    return any(host.name == name for host in state.hosts)
