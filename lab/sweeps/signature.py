"""Samples for the contention signature, as in Steffenel, Martinasso & Trystram's Figures 2 to 4, 6 and 9.

Of one switch with several numbers of ranks, and of each of two clusters and their backbone. The MPI's own changes its
algorithm with the size; `linear`, everything at once, is what the paper's MPIs did.
"""

from sweeping.definition import Fit, Network, Sweep, sizes

RANKS = (4, 6, 8, 10, 12, 14, 16)
# local-group hands on two blocks at a time inside clusters of equal size, hence twice the largest size of `clusters`.
SIZES = sizes("1Ki,2Ki,4Ki,8Ki,16Ki,32Ki,64Ki,128Ki")

SWEEP = Sweep(
    summary="samples for the contention signature of one switch and of two clusters",
    networks=[Network("switch-16.toml", speed="25Mbit"), Network("two-clusters.toml")],
    parts=[
        Fit(SIZES, "native", repeats=7, ranks=RANKS, only_on=["switch-16-25Mbit"]),
        Fit(SIZES, "linear", repeats=7, ranks=RANKS, only_on=["switch-16-25Mbit"]),
        Fit(SIZES, "native", repeats=7, only_on=["two-clusters"]),
    ],
)
