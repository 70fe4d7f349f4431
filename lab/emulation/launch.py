"""Running programs on the machines of a lab: one by one, or as ranks of an MPI."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO

from . import system
from .errors import LabError, UsageError
from .layout import fabric_namespace
from .state import HostRecord, State

TIMED_OUT = 124  # exit status, as of timeout(1)
_GRACE = 3.0  # seconds that a launcher has to end its ranks when it is asked to
# Open MPI 4.1 and 5.0 say so when an agent has started sooner than they were ready for; it means nothing.
_NOISE = re.compile(rb"plm:[rs]sh: Warning: setpgid\(\d+,\d+\) failed in parent")
_MPICH_RANKS = Path(__file__).with_name("mpich_ranks.c")

# A machine has a host name and an IPC namespace of its own, by which UCX tells whose shared memory is whose. $0 is the name,
# the rest the command.
_NAME_AND_RUN = 'echo "$0" >/proc/sys/kernel/hostname && exec "$@"'

# What the launchers take for ssh: [options] HOST COMMAND..., where the words of the command are for a shell to parse.
_AGENT = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
machine=$1
shift
exec env --default-signal=PIPE,XFSZ \\
  ip netns exec {fabric}."$machine" unshare --uts --ipc sh -c {name_and_run} "$machine" sh -c "$*"
"""


def enter_command(host: HostRecord, command: Sequence[str]) -> list[str]:
    """The command that runs `command` on a machine of the lab."""
    enter = ["ip", "netns", "exec", host.namespace, "unshare", "--uts", "--ipc"]
    return [*enter, "sh", "-c", _NAME_AND_RUN, host.name, *command]


def find_host(state: State, name: str) -> HostRecord:
    for host in state.hosts:
        if host.name == name:
            return host
    names = ", ".join(host.name for host in state.hosts)
    raise UsageError(f"lab {state.name} has no machine '{name}'; it has {names}")


def execute(host: HostRecord, command: Sequence[str]) -> None:
    """Becomes `command` on that machine."""
    enter = enter_command(host, command)
    os.execvp(enter[0], enter)


@dataclass(frozen=True)
class Job:
    """What an MPI's launcher is asked to start."""

    ranks: int
    shared_memory: bool  # between the ranks of one machine; else they use TCP, too


def run_mpi(
    state: State,
    mpi: str,
    ranks: int | None,
    options: Sequence[str],
    command: Sequence[str],
    timeout: float,
    shared_memory: bool,
) -> int:
    """Runs an MPI program across the machines and returns the launcher's exit status, or TIMED_OUT.

    Ranks are numbered by the order of the machines in the topology file; those of a machine are consecutive. When this
    returns, no process of the run is left.
    """
    if ranks is None:
        ranks = state.ranks
    if not 1 <= ranks <= state.ranks:
        raise UsageError(f"lab {state.name} has room for 1 to {state.ranks} ranks, not for {ranks}")
    launcher = next((path for name in (f"mpirun.{mpi}", f"mpiexec.{mpi}") if (path := shutil.which(name))), None)
    if launcher is None:
        raise UsageError(f"{mpi} is not installed here: there is no mpirun.{mpi}")
    with tempfile.TemporaryDirectory(prefix="run-", dir=state.directory) as directory:
        agent = _write_agent(Path(directory), state)
        launch = [launcher, *LAUNCHERS[mpi](state, Job(ranks, shared_memory), agent), *options, *command]
        return _run_to_end(enter_command(state.hosts[0], launch), _environment(shared_memory, Path(directory)), timeout)


def _write_agent(directory: Path, state: State) -> Path:
    agent = directory / "agent"
    fabric = fabric_namespace(state.name)
    agent.write_text(_AGENT.format(fabric=fabric, name_and_run=shlex.quote(_NAME_AND_RUN)), encoding="ascii")
    agent.chmod(0o755)
    return agent


def _environment(shared_memory: bool, scratch: Path) -> dict[str, str]:
    """This process's environment; an LD_PRELOAD is meant for the program, never for launchers, shells and daemons."""
    environment = {name: value for name, value in os.environ.items() if name != "LD_PRELOAD"}
    transports = "tcp,self,sm" if shared_memory else "tcp,self"
    own = {
        # Open MPI 5's launcher keeps its files there, as that of Open MPI 4 does by orte_tmpdir_base.
        "PRTE_MCA_prte_tmpdir_base": str(scratch),
        # Launcher and ranks of Open MPI 5 otherwise connect only where the route to a peer's address leaves by the
        # interface that has their own, which no cable of a torus has.
        "PRTE_MCA_prtereachable": "weighted",
        "OMPI_MCA_reachable": "weighted",
    }
    return {"UCX_TLS": transports, "UCX_NET_DEVICES": "eth0", **own, **environment}


