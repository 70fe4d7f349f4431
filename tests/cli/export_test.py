#!/usr/bin/env python3
"""What `aapc export` writes is read by the MPI and obeyed: a job runs with it, and fails once it asks for what cannot be.

    export_test.py --aapc PROGRAM --mpi openmpi --mpiexec LAUNCHER
"""

import argparse
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "support"))
sys.dont_write_bytecode = True

from launching import LAUNCHER_VARIABLES  # noqa: E402

RANKS = 3

TUNING = """format = "aapc-tuning/1"

[fingerprint]
aapc = "0.1.0"
mpi = "{mpi}"
mpi_version = "of this test"
topology = "fnv1a:0123456789abcdef"
topology_file = "detect"
ranks = {ranks}
placement = "n[0-2]"

[conditions]
date = "2026-11-22T00:00:00Z"
duration_seconds = 1
host = "n0"

[[range]]
from_bytes = 0
method = "bruck/radix-2+window:1"

[[range]]
from_bytes = 64
method = "{own}"

[[range]]
from_bytes = 4096
method = "native"

[[range]]
from_bytes = 65536
method = "lattice"

[end]
checksum = "fnv1a:0000000000000000"
"""


def expect(holds: object, what: str) -> None:
    if not holds:
        sys.exit(f"export_test.py: {what}")


def export(aapc: Path, mpi: str, directory: Path) -> str:
    """What is written of a tuning with a right checksum, which the refusal of a wrong one tells."""
    file = directory / "tuning.toml"
    text = TUNING.format(mpi=mpi, ranks=RANKS, own="ring/plain+window:1" if mpi == "openmpi" else "scattered")
    text = text.replace('"scattered"', '"scattered/plain+window:32"')
    file.write_text(text)
    refused = subprocess.run([aapc, "export", file], capture_output=True, text=True)
    expect(refused.returncode == 2 and not refused.stdout, f"a wrong checksum is taken: {refused.stdout}")
    right = re.findall(r"fnv1a:[0-9a-f]{16}", refused.stderr.replace("fnv1a:0000000000000000", ""))
    expect(right, f"no checksum is told: {refused.stderr}")
    file.write_text(text.replace("fnv1a:0000000000000000", right[0]))
    done = subprocess.run([aapc, "export", "-"], stdin=file.open(), capture_output=True, text=True)
    expect(done.returncode == 0, done.stderr)
    return done.stdout


def run(options: argparse.Namespace, file: Path, size: int) -> subprocess.CompletedProcess[str]:
    """MPI_Alltoall as the MPI does it, of blocks of so many bytes, every byte checked."""
    rules = {
        "openmpi": [
            "--mca",
            "coll_tuned_use_dynamic_rules",
            "1",
            "--mca",
            "coll_tuned_dynamic_rules_filename",
            str(file),
        ],
        "mpich": [],
    }[options.mpi]
    words = ["--mca", "btl", "self,vader"] if options.mpi == "openmpi" else []
    bench = [
        "bench",
        "--topology",
        "detect",
        "--candidates",
        "native",
        "--sizes",
        str(size),
        "--repeats",
        "1",
        "--warm-up",
        "0",
    ]
    return subprocess.run(
        [options.mpiexec, *words, *rules, "-n", str(RANKS), options.aapc, *bench],
        capture_output=True,
        text=True,
        timeout=180,
        env={
            **os.environ,
            **LAUNCHER_VARIABLES,
            "MPIR_CVAR_COLL_SELECTION_TUNING_JSON_FILE": str(file) if options.mpi == "mpich" else "",
        },
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--aapc", type=Path, required=True)
    parser.add_argument("--mpi", required=True)
    parser.add_argument("--mpiexec", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        text = export(options.aapc, options.mpi, directory)
        file = directory / "rules"
        file.write_text(text)
        for size in (8, 1024):
            obeyed = run(options, file, size)
            expect(obeyed.returncode == 0, f"{size} bytes, with these rules:\n{text}{obeyed.stdout}{obeyed.stderr}")
        # Only for two ranks, or by nobody's name: whoever obeys it fails.
        if options.mpi == "openmpi":
            expect(re.search(r"^192 2 0 0 ", text, re.MULTILINE), f"3 blocks of 64 bytes go otherwise:\n{text}")
            impossible = re.sub(r"^192 2 0 0 ", "192 5 0 0 ", text, flags=re.MULTILINE)
        else:
            impossible = text.replace("MPIR_Alltoall_intra_scattered", "MPIR_Alltoall_by_nobody", 1)
        expect(impossible != text, f"the rules do not say what was found:\n{text}")
        file.write_text(impossible)
        failed = run(options, file, 1024)
        expect(failed.returncode != 0, f"what cannot be is not noticed, so nobody has read it:\n{failed.stdout}")


if __name__ == "__main__":
    main()
