#!/usr/bin/env python3
"""Runs programs with AAPC_RECORD and judges what is in the record. Prints what noting costs a call, which is no gate."""

import argparse
import collections
import json
import os
import re
import sys
import tempfile

sys.dont_write_bytecode = True

import drive  # noqa: E402
from jobs import run_in_time  # noqa: E402

EIGHT = os.path.join(drive.HERE, "slow-eight.toml")
BLOCK = 10000


def arguments():
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("--mpi", "--mpiexec", "--interposer", "--kinds", "--program"):
        parser.add_argument(name, required=True)
    return parser.parse_args()


def run(options, ranks, settings, program, *words, topology=EIGHT):
    """Standard output and what the interposer said; the job must end well."""
    words_of_drive = ["--mpi", options.mpi, "--mpiexec", options.mpiexec, "--interposer", options.interposer, "--ranks",
                      str(ranks), "--expect", "silent", *[f"--set={one}" for one in settings]]  # fmt: skip
    if topology is not None:
        words_of_drive += ["--topology", topology]
    how = drive.arguments([*words_of_drive, "--", program])
    command = [options.mpiexec, "-n", str(ranks), os.path.join(drive.HERE, "on_machine.sh"), program, *words]
    status, out, err = run_in_time(command, drive.environment(how), 120)
    assert status == 0, (status, out, err)
    return out, [line for line in err.splitlines() if line.startswith("aapc:")]


def read(path):
    """Head, and the other lines by their first key."""
    with open(path, encoding="utf-8") as file:
        lines = [json.loads(line) for line in file]
    assert lines[0]["format"] == "aapc-record/1", lines[0]
    kinds = collections.defaultdict(list)
    for line in lines[1:]:
        kinds[next(iter(line))].append(line)
    return lines[0], kinds


def check_sums(head, kinds):
    assert "\0" not in head["library"], head["library"]
    """What rank 0 of each communicator noted, what all ranks added up, and what each did agree."""
    assert sum(total["calls"] for total in kinds["total"]) == sum(rank["calls"] for rank in kinds["rank"])
    assert head["dropped_calls"] == 0
    ranks_of = {one["communicator"]: one["ranks"] for one in kinds["communicator"]}
    noted = collections.Counter()
    for call in kinds["call"]:
        noted[call["call"]] += ranks_of[call["on"]]
        assert 0 <= call.get("waited", 0) <= call["seconds"] <= head["seconds"]
        assert ("why" in call) == (call["by"] == "native"), call
    totals = collections.Counter()
    for total in kinds["total"]:
        # On no communicator there is no rank 0 that could note it.
        if total["outcome"] != "arguments for the MPI to judge":
            totals[total["total"]] += total["calls"]
    assert noted == totals, (noted, totals)


def check_segments(kinds, ranks, block):
    """In the exchanges that were noted every byte of every pair was sent once."""
    exchanges = {(call["on"], call["exchange"]) for call in kinds["call"] if "exchange" in call}
    assert exchanges
    sent = collections.Counter()
    for line in kinds["segments"]:
        assert (line["segments"], line["exchange"]) in exchanges
        assert line["due"] == sorted(line["due"])
        for to, amount in zip(line["to"], line["bytes"]):
            sent[line["segments"], line["exchange"], line["rank"], to] += amount
    assert set(sent.values()) == {block}, set(sent.values())
    world = {key[1] for key in sent if key[0] == "0.0"}
    assert sum(1 for key in sent if key[0] == "0.0") == len(world) * ranks * (ranks - 1)
    return world


def check_kinds(options, path):
    run(options, 3, [f"AAPC_RECORD={path}"], options.kinds)
    head, kinds = read(path)
    assert head["hosts"] == ["n0", "n1", "n2"] and 'machines = "n[4-7]"' in head["topology_text"], head
    check_sums(head, kinds)
    assert "MPI_Ineighbor_alltoallw" in {call["call"] for call in kinds["call"]}
    assert not kinds["segments"]


def check_program(options, path):
    settings = [f"AAPC_RECORD={path}", "AAPC_RECORD_SEGMENTS=1", "AAPC_START=1us", "AAPC_ALLTOALLV=always"]
    run(options, 4, settings, options.program, "5", str(BLOCK))
    head, kinds = read(path)
    check_sums(head, kinds)
    assert {tuple(one["members"]) for one in kinds["communicator"]} == {(0, 1, 2, 3), (0, 2), (1, 3), (0,)}
    calls = [call for call in kinds["call"] if call["on"] == "0.0"]
    assert [call["bytes"] for call in calls] == 5 * [4 * BLOCK] and calls[-1]["call"] == "MPI_Alltoallv"
    assert all(call["by"].endswith("+timed") and call["waited"] > 0 for call in calls), calls
    assert any(call.get("why") == "fewer than three ranks" for call in kinds["call"])
    # The first, second, fourth of five exchanges by the clock; the fifth has unequal messages.
    assert check_segments(kinds, 4, BLOCK) == {1, 2, 4}


FABRIC = """[network]
kind = "fabric"
speed = "100Mbit"
paths = "hashed"
[[switch]]
name = "leaf0"
uplinks = "spine[0-1]"
machines = "n[0-1]"
[[switch]]
name = "leaf1"
uplinks = "spine[0-1]"
machines = "n[2-3]"
[[switch]]
name = "spine0"
[[switch]]
name = "spine1"
"""


