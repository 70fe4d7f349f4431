#!/usr/bin/env python3
"""Runs one MPI program under an interposer, each rank on a machine of its own name, and judges what was said.

    drive.py --mpi openmpi --mpiexec mpiexec.openmpi --interposer libaapc-openmpi.so --ranks 5 \
             --topology eight.toml --expect counted -- ./conformance 8192 all

What is expected:
    counted       the program prints how many calls should have been exchanged and passed through, and the interposer
                  must have counted the same, a component the same that are exchanged and at most as many others
    counted-and-more  the interposer must have counted as many calls in all, and more of them exchanged
    spoken        as much as it says, of which --mention asks for some
    silent        no line of the interposer's
    line:REGEX    exactly one line of the interposer's, which matches
    ends:REGEX    the same, and the job is ended
    ended         no line of the interposer's, and the job ends, with any status
    as-without    no line of the interposer's, and the job ends as it does without the interposer
Any other exit status of the program's than 0 is a failure, and so is taking longer than --timeout.
"""

import argparse
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.dont_write_bytecode = True

from jobs import run_in_time  # noqa: E402
from launching import component_answers, component_variables, counts_fit, environment_without_settings  # noqa: E402

SKIPPED = 77
SANITIZER = re.compile(r".*(ERROR: AddressSanitizer|: runtime error: ).*")
COUNTS = re.compile(r"(\d+) calls exchanged, (\d+) passed through")
COUNTER = re.compile(r"^counter: (\d+) calls$", re.MULTILINE)


def arguments(words=None):
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--mpi", choices=["openmpi", "mpich"], required=True)
    parser.add_argument("--mpiexec", required=True)
    parser.add_argument("--interposer", required=True)
    parser.add_argument("--component", metavar="FILE",
                        help="Open MPI's component in place of the interposer, which is then not preloaded")
    parser.add_argument("--counter", metavar="FILE",
                        help="a tool that counts (counter.c), preloaded before the interposer: it must count all calls "
                             "that the program says it made")
    parser.add_argument("--counter-last", action="store_true", help="it is preloaded after it, and must count none")
    parser.add_argument("--runtime", help="a sanitizer's runtime, preloaded in front of the interposer")
    parser.add_argument("--ranks", type=int, required=True)
    parser.add_argument("--topology", help="value of AAPC_TOPOLOGY; not set without it")
    parser.add_argument("--host", default="n", help="host names are this and a number")
    parser.add_argument("--per-machine", type=int, default=1, help="so many ranks share a host name")
    parser.add_argument("--machines", type=int, default=1000, help="host names, which come again behind the last one")
    parser.add_argument("--without-rank", type=int, metavar="RANK", help="this one has no interposer")
    parser.add_argument("--with-rank-0-alone", action="store_true", help="no other rank has it")
    parser.add_argument("--through", metavar="AAPC", help="let AAPC exec find the interposer")
    parser.add_argument("--make-tuning", metavar="COMMAND", help="prints the tuning file; not set without it")
    parser.add_argument("--damage-tuning", action="store_true", help="changes a number in it")
    parser.add_argument("--expect", required=True)
    parser.add_argument("--mention", action="append", default=[], metavar="REGEX",
                        help="some line of the interposer's must match")
    parser.add_argument("--never", action="append", default=[], metavar="REGEX",
                        help="no line of the interposer's may match")
    parser.add_argument("--not-twice", action="append", default=[], metavar="REGEX",
                        help="lines match it, no two of which are the same")
    parser.add_argument("--timeout", type=float, default=180)
    parser.add_argument("--set", action="append", default=[], metavar="NAME=VALUE", help="a variable for rank 0 only")
    parser.add_argument("--elsewhere", action="append", default=[], metavar="NAME=VALUE",
                        help="a variable for all ranks but rank 0")
    parser.add_argument("--own-topology", action="store_true", help="the topology file is a copy that may be damaged")
    parser.add_argument("--shm", choices=["full", "read-only"], help="what /dev/shm is (skipped without root's rights)")
    parser.add_argument("--where-it-runs", action="store_true",
                        help="skipped if the program ends in a failure without the interposer as well")
    parser.add_argument("program", nargs="+")
    return parser.parse_args(words)


