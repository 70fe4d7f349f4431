"""The command lab/sweep."""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from emulation import system
from emulation.errors import Interrupted, LabError, UsageError
from emulation.launch import LAUNCHERS
from emulation.layout import check_lab_name
from emulation.network import CONGESTION_CONTROLS
from emulation.program import use_build

from . import definition, tables
from .definition import Network
from .jobs import Choice, Plan
from .runner import carry_out, describe


def main(words: Sequence[str]) -> int:
    try:
        options = _parser().parse_args(words)
        check_lab_name(options.name)
        plan = _plan(options)
        if not options.table:
            _measure(plan, options)
        if not options.dry_run:
            print(tables.of_plan(plan, options.intervals), end="")
        return 0
    except Interrupted as error:
        print("sweep: stopped; the next start goes on here", file=sys.stderr)
        return error.exit_status
    except LabError as error:
        print(f"sweep: {error}", file=sys.stderr)
        return error.exit_status


def _parser() -> argparse.ArgumentParser:
    known = "\n".join(f"  {name:12}{definition.load(name).summary}" for name in definition.names())
    parser = argparse.ArgumentParser(
        prog="lab/sweep",
        description="Measures methods on emulated networks and prints tables of medians (docs/lab.md). Takes root's rights.",
        epilog=f"sweeps (lab/sweeps/NAME.py says what each measures):\n{known}\n\n"
        "What stands in DIRECTORY/NAME.csv is not measured again; Ctrl-C stops a sweep, and the next start goes on.",
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("sweep", metavar="NAME", choices=definition.names(), help="which sweep")
    parser.add_argument(
        "--build",
        metavar="DIRECTORY",
        type=Path,
        help="where bin/aapc is: a build or an installation (default: AAPC_PROGRAM)",
    )
    parser.add_argument(
        "--results", metavar="DIRECTORY", type=Path, default=Path("results"), help="default %(default)s"
    )
    parser.add_argument("--samples", metavar="DIRECTORY", type=Path, help="keep all that aapc bench writes, too")
    parser.add_argument("--fresh", action="store_true", help="measure again what DIRECTORY/NAME.csv has")
    parser.add_argument("--within", type=float, metavar="MINUTES", help="only the first runs that should take so long")
    parser.add_argument("--dry-run", action="store_true", help="only say what would be measured, and how long it takes")
    parser.add_argument("--table", action="store_true", help="only print the tables of what has been measured")
    parser.add_argument("--intervals", action="store_true", help="print intervals of 95 %% in the tables")
    parser.add_argument("--name", default="sweep", help="of the lab that is put up (default %(default)s)")
    parser.add_argument(
        "--rival",
        metavar="NAME=LIBRARY[:VARIABLE=VALUE...]",
        type=definition.rival,
        action="append",
        default=[],
        help="measure a library's all-to-all, too, in the place of the MPI's own; {mpi} in LIBRARY stands for openmpi "
        "or mpich",
    )
    instead = parser.add_argument_group("instead of what the sweep's file says")
    instead.add_argument("--only", nargs="+", metavar="WORD", help="networks whose names contain one of these")
    instead.add_argument("--topologies", nargs="+", metavar="FILE", help="other networks")
    instead.add_argument("--speed", help="of every link of those")
    instead.add_argument("--mpis", nargs="+", choices=tuple(LAUNCHERS))
    instead.add_argument("--congestion-controls", nargs="+", choices=CONGESTION_CONTROLS)
    instead.add_argument("--buffers", nargs="+", metavar="SIZE", help="of a switch port")
    instead.add_argument("--sizes", type=definition.sizes, help="bytes from each rank to each, as 2Ki,8Ki")
    instead.add_argument("--methods", type=lambda text: text.split(","), help="the others are compared with the first")
    instead.add_argument("--repeats", "--rounds", type=int, help="of each size or program")
    instead.add_argument("--most-seconds", type=float, help="of each size")
    instead.add_argument("--minutes", type=float, help="of aapc tune, where a sweep tunes")
    return parser


def _plan(options: argparse.Namespace) -> Plan:
    if options.speed is not None and options.topologies is None:
        raise UsageError("--speed is of the networks that --topologies names")
    networks = None
    if options.topologies is not None:
        networks = [Network(_topology(file), options.speed) for file in options.topologies]
    choice = Choice(
        networks=networks,
        only=options.only,
        mpis=options.mpis,
        congestion_controls=options.congestion_controls,
        buffers=options.buffers,
        sizes=options.sizes,
        methods=options.methods,
        repeats=options.repeats,
        most_seconds=options.most_seconds,
        tune_minutes=options.minutes,
        within_minutes=options.within,
        rivals=options.rival,
        fresh=options.fresh,
    )
    plan = Plan(options.sweep, definition.load(options.sweep), choice, options.results, options.samples)
    if not plan.networks():
        raise UsageError(f"no network of sweep {options.sweep} has a name with {' or '.join(options.only)}")
    return plan


def _topology(file: str) -> str:
    """A path from where the caller is, or a name in lab/networks or examples."""
    return str(Path(file).resolve()) if Path(file).is_file() else file


def _measure(plan: Plan, options: argparse.Namespace) -> None:
    if options.build is not None:
        use_build(options.build)
    with tempfile.TemporaryDirectory(prefix="aapc-sweep-") as directory:
        jobs = plan.missing(Path(directory))
        if options.dry_run:
            print(describe(jobs))
            return
        if not jobs:
            print(f"sweep: {plan.file} has all of it; --fresh measures it again", file=sys.stderr)
            return
        if os.geteuid() != 0:
            raise LabError("the lab takes root's rights, and this is not root")
        system.raise_on_signals()
        carry_out(jobs, options.name)
