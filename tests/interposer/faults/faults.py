#!/usr/bin/env python3
"""Runs one MPI program under an interposer again and again and lets one thing fail on one rank each time.

    faults.py --mpi openmpi --mpiexec mpiexec.openmpi --interposer libaapc-openmpi.so --shim libfault_shim.so \
              --program ./faults_openmpi --cases 40

With --cases 0 all there are: every allocation of every rank by every way in which a call is carried out, and so on.
The program must end in time, by itself or, where a rank has died, by its launcher; and a call that says it worked must
have delivered the right data. A failing case prints the command that runs it alone. --from and --to run a part of what
would be run; on a terminal it shows where it is, and Ctrl-C ends it with what is known by then.
"""

import argparse
import collections
import os
import random
import re
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(HERE, ".."), os.path.join(HERE, "..", "..", "support")]
sys.dont_write_bytecode = True

from jobs import run_in_time  # noqa: E402
from launching import environment_without_settings  # noqa: E402

RANKS = 3
CALLS = 17  # of the program, on every rank
COUNT = re.compile(r"rank \d+: (\d+) calls right, (\d+) wrong, (\d+) errors")
NOT_BEGUN = "not begun"  # in place of an exit status, where a rank had no memory to begin a call that does not block
METHODS = ["tree+timed", "factor+ports:1", "factor+window:1", "tree+sender", "tree+barrier", "bruck", "lattice",
           "local-group", "tree+dummy", "tree+timed-grid", "unequal", "learns", "unequal-learns", "aggregate",
           "aggregate/bruck", "alone", "immediate", "unequal-immediate", "tcp:tree+timed", "tcp:lattice", "tcp:tree+sender",
           "tcp:bruck", "tcp:factor+window:1", "tcp:tree+timed-grid", "tcp:unequal"]
DIES = ("kill", "exit")
ALLOCATIONS = ("once", "from")
ALLOCATIONS_A_ROUND = 10  # are drawn, for one of each other kind
LACKS_MEMORY = (*ALLOCATIONS, "filled")
CONNECTS_NOT = ("filed", "unwatched", "addressless", "refused", "routeless")  # and says so in one line
LOSES = "reset"  # what was on its way on a connection


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--interposer", required=True)
    parser.add_argument("--shim", required=True)
    parser.add_argument("--program", required=True)
    parser.add_argument("--cases", type=int, default=40, help="so many, drawn from all; 0: all")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--from", type=int, default=0, dest="first", help="leave out so many of those")
    parser.add_argument("--to", type=int, dest="end", help="and end before this one")
    parser.add_argument("--only", default="", metavar="REGEX", help="cases whose names match")
    parser.add_argument("--methods", default="", metavar="REGEX", help="methods whose names match")
    parser.add_argument("--case", metavar="NAME", help="this one, as it was printed")
    parser.add_argument("--timeout", type=float, default=60)
    return parser.parse_args()


def environment(options, method, fault, rank, count_file):
    result = environment_without_settings()
    by_wire = method.startswith("tcp:")
    method = method.removeprefix("tcp:")
    variables = f"AAPC_TOPOLOGY={HERE}/../eight.toml AAPC_ALGORITHM={method}"
    if method == "local-group":
        variables = f"AAPC_TOPOLOGY={HERE}/../clusters.toml AAPC_ALGORITHM={method}"
    if method in ("unequal", "unequal-immediate"):
        variables = f"AAPC_TOPOLOGY={HERE}/../eight.toml AAPC_ALLTOALLV=always"
    if method in ("learns", "unequal-learns"):  # most of their calls without anybody being asked
        variables = f"AAPC_TOPOLOGY={HERE}/../slow-eight.toml AAPC_START=1us"
    if method == "immediate":
        variables = f"AAPC_TOPOLOGY={HERE}/../eight.toml AAPC_ALGORITHM=tree"
    if method == "alone":  # on one machine
        variables = "AAPC_TOPOLOGY=detect AAPC_ALGORITHM=aggregate"
    if method.endswith("immediate"):
        result["AAPC_ASYNC_PROGRESS"] = "1"  # on all ranks: MPI_Init goes by it
    if by_wire:
        variables += " AAPC_WIRE=tcp"
    a_machine = {"local-group": 1, "alone": RANKS}.get(method, 2)
    result.update(AAPC_TEST_INTERPOSER=os.path.abspath(options.interposer), AAPC_TEST_HOST="n",
                  AAPC_TEST_PER_MACHINE=str(a_machine), AAPC_TEST_MACHINES="1000",
                  AAPC_TEST_RANK_0=variables, AAPC_TEST_SHIM=os.path.abspath(options.shim),
                  AAPC_FAULT=fault, AAPC_FAULT_RANK=str(rank), AAPC_FAULT_COUNT=count_file)
    return result


def run(options, method, fault, rank, count_file="/nowhere"):
    """Exit status (None: it took too long) or NOT_BEGUN, standard output and standard error."""
    settings = environment(options, method, fault, rank, count_file)
    # The shim is for the ranks, not for their launcher.
    preload = 'export LD_PRELOAD="$AAPC_TEST_SHIM${LD_PRELOAD:+:$LD_PRELOAD}"; exec "$@"'
    command = [options.mpiexec, "-n", str(RANKS), "sh", "-c", preload, "sh",
               os.path.join(HERE, "..", "on_machine.sh"), options.program]
    command += [kind for kind in ("unequal", "immediate") if kind in method.removeprefix("tcp:").split("-")]
    with tempfile.TemporaryDirectory(prefix="aapc-faults-") as directory:
        settings["AAPC_TEST_NOT_BEGUN"] = os.path.join(directory, "not-begun")
        status, out, err = run_in_time(command, settings, options.timeout)
        ended_so = status is not None and os.path.exists(settings["AAPC_TEST_NOT_BEGUN"])
        return NOT_BEGUN if ended_so else status, out, err


