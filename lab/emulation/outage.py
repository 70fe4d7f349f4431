"""Takes a switch out of a fabric that is up, as if it had lost its power, and puts it in again."""

from __future__ import annotations

import json

from . import system
from .cables import require_fabric
from .errors import UsageError
from .state import State


def take_out(state: State, switch: str) -> None:
    """The routers at the other ends lose the cables, and their multipath routes go by what is left."""
    for _, other in _cables_of(state, switch):
        namespace, interface = other.split("/")
        system.run(["ip", "-n", namespace, "link", "set", interface, "down"])


def put_in(state: State, switch: str) -> None:
    """The kernel revives its routes by the cables, but has forgotten who is at their other end."""
    cables = _cables_of(state, switch)
    links = json.loads(system.run(["ip", "-n", cables[0][0].split("/")[0], "-j", "link", "show"]))
    addresses = {link["ifname"]: link["address"] for link in links}
    for own, other in cables:
        namespace, interface = other.split("/")
        address = addresses[own.split("/")[1]]
        neighbours = [
            f"neighbour replace {gateway} lladdr {address} dev {interface} nud permanent"
            for gateway in sorted(_gateways(namespace, interface))
        ]
        system.batch(["ip", "-n", namespace], [f"link set {interface} up", *neighbours])


def _gateways(namespace: str, interface: str) -> set[str]:
    routes = json.loads(system.run(["ip", "-n", namespace, "-j", "route", "show"]))
    hops = [hop for route in routes for hop in route.get("nexthops", [route])]
    return {hop["gateway"] for hop in hops if hop.get("dev") == interface and "gateway" in hop}


def _cables_of(state: State, switch: str) -> list[tuple[str, str]]:
    """The ports (NAMESPACE/INTERFACE) of each of its cables to other switches: its own, and the other one. A switch that
    machines are plugged into cannot go: they have no other."""
    require_fabric(state, "switches are taken out")
    machines = {host.name for host in state.hosts}
    leaves = {cable.upper for cable in state.cables if cable.lower in machines}
    above = {cable.upper for cable in state.cables} - leaves
    if switch not in above:
        raise UsageError(f"no switch '{switch}' without machines; there is {', '.join(sorted(above))}")
    below = [(cable.upper_port, cable.lower_port) for cable in state.cables if cable.upper == switch]
    return below + [(cable.lower_port, cable.upper_port) for cable in state.cables if cable.lower == switch]
