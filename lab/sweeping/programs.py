"""Real programs end to end: how long they take without aapc and with it, and the share of their all-to-alls."""

from __future__ import annotations

import random
import re
import shutil
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path

from emulation.errors import LabError, UsageError

from .definition import LAB, Network, Programs
from .medians import Row, number
from .quantities import size_text, time_text
from .running import aapc_beside, dropped_packets, program_streams

WITHOUT = "without"  # no aapc in the process
COUNTED = "counted"  # every call is the MPI's own, and aapc counts them: once, for their share of the time
DEFAULT = "default"  # with aapc, and nothing said but the topology
CLOCK = "clock"  # every call that can be is exchanged by the clock, from the first on

PROGRAMS_CELL = ("network", "congestion_control", "buffer_bytes", "mpi", "program")
PROGRAMS_COLUMNS = (
    *(*PROGRAMS_CELL, "asked", "rounds", "median_seconds", "least_seconds", "most_seconds", "job_seconds"),
    *("without_over_this", "without_over_this_low", "without_over_this_high"),  # of medians; least and most of a round
    *("alltoall_seconds", "alltoall_share", "exchanged", "passed_through", "transposes"),
    "predicted_seconds",  # by `aapc report` of the native run, before aapc served any call: what a schedule should save
    "dropped_packets",  # by the switch ports during a run; median
)
ROUNDS_COLUMNS = (
    *(*PROGRAMS_CELL, "asked", "round", "seconds", "job_seconds", "dropped_packets"),
    *("alltoall_seconds", "alltoall_share", "exchanged", "passed_through", "predicted_seconds"),
)

TESTS = LAB.parent / "tests" / "programs"
PSEUDO = Path("/usr/share/espresso/pseudo/Si.pz-vbc.UPF")

Command = Callable[[str, Path], list[str]]  # for an MPI, with a directory for its files


def _need(path: str | Path, package: str) -> str:
    if not Path(path).exists():
        raise UsageError(f"{path} is not there: apt-get install {package}")
    return str(path)


def _fourier(*arguments: str) -> Command:
    def command(mpi: str, directory: Path) -> list[str]:
        _need("/usr/include/fftw3-mpi.h", "libfftw3-mpi-dev")
        program = directory / "fourier"
        if not program.exists():
            compiler = [f"mpicc.{mpi}", "-O2", str(TESTS / "fourier.c"), "-o", str(program)]
            subprocess.run([*compiler, "-lfftw3_mpi", "-lfftw3", "-lm"], check=True)
        # Planned once: that takes longer than the transforms.
        return [str(program), *arguments, *([] if "unforced" in arguments else ["wisdom", str(directory / "wisdom")])]

    return command


def _plane_waves(cutoff: float, groups: int) -> Command:
    """Silicon at one point of the Brillouin zone, with larger grids than the test's."""

    def command(_mpi: str, directory: Path) -> list[str]:
        _need(PSEUDO, "quantum-espresso-data")
        text = (TESTS / "silicon.in").read_text(encoding="utf-8")
        text = text.replace("ecutwfc = 12.0", f"ecutwfc = {cutoff}").replace("2 2 2 0 0 0", "1 1 1 1 1 1")
        given = directory / "silicon.in"
        given.write_text(text, encoding="utf-8")
        return [_need("/usr/bin/pw.x", "quantum-espresso"), "-ntg", str(groups), "-in", str(given)]

    return command


def _own(name: str, *libraries: str, package: str = "", files: Callable[[Path], list[str]] | None = None) -> Callable:
    """One of tests/programs, compiled for the MPI; `files` makes what it reads, and gives its first arguments."""

    def with_arguments(*arguments: str) -> Command:
        def command(mpi: str, directory: Path) -> list[str]:
            if package:
                _need("/usr/include/fftw3.h", package)
            program = directory / name
            compiler = [f"mpicc.{mpi}", "-O2", str(TESTS / f"{name}.c"), "-o", str(program)]
            subprocess.run([*compiler, *libraries, "-lm"], check=True)
            return [str(program), *(files(directory) if files else []), *arguments]

        return command

    return with_arguments


def _tokens(directory: Path) -> list[str]:
    """Of 16 ranks, 128 tokens of 4 KB each; the k-th most popular of 16 experts gets 1/k of what the first one gets."""
    numbers = random.Random(16)
    popularity = [1 / k for k in range(1, 17)]
    numbers.shuffle(popularity)
    lines = []
    for _ in range(16):
        experts = numbers.choices(range(16), popularity, k=128)
        lines.append(",".join(str(4096 * experts.count(expert)) for expert in range(16)))
    matrix = directory / "tokens.csv"
    matrix.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return [str(matrix)]