def check_paths(options, path):
    """Two connections from each rank to each at the other leaf switch, on each communicator that learned."""
    topology = os.path.join(os.path.dirname(path), "fabric.toml")
    with open(topology, "w", encoding="utf-8") as file:
        file.write(FABRIC)
    settings = [f"AAPC_RECORD={path}", "AAPC_WIRE=tcp", "AAPC_ALGORITHM=lattice", "AAPC_SYNCHRONISATION=timed", "AAPC_ADAPT=0"]
    run(options, 4, settings, options.program, "6", str(BLOCK), topology=topology)
    os.remove(topology)
    head, kinds = read(path)
    check_sums(head, kinds)
    of_world = [line for line in kinds["paths"] if line["paths"] == "0.0"]
    assert sorted(line["rank"] for line in of_world) == [0, 1, 2, 3], kinds["paths"]
    ranks_of = {one["communicator"]: one["ranks"] for one in kinds["communicator"]}
    for line in kinds["paths"]:
        assert line["rank"] < ranks_of[line["paths"]] and line["over_bound"] >= 1, line
    for line in of_world:
        others = [2, 2, 3, 3] if line["rank"] < 2 else [0, 0, 1, 1]
        assert line["to"] == others and len(set(line["port"])) == 4 and min(line["port"]) > 0, line
        for first in (0, 2):
            assert abs(sum(line["share"][first:first + 2]) - 1) < 0.001, line  # fmt: skip
        assert all(0 <= late <= 1 for late in line["late"]), line


def length(sender, receiver):
    return 0 if sender % 2 == 1 and receiver == 0 else 10 * sender + receiver + 1


def check_lengths(options, path):
    """Sums by rank, communicator and routine, with a topology and without, whether calls are scheduled or native."""
    unit, ranks = 400, 4
    for topology, settings in ((EIGHT, ["AAPC_START=1us", "AAPC_ALLTOALLV=always"]), (EIGHT, []), (None, [])):
        run(options, ranks, [f"AAPC_RECORD={path}", *settings], options.program, "0", str(BLOCK), str(unit), topology=topology)
        head, kinds = read(path)
        check_sums(head, kinds)
        found = {(line["demand"], line["routine"], line["rank"]): line for line in kinds["demand"]}
        assert len(kinds["demand"]) == len({(*key, line["phase"]) for key, line in found.items()} | {
            (line["demand"], line["routine"], line["rank"], line["phase"]) for line in kinds["demand"]})  # fmt: skip
        calls = collections.Counter((call["on"], call["call"]) for call in kinds["call"])
        names = {name for name, routine, _ in found if routine == "MPI_Alltoallv"}
        (twin,) = names - {"0.0"}
        (typed,) = {name for name, routine, _ in found if routine == "MPI_Alltoallw"}
        assert len({"0.0", twin, typed}) == 3, found.keys()
        for line in kinds["demand"]:
            name, rank = line["demand"], line["rank"]
            # Of three calls on one communicator two have the same lengths, by turns with the other.
            assert line["period"] == (2 if name == twin else 1), line
            assert calls[name, line["routine"]] == (3 if name == twin else 1), line
            assert line["calls"] == (2 if name == twin and line["phase"] == 0 else 1), line
            times = {"0.0": 0, twin: (2, 3)[line["phase"]] * unit, typed: 3 * unit}[name]
            expected = [times * length(rank, to) if times else BLOCK for to in range(ranks)]
            assert line["to"] == [to for to in range(ranks) if expected[to]], line
            assert line["bytes"] == [size for size in expected if size], (line, expected)
        sent = sum(sum(line["bytes"]) for line in kinds["demand"])
        assert sent == sum(total["bytes"] for total in kinds["total"] if total["total"] in ("MPI_Alltoallv", "MPI_Alltoallw"))


def check_without_topology(options, path):
    _, said = run(options, 3, [f"AAPC_RECORD={path}"], options.program, "5", "20000", topology=None)
    head, kinds = read(path)
    check_sums(head, kinds)
    assert not said and head["topology_text"] == "" and all(call["by"] == "native" for call in kinds["call"])
    reasons = {call["why"] for call in kinds["call"] if call["on"] == "0.0"}
    assert reasons == {"without a topology, calls are only recorded"}, reasons


def check_no_place(options):
    _, said = run(options, 3, ["AAPC_RECORD=/no/such/directory/record"], options.program)
    assert len(said) == 1 and "there is no record of this job" in said[0], said
    _, said = run(options, 3, ["AAPC_RECORD=x", "AAPC_RECORD_SEGMENTS=maybe"], options.program)
    assert len(said) == 1 and "AAPC_RECORD_SEGMENTS: 'maybe'" in said[0], said


def check_more_than_there_is_room_for(options, path):
    run(options, 1, [f"AAPC_RECORD={path}"], options.program, "150000", "1")
    head, kinds = read(path)
    calls = sum(total["calls"] for total in kinds["total"])
    assert len(kinds["call"]) == 100000 and head["dropped_calls"] == calls - 100000 > 50000, head["dropped_calls"]


def print_cost(options, path):
    def cost(settings):
        out, _ = run(options, 1, settings, options.program, "100000", "1")
        return float(re.search(r"([\d.]+) ns a call", out)[1])

    without, noted = cost([]), cost([f"AAPC_RECORD={path}"])
    print(f"{options.mpi}: a call of one rank takes {without:.0f} ns, noted {noted:.0f} ns: {noted - without:.0f} ns more")


def main():
    options = arguments()
    with tempfile.TemporaryDirectory(prefix="aapc-record-") as directory:
        path = os.path.join(directory, "record.jsonl")
        check_kinds(options, path)
        check_program(options, path)
        check_paths(options, path)
        check_lengths(options, path)
        check_without_topology(options, path)
        check_no_place(options)
        check_more_than_there_is_room_for(options, path)
        print_cost(options, path)
        assert os.listdir(directory) == ["record.jsonl"], "something half-written is left"


if __name__ == "__main__":
    main()