def _open_mpi(state: State, job: Job, agent: Path) -> list[str]:
    host_file = agent.parent / "hosts"
    host_file.write_text("".join(f"{host.name} slots={host.ranks}\n" for host in state.hosts), encoding="ascii")
    parameters = {
        "plm_rsh_agent": str(agent),
        "plm_rsh_no_tree_spawn": "1",
        "pml": "ob1",
        "btl": "self,vader,tcp" if job.shared_memory else "self,tcp",
        "btl_tcp_if_include": "eth0",
        "oob_tcp_if_include": "eth0",
        "mpi_yield_when_idle": "1",  # ranks outnumber cores
        "orte_tmpdir_base": str(agent.parent),  # so that a killed run leaves nothing in /tmp
        "btl_base_warn_component_unused": "0",
    }
    arguments = ["--allow-run-as-root", "--hostfile", str(host_file), "-n", str(job.ranks)]
    arguments += ["--map-by", "slot", "--rank-by", "slot", "--bind-to", "none"]
    for name, value in parameters.items():
        arguments += ["--mca", name, value]
    for name in sorted(os.environ):
        if name.startswith("AAPC_"):
            arguments += ["-x", name]
    return arguments


def _mpich(state: State, job: Job, agent: Path) -> list[str]:
    hosts = ",".join(f"{host.name}:{host.ranks}" for host in state.hosts)
    arguments = ["-launcher", "ssh", "-launcher-exec", str(agent), "-iface", "eth0", "-hosts", hosts]
    preload = _build_mpich_preload(agent.parent)
    if preload is not None:
        arguments += ["-genv", "LD_PRELOAD", str(preload)]
    return [*arguments, "-n", str(job.ranks)]


def _build_mpich_preload(directory: Path) -> Path | None:
    """Ranks of MPICH 4.0 that wait keep the others from running, and MPI_Finalize hangs over TCP; mpich_ranks.c mends both."""
    library = directory / "mpich_ranks.so"
    try:
        system.run(["cc", "-O2", "-shared", "-fPIC", "-o", str(library), str(_MPICH_RANKS), "-ldl"])
    except LabError as error:
        print(f"lab: MPICH is slower than it is and MPI_Finalize may hang, for want of a compiler: {error}", file=sys.stderr)
        return None
    return library


# A new MPI is a function and a row here.
LAUNCHERS: dict[str, Callable[[State, Job, Path], list[str]]] = {"openmpi": _open_mpi, "mpich": _mpich}


def _run_to_end(command: Sequence[str], environment: dict[str, str], timeout: float) -> int:
    """Runs a launcher; at the end, whatever the reason, ends every process that came of it, its daemons too."""
    system.adopt_orphans()
    process = None
    try:
        # A launcher whose daemon has left sooner than it was told to, of a job that ends at once, is not to die of it:
        # it ignores SIGPIPE, as this process does. The agent lets the program have it.
        process = subprocess.Popen(command, env=environment, stderr=subprocess.PIPE, restore_signals=False)
        complaints = threading.Thread(target=_pass_on_but_noise, args=(process.stderr,), daemon=True)
        complaints.start()
        status = process.wait(timeout)
    except subprocess.TimeoutExpired:
        print(f"lab: no end after {timeout:g} s; ending the run", file=sys.stderr)
        status = TIMED_OUT
    finally:
        system.ignore_signals()
        _end_run(process)
    complaints.join(_GRACE)
    return status if status >= 0 else 128 - status


def _pass_on_but_noise(stream: IO[bytes]) -> None:
    for line in stream:
        if not _NOISE.search(line):
            sys.stderr.buffer.write(line)
            sys.stderr.buffer.flush()


def _end_run(process: subprocess.Popen[bytes] | None) -> None:
    # The launcher first, alone: its daemons complain at length if they are asked before it has told them.
    if process is not None and process.poll() is None:
        process.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            process.wait(_GRACE)
    survivors = system.end_processes(lambda: system.descendants(os.getpid()), patience=1.0)
    if survivors:
        raise LabError(f"processes {survivors} of this run cannot be ended")