def _gromacs(edge: float, spacing: float, steps: int, pme_ranks: int) -> Command:
    """A box of water with electrostatics by PME, on ranks that do nothing else; 0: on all ranks."""

    def command(_mpi: str, directory: Path) -> list[str]:
        mdrun = _need("/usr/bin/gmx_mpi", "gromacs")
        box = directory / "water.gro"
        topology = directory / "water.top"
        topology.write_text(
            '#include "oplsaa.ff/forcefield.itp"\n#include "oplsaa.ff/spce.itp"\n[ system ]\nwater\n[ molecules ]\n',
            encoding="utf-8",
        )
        settings = directory / "water.mdp"
        settings.write_text(
            f"integrator = md\nnsteps = {steps}\ndt = 0.001\ncoulombtype = PME\nrcoulomb = 0.9\nrvdw = 0.9\n"
            f"fourierspacing = {spacing}\nnstlist = 20\ngen-vel = yes\ngen-temp = 300\ngen-seed = 1\n"
            "nstcalcenergy = 20\nnstenergy = 20\n",
            encoding="utf-8",
        )
        solvate = ["gmx", "-nobackup", "solvate", "-cs", "spc216.gro", "-box", *[str(edge)] * 3]
        subprocess.run([*solvate, "-o", str(box), "-p", str(topology)], check=True, capture_output=True)
        grompp = ["gmx", "-nobackup", "grompp", "-f", str(settings), "-c", str(box), "-p", str(topology)]
        made = ["-o", str(directory / "water.tpr"), "-po", str(directory / "made.mdp")]
        subprocess.run([*grompp, *made, "-maxwarn", "3"], check=True, capture_output=True)
        fixed = ["-ntomp", "1", "-notunepme", "-dlb", "no", "-noconfout", "-pin", "off", "-npme", str(pme_ranks)]
        return [mdrun, "-nobackup", "mdrun", "-s", str(directory / "water.tpr"), *fixed]

    return command


_LAMMPS_INPUT = """units lj
atom_style charge
lattice fcc 0.8442
region box block 0 {cells} 0 {cells} 0 {cells}
create_box 2 box
create_atoms 1 box
set type 1 type/fraction 2 0.5 12345
mass * 1.0
set type 1 charge 1.0
set type 2 charge -1.0
velocity all create 1.0 87287
pair_style lj/cut/coul/long 1.0 2.5
pair_coeff * * 1.0 1.0
kspace_style pppm 1.0e-4
kspace_modify collective yes mesh {mesh} {mesh} {mesh}
fix 1 all nve
thermo {steps}
run {steps}
"""


def _lammps(cells: int, mesh: int, steps: int) -> Command:
    """Charged particles with PPPM; without `collective yes` it sends its own messages, of which aapc sees none."""

    def command(_mpi: str, directory: Path) -> list[str]:
        given = directory / "in.charges"
        given.write_text(_LAMMPS_INPUT.format(cells=cells, mesh=mesh, steps=steps), encoding="utf-8")
        return [_need("/usr/bin/lmp", "lammps"), "-in", str(given), "-log", "none"]

    return command


def _hpcc(size: int) -> Command:
    """HPC Challenge with HPL's matrix of that size on 4 x 4 ranks, from which it takes the sizes of all its tests."""

    def command(_mpi: str, directory: Path) -> list[str]:
        example = Path(_need("/usr/share/doc/hpcc/examples/_hpccinf.txt", "hpcc")).read_text(encoding="ascii")
        chosen = {"Ns": size, "Ps": 4, "Qs": 4}
        lines = [
            re.sub(r"^\d+", str(chosen[words[1]]), line) if len(words := line.split()) == 2 and words[1] in chosen else line
            for line in example.splitlines(keepends=True)
        ]
        (directory / "hpccinf.txt").write_text("".join(lines), encoding="ascii")
        return [_need("/usr/bin/hpcc", "hpcc")]

    return command


def _redistribution(*arguments: str) -> Command:
    def command(mpi: str, _directory: Path) -> list[str]:
        program = aapc_beside("aapc").parents[1] / "tests" / "programs" / f"redistribution_{mpi}"
        return [_need(program, f"none: build redistribution_{mpi}"), *arguments]

    return command


