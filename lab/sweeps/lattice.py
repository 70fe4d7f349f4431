"""`lattice` on every kind of network that two cores carry, unequal links first: what it reaches of the bound."""

from sweeping.definition import Bench, Network, Sweep, sizes
from sweeping.networks import SIXTEEN_RANKS

TREES = ("chain-4x4-fast-trunks", "racks-2x8-fast-trunk", "chain-4x4", "uneven-deep", "nodes-4x4-two-switches")
SIZES = sizes("2Ki,8Ki,32Ki,128Ki,512Ki")

SWEEP = Sweep(
    summary="lattice against the MPI's own and tree+timed or torus-direct+timed: trees with fast trunks, nodes, tori",
    networks=[*SIXTEEN_RANKS, Network("torus-8x8.toml", speed="2Mbit")],
    parts=[
        Bench(SIZES, ["native", "tree/merged+timed", "lattice"], repeats=7, only_on=TREES),
        Bench(SIZES, ["native", "torus-direct+timed", "lattice"], repeats=7, only_on=["torus-4x4"]),
        # An exchange of 512 KB among 64 machines takes more than two minutes at this speed.
        Bench(
            sizes("2Ki,8Ki,32Ki"), ["native", "torus-direct+timed", "lattice"], repeats=3, only_on=["torus-8x8-2Mbit"]
        ),
    ],
    congestion_controls=["cubic", "bbr"],
    buffers=["128Ki", "32Ki"],
)
