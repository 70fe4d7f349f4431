"""Unequal messages by the clock: networks, patterns, mean sizes, both MPIs, cubic and bbr, two sizes of buffers."""

from sweeping.definition import Bench, Network, Sweep, sizes

PATTERNS = ("equal", "exponential", "zipf", "zeros", "hot", "block", "transpose", "experts")
NETWORKS = {
    "chain-4x4": Network("chain-4x4.toml"),
    "chain-4x4-fast-trunks": Network("chain-4x4-fast-trunks.toml"),
    "racks-2x8-fast-trunk": Network("racks-2x8-fast-trunk.toml"),
    "nodes-4x4-two-switches": Network("nodes-4x4-two-switches.toml", launcher_options=["--shared-memory"]),
}
METHODS = ("native", "linear", "pairwise", "lattice/formula+timed", "interposed")

SWEEP = Sweep(
    summary="unequal messages: eight patterns on four networks, the MPI's own and its two orders against the clock",
    networks=[
        Network(
            network.file,
            name=f"{title}-{pattern}",
            launcher_options=network.launcher_options,
            bench_options=["--pattern", pattern],
            axes=[title, pattern],
        )
        for title, network in NETWORKS.items()
        for pattern in PATTERNS
    ],
    parts=[
        Bench(sizes("4Ki,16Ki"), METHODS, repeats=15, most_seconds=12, teach=40),
        Bench(sizes("64Ki,256Ki"), METHODS, repeats=7, most_seconds=25, teach=12),
    ],
    congestion_controls=["cubic", "bbr"],
    buffers=["128Ki", "32Ki"],
    order="covering",
)
