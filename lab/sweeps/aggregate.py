"""Machines with several ranks and small blocks: one message a machine pair against all that might be faster.

Other libraries' all-to-alls, such as MPI Advance's, are measured with --rival (docs/lab.md, docs/aggregate.md).
"""

from sweeping.definition import Bench, Network, Sweep, sizes

METHODS = (
    *("native", "aggregate/carriers-all", "aggregate/carriers-1", "aggregate/bruck"),
    *("bruck", "linear", "factor", "lattice", "interposed"),
)
SHAPES = ("6x4", "4x4", "4x8", "rising", "8-1-1-8")

SWEEP = Sweep(
    summary="several ranks a machine, 1 B to 64 KB: aggregate against the MPI's own, bruck, linear, factor, lattice",
    networks=[Network(f"nodes-{shape}.toml", launcher_options=["--shared-memory"]) for shape in SHAPES],
    parts=[
        # What a program's own calls have to show they have shown before anything counts.
        Bench(sizes("1,4,16,64,256,1024,4096"), METHODS, repeats=21, most_seconds=15, teach=200),
        Bench(sizes("16Ki,64Ki"), METHODS, repeats=9, most_seconds=15, teach=20),
    ],
)
