"""What a tuning is worth: tunes, then measures what an unmodified program gets against single methods, side by side."""

from sweeping.definition import Bench, Network, Sweep, sizes

# `interposed` is not right behind the MPI's own, whose ranks may still be at work when its slowest has come back.
SMALL = (
    *("native", "linear", "interposed", "tree/merged+timed", "tree/merged+sender", "tree/merged+sender-partial:8"),
    *("tree/paper+none", "scattered", "ring", "bruck", "factor/flat"),
)
LARGE = ("native", "ring", "interposed", "tree/merged+timed", "tree/merged+sender")

SWEEP = Sweep(
    summary="aapc tune, and the interposer that obeys it against the MPI's own and single methods; two hours",
    networks=[Network("chain-4x4.toml"), Network("switch-16.toml"), Network("switch-16.toml", speed="25Mbit")],
    parts=[
        Bench(sizes("1,4,16,64,256,1024,4096"), SMALL, repeats=61, most_seconds=80, held_out="interposed"),
        Bench(sizes("16Ki,64Ki"), SMALL, repeats=9, most_seconds=80, held_out="interposed"),
        Bench(sizes("256Ki,1Mi"), LARGE, repeats=5, most_seconds=80, held_out="interposed"),
    ],
    congestion_controls=["cubic", "bbr"],
    usual=["chain-4x4", "switch-16"],
    tune_minutes=12,
)
