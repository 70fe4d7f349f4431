#!/usr/bin/env python3
"""Follows docs/first-report.md as a new user would: writes its files, runs its commands in order and compares what they
print with the page; times of the machine may differ. Slurm's srun is stood in for by Open MPI's launcher.

    first_report_test.py --source DIRECTORY --aapc PROGRAM --mpiexec LAUNCHER --mpicc COMPILER
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

# srun --mpi=pmix -n 4 PROGRAM...; each rank on a machine of its own, as far as it knows.
SRUN = """#!/bin/sh
ranks=$3
shift 3
exec '{mpiexec}' --oversubscribe --mca btl self,vader -n "$ranks" \\
    sh -c 'AAPC_HOSTNAME=n$OMPI_COMM_WORLD_RANK exec "$@"' sh "$@"
"""


def expect(holds: object, what: str) -> None:
    if not holds:
        sys.exit(f"first_report_test.py: {what}")


def without_times(text: str) -> str:
    return re.sub(r"\b\d+\.\d{6}\b", "TIME", text)


def run_page(page: str, directory: Path, environment: dict[str, str]) -> int:
    """The page's files and commands; how many commands of aapc's there were."""
    count = 0
    for kind, name, body in re.findall(r"^```(\w+) ?(\S*)\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        if kind != "console":
            (directory / name).write_text(body)
            continue
        first, _, expected = body.partition("\n")
        expect(first.startswith("$ "), f"a block begins with {first}")
        done = subprocess.run(
            first[2:], shell=True, cwd=directory, env=environment, capture_output=True, text=True, timeout=120
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
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--mpicc", required=True)
    options = parser.parse_args()
    page = (options.source / "docs/first-report.md").read_text()
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        program = options.source.resolve() / "examples/alltoall_time.c"
        subprocess.run([options.mpicc, program, "-o", directory / "app"], check=True)
        commands = directory / "commands"
        commands.mkdir()
        (commands / "srun").write_text(SRUN.format(mpiexec=options.mpiexec))
        (commands / "srun").chmod(0o755)
        environment = {name: value for name, value in os.environ.items() if not name.startswith("AAPC_")}
        environment["PATH"] = f"{commands}:{options.aapc.resolve().parent}:{environment['PATH']}"
        environment |= {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"}
        expect(run_page(page, directory, environment) == 5, "the page promises five commands")
        report = (directory / "report.html").read_text()
        expect("<html" in report and "MPI_Alltoall" in report, f"no page of a job's all-to-alls:\n{report[:400]}")


if __name__ == "__main__":
    main()
