"""What a sweep is: networks, settings of the lab, and what is measured on each. A file of lab/sweeps defines one, SWEEP."""

from __future__ import annotations

import importlib
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Union

from emulation.errors import UsageError
from emulation.units import parse_size

LAB = Path(__file__).resolve().parents[1]
TOPOLOGY_DIRECTORIES = (LAB / "networks", LAB.parent / "examples")

_SPEED_LINE = re.compile(r'^(?:machine_)?speed( *)= *"[^"]*"', re.MULTILINE)
_ANY_SPEED = re.compile(r'^((?:machine_)?speed *= *)"([0-9.]+)([A-Za-z]+)"', re.MULTILINE)
_TORUS_LINE = re.compile(r'^kind *= *"torus"', re.MULTILINE)


@dataclass(frozen=True)
class Traffic:
    """A constant stream of datagrams from one machine to another, which take no part in the exchange."""

    source: str
    destination: str
    bits_per_second: int


@dataclass(frozen=True)
class Network:
    """A topology file, of lab/networks or examples, or any by its path."""

    file: str
    speed: str | None = None  # of every link, instead of the file's, in which one speed may stand
    name: str = ""  # in results; otherwise the file's and the speed
    launcher_options: Sequence[str] = ()  # of lab/cluster mpirun
    bench_options: Sequence[str] = ()  # of aapc bench, beside the sweep's
    environment: Mapping[str, str] = field(default_factory=dict, hash=False)  # AAPC_ variables of the ranks
    told: Callable[[str], str] | None = None  # what the ranks are told instead of the lab's topology file, made of it
    traffic: Traffic | None = None  # that others send meanwhile
    axes: Sequence[str] = ()  # what it varies, for the order "covering"; none: the title
    offloads: bool = False  # of segmentation: for links that the cores could not carry frame by frame

    @property
    def title(self) -> str:
        return self.name or "-".join(filter(None, (Path(self.file).stem, self.speed)))

    @property
    def path(self) -> Path:
        found = [path for path in (directory / self.file for directory in TOPOLOGY_DIRECTORIES) if path.is_file()]
        if not found:
            raise UsageError(f"{self.file}: neither there nor in lab/networks nor in examples")
        return found[0].resolve()

    @property
    def has_switches(self) -> bool:
        return _TORUS_LINE.search(self.text()) is None

    def text(self) -> str:
        """Of the topology file, with this network's speed."""
        text = self.path.read_text(encoding="utf-8")
        if self.speed is None:
            return text
        changed, places = _SPEED_LINE.subn(lambda line: f'speed{line[1]}= "{self.speed}"', text)
        if places != 1:
            raise UsageError(f"{self.file} has {places} speeds, and only one can be replaced")
        return changed


def with_speeds_times(factor: float, trunks_only: bool = False) -> Callable[[str], str]:
    """Makes a topology file wrong: all its speeds, or those of the links between switches, are so many times what they are."""

    def changed(text: str) -> str:
        head, *tables = re.split(r"^(?=\[)", text, flags=re.MULTILINE)
        chosen = [
            _ANY_SPEED.sub(lambda line: f'{line[1]}"{float(line[2]) * factor:g}{line[3]}"', table)
            if table.startswith("[[switch]]") or not trunks_only
            else table
            for table in tables
        ]
        return head + "".join(chosen)

    return changed


@dataclass(frozen=True)
class Rival:
    """A library that has an MPI_Alltoall of its own, by the name PMPI_Alltoall, too: preloaded, it is what `native` is."""

    name: str
    library: str  # "{mpi}" stands for the MPI that it is measured under
    variables: Sequence[str] = ()  # NAME=VALUE, which it looks at

    def prefix(self, mpi: str) -> list[str]:
        """What starts a program with it."""
        library = Path(self.library.replace("{mpi}", mpi)).resolve()
        if not library.is_file():
            raise UsageError(f"{library}: the library of rival '{self.name}' is not there")
        return ["env", f"LD_PRELOAD={library}", *self.variables]


def rival(text: str) -> Rival:
    """Of NAME=LIBRARY[:VARIABLE=VALUE...]."""
    name, equals, rest = text.partition("=")
    library, *variables = rest.split(":")
    if not equals or not re.fullmatch(r"[A-Za-z0-9._-]+", name) or not library or not all("=" in one for one in variables):
        raise UsageError(f"rival '{text}' is not NAME=LIBRARY[:VARIABLE=VALUE...]")
    return Rival(name, library, tuple(variables))


