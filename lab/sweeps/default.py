"""What a user gets who sets nothing but the topology: the interposer with its rule against the MPI's own."""

from sweeping.definition import Bench, Network, Sweep, sizes

FAST = [
    Network(f"racks-2x{machines}.toml", speed, offloads=True)
    for speed in ("1Gbit", "2.5Gbit")
    for machines in (2, 4)
]

SWEEP = Sweep(
    summary="the untuned default against the MPI's own: at 1 and 2.5 Gbit/s, and the grid of lattice",
    networks=[
        *FAST,
        Network("chain-4x4.toml"),
        Network("chain-4x4-fast-trunks.toml"),
        Network("racks-2x8-fast-trunk.toml"),
        Network("uneven-deep.toml"),
        Network("nodes-4x4-two-switches.toml", launcher_options=["--shared-memory"]),
        Network("torus-4x4.toml"),
    ],
    parts=[
        # What a program's own calls have to show (docs/learning.md) they have shown after the warm-up.
        Bench(sizes("1Ki,4Ki,16Ki"), ["native", "interposed"], repeats=40, most_seconds=12, warm_up=40),
        Bench(sizes("64Ki,256Ki"), ["native", "interposed"], repeats=11, most_seconds=12, warm_up=12),
        Bench(sizes("1Mi,4Mi"), ["native", "interposed"], repeats=5, most_seconds=12, warm_up=3),
    ],
    buffers=["512Ki"],
)
