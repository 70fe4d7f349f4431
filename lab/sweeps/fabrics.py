"""Leaves and spines whose switches choose cables by a hash: native, what a program gets by default, and the lattice.

One draw of the hash each; `lab/cluster up --draw N` repeats one. The bound in these tables is the even one.
"""

from sweeping.definition import Bench, Network, Sweep, sizes

SWEEP = Sweep(
    summary="leaf-spine fabrics with hashed paths: native, the default, the lattice; 12 minutes",
    networks=[
        Network("leaf-spine-4x4x2.toml"),
        Network("leaf-spine-4x4x4.toml"),
        Network("leaf-spine-2x8x4.toml"),
        Network("fat-tree-2x2x2.toml"),
    ],
    parts=[
        Bench(sizes("8Ki,32Ki,128Ki"), ["native", "interposed", "lattice"], repeats=6, most_seconds=10, teach=20),
    ],
)
