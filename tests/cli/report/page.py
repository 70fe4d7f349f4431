#!/usr/bin/env python3
"""Pages of records and pictures of timetables: well-formed, with the figures of the record, whatever names are in it.

    page.py AAPC
"""

import html.parser
import json
import os
import random
import re
import sys
import tempfile
import xml.etree.ElementTree

sys.dont_write_bytecode = True

from records import OWN, TOPOLOGY, call, lengths, page_of, record, run, text_of, usual  # noqa: E402

EMPTY = {"meta", "rect", "path", "i", "br", "link"}  # of which a page has no end tags, or that stand alone in SVG
FIT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../fuzz/seeds/model/fit.json")
HOSTILE = "<script>alert('&\"')</script>"


class Nesting(html.parser.HTMLParser):
    """Every element ends where it should; what is text, by element; every attribute."""

    def __init__(self):
        super().__init__()
        self.open, self.texts, self.attributes, self.elements = [], [], [], set()

    def handle_starttag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]
        if tag != "meta":
            self.open.append(tag)

    def handle_startendtag(self, tag, attrs):
        self.elements.add(tag)
        self.attributes += [(tag, name, value) for name, value in attrs]

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, (tag, self.open[-3:], self.getpos())
        self.open.pop()

    def handle_data(self, data):
        if self.open and self.open[-1] != "style":
            self.texts.append(data)


def parsed(page):
    nesting = Nesting()
    nesting.feed(page)
    nesting.close()
    assert not nesting.open, nesting.open
    assert "script" not in nesting.elements
    for tag, name, value in nesting.attributes:
        assert not name.startswith("on") and name not in ("src", "href"), (tag, name, value)
    style = page[page.index("<style>"):page.index("</style>")]
    assert "url(" not in style and "@import" not in style
    return "".join(nesting.texts)


def check_usual(aapc):
    text = parsed(page_of(aapc, usual()))
    seconds = 20 * (0.16 + 0.31 + 0.0011)
    assert f"All-to-alls took {seconds:.3g} s of 20 s, 47 % of the job." in text, text[:300]
    # 20 calls of 0.16 s, where native ones took 0.31 s.
    saved = "aapc saved you 3 s: the calls that aapc served took 3.2 s, and native ones would have taken 6.2 s (by native"
    assert saved in text, text[:600]
    bound = 16 * 65536 * 8 / 1e8
    assert f"calls reached {2 * bound / (0.16 + 0.31):.2f} of what its links carry" in text
    waited = sum(line["waited"] for line in usual() if "rank" in line and "calls" in line) / 8
    assert f"Waited for others{waited * 1e3:.3g} ms" in text.replace("\n", ""), text[:900]
    for words in ("lattice/formula+timed", f"native: {OWN}", "64 KiB", "310 ms", "160 ms", "96 bytes"):
        assert words in text, words
    # 4 · 4 messages of 64 KiB cross the trunk, each way: 16 · 65,536 · 8 / 10^8 s.
    assert f"{16 * 65536 * 8 / 1e8 * 1e3:.3g} ms" in text
    assert "aapc took 160 ms, native calls took 310 ms (medians)" in text
    assert "aapc: lattice/formula+timed, as scheduled" in text and "as it really started" in text and "s0->s1" in text


def end_of(text, title):
    match = re.search(re.escape(title) + r": ([\d.]+) (m?s)", text)
    assert match, title
    return float(match[1]) * (1e-3 if match[2] == "ms" else 1)


def check_model(aapc):
    """What fluids take can be worked out by hand where one switch joins all machines."""
    topology = '[network]\nspeed = "100Mbit"\n[[switch]]\nname = "s"\nmachines = "n[0-3]"\n'
    block = 144800  # 100 frames of 1,514 bytes and one for the header
    calls = [call("MPI_Alltoall", 0, 0.1, block, 4, by="native", why=OWN)]
    text = parsed(page_of(aapc, record(ranks=4, topology=topology, calls=calls)))
    port = 3 * block * 8 / 1e8
    for title in ("step after step (model)", "everything at once (model)"):
        # All ports are full until all is done; headers and acknowledgements are less than a tenth.
        assert port < end_of(text, title) < 1.1 * port, (end_of(text, title), port)
    # On two switches with four machines each the trunk is what all wait for.
    calls = [call("MPI_Alltoall", 0, 0.1, block, 8, by="native", why=OWN)]
    text = parsed(page_of(aapc, record(calls=calls)))
    trunk = 16 * block * 8 / 1e8
    for title in ("step after step (model)", "everything at once (model)"):
        assert trunk < end_of(text, title) < 1.1 * trunk, (end_of(text, title), trunk)
    clock = end_of(text, re.search(r"aapc: \S+, as scheduled", text)[0])
    assert trunk < clock < 1.25 * trunk, (clock, trunk)


