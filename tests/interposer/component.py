#!/usr/bin/env python3
"""Open MPI's component as an administrator meets it: its parameters, how it is switched on and off, and beside a
preloaded interposer. What it does with calls is tested by drive.py --component."""

import argparse
import os
import re
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "support"))
sys.dont_write_bytecode = True

from launching import component_answers, component_variables, counts_fit, environment_without_settings  # noqa: E402

RANKS = 4
COUNTS = re.compile(r"(\d+) calls exchanged, (\d+) passed through")


def options_of():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("mpiexec", "ompi-info", "component", "interposer", "aapc", "program"):
        parser.add_argument(f"--{name}", required=True)
    return parser.parse_args()


def expect(holds, what):
    if not holds:
        sys.exit(what)


class Runs:
    def __init__(self, options):
        self.options = options
        self.environment = environment_without_settings()
        self.environment.update(component_variables(os.path.dirname(os.path.abspath(options.component))))
        del self.environment["AAPC_TEST_COMPONENT_PRIORITY"]

    def words(self, *command):
        return subprocess.run(command, env=self.environment, check=True, timeout=60, text=True,
                              stdout=subprocess.PIPE).stdout

    def job(self, *launcher, preload=False, rank_0="", by=()):
        """What the program says that should be exchanged and passed through, and all lines of aapc's. `by`: what starts
        the program, which is not told where the component is."""
        environment = {**(environment_without_settings() if by else self.environment), "AAPC_TEST_HOST": "n", "AAPC_TEST_PER_MACHINE": "1",
                       "AAPC_TEST_RANK_0": rank_0, "AAPC_TEST_INTERPOSER": self.options.interposer if preload else ""}
        command = [self.options.mpiexec, "-n", str(RANKS), *launcher, os.path.join(HERE, "on_machine.sh"),
                   *by, self.options.program, "1", "all"]
        run = subprocess.run(command, env=environment, check=False, timeout=120, text=True, capture_output=True)
        expect(run.returncode == 0, f"{' '.join(command)}: exit status {run.returncode}\n{run.stderr}")
        said = [line for line in run.stderr.splitlines() if line.startswith("aapc:")]
        return tuple(map(int, COUNTS.search(run.stdout).groups())), said


def counted(said):
    """What aapc has counted, or None."""
    found = [tuple(map(int, match.groups())) for line in said if (match := COUNTS.search(line))]
    return found[0] if len(found) == 1 else None


def main():
    options = options_of()
    runs = Runs(options)
    topology = os.path.join(HERE, "eight.toml")
    on = ("--mca", "coll_aapc_priority", "95")
    settings = f"AAPC_TOPOLOGY={topology} AAPC_ALGORITHM=tree AAPC_VERBOSE=2"

    listed = runs.words(options.ompi_info, "--param", "coll", "aapc", "--level", "9")
    variables = re.findall(r"^AAPC_(\w+)", runs.words(options.aapc, "settings"), re.MULTILINE)
    expect(len(variables) > 10, f"aapc settings lists {variables}")
    for variable in variables:
        expect(f'"coll_aapc_{variable.lower()}"' in listed and f"AAPC_{variable}." in listed,
               f"ompi_info does not know AAPC_{variable}:\n{listed}")

    # Off unless it is asked for; then by parameters alone, and by variables.
    for how in ((), ("--mca", "coll_aapc_priority", "0"), (*on, "--mca", "coll", "^aapc")):
        expect(runs.job(*how, rank_0=settings)[1] == [], f"it is not off with {how}")
    expect(runs.job(*on, rank_0=settings + " AAPC_OFF=1")[1] == [], "AAPC_OFF=1 does not switch it off")
    parameters = [*on, "--mca", "coll_aapc_topology", topology, "--mca", "coll_aapc_algorithm", "tree", "--mca",
                  "coll_aapc_verbose", "2"]
    for how, rank_0 in ((on, settings), (parameters, "")):
        should, said = runs.job(*how, rank_0=rank_0)
        did = counted(said)
        expect(did is not None and should[0] > 0 and counts_fit(should, did, component=True), f"{how} {rank_0}: {said}")
    # A variable holds against a parameter.
    should, said = runs.job(*parameters, rank_0="AAPC_ALGORITHM=native")
    expect(counted(said) is not None and counted(said)[0] == 0, f"the parameter overrides the variable: {said}")

    # By aapc exec, without a word about where the component is.
    should, said = runs.job(rank_0=settings, by=(options.aapc, "exec", "--"))
    did = counted(said)
    expect(did is not None and should[0] > 0 and counts_fit(should, did, component=True), f"aapc exec: {said}")
    expect(component_answers(said), f"aapc exec does not say so: {said}")

    # Beside an interposer it leaves everything to that, and says so.
    should, said = runs.job(*on, preload=True, rank_0=settings)
    expect(counted(said) == should, f"interposer and component together count {said}, not {should}")
    lines = [line for line in said if "component" in line]
    expect(len(lines) == 1 and "preloaded library serves this job" in lines[0], f"both are there, and it says {lines}")


if __name__ == "__main__":
    main()
