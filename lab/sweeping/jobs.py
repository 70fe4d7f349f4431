"""The single runs of a sweep: which of them are missing, how long each should take, and how it is carried out."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from emulation.units import parse_size

from . import calls, programs
from .definition import Bench, Calls, Fit, Network, Part, Programs, Rival, Sweep
from .medians import (
    COLUMNS,
    HELD_OUT_COLUMNS,
    SAMPLE_CELL,
    SAMPLE_COLUMNS,
    Medians,
    Row,
    bench_rows,
    number,
    sample_rows,
)
from .order import in_order, within
from .running import environment, foreign_traffic, mpirun, processor_ticks, seconds_per_byte

LAUNCH_SECONDS = 6.0


@dataclass(frozen=True)
class Setting:
    """A lab that is put up."""

    network: Network
    topology: Path  # of the lab
    told: Path  # what the ranks are told of it: the same, unless the sweep is about wrong files
    congestion_control: str
    buffer: str  # of a switch port; empty where there are no switches

    def options(self) -> list[str]:
        return [
            *("--congestion-control", self.congestion_control),
            *(["--buffer", self.buffer] if self.buffer else []),
            *(["--offloads"] if self.network.offloads else []),
        ]


@dataclass(frozen=True)
class Job:
    """One start of a program on a lab."""

    title: str
    setting: Setting
    expected_seconds: float
    carry_out: Callable[[str], None]  # on the lab of that name, which is up
    part: int = 0  # of those of the sweep
    axes: tuple[str, ...] = ()  # what varies from one to the next


@dataclass(frozen=True)
class Choice:
    """What the caller of a sweep wants otherwise than its file says; None: as it says."""

    networks: Sequence[Network] | None = None  # instead of the sweep's own
    only: Sequence[str] | None = None  # words of which a network's title has one
    mpis: Sequence[str] | None = None
    congestion_controls: Sequence[str] | None = None
    buffers: Sequence[str] | None = None
    sizes: Sequence[int] | None = None
    methods: Sequence[str] | None = None
    repeats: int | None = None
    most_seconds: float | None = None
    tune_minutes: float | None = None
    within_minutes: float | None = None  # only the first runs that should take so long
    rivals: Sequence[Rival] = ()  # each measured by itself, in the place of the MPI's own
    fresh: bool = False  # measure again what there is


class Plan:
    """A sweep as it was chosen, its results in a directory."""

    def __init__(self, name: str, sweep: Sweep, choice: Choice, results: Path, samples: Path | None = None) -> None:
        self.name = name
        self.sweep = sweep
        self._choice = choice
        self._results = results
        self._samples = samples
        columns = (*COLUMNS, *HELD_OUT_COLUMNS) if any(self._held_out(part) for part in sweep.parts) else COLUMNS
        self.is_of_samples = all(isinstance(part, Fit) for part in sweep.parts)
        self.is_of_calls = all(isinstance(part, Calls) for part in sweep.parts)
        self.is_of_programs = all(isinstance(part, Programs) for part in sweep.parts)
        if self.is_of_programs and sweep.each_round:
            self.medians = Medians(self.file, programs.ROUNDS_COLUMNS, programs.PROGRAMS_CELL)
        elif self.is_of_programs:
            self.medians = Medians(self.file, programs.PROGRAMS_COLUMNS, programs.PROGRAMS_CELL)
        elif self.is_of_calls:
            self.medians = Medians(self.file, calls.CALLS_COLUMNS, calls.CALLS_CELL)
        elif self.is_of_samples:
            self.medians = Medians(self.file, SAMPLE_COLUMNS, SAMPLE_CELL)
        else:
            self.medians = Medians(self.file, columns)

    @property
    def file(self) -> Path:
        return self._results / f"{self.name}.csv"

    def networks(self) -> list[Network]:
        own = self._choice.networks or self.sweep.networks
        if self._choice.only is not None:
            return [network for network in own if any(word in network.title for word in self._choice.only)]
        if self._choice.networks is None and self.sweep.usual:
            return [network for network in own if network.title in self.sweep.usual]
        return list(own)

    def missing(self, directory: Path) -> list[Job]:
        """Jobs, in the sweep's order; topology files that have to be made are put into `directory`."""
        jobs = [
            job
            for network in self.networks()
            for setting in self._settings(network, directory)
            for mpi in self._choice.mpis or self.sweep.mpis
            for job in (*self._jobs(setting, mpi), *self._rival_jobs(setting, mpi))
        ]
        ordered = in_order(jobs, self.sweep.order)
        return ordered if self._choice.within_minutes is None else within(ordered, self._choice.within_minutes)

    def _settings(self, network: Network, directory: Path) -> Iterator[Setting]:
        topology = directory / f"{network.title}.toml"
        topology.write_text(network.text(), encoding="utf-8")
        told = topology
        if network.told is not None:
            told = directory / f"{network.title}-told.toml"
            told.write_text(network.told(network.text()), encoding="utf-8")
        for control in self._choice.congestion_controls or self.sweep.congestion_controls:
            for buffer in (self._choice.buffers or self.sweep.buffers) if network.has_switches else ("",):
                yield Setting(network, topology, told, control, buffer)

    def _jobs(self, setting: Setting, mpi: str) -> list[Job]:
        parts = self.sweep.parts_on(setting.network)
        jobs: list[Job] = []
        benches = self._chosen([part for part in parts if isinstance(part, Bench)])
        for part in [*(part for part in parts if not isinstance(part, Bench)), *benches]:
            jobs += self._of_part(setting, mpi, part)
        minutes = self._tune_minutes()
        tuning = self._tuning(setting, mpi)
        if jobs and minutes > 0 and (self._choice.fresh or not tuning.exists()):
            jobs.insert(0, self._tune_job(setting, mpi, minutes, tuning))
        return jobs

    def _of_part(self, setting: Setting, mpi: str, part: Part) -> list[Job]:
        if isinstance(part, Fit):
            jobs = self._fit_jobs(setting, mpi, part)
        elif isinstance(part, Calls):
            jobs = self._calls_jobs(setting, mpi, part)
        elif isinstance(part, Programs):
            jobs = self._programs_jobs(setting, mpi, part)
        else:
            jobs = self._bench_jobs(setting, mpi, part)
        network = setting.network.axes or (setting.network.title,)
        axes = (*network, setting.congestion_control, setting.buffer, mpi, ",".join(map(str, part.sizes)))
        place = self.sweep.parts.index(part) if part in self.sweep.parts else 0
        return [replace(job, part=place, axes=axes) for job in jobs]

    def _rival_jobs(self, setting: Setting, mpi: str) -> list[Job]:
        """With each rival as if it were another MPI."""
        benches = [part for part in self.sweep.parts_on(setting.network) if isinstance(part, Bench)]
        return [
            replace(job, part=len(self.sweep.parts), axes=(setting.network.title, mpi, rival.name))
            for rival in self._choice.rivals
            for bench in self._chosen(benches)
            for job in self._bench_jobs(setting, mpi, bench, rival)
        ]

    def _chosen(self, benches: Sequence[Bench]) -> list[Bench]:
        """With the sizes that the caller asks for: each is measured as the part does that is meant for such sizes."""
        choice = self._choice
        changed = [
            replace(
                bench,
                methods=choice.methods or bench.methods,
                repeats=choice.repeats or bench.repeats,
                most_seconds=choice.most_seconds or bench.most_seconds,
            )
            for bench in benches
        ]
        if choice.sizes is None or not changed:
            return changed
        changed.sort(key=lambda bench: min(bench.sizes))
        of_part: list[list[int]] = [[] for _ in changed]
        for size in choice.sizes:
            place = max((at for at, bench in enumerate(changed) if min(bench.sizes) <= size), default=0)
            of_part[place].append(size)
        return [replace(bench, sizes=own) for bench, own in zip(changed, of_part, strict=True) if own]

    def _tune_minutes(self) -> float:
        return self.sweep.tune_minutes if self._choice.tune_minutes is None else self._choice.tune_minutes

    def _held_out(self, part: Part) -> str:
        return part.held_out if isinstance(part, Bench) else ""

    def _cell(self, setting: Setting, mpi: str) -> Row:
        return {
            "network": setting.network.title,
            "congestion_control": setting.congestion_control,
            "buffer_bytes": str(parse_size(setting.buffer)) if setting.buffer else "",
            "mpi": mpi,
        }

    def _title(self, setting: Setting, mpi: str) -> str:
        buffers = f"buffers of {setting.buffer}, " if setting.buffer else ""
        return f"{setting.network.title}, {setting.congestion_control}, {buffers}{mpi}"

    # ---- aapc bench ----

    def _bench_jobs(self, setting: Setting, mpi: str, bench: Bench, rival: Rival | None = None) -> list[Job]:
        library = mpi if rival is None else f"{mpi}+{rival.name}"
        prefix = [] if rival is None else rival.prefix(mpi)
        cell = self._cell(setting, library)
        cells = {size: cell | {"message_bytes": str(size)} for size in bench.sizes}
        if self._choice.fresh:
            for of_size in cells.values():
                self.medians.forget(of_size)
        missing = [size for size, of_size in cells.items() if not set(bench.methods) <= self.medians.asked(of_size)]
        if not missing:
            return []
        bench = replace(bench, sizes=missing)

        def carry_out(lab: str) -> None:
            report = setting.topology.with_suffix(".json")
            busy_before, all_before = processor_ticks()
            with foreign_traffic(lab, setting.network.traffic):
                self._run_bench(lab, setting, mpi, bench, report, prefix)
            busy, ticks = processor_ticks()
            share = number((busy - busy_before) / max(1, ticks - all_before))
            document = json.loads(report.read_text(encoding="utf-8"))
            rows = bench_rows(document, bench.methods, bench.held_out, true_over_told_bound(setting))
            self.medians.put({**cell, **row, "processors_busy": share} for row in rows)
            self._keep_samples(report, cell, bench)

        return [Job(self._title(setting, library), setting, expected_seconds(bench, setting.topology), carry_out)]

    def _run_bench(
        self, lab: str, setting: Setting, mpi: str, bench: Bench, report: Path, prefix: Sequence[str]
    ) -> None:
        network = setting.network
        tuning = {"AAPC_TUNING": str(self._tuning(setting, mpi))} if self._tune_minutes() > 0 else {}
        with environment({**network.environment, **tuning}):
            mpirun(
                *(lab, mpi, network.launcher_options, "bench", "--topology", str(setting.told)),
                *("--sizes", ",".join(map(str, bench.sizes)), "--candidates", ",".join(bench.methods)),
                *("--repeats", str(bench.repeats), "--warm-up", str(bench.warm_up), "--most-seconds", str(bench.most_seconds)),
                *(["--teach", str(bench.teach)] if bench.teach else []),
                *(*network.bench_options, "--format", "json", "-o", str(report)),
                prefix=prefix,
            )

    def _keep_samples(self, report: Path, cell: Row, bench: Bench) -> None:
        if self._samples is not None:
            self._samples.mkdir(parents=True, exist_ok=True)
            name = "-".join(filter(None, (self.name, *cell.values(), str(min(bench.sizes)))))
            (self._samples / f"{name}.json").write_text(report.read_text(encoding="utf-8"), encoding="utf-8")
        report.unlink()

    # ---- aapc tune ----

    def _tuning(self, setting: Setting, mpi: str) -> Path:
        name = "-".join(filter(None, (self.name, *self._cell(setting, mpi).values())))
        return (self._results / f"{name}.toml").resolve()

    def _tune_job(self, setting: Setting, mpi: str, minutes: float, tuning: Path) -> Job:
        def carry_out(lab: str) -> None:
            tuning.parent.mkdir(parents=True, exist_ok=True)
            if self._choice.fresh:
                tuning.unlink(missing_ok=True)
            mpirun(
                *(lab, mpi, setting.network.launcher_options, "tune", "--topology", str(setting.topology)),
                *("--minutes", f"{minutes:g}", "-o", str(tuning)),
            )

        return Job(f"{self._title(setting, mpi)}: tuning", setting, 60 * minutes + LAUNCH_SECONDS, carry_out)

    # ---- programs of many calls ----

    def _calls_jobs(self, setting: Setting, mpi: str, part: Calls) -> list[Job]:
        choice = self._choice
        rounds = {calls: choice.repeats or of_these for calls, of_these in part.calls.items()}
        part = replace(part, methods=choice.methods or part.methods, calls=rounds)
        return [
            job
            for size in part.sizes
            if choice.sizes is None or size in choice.sizes
            for job in self._calls_job(setting, mpi, part, size)
        ]

    def _calls_job(self, setting: Setting, mpi: str, part: Calls, size: int) -> Iterator[Job]:
        change = str(part.change) if part.change is not None else ""
        of_size = {"kind": part.kind, "message_bytes": str(size), "change": change}
        cells = {count: self._cell(setting, mpi) | of_size | {"calls": str(count)} for count in part.calls}
        if self._choice.fresh:
            for cell in cells.values():
                self.medians.forget(cell)
        if all(set(calls.methods_of(part)) <= self.medians.asked(cell) for cell in cells.values()):
            return

        def carry_out(lab: str) -> None:
            seconds = calls.rounds(lab, mpi, setting.network, setting.topology, setting.told, part, size)
            self.medians.put(row for count, cell in cells.items() for row in calls.rows(cell, seconds[count]))

        counts = ", ".join(map(str, part.calls))
        title = f"{self._title(setting, mpi)}: {counts} calls, {part.kind}, {size} bytes{', ' + change if change else ''}"
        yield Job(title, setting, calls.expected_seconds(part, size, setting.topology, LAUNCH_SECONDS / 3), carry_out)

    # ---- real programs ----

    def _programs_jobs(self, setting: Setting, mpi: str, part: Programs) -> list[Job]:
        part = replace(part, rounds=self._choice.repeats or part.rounds)
        return [
            job for name in programs.are_there_for(mpi, part) for job in self._programs_job(setting, mpi, part, name)
        ]

    def _programs_job(self, setting: Setting, mpi: str, part: Programs, name: str) -> Iterator[Job]:
        cell = self._cell(setting, mpi) | {"program": name}
        if self._choice.fresh:
            self.medians.forget(cell)
        if set(part.ways) <= self.medians.asked(cell):
            return

        def carry_out(lab: str) -> None:
            runs = programs.rounds(lab, mpi, setting.network, setting.told, part, name)
            self.medians.put((programs.rows_of_rounds if self.sweep.each_round else programs.rows)(cell, runs))

        yield Job(f"{self._title(setting, mpi)}: {name}", setting, programs.expected_seconds(part), carry_out)

    # ---- aapc fit ----

    def _fit_jobs(self, setting: Setting, mpi: str, fit: Fit) -> list[Job]:
        fit = replace(
            fit,
            sizes=self._choice.sizes or fit.sizes,
            repeats=self._choice.repeats or fit.repeats,
        )
        cell = self._cell(setting, mpi) | {"asked": fit.method}
        if self._choice.fresh:
            self.medians.forget(cell)
        if self.medians.asked(cell):
            return []

        def carry_out(lab: str) -> None:
            # Beside the results, so that `aapc fit` goes on with it where it was stopped.
            name = "-".join(
                (self.name, setting.network.title, setting.congestion_control, mpi, fit.method.replace("/", "-"))
            )
            samples = (self._results / f"{name}.samples").resolve()
            samples.mkdir(parents=True, exist_ok=True)
            self._run_fit(lab, setting, mpi, fit, samples)
            self.medians.put({**cell, **row} for row in read_samples(samples))
            for file in samples.iterdir():
                file.unlink()
            samples.rmdir()

        title = f"{self._title(setting, mpi)}: samples of {fit.method}"
        return [Job(title, setting, expected_fit_seconds(fit, setting.topology), carry_out)]

    def _run_fit(self, lab: str, setting: Setting, mpi: str, fit: Fit, samples: Path) -> None:
        ranks = ["--ranks", ",".join(map(str, fit.ranks))] if fit.ranks else []
        mpirun(
            *(lab, mpi, setting.network.launcher_options, "fit", "--topology", str(setting.topology)),
            *("--method", fit.method, "--sizes", ",".join(map(str, fit.sizes)), *ranks, "--repeats", str(fit.repeats)),
            *("--csv", str(samples / "samples.csv"), "--format", "json", "-o", str(samples / "fit.json")),
        )


