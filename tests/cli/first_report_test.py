#!/usr/bin/env python3
"""Follows docs/first-report.md as a new user would: writes its files, runs its commands in order and compares what they
print with the page; times of the machine may differ. Slurm's srun is stood in for by Open MPI's launcher, unless there
is to be a Slurm of its own (tests/slurm).

    first_report_test.py --source DIRECTORY --aapc PROGRAM --mpicc COMPILER --mpiexec LAUNCHER | --slurm

Exit status 77 where there is no Slurm.
"""

import argparse
import contextlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
sys.dont_write_bytecode = True

from launching import environment_without_settings  # noqa: E402

# srun --mpi=pmix -n 4 PROGRAM...; each rank on a machine of its own, as far as it knows.
SRUN = """#!/bin/sh
ranks=$3
shift 3
exec '{mpiexec}' --mca btl self,vader -n "$ranks" \\
    sh -c 'AAPC_HOSTNAME=n$OMPI_COMM_WORLD_RANK exec "$@"' sh "$@"
"""

# Each rank on a machine of its own here, too; Slurm has two nodes for them.
SLURMS_SRUN = """#!/bin/sh
pmi=$1 ranks=$3
shift 3
exec '{srun}' "$pmi" -N {nodes} -n "$ranks" sh -c 'AAPC_HOSTNAME=n$SLURM_PROCID exec "$@"' sh "$@"
"""
# What the page says in brackets: the job script goes to the queue.
QUEUED = "sbatch --nodes={nodes} --wait --output=job.out job-with-aapc.sh >/dev/null && cat job.out"


def expect(holds: object, what: str) -> None:
    if not holds:
        sys.exit(f"first_report_test.py: {what}")


def without_times(text: str) -> str:
    return re.sub(r"\b\d+\.\d{6}\b", "TIME", text)


def run_page(page: str, directory: Path, environment: dict[str, str], queued: str | None) -> int:
    """The page's files and commands, the job by `queued` if there is a queue; how many commands of aapc's there were."""
    count = 0
    for kind, name, body in re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        if kind != "console":
            (directory / name).write_text(body)
            continue
        first, _, expected = body.partition("\n")
        expect(first.startswith("$ "), f"a block begins with {first}")
        command = queued if queued and first == "$ sh job-with-aapc.sh" else first[2:]
        done = subprocess.run(
            command, shell=True, cwd=directory, env=environment, capture_output=True, text=True, timeout=300
        )
        expect(done.returncode == 0, f"{first}\nended with {done.returncode}:\n{done.stdout}{done.stderr}")
        expect(
            without_times(done.stdout) == without_times(expected),
            f"{first}\nprinted\n{done.stdout}{done.stderr}and the page says\n{expected}",
        )
        count += 1
    return count


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--aapc", type=Path, required=True)
    srun = parser.add_mutually_exclusive_group(required=True)
    srun.add_argument("--mpiexec")
    srun.add_argument("--slurm", action="store_true")
    parser.add_argument("--mpicc", required=True)
    options = parser.parse_args()
    page = (options.source / "docs/first-report.md").read_text()
    wrapper = SRUN.format(mpiexec=options.mpiexec)
    queued = None
    with contextlib.ExitStack() as stack:
        environment = environment_without_settings()
        if options.slurm:
            sys.path.insert(0, str(options.source / "tests/slurm"))
            from cluster import Cluster, why_not

            if problem := why_not():
                print(f"skipped: {problem}")
                sys.exit(77)
            cluster = stack.enter_context(Cluster())
            environment |= cluster.settings
            wrapper = SLURMS_SRUN.format(srun=shutil.which("srun"), nodes=cluster.nodes)
            queued = QUEUED.format(nodes=cluster.nodes)
        scratch = stack.enter_context(tempfile.TemporaryDirectory())
        directory = Path(scratch)
        program = options.source.resolve() / "examples/alltoall_time.c"
        subprocess.run([options.mpicc, program, "-o", directory / "app"], check=True)
        commands = directory / "commands"
        commands.mkdir()
        (commands / "srun").write_text(wrapper)
        (commands / "srun").chmod(0o755)
        environment["PATH"] = f"{commands}:{options.aapc.resolve().parent}:{environment['PATH']}"
        count = run_page(page, directory, environment, queued)
        expect(count == 5, f"the page promises five commands, and there are {count}")
        report = (directory / "report.html").read_text()
        expect("<html" in report and "MPI_Alltoall" in report, f"no page of a job's all-to-alls:\n{report[:400]}")


if __name__ == "__main__":
    main()
