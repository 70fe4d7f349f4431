"""Real programs end to end, without aapc and with it: FFTW's transforms, a plane-wave code, a redistribution."""

from sweeping.definition import Network, Programs, Sweep

SWEEP = Sweep(
    summary="real programs without aapc, with it and by the clock alone, end to end; a quarter of an hour",
    networks=[Network("chain-4x4-fast-trunks.toml")],
    parts=[
        Programs(["redistribution-uneven"], rounds=3),
        Programs(["fftw"], rounds=3),
        Programs(["plane-waves-in-groups"], rounds=2),
        Programs(["fftw-uneven"], rounds=8),
        Programs(["fftw-unforced"], rounds=1, ways=("without", "default")),
    ],
    order="parts",
)
