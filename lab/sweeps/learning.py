"""What learning in a program's own calls is worth: programs of 3 to 1,000 calls against native and single methods."""

from sweeping.definition import Calls, Halved, Network, Sweep, sizes

METHODS = ["lattice"]
CHANGED = Halved(after_seconds=8)
SLOW = ("chain-4x4", "chain-4x4-fast-trunks")

SWEEP = Sweep(
    summary="programs of 3, 10, 100 and 1,000 calls that learn, against the MPI's own and single methods; hours",
    networks=[
        Network("chain-4x4.toml"),
        Network("racks-2x4.toml", "1Gbit", offloads=True),
        Network("chain-4x4-fast-trunks.toml"),
    ],
    parts=[
        *(
            Calls("equal", calls, sizes(of_size), METHODS, repeats)
            for calls, of_size, repeats in (
                (3, "64,1Ki,16Ki,64Ki", 7),
                (3, "1Mi", 3),
                (10, "64,1Ki,16Ki,64Ki", 5),
                (10, "1Mi", 3),
                (100, "64,1Ki,16Ki,64Ki", 3),
                (1000, "64,1Ki", 3),
            )
        ),
        Calls("equal", 1000, sizes("16Ki"), METHODS, 3, only_on=["racks-2x4-1Gbit"]),
        Calls("two", 100, sizes("1Ki,32Ki"), METHODS, 3),
        *(Calls("unequal", calls, sizes("1Ki,32Ki"), ["clock"], 3) for calls in (10, 100)),
        Calls("equal", 100, sizes("32Ki"), METHODS, 3, change=CHANGED, only_on=SLOW),
        Calls("equal", 1000, sizes("2Ki"), METHODS, 3, change=CHANGED, only_on=SLOW),
    ],
    buffers=["128Ki"],
    usual=["chain-4x4", "racks-2x4-1Gbit"],
)
