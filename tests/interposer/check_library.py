#!/usr/bin/env python3
"""Checks that an interposer can be preloaded into any program: it defines MPI's names and no others, and needs nothing
but one MPI and the C library. The one that waits for an MPI asks for no memory itself, so that none can be missing.

    check_library.py libaapc-openmpi.so PROGRAM-OF-THAT-MPI
    check_library.py libaapc-abi.so
    check_library.py libaapc-late.so
"""

import os
import re
import subprocess
import sys

OTHERS = ["Init", "Init_thread", "Finalize", "Comm_free", "Comm_disconnect", "Wait", "Waitall"]
BLOCKING = [start + "lltoall" + unequal for start in ("A", "Neighbor_a") for unequal in ("", "v", "w")]
NONBLOCKING = ["I" + name.lower() for name in BLOCKING]
PERSISTENT = [name + "_init" for name in BLOCKING]
MPI_3 = BLOCKING + NONBLOCKING
STARTED = ["Start", "Startall", "Request_free"]
LARGE = [name + "_c" for name in MPI_3 + PERSISTENT]
# For benchmarks that ask (aapc/interposer.h).
OWN = {"aapc_native_alltoall", "aapc_native_alltoallv", "aapc_calls", "aapc_rejected"}
# Open MPI 6 has its handles in a library of their own, libopen_mpi.so.40, and libmpi.so.40 the routines of MPI.
ALLOWED = re.compile(r"^(libmpi|libopen_mpi|libmpich|libc|libm|libdl|libpthread|ld-linux[\w-]*)\.so")


MEMORY = {"malloc", "calloc", "realloc", "aligned_alloc", "posix_memalign", "_Znwm", "_Znam"}


def symbols_of(library, which="--defined-only"):
    symbols = subprocess.run(["nm", "-D", which, library], check=True, capture_output=True, text=True).stdout
    return {line.split()[-1].split("@")[0] for line in symbols.splitlines()}


def symbols_of_mpi(program):
    linked = subprocess.run(["ldd", program], check=True, capture_output=True, text=True).stdout
    mpi = re.search(r"libmpi\S* => (\S+)", linked)
    return symbols_of(mpi[1])


def calls_that_stop_others(library):
    """Routines of MPI without which a process that has this library preloaded would not start."""
    symbols = subprocess.run(["nm", "-D", "--undefined-only", library], check=True, capture_output=True, text=True).stdout
    return [line.split()[-1] for line in symbols.splitlines() if re.match(r"\s*U P?MPI_", line)]


def main():
    library = sys.argv[1]
    defined = symbols_of(library)
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    wrong = []
    # An MPI has the persistent routines of the fourth standard or not, and those for large counts; a library has those
    # of its MPI, and that of the standard ABI has all. What waits for an MPI has the names of all MPIs, and says that it is there.
    late = "late" in library.rsplit("/", 1)[-1]
    standard = "libaapc-abi" in library
    names = OTHERS + MPI_3
    of_mpi = symbols_of_mpi(sys.argv[2]) if len(sys.argv) > 2 else set()
    for group in ([STARTED + PERSISTENT, LARGE]):
        if late or standard or "MPI_" + group[-1] in of_mpi:
            names += group
    prefixes = ("MPI_",) if standard else ("MPI_", "PMPI_")
    expected = ({"aapc_late"} if late else OWN) | {prefix + name for prefix in prefixes for name in names}
    if defined != expected:
        wrong.append(f"lacks {sorted(expected - defined)}, defines {sorted(defined - expected)} besides")
    if late:
        wrong += [f"calls {name}" for name in sorted(MEMORY & symbols_of(library, "--undefined-only"))]
    if not any(re.match(r"libmpi", name) for name in needed):
        wrong += [f"does not start without {name}" for name in calls_that_stop_others(library)]
        for variables in ({}, {"LD_BIND_NOW": "1"}):
            run = subprocess.run(["/bin/true"], env=os.environ | variables | {"LD_PRELOAD": library}, stderr=subprocess.PIPE)
            if run.returncode != 0 or run.stderr:
                wrong.append(f"a program without an MPI does not run with it: {run.stderr.decode()}")
    wrong += [f"needs {name}" for name in needed if not ALLOWED.match(name)]
    for line in wrong:
        print(f"{library}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