def environment(options):
    result = environment_without_settings()
    preloads = options.interposer and not options.through and not options.component
    result["AAPC_TEST_INTERPOSER"] = os.path.abspath(options.interposer) if preloads else ""
    if options.counter:
        order = [options.counter, result["AAPC_TEST_INTERPOSER"]]
        result["AAPC_TEST_INTERPOSER"] = ":".join(filter(None, reversed(order) if options.counter_last else order))
    if options.runtime and preloads:
        result["AAPC_TEST_INTERPOSER"] = f"{options.runtime}:{result['AAPC_TEST_INTERPOSER']}"
        # The MPIs leak, and the programs are not made for the runtime. Of what is freed, less than usual is kept.
        result["ASAN_OPTIONS"] = "verify_asan_link_order=0:detect_leaks=0:quarantine_size_mb=16"
        result["UBSAN_OPTIONS"] = "print_stacktrace=1"
    if options.component:
        result.update(component_variables(os.path.dirname(os.path.abspath(options.component))))
        # What the interposer asks MPI_Init for.
        if "AAPC_ASYNC_PROGRESS=1" in options.set:
            result["OMPI_MPI_THREAD_LEVEL"] = "3"
    result["AAPC_TEST_HOST"] = options.host
    result["AAPC_TEST_PER_MACHINE"] = str(options.per_machine)
    result["AAPC_TEST_MACHINES"] = str(options.machines)
    # Which calls are exchanged is what these tests count, so it must not depend on how long they take.
    result["AAPC_TEST_RANK_0"] = " ".join(["AAPC_ADAPT=0", *options.set])
    result["AAPC_TEST_ELSEWHERE"] = " ".join(options.elsewhere)
    without = [] if options.without_rank is None else [options.without_rank]
    without = list(range(1, options.ranks)) if options.with_rank_0_alone else without
    if without:
        result.update(AAPC_TEST_WITHOUT_RANKS="".join(f" {rank} " for rank in without), AAPC_TEST_HANDSHAKE_SECONDS="1")
    if options.topology is not None:
        result["AAPC_TEST_RANK_0"] += f" AAPC_TOPOLOGY={options.topology}"
    if options.make_tuning is not None:
        result["AAPC_TEST_RANK_0"] += f" AAPC_TUNING={options.tuning_file}"
    if options.expect.startswith("counted") or options.expect == "spoken":
        result["AAPC_TEST_RANK_0"] += " AAPC_VERBOSE=2"
    return result


def write_tuning(options):
    made = subprocess.run(options.make_tuning.split(), check=True, timeout=120, stdout=subprocess.PIPE, text=True)
    text = made.stdout
    if options.damage_tuning:
        text = re.sub(r"(from_bytes = [1-9]\d*)", r"\g<1>0", text)
    with open(options.tuning_file, "w", encoding="utf-8") as file:
        file.write(text)


def with_other_shm(which):
    """What starts a command where /dev/shm has no room for anything, or cannot be written to."""
    mount = "mount -t tmpfs -o " + {"full": "size=4k", "read-only": "ro"}[which] + " tmpfs /dev/shm"
    fill = " && { head -c 4096 /dev/zero >/dev/shm/filled || true; }" if which == "full" else ""
    return ["unshare", "--mount", "sh", "-c", f'{mount}{fill} && exec "$@"', "sh"]


def run(options):
    """Exit status (None: it took too long), standard output and standard error."""
    command = with_other_shm(options.shm) if options.shm else []
    command += [options.mpiexec, "-n", str(options.ranks), os.path.join(HERE, "on_machine.sh")]
    if options.through:
        command += [options.through, "exec", "--topology", options.topology, "--"]
    command += options.program
    return run_in_time(command, environment(options), options.timeout)


def counter_complaint(options, out, err):
    """What is wrong with the counts of a tool that is preloaded as well, or None."""
    counts = [int(count) for count in COUNTER.findall(err)]
    made = COUNTS.search(out)
    if len(counts) != options.ranks or made is None:
        return f"{len(counts)} ranks of {options.ranks} have a count of the tool, or the program has none"
    should = 0 if options.counter_last else int(made[1]) + int(made[2])
    return None if sum(counts) == should else f"the tool counts {sum(counts)} calls, not {should}"


