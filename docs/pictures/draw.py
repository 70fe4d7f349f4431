#!/usr/bin/env python3
"""Draws the pictures of the pages from what the repository says: the layers from their CMake lists, the fractions of
the bound from the tables of docs/measurements.md, what wires carried from docs/experiments/wires.csv, which lab/wires
writes. It needs nothing but Python.

    docs/pictures/draw.py            writes them
    docs/pictures/draw.py --check    says whether they are what would be written; exit 0 or 1
"""

import csv
import re
import sys
from math import log2
from pathlib import Path

PICTURES = Path(__file__).resolve().parent
ROOT = PICTURES.parents[1]
FONT = 'font-family="DejaVu Sans, Arial, sans-serif"'
OURS, OWN, LINES = "#1b6ca8", "#c0562b", "#8a8a8a"
MULTIPLES = {"B": 1, "KB": 1024, "MB": 1024**2}


def text(x: float, y: float, words: str, size: int = 12, anchor: str = "start", more: str = "") -> str:
    return f'<text x="{x:g}" y="{y:g}" font-size="{size}" text-anchor="{anchor}"{more}>{words}</text>'


def picture(width: int, height: int, title: str, parts: list[str]) -> str:
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" {FONT} fill="#222" role="img">'
    )
    background = f'<rect width="{width}" height="{height}" fill="#fff"/>'
    return "\n".join([head, f"<title>{title}</title>", background, *parts, "</svg>"]) + "\n"


# ---- Fractions of the bound ----


def fractions(heading: str) -> list[tuple[int, float, float]]:
    """Bytes of a block, fraction of the bound of native and with a tuning, of the table under a heading."""
    page = (ROOT / "docs/measurements.md").read_text(encoding="utf-8")
    section = page.split(f"\n### {heading}", 1)[1].split("\n#", 1)[0]
    rows = re.findall(r"^\| (\d+) (B|KB|MB) \| ([\d.]+); ([\d.]+) \|", section, re.MULTILINE)
    return [(int(number) * MULTIPLES[unit], float(own), float(ours)) for number, unit, own, ours in rows]


def size_text(size: int) -> str:
    return next(f"{size // unit} {name}" for name, unit in reversed(MULTIPLES.items()) if size >= unit)


def chart(left: float, title: str, rows: list[tuple[int, float, float]]) -> list[str]:
    width, height, top = 300.0, 170.0, 46.0
    first, last = log2(rows[0][0]), log2(rows[-1][0])

    def place(size: int, fraction: float) -> tuple[float, float]:
        return left + width * (log2(size) - first) / (last - first), top + height * (1 - fraction)

    parts = [text(left, 30, title, 13)]
    for fraction in (0, 0.25, 0.5, 0.75, 1):
        y = place(1, fraction)[1]
        parts.append(f'<path d="M{left:g} {y:g}h{width:g}" stroke="{LINES}" stroke-width="0.5"/>')
        parts.append(text(left - 6, y + 4, f"{fraction:g}", 11, "end"))
    for size, _, _ in rows[1::2]:
        parts.append(text(place(size, 0)[0], top + height + 16, size_text(size), 11, "middle"))
    for column, colour in ((1, OWN), (2, OURS)):
        points = [place(row[0], row[column]) for row in rows]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in points)
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2"/>')
        parts += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in points]
    return parts


def fraction_of_bound() -> str:
    parts = chart(50, "Open MPI 4.1.4", fractions("Open MPI 4.1.4, cubic"))
    parts += chart(410, "MPICH 4.0.2", fractions("MPICH 4.0.2, cubic"))
    for x, colour, words in ((50, OWN, "native all-to-all"), (250, OURS, "with aapc, tuned")):
        parts.append(f'<path d="M{x} 262h22" stroke="{colour}" stroke-width="3"/>')
        parts.append(text(x + 28, 266, words))
    parts.append(text(410, 266, "across: bytes from each rank to each other; up: fraction of the bound", 9))
    return picture(730, 280, "Fraction of the bound by block size, 16 machines on a chain of four switches", parts)


# ---- Wires ----

BIN = 0.01  # seconds of a value in wires.csv


def wires_picture() -> str:
    with (ROOT / "docs/experiments/wires.csv").open(newline="", encoding="utf-8") as lines:
        rows = list(csv.DictReader(lines))
    longest = max(float(row["seconds"]) for row in rows)
    left, width, height, pitch = 190.0, 500.0, 17.0, 22.0
    scale = width / longest
    size = size_text(int(rows[0]["bytes"]))
    parts = [text(20, 24, f"One all-to-all: each of 16 ranks sends {size} to each other", 15)]
    top = 40.0
    for method, label, colour in (("native", "Native Open MPI", OWN), ("aapc", "With aapc, untuned", OURS)):
        of_it = [row for row in rows if row["method"] == method]
        seconds = float(of_it[0]["seconds"])
        parts.append(text(20, top + 20, label, 13, more=' font-weight="bold"'))
        parts.append(text(left + scale * seconds, top + 20, f"{seconds:.2f} s", 13, "end", ' font-weight="bold"'))
        top += 28
        for row in of_it:
            parts.append(text(left - 8, top + height - 4, f"switch {row['from']} to {row['to']}", 11, "end"))
            parts.append(
                f'<rect x="{left:g}" y="{top:g}" width="{scale * seconds:.1f}" height="{height:g}" fill="#f1f1f1"/>'
            )
            parts.append(f'<path d="{outline(row["load"], seconds, left, top, height, scale)}" fill="{colour}"/>')
            top += pitch
        idle = idle_seconds(of_it, seconds)
        if idle >= BIN:
            x = left + scale * (seconds - idle / 2)
            parts.append(text(x, top - pitch * len(of_it) / 2, "next to nothing is sent:", 12, "middle"))
            parts.append(text(x, top - pitch * len(of_it) / 2 + 16, "TCP waits before it resends", 12, "middle"))
        top += 4
    parts.append(text(left, top + 14, "A full bar is a full wire. Time runs to the right; both halves have the same scale.", 11))
    return picture(730, int(top + 28), "What the wires between switches carry during one all-to-all", parts)


