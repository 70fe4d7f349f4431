"""GROMACS on one switch, without aapc and with it, with small and large port buffers: dropped packets and time.

Kutzner et al. 2007 saw all-to-alls of PME overflow the ports of a switch, and TCP's time-outs end the scaling:
on more machines the program was slower.
"""

from sweeping.definition import USED, Network, Programs, Sweep

SWEEP = Sweep(
    summary="GROMACS on one switch: packets that its ports drop, and time, in each round, on 4, 8 and 16 machines; 40 minutes",
    networks=[Network(f"switch-{machines}.toml", speed="25Mbit") for machines in (4, 8, 16)],
    parts=[
        Programs(["gromacs"], rounds=3, ways=USED, run_seconds=34),
        Programs(["gromacs-separate"], rounds=3, ways=USED, only_on=["switch-16-25Mbit"], run_seconds=34),
    ],
    mpis=["openmpi"],
    buffers=["32Ki", "512Ki"],
    each_round=True,
)