def counts(options, method):
    """Allocations, moments and readings of the clock on each rank without any fault."""
    with tempfile.TemporaryDirectory(prefix="aapc-faults-") as directory:
        count_file = os.path.join(directory, "count")
        status, out, err = run(options, method, "count", "all", count_file)
        wrong = complaint("count", status, out) or ("it is left to the MPI" if "leaving" in err else None) or \
            ("the MPI's connections serve it" if "using MPI's connections" in err else None)
        if wrong:
            sys.exit(f"faults.py: without any fault: {method}: {wrong}\n{out}\n{err}")
        result = []
        for rank in range(RANKS):
            with open(f"{count_file}.{rank}", encoding="ascii") as file:
                result.append(tuple(map(int, file.read().split())))
        return result


def all_cases(options):
    for method in (method for method in METHODS if re.search(options.methods, method)):
        for rank, (allocations, moments, readings, sent) in enumerate(counts(options, method)):
            for number in range(1, allocations + 1):
                yield f"{method} {rank} once:{number}"
                yield f"{method} {rank} from:{number}"
            for number in range(1, moments + 1, max(1, moments // 50)):
                for what in ("kill", "exit", "stop"):
                    yield f"{method} {rank} {what}:{number}"
            for number in range(1, readings + 1, max(1, readings // 10)):
                for what in ("jump", "back"):
                    yield f"{method} {rank} {what}:{number}"
            for number in range(2, 6) if method.startswith("a") else ():  # those that reserve more than once
                yield f"{method} {rank} filled:{number}"
            for what in ("full", "missing", "unreadable", "fast", "slow"):
                yield f"{method} {rank} {what}"
            if method.startswith("tcp:"):
                for number in range(1, sent + 1, max(1, sent // 20)):
                    yield f"{method} {rank} {LOSES}:{number}"
                for what in ("filed:1", "filed:2", "unwatched", "addressless", "refused", "routeless", "trickle"):
                    yield f"{method} {rank} {what}"


def drawn(options, cases):
    """A rank that gets no memory from the loading of the library on, and then of each kind in turn, as far as there
    are: of those without memory, which are quick and the most, more than of the others."""
    kinds = collections.defaultdict(list)
    for case in cases:
        kinds[case.split()[2].split(":")[0]].append(case)
    generator = random.Random(options.seed)
    for kind in kinds.values():
        generator.shuffle(kind)
    result = [case for case in kinds["from"] if case.endswith(" 1 from:1")][:1]
    while len(result) < options.cases and any(kinds.values()):
        for name, kind in kinds.items():
            taken = min(len(kind), ALLOCATIONS_A_ROUND if name in ALLOCATIONS else 1)
            result += [kind.pop() for _ in range(taken)]
    return result[:options.cases]


def complaint(fault, status, out):
    """What is wrong, or None."""
    if status is None:
        return "hung"
    ranks = [tuple(map(int, found.groups())) for found in COUNT.finditer(out)]
    if any(wrong for _, wrong, _ in ranks):
        return "wrong data with MPI_SUCCESS"
    kind = fault.split(":")[0]
    if kind in DIES or (kind in LACKS_MEMORY and status == NOT_BEGUN):
        return None
    if status != 0:
        return f"exit status {status}"
    if len(ranks) != RANKS or any(sum(rank) != CALLS for rank in ranks):
        return "not all ranks said how they fared"
    if kind not in (*LACKS_MEMORY, LOSES) and any(errors for _, _, errors in ranks):
        return "a call failed for which memory was there"
    return None


class Tally:
    def __init__(self):
        self.cases = 0
        self.failed = 0
        self.errors = 0
        self.slowest = 0.0
        self.slowest_case = ""


def run_all(options, cases, tally):
    for number, case in enumerate(cases):
        if sys.stderr.isatty():
            print(f"\r{number} of {len(cases)}: {case} ", end="\033[K", file=sys.stderr, flush=True)
        method, rank, fault = case.split()
        start = time.monotonic()
        status, out, err = run(options, method, fault, rank)
        tally.cases += 1
        if (seconds := time.monotonic() - start) > tally.slowest:
            tally.slowest, tally.slowest_case = seconds, case
        tally.errors += any(int(found[3]) for found in COUNT.finditer(out))
        wrong = complaint(fault, status, out)
        lines = sum("AAPC_WIRE: " in line for line in err.splitlines())
        if not wrong and fault.split(":")[0] in CONNECTS_NOT and lines != 1:
            wrong = f"{lines} lines say that there are no connections"
        if options.case:
            print(f"exit status {status}\n--- standard output\n{out}\n--- standard error\n{err}")
        if wrong:
            tally.failed += 1
            print(f"{wrong}: run it alone with\n{sys.executable} {' '.join(sys.argv)} --case '{case}'")
            print("\n".join(err.splitlines()[:6]), flush=True)


def main():
    options = arguments()
    if options.case:
        cases = [options.case]
    else:
        cases = [case for case in all_cases(options) if re.search(options.only, case)]
        if options.cases:
            cases = drawn(options, cases)
        cases = cases[options.first:options.end]
    tally = Tally()
    try:
        run_all(options, cases, tally)
    except KeyboardInterrupt:
        print("\ninterrupted")
    print(f"{tally.cases} faults, {tally.failed} of them not borne, {tally.errors} with calls that returned an error; "
          f"the slowest job, '{tally.slowest_case}', took {tally.slowest:.1f} s")
    return 1 if tally.failed or not cases else 0


if __name__ == "__main__":
    sys.exit(main())
