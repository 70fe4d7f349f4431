"""What learning in a program's own calls is worth: programs of 3 to 1,000 calls against native and single methods."""

from sweeping.definition import Calls, Guests, Halved, Network, Sweep, Traffic, sizes

METHODS = ["lattice"]
SLOW = ("chain-4x4", "chain-4x4-fast-trunks")
FAST = ("racks-2x4-1Gbit",)
ALONE = (*SLOW, *FAST)
VISITED = ("chain-4x4-fast-trunks-guests",)

SWEEP = Sweep(
    summary="programs of 3, 10, 100 and 1,000 calls that learn, against the MPI's own and single methods; an hour",
    networks=[
        Network("chain-4x4.toml"),
        Network("racks-2x4.toml", "1Gbit", offloads=True),
        Network("chain-4x4-fast-trunks.toml"),
        Network("chain-4x4-fast-trunks-guests.toml", launcher_options=["-n", "16"]),
    ],
    # What matters most comes first. One run is of all numbers of calls: the first calls of a long one are a short one.
    parts=[
        Calls("equal", {3: 5, 10: 5, 100: 3, 1000: 2}, sizes("1Ki"), METHODS, only_on=SLOW),
        Calls("equal", {3: 4, 10: 4, 100: 2}, sizes("16Ki"), METHODS, only_on=SLOW),
        Calls("equal", {3: 4, 10: 4, 100: 2, 1000: 2}, sizes("16Ki"), METHODS, only_on=FAST),
        Calls("equal", {3: 3, 10: 3, 100: 1}, sizes("64Ki"), METHODS, only_on=SLOW),
        Calls("equal", {3: 4, 10: 4, 100: 3}, sizes("64Ki"), METHODS, only_on=FAST),
        Calls("equal", {3: 5, 10: 5, 100: 3, 1000: 3}, sizes("64"), METHODS, only_on=SLOW),
        # Here 1,000 calls take 0.3 s, and one program as much as a fifth longer than the next.
        Calls("equal", {3: 9, 10: 9, 100: 9, 1000: 9}, sizes("64,1Ki"), METHODS, only_on=FAST),
        Calls("unequal", {10: 2, 100: 1}, sizes("32Ki"), ["clock"], only_on=ALONE),
        Calls("equal", {100: 1}, sizes("16Ki"), METHODS, change=Halved(after_seconds=6), only_on=SLOW),
        # More than half of the middle trunk, in one direction, in the middle of the program.
        Calls(
            "equal",
            {150: 1},
            sizes("16Ki"),
            METHODS,
            change=Guests(Traffic("x0", "x1", 60_000_000), after_seconds=4, until_seconds=10),
            only_on=VISITED,
        ),
        Calls("two", {100: 2}, sizes("32Ki"), METHODS, only_on=ALONE),
        Calls("two", {100: 3}, sizes("1Ki"), METHODS, only_on=ALONE),
        Calls("unequal", {10: 3, 100: 2}, sizes("1Ki"), ["clock"], only_on=ALONE),
        Calls("equal", {3: 3, 10: 3, 100: 1}, sizes("1Mi"), METHODS, only_on=FAST),
        Calls("equal", {1000: 1}, sizes("2Ki"), METHODS, change=Halved(after_seconds=8), only_on=SLOW),
        Calls("equal", {3: 1, 10: 1}, sizes("1Mi"), METHODS, only_on=SLOW),
    ],
    order="parts",
    buffers=["128Ki"],
    usual=["chain-4x4", "racks-2x4-1Gbit"],
)
