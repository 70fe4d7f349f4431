"""The commands of lab/cluster."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path

from . import cables, calibrate, launch, network, outage, system
from . import state as states
from .check import obstacle
from .errors import LabError, UsageError
from .interfaces import Options
from .layout import check_lab_name
from .program import use_build
from .topology import KINDS, read_topology
from .units import format_speed, parse_size, parse_speed


def main(arguments: Sequence[str]) -> int:
    system.raise_on_signals()
    own, command = _split_command(arguments)
    parser = _parser()
    options, further = parser.parse_known_args(own)
    if further and options.run is not _mpirun:
        parser.error(f"unknown arguments: {' '.join(further)}")
    options.further, options.command = further, command
    try:
        check_lab_name(options.name)
        if options.run in (_exec, _mpirun) and not command:
            raise UsageError("what is to be run? Write it after --")
        if options.run not in (_exec, _mpirun) and command:
            raise UsageError(f"unexpected after --: {' '.join(command)}")
        status: int = options.run(options)
        return status
    except LabError as error:
        print(f"lab: {error}", file=sys.stderr)
        return error.exit_status
    except PermissionError as error:
        print(f"lab: {error}; the lab takes root's rights", file=sys.stderr)
        return LabError.exit_status


def _split_command(arguments: Sequence[str]) -> tuple[list[str], list[str]]:
    if "--" not in arguments:
        return list(arguments), []
    position = list(arguments).index("--")
    return list(arguments[:position]), list(arguments[position + 1 :])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="lab/cluster",
        description="An Ethernet cluster emulated on this machine (docs/lab.md). Takes root's rights.",
        epilog="Exit status: 0 done; 1 failed; 2 wrong usage or input; exec and mpirun: that of the program, "
        f"{launch.TIMED_OUT} if mpirun's --timeout ended it.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(metavar="COMMAND", required=True)

    up = _command(commands, "up", _up, "put a cluster up")
    up.add_argument("file", metavar="FILE", type=Path, help="topology file; or .json as `aapc topology` prints it")
    up.add_argument(
        "--build", metavar="DIRECTORY", type=Path, help="where bin/aapc is, which reads FILE (default: AAPC_PROGRAM)"
    )
    up.add_argument("--rate", metavar="SPEED", help="speed of every link, e.g. 100Mbit (default: as FILE says)")
    up.add_argument("--buffer", metavar="SIZE", default="128Ki", help="buffer of a switch port (default 128Ki); a torus has no switches")
    up.add_argument("--congestion-control", choices=network.CONGESTION_CONTROLS, default="cubic", help="default cubic")
    up.add_argument(
        "--slow-start-after-idle", choices=("0", "1"), default="1", help="TCP's slow start after idle (default 1: on)"
    )
    up.add_argument(
        "--draw", metavar="N", type=int, help="of the hashes in a fabric's switches, to have the same again (default: anew)"
    )
    up.add_argument(
        "--offloads", action="store_true", help="of segmentation, for links of 1 Gbit/s and more; a torus has none"
    )

    execute = _command(commands, "exec", _exec, "run a program on one machine", "MACHINE -- PROGRAM [ARGUMENT...]")
    execute.add_argument("machine", metavar="MACHINE")

    mpirun = _command(
        commands,
        "mpirun",
        _mpirun,
        "run an MPI program across the machines",
        "--mpi openmpi|mpich [-n RANKS] [--timeout SECONDS] [--shared-memory] [the MPI's own options...] -- PROGRAM [ARGUMENT...]",
    )
    mpirun.add_argument("--mpi", choices=tuple(launch.LAUNCHERS), required=True)
    mpirun.add_argument("-n", "-np", dest="ranks", metavar="RANKS", type=int, help="default: all of the topology's")
    mpirun.add_argument("--timeout", metavar="SECONDS", type=float, default=600, help="then end the run (default 600)")

    mpirun.add_argument(
        "--shared-memory", action="store_true", help="between the ranks of one machine, which otherwise use TCP"
    )

    status = _command(commands, "status", _status, "say what is up and what its switches dropped; exit 1 if nothing is")
    status.add_argument("--format", choices=("text", "json"), default="text")
    calibration = _command(
        commands, "calibrate", _calibrate, "say what a way between machines does, against what was asked for"
    )
    calibration.add_argument(
        "machines", metavar="MACHINE", nargs="*", help="from the first to each other (default: first, second, last)"
    )
    calibration.add_argument("--seconds", type=float, default=2.0, help="of each TCP connection (default 2)")
    counted = _command(commands, "cables", _cables, "say what has crossed every cable of a fabric since it is up")
    counted.add_argument("--format", choices=("text", "json"), default="text")
    switch = _command(commands, "switch", _switch, "take a switch above the leaves out of a fabric, or put it in again")
    switch.add_argument("switch", metavar="SWITCH", help="its name, as `cables` prints it")
    switch.add_argument("place", choices=("out", "in"))
    check = _command(commands, "check", _check, "say whether this machine allows a lab; exit 1 if not")
    check.add_argument("--kind", choices=KINDS, default="tree", help="of network (default tree)")
    _command(commands, "down", _down, "take the cluster down")
    return parser


def _command(
    commands: "argparse._SubParsersAction[argparse.ArgumentParser]",
    name: str,
    run: object,
    summary: str,
    arguments: str | None = None,
) -> argparse.ArgumentParser:
    usage = None if arguments is None else f"lab/cluster {name} [--name NAME] {arguments}"
    parser = commands.add_parser(name, help=summary, description=summary, usage=usage, allow_abbrev=False)
    parser.add_argument("--name", default="aapc", help="of the lab, where there are several (default aapc)")
    parser.set_defaults(run=run)
    return parser


def _up(options: argparse.Namespace) -> int:
    choices = Options(
        rate=None if options.rate is None else parse_speed(options.rate),
        buffer=parse_size(options.buffer),
        congestion_control=options.congestion_control,
        slow_start_after_idle=options.slow_start_after_idle == "1",
        draw=options.draw,
        offloads=options.offloads,
    )
    if os.geteuid() != 0:
        raise LabError("network namespaces take root's rights, and this is not root")
    if options.build is not None:
        use_build(options.build)
    state = network.put_up(read_topology(options.file), str(options.file), options.name, choices)
    print(f"lab: {_describe(state)}", file=sys.stderr)
    return 0


def _exec(options: argparse.Namespace) -> int:
    launch.execute(launch.find_host(states.require_up(options.name), options.machine), options.command)
    raise AssertionError("exec returned")


def _mpirun(options: argparse.Namespace) -> int:
    state = states.require_up(options.name)
    return launch.run_mpi(
        *(state, options.mpi, options.ranks, options.further, options.command, options.timeout),
        shared_memory=options.shared_memory,
    )


def _status(options: argparse.Namespace) -> int:
    state = states.load(options.name)
    if state is None:
        print(f"lab: {options.name} is not up", file=sys.stderr)
        return 1
    # The counters are there once all is up, and for root alone.
    dropped = cables.dropped_by_port(state) if state.status == "up" and os.geteuid() == 0 else None
    if options.format == "json":
        total = None if dropped is None else sum(dropped.values())
        print(json.dumps({**asdict(state), "dropped_packets": total}, indent=1))
        return 0
    print(_describe(state))
    if dropped is not None:
        print(_describe_dropped(dropped))
    for host in state.hosts:
        print(f"{host.name}\t{host.address}\t{host.ranks} rank{'s' * (host.ranks > 1)}")
    return 0


def _describe(state: states.State) -> str:
    rate = "speeds as in the file" if state.rate is None else f"{format_speed(state.rate)} links"
    buffers = "" if state.kind == "torus" else f"{state.buffer} byte buffers, "
    return (
        f"{state.name} is {state.status}: {state.topology}, {state.kind}, {len(state.hosts)} machines, {state.ranks} ranks, "
        f"{rate}, {buffers}{state.congestion_control}" + (f", draw {state.draw} of the hash" if state.draw is not None else "")
    )


def _describe_dropped(dropped: dict[str, int]) -> str:
    total = sum(dropped.values())
    ports = ", ".join(f"{port} {packets}" for port, packets in dropped.items() if packets > 0)
    return f"{total} packet{'s' * (total != 1)} dropped at switch ports" + (f": {ports}" if ports else "")


def _calibrate(options: argparse.Namespace) -> int:
    state = states.require_up(options.name)
    usual = dict.fromkeys(host.name for host in (*state.hosts[:2], state.hosts[-1]))
    names = options.machines or list(usual)
    if len(names) != len(set(names)) or len(names) < 2:
        raise UsageError("name at least two machines, each once")
    start, *others = [launch.find_host(state, name) for name in names]
    for end in others:
        measured = calibrate.measure(start, end, options.seconds)
        print(calibrate.describe(start.name, end.name, calibrate.find_way(state, start.name, end.name), measured))
    return 0


def _cables(options: argparse.Namespace) -> int:
    crossed = cables.counters(states.require_up(options.name))
    if options.format == "json":
        print(json.dumps([asdict(one) for one in crossed], indent=1))
    else:
        print(cables.describe(crossed))
    return 0


def _switch(options: argparse.Namespace) -> int:
    state = states.require_up(options.name)
    (outage.take_out if options.place == "out" else outage.put_in)(state, options.switch)
    return 0


def _check(options: argparse.Namespace) -> int:
    reason = obstacle(options.kind)
    if reason is not None:
        print(f"no: {reason}")
        return 1
    print(f"yes: this machine allows what a lab of kind {options.kind} is made of")
    return 0


def _down(options: argparse.Namespace) -> int:
    state = states.load(options.name)
    if state is None:
        print(f"lab: {options.name} is not up", file=sys.stderr)
        return 0
    if state.is_being_started():
        raise UsageError(f"lab {state.name} is just being put up by process {state.process}; end that first")
    system.ignore_signals()
    network.take_down(state)
    print(f"lab: {options.name} is down", file=sys.stderr)
    return 0
