#!/usr/bin/env python3
"""A library that has the name of MPICH's and not its ABI is left alone: the program's calls go to it, and one line says
what is wrong.

    foreign.py INTERPOSER PROGRAM DIRECTORY-OF-THE-LIBRARY TOPOLOGY
"""

import os
import re
import subprocess
import sys

EXPECTED = {
    "open-mpi": r"aapc: libmpich\.so\.12 \(Open MPI v4\.9\.9\) does not have the handles that libaapc-mpich\.so is made "
    r"for; preload libaapc-openmpi\.so, or let 'aapc exec' choose; using the MPI's own MPI_Alltoall",
    "handles": r"aapc: libmpich\.so\.12 \(MPICH Version: 9\.9\) gives its handles other values than libaapc-mpich\.so "
    r"believes; using the MPI's own MPI_Alltoall",
    "status": r"aapc: libmpich\.so\.12 \(MPICH Version: 9\.9\) has an MPI_Status that is not the one of "
    r"libaapc-mpich\.so; using the MPI's own MPI_Alltoall",
}


def main() -> int:
    interposer, program, directory, topology = sys.argv[1:]
    base = {name: value for name, value in os.environ.items() if not re.match(r"AAPC_|OMPI_|PMI", name)}
    failed = 0
    for wrong, line in EXPECTED.items():
        for rank in ("0", "1"):
            variables = {"LD_PRELOAD": interposer, "LD_LIBRARY_PATH": directory, "AAPC_TOPOLOGY": topology}
            variables |= {"AAPC_TEST_FOREIGN": wrong, "PMI_RANK": rank, "PMI_SIZE": "2"}
            run = subprocess.run([program], env=base | variables, capture_output=True, text=True, timeout=60)
            said = line + "\n" if rank == "0" else ""
            if run.returncode != 0 or run.stdout != "received 42\n" or not re.fullmatch(said, run.stderr):
                print(f"{wrong}, rank {rank}: status {run.returncode}, {run.stdout!r}, {run.stderr!r}", file=sys.stderr)
                failed += 1
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
