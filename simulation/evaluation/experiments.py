"""What is simulated."""

from __future__ import annotations

from dataclasses import dataclass

START_UP = 30e-6
"""Seconds for which a sender is busy with a message, on tori: the paper's ts."""

TREE_LATENCY = 25e-6
"""Seconds of a link, on trees."""


@dataclass(frozen=True)
class Network:
    name: str
    kind: str
    ranks: int
    bits_per_second: float
    text: str
    """The topology file."""


@dataclass(frozen=True)
class Experiment:
    """One run of aapc-simulate: a method on a network."""

    network: Network
    method: str
    selector: str
    """Of the native all-to-all; empty for our methods."""
    sizes: tuple[int, ...]
    checked: bool = True
    repeats: int = 1

    @property
    def label(self) -> str:
        """The method in tables."""
        return f"SMPI {self.selector}" if self.selector else self.method

    @property
    def name(self) -> str:
        method = self.label.replace("/", "-").replace(":", "-").replace(" ", "-")
        return f"{self.network.name}-{method}{'' if self.checked else '-unchecked'}"

    def options(self) -> list[str]:
        words = ["--methods", self.method, "--sizes", ",".join(map(str, self.sizes)), "--repeats", str(self.repeats)]
        if self.selector:
            words += ["--native-algorithm", self.selector]
        if self.network.kind == "torus":
            words += ["--start-up", f"{START_UP * 1e6:.0f}us"]
        else:
            words += ["--latency", f"{TREE_LATENCY * 1e6:.0f}us"]
        return words if self.checked else [*words, "--unchecked"]


def torus(side: int) -> Network:
    last = side * side - 1
    text = f'[network]\nkind = "torus"\nspeed = "1Gbit"\nsides = [{side}, {side}]\nmachines = "t[0-{last}]"\n'
    return Network(f"torus-{side}x{side}", "torus", side * side, 1e9, text)


def chain(switches: int, machines: int) -> Network:
    text = '[network]\nspeed = "100Mbit"\n'
    for number in range(switches):
        first = number * machines
        uplink = f'uplink = "s{number - 1}"\n' if number > 0 else ""
        text += f'[[switch]]\nname = "s{number}"\n{uplink}machines = "n[{first}-{first + machines - 1}]"\n'
    return Network(f"chain-{switches}x{machines}", "tree", switches * machines, 1e8, text)


SMALL = (1, 2, 4, 8, 16, 64, 512)
"""Where few messages pay."""
LARGE = (8, 512, 1024, 2048, 4096, 8192, 65536)
"""Where direct messages do."""
CHAIN = (64, 1024, 4096, 16384, 65536)

FORWARDING = ("torus/divisions-0", "torus/divisions-1", "torus/divisions-2")
SELECTORS = ("basic_linear", "bruck", "pair", "ring", "mvapich2_scatter_dest", "ompi", "mpich")


def affordable(sizes: tuple[int, ...], ranks: int, copies: int) -> tuple[int, ...]:
    """Those for which the buffers of all ranks, `copies` times the data, fit into 2.5 GB."""
    return tuple(size for size in sizes if size * ranks * ranks * copies <= 2.5e9)


def both(network: Network, method: str, selector: str, sizes: tuple[int, ...]) -> list[Experiment]:
    """Checked where the buffers fit into memory, unchecked beyond."""
    checked = affordable(sizes, network.ranks, 2)
    found = [Experiment(network, method, selector, checked)]
    beyond = tuple(size for size in sizes if size not in checked)
    return found if not beyond else [*found, Experiment(network, method, selector, beyond, checked=False)]


def torus_experiments(side: int, direct: tuple[str, ...], selectors: tuple[str, ...], sizes: tuple[int, ...]) -> list[Experiment]:
    network = torus(side)
    found = []
    for divisions, method in enumerate(FORWARDING):
        all_sizes = tuple(sorted({*SMALL, *LARGE}))
        found.append(Experiment(network, method, "", affordable(all_sizes, network.ranks, 2 + 3 * 2**divisions)))
    for method in direct:
        found += both(network, method, "", sizes)
    for selector in selectors:
        found += both(network, "native", selector, sizes)
    return found


def tree_experiments(network: Network, sizes: tuple[int, ...], methods: tuple[str, ...]) -> list[Experiment]:
    found = []
    for method in methods:
        found.append(Experiment(network, method, "", sizes, repeats=6 if method.endswith("timed") else 1))
    for selector in ("basic_linear", "ring", "pair", "bruck"):
        found.append(Experiment(network, "native", selector, sizes))
    return found


TREE_METHODS = (
    "tree+none",
    "tree+sender",
    "tree+sender-partial:8",
    "tree+receiver",
    "tree+barrier",
    "tree+barrier-partial-none:8",
    "tree+barrier-partial-sender:8",
    "tree+timed",
    "ring",
    "pairwise",
    "linear",
)


def experiments() -> list[Experiment]:
    direct = ("torus-direct+none", "torus-direct+sender", "torus-direct+timed")
    return [
        *torus_experiments(8, (*direct, "torus-direct+barrier", "ring", "linear", "bruck"), SELECTORS, LARGE),
        *tree_experiments(chain(4, 8), CHAIN, TREE_METHODS),
        *torus_experiments(16, (*direct, "ring", "linear"), SELECTORS, (8, 512, 2048, 4096, 65536)),
        *tree_experiments(chain(16, 16), (1024, 16384), ("tree+none", "tree+sender", "tree+timed", "ring", "linear")),
        *torus_experiments(32, ("torus-direct+none", "torus-direct+timed"), ("bruck", "ring"), (8, 4096)),
    ]
