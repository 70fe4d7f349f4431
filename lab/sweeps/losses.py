"""GROMACS on one switch, without aapc and with it, with small and large port buffers: dropped packets and time.

Kutzner et al. 2007 saw all-to-alls of PME overflow the ports of a switch, and TCP's time-outs end the scaling.
"""

from sweeping.definition import Network, Programs, Sweep

SWEEP = Sweep(
    summary="GROMACS on one switch: packets that its ports drop, and time, in each round; 20 minutes",
    networks=[Network("switch-16.toml", speed="25Mbit")],
    parts=[Programs(["gromacs", "gromacs-separate"], rounds=3, ways=("without", "default"), run_seconds=34)],
    mpis=["openmpi"],
    buffers=["32Ki", "512Ki"],
    each_round=True,
)
