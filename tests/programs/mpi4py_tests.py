"""mpi4py's own tests of all-to-alls: mpi4py_tests.py DIRECTORY, which is `test` in mpi4py's source.

All ranks run the same tests: those of collective routines whose names have Alltoall in them, with buffers, vectors and
objects, blocking, non-blocking and persistent. Those of neighbours are left out, which aapc leaves to the MPI."""

import sys
import unittest
from pathlib import Path

from mpi4py import MPI

WORLD = MPI.COMM_WORLD


def all_to_alls(directory):
    sys.path.insert(0, str(directory))
    loader = unittest.TestLoader()
    loader.testNamePatterns = ["*lltoall*"]
    files = [file for file in sorted(directory.glob("test_cco_*.py")) if "_ngh_" not in file.name]
    return unittest.TestSuite(loader.loadTestsFromName(file.stem) for file in files)


def main():
    result = unittest.TextTestRunner(verbosity=2 if WORLD.rank == 0 else 0).run(all_to_alls(Path(sys.argv[1])))
    right = result.wasSuccessful() and result.testsRun > 0
    if not WORLD.allreduce(right, MPI.LAND):
        sys.exit(1)
    if WORLD.rank == 0:
        print(f"tests: {result.testsRun - len(result.skipped)} passed, {len(result.skipped)} skipped, on {WORLD.size} ranks\n"
              "right: mpi4py's own tests", flush=True)


main()