COMMANDS: dict[str, Command] = {
    "fftw": _fourier("256", "256", "40"),
    "fftw-512": _fourier("512", "512", "20"),
    "fftw-1024": _fourier("1024", "1024", "5"),
    "fftw-2048": _fourier("2048", "2048", "2"),
    "fftw-1000": _fourier("1000", "1000", "5"),
    "fftw-64x3": _fourier("64", "64x64", "20"),
    "fftw-128x3": _fourier("128", "128x128", "4"),
    "fftw-256x3": _fourier("256", "256x256", "1"),
    "fftw-100x3": _fourier("100", "100x100", "8"),
    "fftw-512-unforced": _fourier("512", "512", "20", "unforced"),
    "fftw-uneven": _fourier("250", "254", "40"),
    "fftw-unforced": _fourier("256", "256", "40", "unforced"),
    "plane-waves-in-groups": _plane_waves(60.0, 4),
    "redistribution-uneven": _redistribution("801", "907", "10", "uneven"),
    "pencils-64": _own("pencils", "-lfftw3", package="libfftw3-dev")("64", "4", "20"),
    "sample-sort": _own("sorting")("65536", "25"),
    "experts": _own("experts", files=_tokens)("20"),
    "gromacs": _gromacs(5.0, 0.06, 60, pme_ranks=0),
    "gromacs-separate": _gromacs(5.0, 0.06, 60, pme_ranks=8),
    "lammps": _lammps(10, 64, 15),
    "plane-waves": _plane_waves(60.0, 1),
    "hpcc": _hpcc(2900),
}
DEBIANS = tuple(
    name for name in COMMANDS if name.startswith(("fftw", "plane-waves", "gromacs", "lammps", "hpcc"))
)  # built for Debian's own MPI alone


def are_there_for(mpi: str, part: Programs) -> list[str]:
    return [name for name in part.programs if mpi == "openmpi" or name not in DEBIANS]


Runs = dict[str, list["Run"]]  # by what was asked


class Run:
    """What one run of a program said."""

    def __init__(self, out: str, errors: str, job_seconds: float, dropped_packets: int) -> None:
        self.predicted_seconds: float | None = None
        right = r"JOB DONE\.|^right: |^Total wall time: |^Performance: |^Success=1$"
        if not re.search(right, f"{out}\n{errors}", re.MULTILINE):
            raise LabError(f"the program's own check fails:\n{out[-2000:]}\n{errors[-2000:]}")
        self.seconds = own_seconds(f"{out}\n{errors}")
        self.job_seconds = job_seconds
        self.dropped_packets = dropped_packets
        self.alltoall_seconds = alltoall_seconds(errors)
        counts = re.search(r"^aapc: (\d+) calls exchanged, (\d+) passed through", errors, re.MULTILINE)
        self.exchanged, self.passed_through = counts.groups() if counts else ("", "")
        transposes = re.search(r"^transposes: (.*)", out, re.MULTILINE)
        self.transposes = transposes[1].replace(",", ";") if transposes else ""


def own_seconds(out: str) -> float:
    """What the program says that it took: ours, LAMMPS and GROMACS the part that matters, HPC Challenge its Fourier
    transform there and back, pw.x all from its start on."""
    transform = r"^Begin of MPIFFT section\..*?^Computing: +(\S+)\nInverse FFT: +(\S+)"
    if there_and_back := re.search(transform, out, re.MULTILINE | re.DOTALL):
        return float(there_and_back[1]) + float(there_and_back[2])
    own = re.search(r"^(?:seconds: |Loop time of | +Time: +[\d.]+ +)([\d.e+-]+)", out, re.MULTILINE)
    if own:
        return float(own[1])
    wall = re.search(r"^ +PWSCF +:.* CPU +(?:(\d+)m)? *([\d.]+)s WALL", out, re.MULTILINE)
    if wall is None:
        raise LabError(f"the program does not say what it took:\n{out[-2000:]}")
    return 60 * int(wall[1] or 0) + float(wall[2])


_UNITS = {"s": 1.0, "ms": 1e-3, "µs": 1e-6, "ns": 1e-9}


def alltoall_seconds(errors: str) -> float | None:
    """Of all kinds, mean over the ranks, as AAPC_VERBOSE=2 counts them; None without aapc."""
    lines = re.findall(r"^aapc: MPI_\w+: (.*)", errors, re.MULTILINE)
    times = re.findall(r", ([\d.e+-]+) (s|ms|µs|ns)\)", "\n".join(lines))
    return sum(float(value) * _UNITS[unit] for value, unit in times) if lines else None


def predicted_seconds(report: str) -> float:
    """What `aapc report` says that a schedule should save, as text."""
    said = re.search(r"^A schedule should save ([\d.e+-]+) (s|ms|µs|ns) of", report, re.MULTILINE)
    return float(said[1]) * _UNITS[said[2]] if said else 0.0


