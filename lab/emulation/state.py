"""What is up, on disk: written before anything is put up, so that even a killed `up` can be taken down by name."""

from __future__ import annotations

import json
import os
import shutil
from dataclasses import asdict, dataclass, field
from pathlib import Path

from .errors import UsageError

DIRECTORY = Path("/run/aapc-lab")


@dataclass(frozen=True)
class HostRecord:
    name: str
    namespace: str
    address: str
    ranks: int


@dataclass(frozen=True)
class CableRecord:
    """Between two machines or switches."""

    lower: str
    upper: str
    bits_per_second: int
    latency: float  # seconds, one way
    lower_port: str = ""  # NAMESPACE/INTERFACE of its ends, in a fabric
    upper_port: str = ""


@dataclass(frozen=True)
class State:
    """A lab, and by name everything it put on this machine."""

    name: str
    status: str  # "starting" until everything is in place, then "up"; "going down" in the end
    process: int  # of the `up` that made it
    process_start: str  # of that process, so that a later process of the same number is not taken for it
    topology: str  # the file it came from
    rate: int | None  # bits per second of every link; None: the file's speeds
    buffer: int  # bytes
    congestion_control: str
    namespaces: list[str]
    hosts: list[HostRecord]  # in file order
    kind: str = "tree"  # of network, as in the topology file
    cables: list[CableRecord] = field(default_factory=list)
    draw: int | None = None  # of the hashes in a fabric's switches

    @property
    def directory(self) -> Path:
        return DIRECTORY / self.name

    @property
    def ranks(self) -> int:
        return sum(host.ranks for host in self.hosts)

    def is_being_started(self) -> bool:
        return self.status == "starting" and process_start(self.process) == self.process_start


def process_start(process: int) -> str:
    """When a process started, in clock ticks after boot; empty if there is none. With its number it names a process."""
    try:
        text = Path(f"/proc/{process}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return ""
    return text.rpartition(")")[2].split()[19]


def create(state: State) -> None:
    """Records a new lab. The directory appears with its contents or not at all; an existing one is not touched."""
    DIRECTORY.mkdir(mode=0o755, parents=True, exist_ok=True)
    draft = DIRECTORY / f".{state.name}.{os.getpid()}"
    draft.mkdir()
    try:
        _write(draft, state)
        draft.rename(state.directory)
    except BaseException as error:
        shutil.rmtree(draft, ignore_errors=True)
        if isinstance(error, OSError) and state.directory.exists():
            raise UsageError(f"lab {state.name} has just been put up by somebody else") from error
        raise


def update(state: State) -> None:
    _write(state.directory, state)


def _write(directory: Path, state: State) -> None:
    draft = directory / ".state.json"
    with draft.open("w", encoding="utf-8") as stream:
        json.dump({"format": "aapc-lab/1", **asdict(state)}, stream, indent=1)
        stream.flush()
        os.fsync(stream.fileno())
    draft.rename(directory / "state.json")


def load(name: str) -> State | None:
    """The lab of that name, or None if there is none."""
    try:
        document = json.loads((DIRECTORY / name / "state.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        return None
    del document["format"]
    hosts = [HostRecord(**host) for host in document.pop("hosts")]
    cables = [CableRecord(**cable) for cable in document.pop("cables", [])]
    return State(hosts=hosts, cables=cables, **document)


def require_up(name: str) -> State:
    state = load(name)
    if state is None:
        raise UsageError(f"lab {name} is not up: lab/cluster up FILE{_option(name)}")
    if state.status != "up":
        raise UsageError(f"lab {name} is up only in part: {advice_down(name)}, then up again")
    return state


def remove(state: State) -> None:
    shutil.rmtree(state.directory)
    try:
        DIRECTORY.rmdir()
    except OSError:
        pass  # other labs are up


def advice_down(name: str) -> str:
    return f"lab/cluster down{_option(name)}"


def _option(name: str) -> str:
    return "" if name == "aapc" else f" --name {name}"