def check_hostile(aapc):
    lines = record(program=HOSTILE, hosts=[HOSTILE, "\u202e\x01", *(f"n{rank}" for rank in range(2, 8))],
                   calls=[call(HOSTILE, 1, 2, 100, 8, by=HOSTILE)])  # fmt: skip
    text = parsed(page_of(aapc, lines))
    assert HOSTILE in text and "not in the topology file" in text


def check_little(aapc):
    assert "This job called no all-to-all." in parsed(page_of(aapc, record()))
    calls = [call("MPI_Alltoall", 0, 0.1, 65536, 8, by="native", why=OWN)]
    alone = record(topology="", calls=calls)
    assert "aapc report RECORD --topology cluster.toml, or --assume 1Gbit" in parsed(page_of(aapc, alone))
    with tempfile.TemporaryDirectory(prefix="aapc-report-") as directory:
        path = os.path.join(directory, "cluster.toml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(TOPOLOGY)
        assert "Links over time" in parsed(page_of(aapc, alone, "--topology", path))
        out = os.path.join(directory, "report.html")
        status, printed, _ = run(aapc, "report", "-", "-o", out, text=text_of(alone))
        assert (status, printed, sorted(os.listdir(directory))) == (0, "", ["cluster.toml", "report.html"])
        with open(out, encoding="utf-8") as page:
            assert page.read().startswith("<!DOCTYPE html>")
        # Without a file the results in lines, whether or not a terminal shows them.
        _, printed, _ = run(aapc, "report", "-", text=text_of(alone))
        assert printed == page_of(aapc, alone, "--format", "text"), printed
    dropped = parsed(page_of(aapc, record(calls=calls, dropped_calls=17)))
    assert "17 calls had no room in the record" in dropped


def check_comparisons(aapc):
    """With what the MPI's own takes: as calls have taught, or by a model."""
    calls = [call("MPI_Alltoall", 0, 0.1, 65536, 8, by="lattice/formula+timed", waited=0.01)]
    learned = {"calls": 1, "seconds": 0.1, "own_seconds": 0.2}
    text = parsed(page_of(aapc, record(calls=calls, learned=learned)))
    times = "the calls that aapc served took {}, and native ones would have taken {} (by the native calls of this job, learning included)."
    assert "aapc saved you 100 ms: " + times.format("100 ms", "200 ms") in text, text[:900]
    slower = {**learned, "seconds": 0.25}
    text = parsed(page_of(aapc, record(calls=calls, learned=slower)))
    assert "aapc cost you 25 % here: " + times.format("250 ms", "200 ms") in text, text[:900]
    assert "aapc doctor" in text[text.index("What to do next"):], "what to do about it"
    same = {**learned, "seconds": 0.201}
    assert "aapc made no difference here: " in parsed(page_of(aapc, record(calls=calls, learned=same)))
    text = parsed(page_of(aapc, record(calls=calls)))
    assert "native ones would" not in text
    text = parsed(page_of(aapc, record(calls=calls), "--model", FIT))
    assert re.search(r"native ones would have taken [^(]* \(by the model\)", text)


def check_one_machine(aapc):
    """Where no wire is crossed there is nothing to say of a network, whether or not one is given."""
    calls = [call("MPI_Alltoall", 0, 4.0, 65536, 4, by="native", why=OWN)]
    lines = record(ranks=4, topology="", calls=calls, hosts=["laptop"] * 4, library="Open MPI v4.1.4, package: Debian OpenMPI")
    for words in ((), ("--assume", "1Gbit")):
        printed = page_of(aapc, lines, "--format", "text", *words)
        assert ", Open MPI v4.1.4, aapc 0.1.0\n" in printed, printed
        assert "All ranks are on one machine, so no message crosses a wire." in printed, printed
        assert printed.count("\n* ") == 1 and "* Record a run on several machines" in printed, printed
    strangers = page_of(aapc, record(calls=calls, ranks=4, hosts=["n0", "n1", "other", "n3"]), "--format", "text")
    assert "* Name all hosts of the job in the topology file" in strangers, strangers


def check_machines(aapc):
    """Machines are in the order of their numbers."""
    hosts = [f"n{number}" for number in (10, 9, 0, 1, 2, 3, 4, 5, 6, 7, 8, 11)] + ["7", "login"]
    calls = [call("MPI_Alltoall", 0, 0.1, 65536, 14, by="native", why=OWN)]
    printed = page_of(aapc, record(ranks=14, topology="", calls=calls, hosts=hosts), "--format", "text")
    assert "14 ranks on 7,login,n[0-11], " in printed, printed


def check_head(aapc):
    """What tells a job from others, in page and text; older records lack it."""
    lines = usual()
    assert "Command" not in parsed(page_of(aapc, lines))
    lines[0].update(command="./app '<a> b'", date="2026-11-26T00:30:24Z", job="Slurm 4711")
    text = parsed(page_of(aapc, lines))
    for words in ("./app '<a> b'", "2026-11-26T00:30:24Z", "Slurm 4711", "n[0-7]", "aapc 0.1.0, Open MPI v4.1.4"):
        assert words in text, words
    printed = page_of(aapc, lines, "--format", "text")
    for words in ("app: 8 ranks on n[0-7], Open MPI v4.1.4, aapc 0.1.0, 2026-11-26T00:30:24Z, Slurm 4711\n./app '<a> b'\n", "What to do next:\n* "):
        assert words in printed, printed
    lines[0]["library"] = "MPICH Version:\t4.0.2\nMPICH Device:\tch4:ucx\n"
    assert ", MPICH Version: 4.0.2, aapc 0.1.0" in page_of(aapc, lines, "--format", "text")
    assert "aapc 0.1.0, MPICH Version: 4.0.2" in parsed(page_of(aapc, lines))
    lines[0]["date"] = 5
    status, _, err = run(aapc, "report", "-", text=text_of(lines))
    assert status == 2 and "'date'" in err, err


def check_assumed(aapc):
    """Without a topology one word is enough for bounds and gains."""
    calls = [call("MPI_Alltoall", 0, 0.1, 65536, 8, by="native", why=OWN)]
    alone = record(topology="", calls=calls)
    bounds = {  # bytes over the busiest link, at 100 Mbit/s: a port, or the two cables of a leaf
        "100Mbit": 7 * 65536 * 8 / 1e8,
        "100Mbit,leaf-spine:2x4x2": 7 * 65536 * 8 / 1e8 if 7 > 16 / 2 else 16 / 2 * 65536 * 8 / 1e8,
        "100Mbit,leaf-spine:2x4x1": 16 * 65536 * 8 / 1e8,
    }
    for word, bound in bounds.items():
        text = page_of(aapc, alone, "--assume", word, "--format", "text")
        assert f" {bound * 1e3:.3g} ms " in text, (word, bound, text)
    for word in ("fast", "1Gbit,", "1Gbit,ring", "1Gbit,leaf-spine:2x4", "1Gbit,leaf-spine:0x4x2", "1Gbit,leaf-spine:1x4x2"):
        status, out, err = run(aapc, "report", "-", "--assume", word, text=text_of(alone))
        assert status == 2 and out == "" and err.startswith("--assume: ") and err.count("\n") == 1, (word, err)
    status, _, err = run(aapc, "report", "-", "--assume", "1Gbit", "--topology", "x.toml", text=text_of(alone))
    assert status == 2, err


def check_speeds(aapc):
    """Speeds that are a hundred times too low: the page says so, and calls nothing perfect."""
    calls = [call("MPI_Alltoall", 0, 0.1, 65536, 8, by="native", why=OWN)]
    text = parsed(page_of(aapc, record(topology=TOPOLOGY.replace("100Mbit", "1Mbit"), calls=calls)))
    times = 16 * 65536 * 8 / 1e6 / 0.1
    words = f"{times:.2f} times as fast as the wires in cluster.toml allow: the speeds there are too low"
    assert text.count(words) == 2, text[:600]
    assert "of what its links carry" not in text
    assert "too low" not in parsed(page_of(aapc, usual()))


def check_unequal(aapc):
    """The counts that go before unequal messages are no measure of these, and the page says why nothing is predicted."""
    calls = [call("MPI_Alltoall", 0, 0.001, 4, 8, by="native", why=OWN)]
    calls += [call("MPI_Alltoallv", 0.1, 0.2, 65536, 8, by="native", why=OWN)]
    text = parsed(page_of(aapc, record(topology=TOPOLOGY, calls=calls)))
    assert "of what its links carry" not in text, text[:600]
    assert "Nothing is predicted for unequal messages" in text
    assert "Nothing is predicted for unequal" not in parsed(page_of(aapc, record(topology=TOPOLOGY, calls=calls[:1])))


def explained(aapc, demand, name):
    """What `aapc explain` says of each demand of a file."""
    with tempfile.TemporaryDirectory(prefix="aapc-report-") as directory:
        path = os.path.join(directory, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(demand)
        status, out, err = run(aapc, "explain", "-", "--demand", path, "--format", "json", text=TOPOLOGY)
    assert (status, err) == (0, ""), err
    return json.loads(out)[0]["demands"]


def three_digits(seconds):
    unit, name = (1e-3, "ms") if seconds < 1 else (1, "s")
    return f"{seconds / unit:.3g} {name}"


def expected_start(ranks):
    """What a start should cost where none was measured: five reductions of log2(ranks) messages at 100 Mbit/s."""
    return 5 * (ranks - 1).bit_length() * (120e-6 + 1e3 / 1e8)


START = expected_start(8)


def check_lengths(aapc):
    """Unequal messages whose lengths are known have the bound and the prediction that `aapc explain` has of them."""
    seed = int(os.environ.get("AAPC_SEED", random.randrange(2**32)))
    draw = random.Random(seed)
    for trial in range(6):
        matrix = [[draw.choice((0, 1, 5000)) * draw.randrange(60) for _ in range(8)] for _ in range(8)]
        matrix[draw.randrange(4)][4 + draw.randrange(4)] += 400000
        calls = [call("MPI_Alltoallv", second, 3, 0, 8, by="native", why=OWN) | {"bytes": sum(matrix[0])}
                 for second in range(5)]  # fmt: skip
        lines = record(calls=calls) + lengths(matrix, calls=5)
        csv = "".join(",".join(map(str, row)) + "\n" for row in matrix)
        (expected,) = explained(aapc, csv, "d.csv")
        out = page_of(aapc, lines, "--format", "text")
        hint = f"AAPC_SEED={seed} {' '.join(sys.argv)} (trial {trial})"
        assert f" {three_digits(expected['bound_seconds'])} " in out, (hint, expected, out)
        assert "Nothing is predicted" not in out, (hint, out)
        page = parsed(page_of(aapc, lines))
        should = f"lattice/formula+timed should take {three_digits(expected['predicted_seconds'] + START)}"
        assert (should in page) == expected["exchanged"], (hint, should, page)
        if expected["exchanged"]:
            gain = 5 * (3 - expected["predicted_seconds"] - START)
            assert f"{gain:.3g} s" in out, (hint, gain, out)
        # The same as a pattern file, read again.
        pattern = page_of(aapc, lines, "--format", "ptini")
        (again,) = explained(aapc, pattern, "d.ptini")
        again["demand"] = expected["demand"]
        assert again == expected, (hint, pattern)
        counts = pattern[pattern.index("{") + 1:pattern.index("}")].replace("\n", "")
        assert [int(count) for count in counts.split(",")] == sum(matrix, []), (hint, pattern)
        # Calls of half the length: so are their messages, and all that follows.
        halves = [one | {"bytes": one["bytes"] // 2} for one in calls]
        half = page_of(aapc, record(calls=halves) + lengths(matrix, calls=5), "--format", "text")
        if sum(matrix[0]):
            expected_half = expected["bound_seconds"] * (sum(matrix[0]) // 2) / sum(matrix[0])
            bound = float(re.search(r" 3 s +([\d.]+) ms", half)[1]) * 1e-3
            assert abs(bound - expected_half) < 0.01 * expected_half, (hint, bound, expected_half)


def check_lengths_in_turns(aapc):
    """There and back, as experts get tokens and return them: the bound of a line is the mean over its calls."""
    there = [[30000 * (1 + to) for to in range(8)] for _ in range(8)]
    back = [list(column) for column in zip(*there)]
    calls = [call("MPI_Alltoallv", second, 2, 0, 8, by="native", why=OWN) | {"bytes": sum((there, back)[second % 2][0])}
             for second in range(10)]  # fmt: skip
    lines = record(calls=calls) + lengths(there, 5, period=2) + lengths(back, 5, period=2, phase=1)
    csv = ("".join(",".join(map(str, row)) + "\n" for row in matrix) for matrix in (there, back))
    expected = [explained(aapc, text, "d.csv")[0] for text in csv]
    out = page_of(aapc, lines, "--format", "text")
    for one in expected:  # what rank 0 sends is so different that each is a line of its own
        assert f" {three_digits(one['bound_seconds'])} " in out, (one, out)
    gain = sum(5 * (2 - one["predicted_seconds"] - START) for one in expected)
    assert f"A schedule should save {gain:.3g} s" in out, (gain, out)
    again = explained(aapc, page_of(aapc, lines, "--format", "ptini"), "d.ptini")
    assert sorted(one["bound_seconds"] for one in again) == sorted(one["bound_seconds"] for one in expected), again
    # A rank for which both are alike needs one line.
    level = [lines[-1] | {"rank": 3, "period": 1, "phase": 0, "calls": 10}]
    assert "Nothing is predicted" not in page_of(aapc, [one for one in lines if one.get("demand") is None or one["rank"] != 3] + level, "--format", "text")
    # Lines of the same length are one line of the table, and their bound is the mean.
    for one in calls:
        one["bytes"] = sum(there[0])
    swapped = [row[::-1] for row in there]
    lines = record(calls=calls) + lengths(there, 5, period=2) + lengths(swapped, 5, period=2, phase=1)
    bounds = [explained(aapc, "".join(",".join(map(str, row)) + "\n" for row in matrix), "d.csv")[0]["bound_seconds"] for matrix in (there, swapped)]
    assert f" {three_digits(sum(bounds) / 2)} " in page_of(aapc, lines, "--format", "text"), bounds


def check_early_rank_0(aapc):
    """Rank 0 leaves one of two exchanges early and waits in the next: the prediction is of both, and no speed is too low."""
    there = [[30000 * (1 + to) for to in range(8)] for _ in range(8)]
    back = [list(column) for column in zip(*there)]
    calls = [call("MPI_Alltoallv", second, (0.1, 0.9)[second % 2], 0, 8, by="native", why=OWN)
             | {"bytes": sum((there, back)[second % 2][0])} for second in range(10)]  # fmt: skip
    lines = record(calls=calls) + lengths(there, 5, period=2) + lengths(back, 5, period=2, phase=1)
    (expected,) = {explained(aapc, "".join(",".join(map(str, row)) + "\n" for row in matrix), "d.csv")[0]["predicted_seconds"]
                   for matrix in (there, back)}  # fmt: skip
    out = page_of(aapc, lines, "--format", "text")
    gain = 5 * (1.0 - 2 * (expected + START))
    assert 0.1 < expected + START and f"A schedule should save {gain:.3g} s" in out, (gain, expected, out)
    assert "too low" not in out and "too low" not in parsed(page_of(aapc, lines)), out


def check_lengths_missing(aapc):
    """Without the lengths of all ranks, or of the same calls, nothing is predicted; older records have none."""
    calls = [call("MPI_Alltoallv", 0.1, 2.0, 65536, 8, by="native", why=OWN)]
    good = lengths([[65536] * 8] * 8)
    whole = page_of(aapc, record(calls=calls) + good, "--format", "text")
    assert "Nothing is predicted" not in whole and "83.9 ms" in whole, whole
    for wrong in ([], good[:-1], good[:-1] + [good[0]], good[:-1] + [good[-1] | {"calls": 2}],
                  good[:-1] + [good[-1] | {"to": [8], "bytes": [1]}], good[:-1] + [good[-1] | {"rank": 8}],
                  good[:-1] + [good[-1] | {"period": 2}], good[:-1] + [good[-1] | {"period": 5, "phase": 1}],
                  [line | {"routine": "MPI_Alltoallw"} for line in good]):  # fmt: skip
        text = page_of(aapc, record(calls=calls) + wrong, "--format", "text")
        assert "Nothing is predicted for unequal messages" in text and "83.9 ms" not in text, (wrong, text)
        status, out, err = run(aapc, "report", "-", "--format", "ptini", text=text_of(record(calls=calls) + wrong))
        assert status == 2 and out == "" and "no lengths of unequal messages" in err, err
    status, _, err = run(aapc, "report", "-", text=text_of(record(calls=calls) + good[:-1] + [good[-1] | {"to": [1]}]))
    assert status == 2 and "as long as bytes" in err, err
    huge = [line | {"bytes": [2**53] * 8} for line in good]
    assert "Nothing is predicted" not in page_of(aapc, record(calls=calls) + huge, "--format", "text")


def check_lengths_together(aapc):
    """Columns that exchange at the same time: the bound is that of all their messages, and they are one demand."""
    lines = [line | ({"call": "MPI_Alltoallv", "seconds": 0.2, "at": 5 * line["at"]} if "call" in line else {})
             for line in columns(0.001)]  # fmt: skip
    for column in range(4):
        there, back = 100000 * (column + 1), 50000
        lines += lengths([[0, there], [back, 0]], calls=10, on=f"{column}.1")
        for line in lines:
            if line.get("on") == f"{column}.1":
                line["bytes"] = there
    out = page_of(aapc, lines, "--format", "text")
    assert three_digits(1000000 * 8 / 1e8) in out and "no schedule could save more than" in out, out
    pattern = page_of(aapc, lines, "--format", "ptini")
    rows = pattern[pattern.index("{") + 2:pattern.index("\n}")].replace(",\n", "\n").split("\n")
    assert rows[2] == "0,0,0,0,0,0,300000,0" and rows[6] == "0,0,50000,0,0,0,0,0", pattern
    assert abs(explained(aapc, pattern, "d.ptini")[0]["bound_seconds"] - 0.08) < 1e-6, pattern


FABRIC = (
    '[network]\nkind = "fabric"\nspeed = "100Mbit"\npaths = "hashed"\n'
    + "".join(f'[[switch]]\nname = "leaf{leaf}"\nuplinks = "spine[0-1]"\nmachines = "n[{4 * leaf}-{4 * leaf + 3}]"\n' for leaf in (0, 1))
    + '[[switch]]\nname = "spine0"\n[[switch]]\nname = "spine1"\n'
)  # fmt: skip


def columns(pause):
    """Eight ranks in four communicators of two, one of which on each switch; each begins `pause` after the one before."""
    calls, communicators = [], []
    for column in range(4):
        name = f"{column}.1"
        communicators.append({"communicator": name, "ranks": 2, "members": [column, column + 4]})
        calls += [call("MPI_Alltoall", second + pause * column, 0.04, 65536, 2, by="native", why=OWN) | {"on": name}
                  for second in range(10)]  # fmt: skip
    head, *sums = [line for line in record(calls=calls) if "call" not in line]
    for line in sums:
        if "total" in line:
            line["calls"], line["seconds"] = 2, 2 * 0.04  # of the ranks of one communicator
    return [head, *sums, *communicators, *calls]


def check_together(aapc):
    """Communicators that exchange at the same time share the trunk; four messages of 64 KiB take it 21 ms."""
    for pause, bound, reached in ((0.001, "21", "0.52"), (0.1, "5.24", "0.13")):
        status, out, err = run(aapc, "report", "-", "--format", "text", text=text_of(columns(pause)))
        assert (status, err) == (0, ""), err
        assert f"{bound} ms" in out and f" {reached} " in out, out
        # Each rank makes ten calls of 40 ms.
        assert re.search(r" 40 +400 ms +40 ms ", out), out
        together = "no schedule could save more than 190 ms of their time" in out
        assert together == (pause < 0.04), out
        page = page_of(aapc, columns(pause))
        assert ("4 communicators of 2 ranks make at the same time" in page) == together, page


def check_links_together(aapc):
    """Links over time of one of two communicators: the bound beside them is that of both, of 2 · 4 messages."""
    calls, communicators = [], []
    for first in range(2):
        name = f"{first}.0"
        communicators.append({"communicator": name, "ranks": 4, "members": list(range(first, 8, 2))})
        calls.append(call("MPI_Alltoall", 0.01 * first, 0.5, 65536, 4, by="native", why=OWN) | {"on": name})
    lines = [line for line in record(calls=calls) if "call" not in line and "communicator" not in line]
    page = page_of(aapc, lines + communicators + calls)
    text = " ".join(parsed(page).split())
    assert "2 communicators exchange at the same time: the pictures have the messages of one of them" in text, text
    alone, both = (count * 65536 * 8 / 1e8 for count in (4, 8))
    marks = {float(mark) for mark in re.findall(r'class="mark" style="left:([\d.]+)%"', page)}
    axis = set(re.findall(r'class="axis"><span>0</span><span>([\d.]+) ms<', page))
    (mark,), (end,) = marks, axis
    assert abs(mark / 100 * float(end) - 1e3 * both) < 0.02 * 1e3 * both, (mark, end, alone, both)
    (gain,) = re.findall(r"A schedule should save (\d+) ms", page_of(aapc, lines + communicators + calls, "--format", "text"))
    assert 0.5 - expected_start(4) - 1.1 * both < 1e-3 * float(gain) < 0.5 - expected_start(4) - both, (gain, both)
    # Rows, each within a switch and near its bound, gain nothing, and take nothing from what columns gain.
    for switch in range(2):
        name = f"{switch}.9"
        communicators.append({"communicator": name, "ranks": 4, "members": list(range(4 * switch, 4 * switch + 4))})
        calls.append(call("MPI_Alltoall", 2.0, 0.0165, 65536, 4, by="native", why=OWN) | {"on": name})
    (with_rows,) = re.findall(r"A schedule should save (\d+) ms", page_of(aapc, lines + communicators + calls, "--format", "text"))
    assert abs(float(with_rows) - float(gain)) <= 1, (with_rows, gain)


def check_mixed_communicators(aapc):
    """Calls within a switch beside calls over the trunk: the bound of their line is the mean, by calls."""
    lines = columns(0.001)
    rows = []
    for row in range(4):
        lines.append({"communicator": f"{2 * row}.2", "ranks": 2, "members": [2 * row, 2 * row + 1]})
        rows += [call("MPI_Alltoall", second + 0.5, 0.04, 65536, 2, by="native", why=OWN) | {"on": f"{2 * row}.2"}
                 for second in range(10)]  # fmt: skip
    status, out, err = run(aapc, "report", "-", "--format", "text", text=text_of(lines + rows))
    assert (status, err) == (0, ""), err
    # 21 ms over the trunk for four messages, 5.24 ms within a switch.
    assert re.search(r" 80 +800 ms +40 ms +13.1 ms +0.33 ", out), out


def check_mean_rank(aapc):
    """What was saved is that of a rank, not of all communicators together."""
    lines = columns(0.1)
    ours = [line | {"by": "lattice/formula+timed", "at": line["at"] + 0.05, "seconds": 0.01} for line in lines if "call" in line]
    for line in ours:
        del line["why"]
    status, out, err = run(aapc, "report", "-", "--format", "text", text=text_of(lines + ours))
    assert (status, err) == (0, ""), err
    assert "aapc saved you 300 ms" in out, out


def with_paths():
    """Each connection over spine 1 is late by a tenth of a schedule of 1.03 times the even bound, and one by 0.42."""
    lines = record(topology=FABRIC, calls=[call("MPI_Alltoall", 0, 0.1, 65536, 8, by="lattice/formula+timed")])
    for rank in range(8):
        others = [other for other in range(8) if other // 4 != rank // 4]
        late = [0.0, 0.1] * 4
        if rank == 0:
            late[1] = 0.42
        lines.append({"paths": "0.0", "rank": rank, "over_bound": 1.03, "to": sorted(2 * others),
                      "port": list(range(40000, 40008)), "share": [0.5] * 8, "late": late})  # fmt: skip
    return lines


def check_paths(aapc):
    """The load of the fullest cable, by the lateness of a cable's worth of segments, and each pair of leaf switches."""
    lines = with_paths()
    text = parsed(page_of(aapc, lines))
    fullest = 1.03 * 1.1
    words = f"64 TCP connections at the end, the fullest cable has about {fullest:.2f} times the load of even sharing, so the realised bound is {1 / fullest:.2f} of the even one."
    assert text.count(words) == 2, text
    printed = page_of(aapc, lines, "--format", "text")
    assert words in printed
    # 32 connections from each leaf to the other; half of the segments are late, and 1 of 32 by 0.42 of the schedule.
    for leaf, mean, most in ((0, (16 * 0.1 + 0.32) / 32, 0.42), (1, 0.05, 0.1)):
        row = f"leaf{leaf} leaf{1 - leaf} 32 {100 * mean:.1f} % {100 * most:.0f} % {1.03 * (1 + most):.2f}"
        assert row in " ".join(printed.split()), (row, printed)
    alone = page_of(aapc, [{**lines[0], "topology_text": "", "topology_file": "detect"}, *lines[1:]], "--format", "text")
    assert "realised bound" in alone and "paths from" not in alone
    assert "realised bound" not in parsed(page_of(aapc, usual()))
    for name, value in (("share", 2.0), ("late", -0.1), ("port", 0.5), ("to", -1)):
        wrong = [dict(line) for line in lines]
        wrong[-1][name] = [value, *wrong[-1][name][1:]]
        status, out, err = run(aapc, "report", "-", text=text_of(wrong))
        assert status == 2 and out == "" and err.startswith(f"standard input:{len(lines)}:1: "), (name, err)
    wrong = [*lines[:-1], {**lines[-1], "port": [1]}]
    status, _, err = run(aapc, "report", "-", text=text_of(wrong))
    assert status == 2 and "as long as" in err, err


def check_mistakes(aapc):
    good = text_of(usual())
    for wrong, where in (
        ("", "standard input: "),
        ("{}\n", "standard input:1:1: "),
        (good.replace("aapc-record/1", "aapc-record/2"), "standard input:1:1: "),
        (good.replace('"ranks": 8', '"ranks": 9'), "standard input:"),
        (good.replace('"due": [', '"due": [1,'), "standard input:"),
        (good.replace('"calls": 8', '"calls": -8', 1), "standard input:2:1: "),
        (good + "[]\n", "standard input:"),
        (good + '{"else": 1}\n', "standard input:"),
    ):
        status, out, err = run(aapc, "report", "-", text=wrong)
        assert status == 2 and out == "" and err.startswith(where), (status, out[:80], err)


def check_svg(aapc):
    for algorithm, ends in (("tree", "phases"), ("lattice", "one cycle"), ("ring", "phases")):
        status, out, err = run(aapc, "schedule", "-", "--algorithm", algorithm, "--format", "svg", text=TOPOLOGY)
        assert status == 0, err
        root = xml.etree.ElementTree.fromstring(out)
        texts = [element.text or "" for element in root.iter() if element.tag.endswith("text")]
        assert "s1->s0" in texts and "n7->s1" in texts and texts[0].startswith(algorithm) and any(ends in one for one in texts)
        titles = [element.text for element in root.iter() if element.tag.endswith("title")]
        trunk = next(title for title in titles if title.startswith("s1->s0"))
        busy, fought = map(int, re.search(r"busy (\d+) % of the time, fought over (\d+) %", trunk).groups())
        # The timetables keep the trunk full and nobody waits; in rings all cross it at once, then nobody.
        if algorithm == "ring":
            assert fought > 20, trunk
        else:
            assert busy >= 97 and fought <= 5, trunk
    status, out, err = run(aapc, "schedule", "-", "--algorithm", "bruck", "--format", "svg", text=TOPOLOGY)
    assert status == 2 and out == "" and "forwarded" in err, err


def main():
    aapc = sys.argv[1]
    for check in (check_usual, check_model, check_hostile, check_little, check_comparisons, check_one_machine, check_machines, check_head, check_assumed, check_speeds, check_unequal, check_lengths, check_lengths_in_turns, check_early_rank_0, check_lengths_missing, check_lengths_together, check_together, check_links_together, check_mixed_communicators, check_mean_rank, check_paths, check_mistakes, check_svg):
        check(aapc)


if __name__ == "__main__":
    main()