def report_of(told: Path, record: Path) -> str:
    command = [str(aapc_beside("aapc")), "report", str(record), "--topology", str(told), "--format", "text"]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True).stdout


def rounds(lab: str, mpi: str, network: Network, told: Path, part: Programs, name: str) -> Runs:
    """The ways in turns, every other round backwards. The first run, for whatever is prepared, and the last one of each
    way with aapc, in which that counts the calls and times them, count for no time."""
    directory = told.parent / f"{name}-{mpi}"
    directory.mkdir(exist_ok=True)
    command = COMMANDS[name](mpi, directory)
    runs: Runs = {way: [] for way in (*part.ways, COUNTED)}
    turns = [way for each in range(part.rounds) for way in part.ways[:: 1 if each % 2 == 0 else -1]]
    counting = [way for way in runs if way != WITHOUT]
    for number, way in enumerate((WITHOUT, *turns, *counting)):
        inside = ["env", *_ONE_THREAD, "sh", "-c", 'cd "$1" && shift && exec "$@"', "sh", str(directory)]
        prefix = _prefix(way, told, directory, counts=number > len(turns))
        dropped_before = dropped_packets(lab)
        out, errors, seconds = program_streams(lab, mpi, network.launcher_options, *inside, *prefix, *command)
        dropped = dropped_packets(lab) - dropped_before
        runs[way].append(Run(out + _said_in_a_file(directory), errors, seconds, dropped))
        if way == COUNTED:
            report = report_of(told, directory / "native.jsonl")
            runs[way][-1].predicted_seconds = predicted_seconds(report)
            print(report, file=sys.stderr)
        took = f"{runs[way][-1].seconds:.2f} s of {seconds:.1f} s"
        print(f"{name}: {way}: {took}, {dropped} packets dropped", file=sys.stderr)
        shutil.rmtree(directory / "out", ignore_errors=True)
    del runs[WITHOUT][0]
    return runs


# Of a rank: all ranks share the processors of this machine.
_ONE_THREAD = ("OMP_NUM_THREADS=1", "OPENBLAS_NUM_THREADS=1")


def _said_in_a_file(directory: Path) -> str:
    """What HPC Challenge says, to which the next run would append."""
    said = directory / "hpccoutf.txt"
    if not said.exists():
        return ""
    text = said.read_text(encoding="ascii", errors="replace")
    said.unlink()
    found = re.search(r"^PTRANS_time=(\S+)$", text, re.MULTILINE)
    print(f"PTRANS: {found[1] if found else '?'} s", file=sys.stderr)
    return text


def _prefix(way: str, told: Path, directory: Path, *, counts: bool) -> list[str]:
    said = {
        COUNTED: ["AAPC_ALGORITHM=native", "AAPC_ALLTOALLV=never"],
        DEFAULT: [],
        CLOCK: ["AAPC_ALGORITHM=lattice", "AAPC_ALLTOALLV=always", "AAPC_ADAPT=0"],
    }
    if way == WITHOUT:
        return []
    verbose = ["AAPC_VERBOSE=2"] if counts else []
    record = ["--record", str(directory / "native.jsonl")] if way == COUNTED else []
    return ["env", *verbose, *said[way], str(aapc_beside("aapc")), "exec", "--topology", str(told), *record, "--"]


def rows(cell: Row, runs: Runs) -> list[Row]:
    found = []
    without = [run.seconds for run in runs[WITHOUT]]
    for way, own in runs.items():
        timed = _timed(way, own)
        seconds = [run.seconds for run in timed]
        row = {
            **cell,
            "asked": way,
            "rounds": str(len(timed)),
            "median_seconds": number(statistics.median(seconds)),
            "least_seconds": number(min(seconds)),
            "most_seconds": number(max(seconds)),
            "job_seconds": number(statistics.median(run.job_seconds for run in timed)),
            "transposes": own[-1].transposes,
            "dropped_packets": number(statistics.median(run.dropped_packets for run in timed)),
            **_counted(own[-1]),
        }
        if way not in (WITHOUT, COUNTED):
            ratios = sorted(first / this for first, this in zip(without, seconds, strict=True))
            ratio = statistics.median(without) / statistics.median(seconds)
            bounds = {"without_over_this_low": number(ratios[0]), "without_over_this_high": number(ratios[-1])}
            row |= {"without_over_this": number(ratio), **bounds}
        found.append(row)
    return found


def rows_of_rounds(cell: Row, runs: Runs) -> list[Row]:
    """One for each timed run, and one for that in which all calls were native and counted."""
    return [
        {
            **cell,
            "asked": way,
            "round": str(each),
            "seconds": number(run.seconds),
            "job_seconds": number(run.job_seconds),
            "dropped_packets": str(run.dropped_packets),
            **_counted(own[-1]),
        }
        for way, own in runs.items()
        for each, run in enumerate(_timed(way, own), 1)
    ]


