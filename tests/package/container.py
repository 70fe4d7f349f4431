#!/usr/bin/env python3
"""Builds packaging/Containerfile, puts a program on top as the operator's guide says, and runs it inside under each MPI.

    container.py --source DIRECTORY --scratch DIRECTORY

Debian 12 itself comes from Debian's packages (debootstrap), not from a registry of images. The scratch directory keeps it
and what was built, so that a second time takes a minute. Exit status 77 without root, buildah or debootstrap
(./set-up with-containers).
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

ON_TOP = """FROM aapc-build AS program
RUN mpicc.openmpi -O2 examples/alltoall_time.c -o /time.openmpi && mpicc.mpich -O2 examples/alltoall_time.c -o /time.mpich
FROM aapc
COPY --from=program /time.openmpi /time.mpich /opt/
"""
EXAMPLE = "/opt/aapc/share/doc/aapc/examples/chain-4x4.toml"


def expect(holds: object, what: str) -> None:
    if not holds:
        sys.exit(f"container.py: {what}")


class Containers:
    """Buildah with a storage of its own."""

    def __init__(self, scratch: Path):
        self.command = [
            "buildah",
            "--root",
            scratch / "storage",
            "--runroot",
            scratch / "run",
            "--storage-driver",
            "vfs",
        ]

    def buildah(self, *words: object) -> str:
        command = [str(word) for word in (*self.command, *words)]
        result = subprocess.run(command, capture_output=True, text=True, stdin=subprocess.DEVNULL)
        expect(
            result.returncode == 0,
            f"{' '.join(command)}\nended with {result.returncode}:\n{result.stdout}{result.stderr}",
        )
        return result.stdout

    def has(self, image: str) -> bool:
        return image in self.buildah("images", "--format", "{{.Name}}:{{.Tag}}").split()

    def build(self, image: str, file: Path, context: Path, *more: str) -> None:
        words = ("--layers", "--isolation", "chroot", "--network", "host", "--pull-never")
        self.buildah("build", *words, *more, "-t", image, "-f", file, context)


def import_debian(containers: Containers, scratch: Path) -> None:
    """debian:12, as small as debootstrap makes it."""
    if containers.has("docker.io/library/debian:12"):
        return
    root = scratch / "debian"
    shutil.rmtree(root, ignore_errors=True)
    made = subprocess.run(["debootstrap", "--variant=minbase", "bookworm", root], capture_output=True, text=True)
    expect(made.returncode == 0, f"debootstrap:\n{made.stdout[-2000:]}{made.stderr}")
    container = containers.buildah("from", "scratch").strip()
    containers.buildah("add", "-q", container, root, "/")
    containers.buildah("commit", "-q", "--rm", container, "docker.io/library/debian:12")
    shutil.rmtree(root)


def check(containers: Containers) -> None:
    container = containers.buildah("from", "--pull-never", "aapc-with-program").strip()

    def run(*words: str) -> str:
        as_root = ("-e", "OMPI_ALLOW_RUN_AS_ROOT=1", "-e", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1", "-e", "AAPC_VERBOSE=1")
        return containers.buildah("run", "--isolation", "chroot", *as_root, container, "--", *words)

    try:
        expect(run("aapc", "--version").startswith("aapc "), "aapc --version says nothing")
        document = json.loads(run("aapc", "schedule", EXAMPLE, "--format", "json"))
        expect(document["bound"] == 64 and len(document["phases"]) == 64, "not the schedule of the chain")
        for mpi, launcher in (("openmpi", ["mpirun.openmpi", "--oversubscribe"]), ("mpich", ["mpirun.mpich"])):
            words = ("-n", "2", "aapc", "exec", "--topology", "detect", "--", f"/opt/time.{mpi}", "2", "1024")
            said = run("sh", "-c", '"$@" 2>&1', "sh", *launcher, *words)
            expect(said.count("1024 ") >= 2 and "aapc: " in said, f"{mpi}: the program printed\n{said}")
    finally:
        containers.buildah("rm", container)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--source", type=Path, required=True)
    parser.add_argument("--scratch", type=Path, required=True)
    options = parser.parse_args()
    missing = [tool for tool in ("buildah", "debootstrap") if shutil.which(tool) is None]
    if missing or os.geteuid() != 0:
        print(f"skipped: not root, or no {' or '.join(missing or ['rights'])} here (./set-up with-containers)")
        sys.exit(77)
    scratch = options.scratch.resolve()
    scratch.mkdir(parents=True, exist_ok=True)
    source = options.source.resolve()
    containers = Containers(scratch)
    import_debian(containers, scratch)
    recipe = source / "packaging/Containerfile"
    containers.build("aapc-build", recipe, source, "--target", "build")
    containers.build("aapc", recipe, source)
    (scratch / "Containerfile").write_text(ON_TOP)
    containers.build("aapc-with-program", scratch / "Containerfile", scratch)
    check(containers)


if __name__ == "__main__":
    main()
