"""Machines with several ranks each, in seven distributions: those of Sanders & Träff 2002, section 4, and some more.

Ranks of a machine reach each other by shared memory.
"""

from sweeping.definition import Bench, Network, Sweep, sizes

DISTRIBUTIONS = ("rising", "full", "regular", "organ-pipe", "alternating", "random-1", "random-2")
METHODS = (
    *("native", "tree/merged+timed", "tree/merged+sender"),
    *("factor/fill", "factor/permutation", "factor/paper", "factor/flat", "factor/fill+ports:1"),
)

SWEEP = Sweep(
    summary="several ranks a machine: the MPI's own, the tree with ranks as leaves, the variants of factor; 20 minutes",
    networks=[Network(f"nodes-{name}.toml", launcher_options=["--shared-memory"]) for name in DISTRIBUTIONS],
    parts=[Bench(sizes("4Ki,16Ki,64Ki,256Ki"), METHODS, repeats=5)],
)