def _timed(way: str, runs: list[Run]) -> list[Run]:
    """Without the last run of a way with aapc, which counts calls; of COUNTED there is no other."""
    return runs if way in (WITHOUT, COUNTED) else runs[:-1]


def _counted(run: Run) -> Row:
    """What the run that counts says of its calls."""
    row = {"exchanged": run.exchanged, "passed_through": run.passed_through}
    if run.alltoall_seconds is not None:
        row["alltoall_seconds"] = number(run.alltoall_seconds)
        row["alltoall_share"] = number(run.alltoall_seconds / run.seconds)
    if run.predicted_seconds is not None:
        row["predicted_seconds"] = number(run.predicted_seconds)
    return row


def tables(of: Iterable[Row]) -> str:
    """A line for each program: its time, the share of its all-to-alls by the MPI's own, and the time of each way."""
    cells: dict[tuple[str, ...], dict[str, Row]] = {}
    for row in of:
        cells.setdefault(tuple(row[column] for column in PROGRAMS_CELL), {})[row["asked"]] = row
    titles: dict[tuple[str, ...], list[str]] = {}
    for key, by_way in cells.items():
        titles.setdefault(key[:4], []).append(_line(key[4], by_way))
    head = (
        "| program | without | all-to-alls' share | report: would save | default saved | the default | by the clock |"
        " exchanged, passed through |"
    )
    return "\n".join(
        "\n".join([", ".join(_words(title)), "", head, "|---" * 8 + "|", *lines, ""])
        for title, lines in titles.items()
    )


def tables_of_rounds(of: Iterable[Row]) -> str:
    """A line for each program and round: what the run took and the switch ports dropped, without aapc and with it."""
    runs: dict[tuple[str, ...], dict[tuple[str, str], Row]] = {}
    for row in of:
        of_program = runs.setdefault(tuple(row[column] for column in PROGRAMS_CELL), {})
        of_program[row["asked"], row["round"]] = row
    titles: dict[tuple[str, ...], list[str]] = {}
    for key, of_program in runs.items():
        titles.setdefault(key[:4], []).extend(_lines_of_rounds(key[4], of_program))
    head = "| program | round | without | dropped | the default | dropped | report: would save |"
    return "\n".join(
        "\n".join([", ".join(_words(title)), "", head, "|---" * 7 + "|", *lines, ""])
        for title, lines in titles.items()
    )


def _lines_of_rounds(program: str, runs: dict[tuple[str, str], Row]) -> list[str]:
    predicted = runs[COUNTED, "1"]["predicted_seconds"]
    says = time_text(float(predicted)) if predicted else "–"
    pairs = [(row, runs[DEFAULT, each]) for (way, each), row in runs.items() if way == WITHOUT]
    return [
        f"| {program} | {pair[0]['round']} | "
        + " | ".join(f"{time_text(float(row['seconds']))} | {row['dropped_packets']}" for row in pair)
        + f" | {says} |"
        for pair in pairs
    ]


def _words(title: tuple[str, ...]) -> list[str]:
    network, control, buffers, mpi = title
    return [network, control, *([f"buffers of {size_text(int(buffers))}"] if buffers else []), mpi]


def _line(program: str, by_way: dict[str, Row]) -> str:
    share = float(by_way[COUNTED]["alltoall_share"])
    ways = [_way_text(by_way.get(way)) for way in (DEFAULT, CLOCK)]
    default = by_way[DEFAULT]
    counts = f"{default['exchanged']}, {default['passed_through']}"
    without = float(by_way[WITHOUT]["median_seconds"])
    predicted = by_way[COUNTED].get("predicted_seconds", "")
    says = time_text(float(predicted)) if predicted else "–"
    saved = f"{without - float(default['median_seconds']):.2f} s"
    return f"| {program} | {time_text(without)} | {share:.2f} | {says} | {saved} | {ways[0]} | {ways[1]} | {counts} |"


def _way_text(row: Row | None) -> str:
    if row is None:
        return "–"
    ratio = float(row["without_over_this"])
    low, high = float(row["without_over_this_low"]), float(row["without_over_this_high"])
    return f"{time_text(float(row['median_seconds']))}; {ratio:.2f} ({low:.2f} to {high:.2f})"


def expected_seconds(part: Programs) -> float:
    """Of a program."""
    return (len(part.ways) * (part.rounds + 1) + 1) * part.run_seconds