def sizes(text: str) -> list[int]:
    """Bytes of "2Ki,8Ki"."""
    return [parse_size(size) for size in text.split(",")]


@dataclass(frozen=True)
class Bench:
    """Methods that `aapc bench` measures in turns; the first is what the others are compared with."""

    sizes: Sequence[int]
    methods: Sequence[str]
    repeats: int
    most_seconds: float = 25  # of one size
    warm_up: int = 1  # rounds before those that count
    teach: int = 0  # calls of `interposed` alone before those rounds, in which it learns (docs/learning.md)
    only_on: Sequence[str] = ()  # titles of networks; none: all
    held_out: str = (
        ""  # the method that is compared with each other in the even rounds, which are chosen by the odd ones
    )


@dataclass(frozen=True)
class Fit:
    """Samples of the model of contention, which `aapc fit` measures."""

    sizes: Sequence[int]
    method: str
    repeats: int
    ranks: Sequence[int] = ()  # none: as `aapc fit` chooses
    only_on: Sequence[str] = ()


@dataclass(frozen=True)
class Halved:
    """All trunks carry half as much from some seconds on."""

    after_seconds: float

    def __str__(self) -> str:
        return f"trunks halved after {self.after_seconds:g} s"


@dataclass(frozen=True)
class Guests:
    """Others send from some seconds on until some later ones, once in each program."""

    traffic: Traffic
    after_seconds: float
    until_seconds: float

    def __str__(self) -> str:
        speed = f"{self.traffic.bits_per_second / 1e6:g} Mbit/s"
        return f"{speed} of others from {self.after_seconds:g} to {self.until_seconds:g} s"


@dataclass(frozen=True)
class Calls:
    """Programs of many calls: without aapc, with aapc that learns in them, and with single methods, in turns."""

    kind: str  # "equal", "two" (sizes in turn), "unequal" (slowly changing) or "zipf": benchmarks/calls.c
    calls: Mapping[int, int]  # numbers of calls, and how many rounds get so far
    sizes: Sequence[int]
    methods: Sequence[str]  # single ones; "clock" is that of unequal messages
    change: Halved | Guests | None = None
    only_on: Sequence[str] = ()


# What a user does: without aapc, and with nothing said but the topology.
USED = ("without", "default")


@dataclass(frozen=True)
class Programs:
    """Real programs as they are, end to end: sweeping/programs.py knows them. Those are run that an MPI has."""

    programs: Sequence[str]
    rounds: int
    ways: Sequence[str] = ("without", "default", "clock")
    run_seconds: float = 9.0  # that one run should take, with its start
    sizes: Sequence[int] = ()  # they have their own
    only_on: Sequence[str] = ()


Part = Union[Bench, Fit, Calls, Programs]


@dataclass(frozen=True)
class Sweep:
    summary: str
    networks: Sequence[Network]
    parts: Sequence[Part]  # carried out one after the other on each network
    mpis: Sequence[str] = ("openmpi", "mpich")
    congestion_controls: Sequence[str] = ("cubic",)
    buffers: Sequence[str] = ("128Ki",)
    usual: Sequence[str] = ()  # titles of the networks that are measured unless others are asked for; none: all
    # "settings": lab by lab. "parts": a part on all networks, then the next. "covering": those runs first that show most
    # pairs of what varies which no run before has shown, so whatever a sweep is stopped at has something of everything.
    order: str = "settings"
    each_round: bool = False  # of real programs: the results have a line for each run instead of medians
    tune_minutes: float = 0  # above 0: `aapc tune` comes first, and `interposed` obeys what it found

    def parts_on(self, network: Network) -> list[Part]:
        known = {one.title for one in self.networks}
        # A network that the caller brought along is measured as the first of the sweep's own is.
        title = network.title if network.title in known else self.networks[0].title
        return [part for part in self.parts if not part.only_on or title in part.only_on]


def names() -> list[str]:
    return sorted(file.stem for file in (LAB / "sweeps").glob("[a-z]*.py"))


def load(name: str) -> Sweep:
    if name not in names():
        raise UsageError(f"there is no sweep '{name}'; there are {', '.join(names())}")
    sweep: Sweep = importlib.import_module(f"sweeps.{name}").SWEEP
    return sweep
