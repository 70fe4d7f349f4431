#!/usr/bin/env python3
"""What one job has learned and the next begins with (AAPC_LEARNED), under one MPI.

    learned.py --mpi openmpi --mpiexec mpiexec.openmpi --interposer libaapc-openmpi.so --aapc aapc --topology eight.toml \
               -- ./learning
"""

import argparse
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import drive  # noqa: E402
from jobs import run_in_time  # noqa: E402

CALLS, BYTES = "160", "500000"
SECTION = re.compile(r"(?:# [^\n]*\n)*format = .*?\[end\]\nchecksum = \"[^\n]*\n", re.DOTALL)


def fnv1a(text):
    value = 0xCBF29CE484222325
    for byte in text.encode():
        value = (value ^ byte) * 0x100000001B3 % 2**64
    return f"fnv1a:{value:016x}"


class Jobs:
    """Runs the program; every failure of a job is one of the test."""

    def __init__(self, options, directory, topology):
        self.options = options
        self.topology = topology
        self.file = os.path.join(directory, "learned.toml")

    def run(self, ranks, calls=CALLS, file=None, settings=()):
        own = self.options
        # A start that is said to be short: on a crowded machine there would be nothing to gain, and nothing to learn.
        assignments = ["AAPC_ADAPT=1", "AAPC_START=1us", f"AAPC_LEARNED={file or self.file}", *settings]
        options = drive.arguments(
            ["--mpi", own.mpi, "--mpiexec", own.mpiexec, "--interposer", own.interposer, "--ranks", str(ranks)]
            + ["--topology", self.topology, "--expect", "silent"]
            + [word for assignment in assignments for word in ("--set", assignment)]
            + ["--", *own.program, calls, BYTES]
        )
        status, out, err = drive.run(options)
        said = [line for line in err.splitlines() if line.startswith("aapc:")]
        demand(status == 0, f"exit status {status}", out, err)
        return said

    def run_until(self, enough, ranks, **how):
        """With ever more calls until what was said is enough: where calls are short on a quiet machine, many of them
        are needed to pay for trying somebody."""
        calls = int(CALLS)
        said = self.run(ranks, calls=str(calls), **how)
        while not enough(said) and calls < 16 * int(CALLS):
            calls *= 2
            said = self.run(ranks, calls=str(calls), **how)
        return said

    def has_sections(self, count):
        return os.path.exists(self.file) and len(self.sections()) >= count

    def sections(self):
        with open(self.file, encoding="utf-8") as file:
            text = file.read()
        found = SECTION.findall(text)
        demand("".join(found) == text, "the file is not made of whole sections", text)
        for section in found:
            content, seal = section.split("[end]\n")
            demand(fnv1a(content) in seal, "a checksum is wrong", section)
        return found

    def write(self, text):
        with open(self.file, "w", encoding="utf-8") as file:
            file.write(text)


def of_fast_links(topology, directory):
    """Of that topology: where calls take far longer than the links need, there is something to learn."""
    fast = os.path.join(directory, "fast.toml")
    with open(topology, encoding="utf-8") as file, open(fast, "w", encoding="utf-8") as made:
        made.write(file.read().replace('"1Gbit"', '"10Gbit"'))
    return fast


def demand(condition, *complaint):
    if not condition:
        print("\n---\n".join(map(str, complaint)))
        sys.exit(1)


def number(section, key):
    return int(re.search(rf"^{key} = (\d+)$", section, re.MULTILINE)[1])


def starts_and_goes_on(jobs):
    """Returns what three ranks have learned."""
    said = jobs.run_until(lambda _: jobs.has_sections(1), 3)
    demand(not said, "something was said", said)
    demand(os.listdir(os.path.dirname(jobs.file)) == ["learned.toml"], "more than one file was left")
    (first,) = jobs.sections()
    calls = number(first, "calls")
    demand(number(first, "ranks") == 3 and 0 < calls <= 16 * int(CALLS), "learned from other calls", first)
    demand(first.count("[[range.measured]]") == 1, "not one size was learned", first)
    # Who has lost is looked at again from the tenth call on, and what is learned then is added.
    said = jobs.run_until(lambda _: number(jobs.sections()[0], "calls") > calls, 3, settings=["AAPC_VERBOSE=1"])
    begins = re.compile("beginning with what [0-9]+ calls have shown")
    demand(any(begins.search(line) for line in said), "did not begin with it", said)
    (again,) = jobs.sections()
    demand(number(again, "calls") > calls, "calls of both jobs do not add up", again)
    return again


def others_add_to_it(jobs, three):
    jobs.run_until(lambda _: jobs.has_sections(2), 4)
    sections = jobs.sections()
    demand(len(sections) == 2 and sections[0] == three, "another placement's section has changed", *sections)
    demand(number(sections[1], "ranks") == 4, "the new section is of others", sections[1])
    return sections


def begins_with_the_winner(jobs, three):
    """Whoever won is used from the first call on."""
    content = re.sub(r'method = "(?!native).*"|method = "native"(?=\n\n\[\[range.measured)',
                     'method = "lattice/settled+timed"', three.split("[end]\n")[0])
    jobs.write(f'{content}[end]\nchecksum = "{fnv1a(content)}"\n')
    said = jobs.run(3, calls="2", settings=["AAPC_VERBOSE=2"])
    demand(any(re.search("MPI_Alltoall: 6 exchanged", line) for line in said), "the winner was not used", content, *said)


def is_a_tuning(jobs, three):
    with open(jobs.file, "w", encoding="utf-8") as file:
        file.write(three)
    said = jobs.run(3, calls="2", file=jobs.file + ".other",
                    settings=[f"AAPC_TUNING={jobs.file}", "AAPC_VERBOSE=1"])
    demand(any("learned 20" in line for line in said), "a section is no tuning", *said)


def explains_it(jobs, three):
    command = [jobs.options.aapc, "explain", jobs.topology, "--machines", "n[0-2]", "--learned", jobs.file]
    status, out, err = run_in_time(command, dict(os.environ), 180)
    demand(status == 0 and "decided by learned: learned 20" in out and "communicator of 3 ranks" in out,
           "explain does not know it", out, err, three)


def survives_what_is_wrong(jobs, sections):
    jobs.write(sections[0].replace("ranks = 3", "ranks = 4") + sections[1])
    said = jobs.run(3, calls="2")
    demand(len(said) == 1 and re.search("learned.toml:1: .*damaged.*learning from scratch$", said[0]), "damage", said)
    jobs.write("my results\n")
    said = jobs.run_until(bool, 3)
    demand(len(said) == 1 and "stays as it is" in said[0], "the file of something else", said)
    with open(jobs.file, encoding="utf-8") as file:
        demand(file.read() == "my results\n", "the file of something else was overwritten")
    said = jobs.run_until(bool, 3, file="/dev/null/learned.toml")
    demand(len(said) == 1 and re.search("cannot be|Not a directory", said[0]), "a file that cannot be written", said)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("mpi", "mpiexec", "interposer", "aapc", "topology"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("program", nargs="+")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="aapc-learned-") as directory, \
         tempfile.TemporaryDirectory(prefix="aapc-learned-") as beside:
        jobs = Jobs(options, directory, of_fast_links(options.topology, beside))
        three = starts_and_goes_on(jobs)
        sections = others_add_to_it(jobs, three)
        explains_it(jobs, three)
        begins_with_the_winner(jobs, three)
        is_a_tuning(jobs, three)
        survives_what_is_wrong(jobs, sections)


if __name__ == "__main__":
    main()