def true_over_told_bound(setting: Setting) -> float:
    """Ranks that are told wrong speeds take the bound for another one than it is."""
    return seconds_per_byte(setting.topology) / seconds_per_byte(setting.told)


def read_samples(directory: Path) -> list[Row]:
    """`aapc fit` writes samples.csv, or for clusters samples-CLUSTER.csv each and samples-wide-area.csv."""
    document = json.loads((directory / "fit.json").read_text(encoding="utf-8"))
    method = document["method"] if "method" in document else document["clusters"][0]["fit"]["method"]
    rows = []
    for file in sorted(directory.glob("samples*.csv")):
        rows += sample_rows(file.stem[len("samples-") :], method, file.read_text(encoding="utf-8"))
    return rows


def expected_seconds(bench: Bench, topology: Path) -> float:
    """Twice the bound and some start-ups, and the launcher."""
    at_the_bound = seconds_per_byte(topology)
    calls = [2 * at_the_bound * size + 0.05 for size in bench.sizes]
    ahead = sum(one * (bench.teach + len(bench.methods) * bench.warm_up) for one in calls)
    rounds = sum(min(one * len(bench.methods) * bench.repeats, bench.most_seconds) for one in calls)
    return LAUNCH_SECONDS + ahead + rounds


def expected_fit_seconds(fit: Fit, topology: Path) -> float:
    at_the_bound = seconds_per_byte(topology)
    counts = max(3, len(fit.ranks))
    return 2 * LAUNCH_SECONDS + 2 * counts * (fit.repeats + 1) * sum(at_the_bound * size + 0.02 for size in fit.sizes)
