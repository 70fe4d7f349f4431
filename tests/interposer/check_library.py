#!/usr/bin/env python3
"""Checks that an interposer can be preloaded into any program: it defines MPI's names and no others, and needs nothing
but one MPI and the C library."""

import re
import subprocess
import sys

INTERPOSED = {prefix + name for prefix in ("", "P") for name in ("MPI_Init", "MPI_Init_thread", "MPI_Alltoall")}
INTERPOSED |= {"aapc_native_alltoall", "aapc_calls", "aapc_rejected"}  # for benchmarks that ask (aapc/interposer.h)
ALLOWED = re.compile(r"^(libmpi|libmpich|libc|libm|libdl|libpthread|ld-linux[\w-]*)\.so")


def main():
    library = sys.argv[1]
    symbols = subprocess.run(["nm", "-D", "--defined-only", library], check=True, capture_output=True, text=True).stdout
    defined = {line.split()[-1] for line in symbols.splitlines()}
    dynamic = subprocess.run(["readelf", "-d", library], check=True, capture_output=True, text=True).stdout
    needed = re.findall(r"\(NEEDED\).*\[(.+)\]", dynamic)
    wrong = []
    if defined != INTERPOSED:
        wrong.append(f"defines {sorted(defined)}, not {sorted(INTERPOSED)}")
    wrong += [f"needs {name}" for name in needed if not ALLOWED.match(name)]
    for line in wrong:
        print(f"{library}: {line}")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
