"""What a program gets by default, over all its calls: programs of 6 to 1,000 calls against native and a single method."""

from sweeping.definition import Calls, Network, Sweep, sizes

METHODS = ["lattice"]
FAST = ("racks-2x4-1Gbit",)
SLOW = ("chain-4x4", "leaf-spine-4x4x2", "chain-4x4-fast-trunks", "racks-2x8-fast-trunk", "nodes-4x4")

SWEEP = Sweep(
    summary="programs of 6, 20, 100 and 1,000 calls that learn, against native and single methods; two hours",
    networks=[
        Network("chain-4x4.toml"),
        Network("leaf-spine-4x4x2.toml"),
        Network("racks-2x4.toml", "1Gbit", offloads=True),
        Network("chain-4x4-fast-trunks.toml"),
        Network("racks-2x8-fast-trunk.toml"),
        Network("nodes-4x4.toml"),
    ],
    # One run is of all numbers of calls: the first calls of a long one are a short one.
    parts=[
        Calls("equal", {6: 5, 20: 5, 100: 2}, sizes("8Ki"), METHODS, only_on=SLOW),
        Calls("equal", {6: 5, 20: 3, 100: 1}, sizes("32Ki"), METHODS, only_on=SLOW),
        Calls("equal", {6: 3, 20: 2}, sizes("128Ki"), METHODS, only_on=SLOW),
        Calls("equal", {6: 5, 20: 5, 100: 3, 1000: 2}, sizes("1Ki,8Ki,32Ki,128Ki"), METHODS, only_on=FAST),
        Calls("equal", {6: 5, 20: 5, 100: 3}, sizes("1Ki"), METHODS, only_on=SLOW),
        Calls("unequal", {6: 3, 20: 2, 100: 1}, sizes("32Ki"), ["clock"]),
        Calls("zipf", {6: 3, 20: 2, 100: 1}, sizes("32Ki"), ["clock"]),
        Calls("equal", {6: 2}, sizes("512Ki"), METHODS),
    ],
    order="parts",
    buffers=["128Ki"],
    usual=["chain-4x4", "leaf-spine-4x4x2", "racks-2x4-1Gbit"],
)
