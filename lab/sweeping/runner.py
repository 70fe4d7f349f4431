"""Carries out measurements on labs, those that are still missing, so that it can be stopped anywhere and goes on later."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

from emulation.units import parse_size

LAB = Path(__file__).resolve().parent.parent
WIRE_OVER_PAYLOAD = 1514 / 1448  # of a full Ethernet frame under TCP


@dataclass(frozen=True)
class Up:
    """A lab, and where its topology file is."""

    topology: Path
    congestion_control: str = "cubic"


@dataclass(frozen=True)
class Run:
    """One start of an MPI program on a lab; when it is done, its results are in a file."""

    title: str
    up: Up
    file: Path
    expected_seconds: float
    carry_out: Callable[["Run", str], None]  # on the lab of that name; writes `part`

    @property
    def part(self) -> Path:
        return self.file.with_suffix(".part")


class Progress:
    """Says how far it is and how long the rest will take, by what the runs were expected to take."""

    def __init__(self, runs: Sequence[Run]) -> None:
        self._left = sum(run.expected_seconds for run in runs)
        self._done = 0.0
        self._seconds = 0.0

    def step(self, run: Run, seconds: float) -> None:
        self._left -= run.expected_seconds
        self._done += run.expected_seconds
        self._seconds += seconds
        minutes = self._left * self._seconds / self._done / 60
        print(f"{run.title}: {seconds:.0f} s; about {minutes:.0f} min left", file=sys.stderr)


def carry_out(runs: Sequence[Run], lab: str) -> None:
    """Carries out the runs whose files are missing, one lab after the other, under that name. Raises CalledProcessError."""
    missing = [run for run in runs if not run.file.exists()]
    progress = Progress(missing)
    for up, of_this_lab in groupby(missing, key=lambda run: run.up):
        cluster("up", str(up.topology), "--name", lab, "--congestion-control", up.congestion_control)
        try:
            for run in of_this_lab:
                run.file.parent.mkdir(parents=True, exist_ok=True)
                began = time.monotonic()
                run.carry_out(run, lab)
                run.part.replace(run.file)  # what has this name is complete
                progress.step(run, time.monotonic() - began)
        finally:
            cluster("down", "--name", lab)


def carry_out_and_report(name: str, runs: Sequence[Run], lab: str) -> int:
    """carry_out() for a program of that name; the exit status."""
    try:
        carry_out(runs, lab)
    except KeyboardInterrupt:
        print(f"{name}: stopped; the next start goes on here", file=sys.stderr)
        return 130
    except subprocess.CalledProcessError as error:
        print(f"{name}: {error}", file=sys.stderr)
        return 1
    return 0


def parse_arguments(documentation: str, default_sizes: str, default_repeats: int) -> argparse.Namespace:
    """Of a sweep: `sizes` as a list of bytes, `results` as an absolute path; AAPC_PROGRAM is set."""
    parser = argparse.ArgumentParser(
        description=documentation, formatter_class=argparse.RawDescriptionHelpFormatter, allow_abbrev=False
    )
    parser.add_argument("prefix", type=Path, metavar="PREFIX", help="where bin/aapc is: a build or an installation")
    parser.add_argument("results", type=Path, metavar="RESULTS", help="directory; what is there is not measured again")
    parser.add_argument("--mpis", nargs="+", choices=("openmpi", "mpich"), default=["openmpi", "mpich"])
    parser.add_argument("--congestion-controls", nargs="+", choices=("cubic", "bbr", "reno"), default=["cubic"])
    parser.add_argument("--sizes", default=default_sizes, help="bytes from each rank to each (default %(default)s)")
    parser.add_argument("--repeats", type=int, default=default_repeats, help="default %(default)s")
    parser.add_argument("--most-seconds", type=float, default=25, help="of one size (default %(default)s)")
    parser.add_argument("--lab", default="sweep", help="name of the lab that is put up (default %(default)s)")
    parser.add_argument("--only", nargs="+", metavar="WORD", help="only networks whose names contain one of these")
    arguments = parser.parse_args()
    arguments.sizes = [parse_size(size) for size in arguments.sizes.split(",")]
    arguments.results = arguments.results.resolve()
    os.environ["AAPC_PROGRAM"] = str(arguments.prefix.resolve() / "bin" / "aapc")
    return arguments


def is_wanted(name: str, words: Sequence[str] | None) -> bool:
    return words is None or any(word in name for word in words)


def write_topology(file: Path, text: str) -> Path:
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(text)
    return file


def bench_runs(topology: Path, name: str, benches: Sequence["Bench"], controls: Sequence[str], results: Path) -> list[Run]:
    """One network under several congestion controls and MPIs: results/CONTROL-MPI.json."""
    seconds_per_byte = float(json.loads(ask_aapc("topology", str(topology), "--format", "json"))["bound"]["seconds_per_byte"])
    return [
        Run(
            title=f"{name}, {control}, {bench.mpi}",
            up=Up(topology, control),
            file=results / f"{control}-{bench.mpi}.json",
            expected_seconds=bench.expected_seconds(seconds_per_byte * WIRE_OVER_PAYLOAD),
            carry_out=bench,
        )
        for control in controls
        for bench in benches
    ]


@dataclass(frozen=True)
class Bench:
    """What `aapc bench` is asked."""

    mpi: str
    sizes: Sequence[int]
    methods: Sequence[str]
    repeats: int
    most_seconds: float = 30  # of one size
    launcher_options: Sequence[str] = ()

    def __call__(self, run: Run, lab: str) -> None:
        bench(
            *(lab, self.mpi, run.up.topology, self.sizes, self.methods, self.repeats, run.part),
            most_seconds=self.most_seconds,
            launcher_options=self.launcher_options,
        )

    def expected_seconds(self, seconds_per_byte: float) -> float:
        """`seconds_per_byte`: of an exchange at the bound. Twice the bound and some start-ups, and the launcher."""
        rounds = [len(self.methods) * (2 * seconds_per_byte * size + 0.05) for size in self.sizes]
        return 6 + sum(min(one * (self.repeats + 1), one + self.most_seconds) for one in rounds)


def bench(
    lab: str,
    mpi: str,
    topology: Path,
    sizes: Sequence[int],
    methods: Sequence[str],
    repeats: int,
    report: Path,
    *,
    most_seconds: float = 30,
    launcher_options: Sequence[str] = (),
) -> None:
    """Measures the methods in turns on a lab that is up, and writes the report as JSON."""
    mpirun(
        *(lab, mpi, launcher_options, "bench", "--topology", str(topology.resolve())),
        *("--sizes", ",".join(map(str, sizes)), "--candidates", ",".join(methods), "--repeats", str(repeats)),
        *("--warm-up", "1", "--most-seconds", str(most_seconds), "--format", "json", "-o", str(report.resolve())),
    )
    _forget_where(report)


def _forget_where(report: Path) -> None:
    """Takes out of a report what only says where this checkout lies: results are kept and published."""
    document = json.loads(report.read_text())
    document["environment"].pop("AAPC_PROGRAM", None)
    report.write_text(json.dumps(document, indent=1).replace(f"{LAB.parent}/", "") + "\n")


def mpirun(lab: str, mpi: str, launcher_options: Sequence[str], *command: str) -> None:
    """Runs a command of aapc on all machines of a lab; raises CalledProcessError where it fails."""
    cluster("mpirun", "--name", lab, "--mpi", mpi, "--timeout", "3600", *launcher_options, "--", aapc_program(), *command)


def aapc_program() -> str:
    return os.environ.get("AAPC_PROGRAM", "aapc")


def ask_aapc(*command: str) -> str:
    """What a command of aapc says that measures nothing; raises CalledProcessError where it fails."""
    return subprocess.run([aapc_program(), *command], check=True, stdout=subprocess.PIPE, text=True).stdout


def cluster(*arguments: str) -> None:
    """Runs lab/cluster; raises CalledProcessError where it fails."""
    subprocess.run([str(LAB / "cluster"), *arguments], check=True, stdout=subprocess.DEVNULL)
