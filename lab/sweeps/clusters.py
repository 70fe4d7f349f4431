"""Two clusters over a long backbone, as in Steffenel, Martinasso & Trystram's Figure 8."""

from sweeping.definition import Bench, Network, Sweep, sizes

SWEEP = Sweep(
    summary="two clusters and a backbone: local-group, the MPI's own, the ring, tree+timed",
    networks=[Network("two-clusters.toml")],
    parts=[
        Bench(
            sizes("1Ki,2Ki,4Ki,8Ki,16Ki,32Ki,64Ki"), ["native", "ring", "local-group", "tree/merged+timed"], repeats=7
        )
    ],
)
