"""What learning in a program's own calls is worth: programs of 3 to 1,000 calls against native and single methods."""

from sweeping.definition import Calls, Halved, Network, Sweep, sizes

METHODS = ["lattice"]
SLOW = ("chain-4x4", "chain-4x4-fast-trunks")
FAST = ("racks-2x4-1Gbit",)

SWEEP = Sweep(
    summary="programs of 3, 10, 100 and 1,000 calls that learn, against the MPI's own and single methods; an hour",
    networks=[
        Network("chain-4x4.toml"),
        Network("racks-2x4.toml", "1Gbit", offloads=True),
        Network("chain-4x4-fast-trunks.toml"),
    ],
    # What matters most comes first. One run is of all numbers of calls: the first calls of a long one are a short one.
    parts=[
        Calls("equal", {3: 5, 10: 5, 100: 3, 1000: 2}, sizes("1Ki"), METHODS),
        Calls("equal", {3: 4, 10: 4, 100: 2}, sizes("16Ki"), METHODS, only_on=SLOW),
        Calls("equal", {3: 4, 10: 4, 100: 2, 1000: 2}, sizes("16Ki"), METHODS, only_on=FAST),
        Calls("equal", {3: 3, 10: 3, 100: 1}, sizes("64Ki"), METHODS, only_on=SLOW),
        Calls("equal", {3: 4, 10: 4, 100: 3}, sizes("64Ki"), METHODS, only_on=FAST),
        Calls("equal", {3: 5, 10: 5, 100: 3, 1000: 3}, sizes("64"), METHODS),
        Calls("unequal", {10: 2, 100: 1}, sizes("32Ki"), ["clock"]),
        Calls("equal", {100: 1}, sizes("16Ki"), METHODS, change=Halved(after_seconds=6), only_on=SLOW),
        Calls("two", {100: 2}, sizes("32Ki"), METHODS),
        Calls("two", {100: 3}, sizes("1Ki"), METHODS),
        Calls("unequal", {10: 3, 100: 2}, sizes("1Ki"), ["clock"]),
        Calls("equal", {3: 3, 10: 3, 100: 1}, sizes("1Mi"), METHODS, only_on=FAST),
        Calls("equal", {1000: 1}, sizes("2Ki"), METHODS, change=Halved(after_seconds=8), only_on=SLOW),
        Calls("equal", {3: 1, 10: 1}, sizes("1Mi"), METHODS, only_on=SLOW),
    ],
    order="parts",
    buffers=["128Ki"],
    usual=["chain-4x4", "racks-2x4-1Gbit"],
)
