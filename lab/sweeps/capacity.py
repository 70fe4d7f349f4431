"""What the cores of this machine carry: the papers' networks in several sizes and speeds, until the bound is out of reach.

A lab is honest where a contention-free exchange comes close to the bound: its links are then what is scarce, not the
processors.
"""

from sweeping.definition import Bench, Network, Sweep, sizes

SWEEP = Sweep(
    summary="the papers' networks in several sizes and speeds: how far they are from the bound",
    networks=[
        *(Network("switch-16.toml", speed) for speed in ("100Mbit", "50Mbit", "25Mbit")),
        *(Network("switch-24.toml", speed) for speed in ("25Mbit", "12Mbit")),
        Network("star-4+3x4.toml", "100Mbit"),
        *(Network("star-8+3x8.toml", speed) for speed in ("100Mbit", "50Mbit", "25Mbit")),
        Network("chain-4x4.toml", "100Mbit"),
        *(Network("chain-4x8.toml", speed) for speed in ("100Mbit", "50Mbit", "25Mbit")),
    ],
    parts=[Bench(sizes("64Ki"), ["native", "tree/merged+timed", "tree/merged+sender"], repeats=5, most_seconds=30)],
    mpis=["openmpi"],
)
