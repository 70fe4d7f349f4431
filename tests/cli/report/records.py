"""Records as jobs write them, made up, and what makes pages of them."""

import json
import subprocess

TOPOLOGY = """[network]
speed = "100Mbit"

[[switch]]
name = "s0"
machines = "n[0-3]"

[[switch]]
name = "s1"
uplink = "s0"
machines = "n[4-7]"
"""
OWN = "the MPI's own is chosen for the size"


def call(routine, at, seconds, block, ranks, **more):
    return {"call": routine, "on": "0.0", "at": at, "seconds": seconds, "bytes": block * ranks, **more}


def record(ranks=8, topology=TOPOLOGY, calls=(), program="app", hosts=None, **more):
    """Lines of a record; the sums are those of the calls."""
    head = {
        "format": "aapc-record/1", "aapc": "0.1.0", "mpi": "openmpi", "library": "Open MPI v4.1.4", "program": program,
        "seconds": 20.0, "dropped_calls": 0, "dropped_segments": 0, "topology_file": "cluster.toml" if topology else "detect",
        "topology_text": topology, "hosts": hosts or [f"n{rank}" for rank in range(ranks)], **more,
    }  # fmt: skip
    lines = [head]
    for one in calls:
        outcome = one.get("why", "exchanged")
        lines.append({"total": one["call"], "outcome": outcome, "calls": ranks, "bytes": ranks * one["bytes"],
                      "seconds": ranks * one["seconds"]})  # fmt: skip
    for rank in range(ranks):
        known = sum("waited" in one for one in calls)
        waited = sum(one.get("waited", 0) for one in calls) * (1 + rank / ranks) / 2
        lines.append({"rank": rank, "calls": len(calls), "seconds": sum(one["seconds"] for one in calls),
                      "waited": waited, "calls_known": known})  # fmt: skip
    lines.append({"communicator": "0.0", "ranks": ranks, "members": list(range(ranks))})
    return lines + list(calls)


def lengths(matrix, calls=1, routine="MPI_Alltoallv", on="0.0", period=1, phase=0):
    """A line for each rank: what it sent to each in that many calls, those number `phase` modulo `period`."""
    return [{"demand": on, "routine": routine, "rank": rank, "period": period, "phase": phase, "calls": calls,
             "to": [to for to, size in enumerate(row) if size], "bytes": [calls * size for size in row if size]}
            for rank, row in enumerate(matrix)]  # fmt: skip


def usual():
    """A job of 20 s: every second an exchange by the clock, one that was left to the MPI, and small ones."""
    calls = []
    for second in range(20):
        calls.append(call("MPI_Alltoall", second, 0.16, 65536, 8, by="lattice/formula+timed", waited=0.01,
                          **({"exchange": 4} if second == 3 else {})))  # fmt: skip
        calls.append(call("MPI_Alltoall", second + 0.3, 0.31, 65536, 8, by="native", why=OWN))
        calls.append(call("MPI_Alltoallv", second + 0.7, 0.0011, 96, 8, by="native", why=OWN))
        calls.append(call("MPI_Ialltoall", second + 0.8, 0.00002, 96, 8, by="native", why="this routine is left to the MPI"))
    segments = []
    for rank in range(8):
        others = [(rank + step) % 8 for step in range(1, 8)]
        due = [round(0.0005 * index, 7) for index in range(7 * 12)]
        segments.append({"segments": "0.0", "exchange": 4, "rank": rank, "to": 12 * others, "bytes": [5462] * len(due),
                         "due": due, "late": [0.0002] * len(due)})  # fmt: skip
    return record(calls=calls) + segments


def text_of(lines):
    return "".join(json.dumps(line) + "\n" for line in lines)


def run(program, *words, text=""):
    """Exit status, standard output and standard error."""
    done = subprocess.run([program, *words], input=text, capture_output=True, text=True, timeout=120, check=False)
    return done.returncode, done.stdout, done.stderr


def page_of(program, lines, *words):
    page = [] if "--format" in words else ["--format", "html"]
    status, out, err = run(program, "report", "-", *page, *words, text=text_of(lines))
    assert (status, err) == (0, ""), (status, err)
    return out
