"""Three trees of 16 machines at 100 Mbit/s, two sizes of port buffers: the MPI's own, tokens, and the clock."""

from sweeping.definition import Bench, Network, Sweep, sizes

SWEEP = Sweep(
    summary="chain, star and one switch: the MPI's own, tree+sender, tree+timed; 15 minutes",
    networks=[Network("chain-4x4.toml"), Network("star-4+3x4.toml"), Network("switch-16.toml")],
    parts=[Bench(sizes("8Ki,32Ki,128Ki,512Ki"), ["native", "tree+sender", "tree+timed"], repeats=6, most_seconds=10)],
    buffers=["128Ki", "32Ki"],
)
