"""What a user gets who sets nothing but the topology: the interposer with its rule against the MPI's own."""

from sweeping.definition import Bench, Network, Sweep, sizes
from sweeping.networks import SIXTEEN_RANKS

FAST = [
    Network(f"racks-2x{machines}.toml", speed, offloads=True)
    for speed in ("1Gbit", "2.5Gbit")
    for machines in (2, 4)
]

SWEEP = Sweep(
    summary="the untuned default against the MPI's own: at 1 and 2.5 Gbit/s, and the grid of lattice",
    networks=[*FAST, *SIXTEEN_RANKS],
    parts=[
        # What its calls before those that count have taught is used in them; long calls that cannot all be waited for
        # are still learned from while they count.
        Bench(sizes("1Ki,4Ki,16Ki"), ["native", "interposed"], repeats=40, most_seconds=12, teach=60),
        Bench(sizes("64Ki,256Ki"), ["native", "interposed"], repeats=11, most_seconds=12, teach=20),
        Bench(sizes("1Mi,4Mi"), ["native", "interposed"], repeats=5, most_seconds=12, teach=6),
    ],
    order="parts",
    buffers=["512Ki"],
)
