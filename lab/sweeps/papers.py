"""What the figures of Faraj & Yuan 2005 and of Faraj, Yuan & Patarasuk 2007 show: all methods of a size in one run."""

from reproduction import figures
from sweeping.definition import Bench, Network, Sweep

SWEEP = Sweep(
    summary="Figures 6 to 8 of Faraj & Yuan 2005, 7 to 13 of Faraj, Yuan & Patarasuk 2007",
    networks=[
        Network("switch-16.toml", speed="25Mbit", name="one-switch"),
        Network("star-4+3x4.toml", name="star"),
        Network("chain-4x4.toml", name="chain"),
    ],
    parts=[Bench([size], figures.candidates(size), repeats=3, most_seconds=30) for size in figures.sizes()],
    mpis=["openmpi"],
    congestion_controls=["cubic", "bbr"],
)