def outline(loads: str, seconds: float, left: float, top: float, height: float, scale: float) -> str:
    """Of the area that is as high as the wire is full."""
    path = f"M{left:g} {top + height:g}"
    for index, load in enumerate(loads.split()):
        y = top + height * (1 - min(float(load), 1.0))
        start, end = min(index * BIN, seconds), min((index + 1) * BIN, seconds)
        path += f"L{left + scale * start:.1f} {y:.1f}L{left + scale * end:.1f} {y:.1f}"
    return path + f"L{left + scale * seconds:.1f} {top + height:g}z"


def idle_seconds(rows: list[dict[str, str]], seconds: float) -> float:
    """How long at the end of the exchange the wires carry next to nothing, a few messages that are sent again included."""
    fullest = [max(map(float, loads)) for loads in zip(*(row["load"].split() for row in rows))]
    busy = max(index for index, load in enumerate(fullest) if load > 0.5)
    return max(seconds - (busy + 1) * BIN, 0.0)


# ---- Layers ----


def layers() -> dict[str, list[str]]:
    """What each layer declares that it uses, in the order of the layers."""
    order = re.findall(r"add_subdirectory\((\w+)\)", (ROOT / "src/CMakeLists.txt").read_text(encoding="utf-8"))
    uses = {}
    for layer in order:
        declaration = (ROOT / "src" / layer / "CMakeLists.txt").read_text(encoding="utf-8")
        # The last one: before it may stand what is left of a layer in the build of ./demo.
        call = re.findall(rf"aapc_(?:register_)?layer\(\s*{layer}\b(.*?)\)", declaration, re.DOTALL)[-1]
        depends = re.search(r"DEPENDS((?:\s+[a-z]\w*)+)", call)
        uses[layer] = depends.group(1).split() if depends else []
    return uses


def levels(uses: dict[str, list[str]]) -> dict[str, int]:
    """A layer stands one row above the highest that it uses."""
    found: dict[str, int] = {}
    for layer, below in uses.items():
        found[layer] = 1 + max((found[one] for one in below), default=-1)
    return found


CORE_ENDS_WITH = "offline"
COLUMNS = {  # where a box stands best, from 0 to 4; a new layer goes to the middle until somebody says better
    "input": 2, "topology": 2, "timetable": 2, "check": 3, "plan": 1, "algorithms": 2, "methods": 2, "archive": 1, "selection": 1,
    "learning": 0, "offline": 0, "mpi": 3, "interposer": 2, "console": 4, "bench": 2, "cli": 2,
}  # fmt: skip


def layer_picture() -> str:
    uses = layers()
    level = levels(uses)
    highest, names = max(level.values()), list(uses)
    core = names[: names.index(CORE_ENDS_WITH) + 1]
    place = {one: (20 + 142 * COLUMNS.get(one, 2), 24 + 62 * (highest - level[one])) for one in names}
    parts = [
        '<defs><marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        f'<path d="M0 0L8 4L0 8z" fill="{LINES}"/></marker></defs>'
    ]
    for one, below in uses.items():
        for other in below:
            (x, y), (to_x, to_y) = place[one], place[other]
            start, end = f"{x + 56:g} {y + 30:g}", f"{to_x + 56:g} {to_y:g}"
            parts.append(f'<path d="M{start}L{end}" stroke="{LINES}" fill="none" marker-end="url(#tip)"/>')
    for one, (x, y) in place.items():
        colour = "#dcebf5" if one in core else "#f6e3d7"
        parts.append(f'<rect x="{x}" y="{y}" width="112" height="30" rx="5" fill="{colour}" stroke="#555"/>')
        parts.append(text(x + 56, y + 20, one, 13, "middle"))
    bottom = 24 + 62 * highest + 60
    for x, colour, words in ((20, "#dcebf5", "aapc::core: knows no MPI, prints nothing"), (340, "#f6e3d7", "the rest")):
        parts.append(f'<rect x="{x}" y="{bottom - 12}" width="16" height="14" fill="{colour}" stroke="#555"/>')
        parts.append(text(x + 24, bottom, words))
    return picture(720, bottom + 16, "The layers of src/ and what each declares that it uses", parts)


def main() -> int:
    drawings = {"fraction-of-bound.svg": fraction_of_bound(), "layers.svg": layer_picture(), "wires.svg": wires_picture()}
    if sys.argv[1:] == ["--check"]:
        old = [name for name, svg in drawings.items() if not _is(PICTURES / name, svg)]
        for name in old:
            print(f"docs/pictures/{name} is not what its sources say; run docs/pictures/draw.py", file=sys.stderr)
        return 1 if old else 0
    for name, svg in drawings.items():
        (PICTURES / name).write_text(svg, encoding="utf-8")
    return 0


def _is(path: Path, wanted: str) -> bool:
    return path.exists() and path.read_text(encoding="utf-8") == wanted


if __name__ == "__main__":
    sys.exit(main())
