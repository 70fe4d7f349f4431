#!/usr/bin/env python3
"""Runs packaging/measure-cluster.sh on this host, with a topology file, and looks into the file that it leaves.

    measure_cluster.py BUILD PROGRAM LAUNCHER
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
from launching import LAUNCHER_VARIABLES  # noqa: E402

TOPOLOGY = """[network]
speed = "10Gbit"

[[switch]]
name = "s0"
machines = "n[0-3]"
"""
NAMED = "import os, sys; r = os.environ.get('OMPI_COMM_WORLD_RANK') or os.environ['PMI_RANK']\n" \
    "os.environ['AAPC_HOSTNAME'] = 'n' + r; os.execvp(sys.argv[1], sys.argv[1:])"


def expect(holds: bool, what: str) -> None:
    if not holds:
        sys.exit(f"measure_cluster.py: {what}")


def main() -> None:
    build, program, launcher = sys.argv[1], os.path.abspath(sys.argv[2]), sys.argv[3]
    script = Path(build, "packaging/measure-cluster.sh")
    with tempfile.TemporaryDirectory() as scratch:
        Path(scratch, "cluster.toml").write_text(TOPOLOGY, encoding="utf-8")
        Path(scratch, "named.py").write_text(NAMED, encoding="utf-8")
        environment = {**os.environ, **LAUNCHER_VARIABLES, "PATH": f"{Path(program).parent}:{os.environ['PATH']}"}
        text = script.read_text(encoding="utf-8").replace("1Ki:1Mi:x4", "1Ki,16Ki").replace("--repeats 60", "--repeats 2")
        Path(scratch, "measure.sh").write_text(text.replace("\nPATH=", "\n#PATH="), encoding="utf-8")
        words = ["sh", "measure.sh", "--seconds", "1", f"{launcher} -n 4 {sys.executable} named.py", "cluster.toml"]
        done = subprocess.run(words, cwd=scratch, env=environment, capture_output=True, text=True, timeout=500, check=False)
        expect(done.returncode == 0 and "done: aapc-measured-" in done.stdout, f"it ended with {done}")
        (packed,) = Path(scratch).glob("aapc-measured-*.tar.gz")
        with tarfile.open(packed) as archive:
            files = {Path(member.name).name: archive.extractfile(member).read().decode() for member in archive if member.isfile()}
        expect(set(files) == {"topology.toml", "topology.txt", "doctor.txt", "equal.json", "unequal.json"}, f"{set(files)}")
        expect("clock: drift" in files["doctor.txt"], files["doctor.txt"])
        for name, candidates in {"equal.json": 3, "unequal.json": 2}.items():
            sizes = json.loads(files[name])["sizes"]
            expect(len(sizes) == 2 and all(len(size["candidates"]) == candidates for size in sizes), f"{name}: {files[name]}")
        usage = subprocess.run(["sh", str(script)], capture_output=True, text=True, check=False)
        expect(usage.returncode == 2 and "mpirun -n 32" in usage.stderr, f"without arguments: {usage}")


if __name__ == "__main__":
    main()