def complaint(options, status, out, err):
    """What is wrong, or None."""
    if status is None:
        return f"hung for {options.timeout} seconds"
    if (status != 0) != options.expect.startswith("ends:"):
        return f"exit status {status}"
    said = [line for line in err.splitlines() if line.startswith("aapc:")]
    for pattern in options.mention:
        if not any(re.search(pattern, line) for line in said):
            return f"no line matches {pattern!r}"
    for pattern in options.never:
        if any(re.search(pattern, line) for line in said):
            return f"a line matches {pattern!r}"
    for pattern in options.not_twice:
        lines = [line for line in said if re.search(pattern, line)]
        if not lines or len(set(lines)) != len(lines):
            return f"no line or the same one twice matches {pattern!r}: {lines}"
    if options.counter and (wrong := counter_complaint(options, out, err)):
        return wrong
    if options.expect == "spoken":
        return None
    if options.expect == "silent":
        return None if not said else "the interposer was not silent"
    if options.expect.startswith(("line:", "ends:")):
        pattern = options.expect[len("line:"):]
        if len(said) != 1:
            return f"{len(said)} lines of the interposer's, not 1"
        return None if re.search(pattern, said[0]) else f"the line does not match {pattern!r}"
    should = COUNTS.search(out)
    did = [match for line in said if (match := COUNTS.search(line))]
    if should is None or len(did) != 1:
        return "not one count from the program and one from the interposer"
    if int(should[1]) == 0:
        return "the program expects no call to be exchanged, which proves nothing"
    if options.expect == "counted-and-more":
        exchanged, passed, more, fewer = map(int, (*should.groups()[:2], *did[0].groups()[:2]))
        seen = more + fewer <= exchanged + passed if options.component else more + fewer == exchanged + passed
        if not seen or more <= exchanged:
            return "the interposer exchanges no more calls than the program expects, or counts differently"
        return None
    if not counts_fit(*(tuple(map(int, counts.groups())) for counts in (should, did[0])), options.component):
        return f"program and {'component' if options.component else 'interposer'} count differently"
    return None


def differs_from_without(options, status):
    """How the job ends otherwise than without the interposer, or None."""
    options.interposer = options.component = ""
    without, _, err = run(options)
    if (status is None) == (without is None) and (status == 0) == (without == 0):
        return None
    return f"exit status {status}, and without the interposer {without}\n{err}"


def main():
    options = arguments()
    if options.shm and subprocess.run([*with_other_shm(options.shm), "true"], stderr=subprocess.DEVNULL,
                                      check=False).returncode != 0:
        print("this needs the right to mount something")
        return SKIPPED
    with tempfile.TemporaryDirectory(prefix="aapc-interpose-") as directory:
        options.tuning_file = os.path.join(directory, "tuning.toml")
        if options.make_tuning is not None:
            write_tuning(options)
        if options.own_topology:
            options.topology = shutil.copy(options.topology, directory)
        status, out, err = run(options)
        said = any(line.startswith("aapc:") for line in err.splitlines())
        # aapc exec has it loaded where it can.
        options.component = options.component or component_answers(err.splitlines())
        if found := SANITIZER.search(err):
            wrong = f"a sanitizer found a fault: {found[0]}"
        elif options.expect == "as-without":
            wrong = "the interposer was not silent" if said else differs_from_without(options, status)
        elif options.expect == "ended":
            wrong = "hung" if status is None else "the interposer was not silent" if said else None
        else:
            wrong = complaint(options, status, out, err)
        if options.where_it_runs and status not in (None, 0) and differs_from_without(options, status) is None:
            print("the program does not run without the interposer either")
            return SKIPPED
    if status == SKIPPED:
        print(out)
        return SKIPPED
    if wrong is None:
        return 0
    print(f"{wrong}\n--- run again with\n{' '.join(sys.argv)}\n--- standard output\n{out}\n--- standard error\n{err}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
