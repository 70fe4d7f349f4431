"""Real programs end to end, without aapc and with it, and what `aapc report` said before that they would gain."""

from sweeping.definition import USED, Network, Programs, Sweep

ON_THE_CHAIN = ["chain-4x4"]
ON_FAST_TRUNKS = ["chain-4x4-fast-trunks"]

SWEEP = Sweep(
    summary="real programs without aapc and with it, end to end, with the prediction of aapc report; an hour",
    networks=[Network("chain-4x4.toml"), Network("chain-4x4-fast-trunks.toml")],
    parts=[
        *(
            Programs([program], rounds=3, ways=USED, only_on=ON_THE_CHAIN)
            for program in (
                *("pencils-64", "sample-sort", "experts", "gromacs", "gromacs-separate", "lammps", "plane-waves"),
                *("fftw-512", "fftw-1024", "fftw-1000", "fftw-64x3", "fftw-100x3"),
            )
        ),
        *(
            Programs([program], rounds=3, ways=USED, only_on=ON_THE_CHAIN, run_seconds=seconds)
            for program, seconds in (("fftw-2048", 25), ("fftw-128x3", 20), ("fftw-256x3", 30))
        ),
        # All of HPC Challenge takes ten minutes, most of them for its tests of latency and of random access.
        Programs(["hpcc"], rounds=1, ways=USED, only_on=ON_THE_CHAIN),
        Programs(["redistribution-uneven"], rounds=3),
        Programs(["fftw"], rounds=3, only_on=ON_FAST_TRUNKS),
        Programs(["plane-waves-in-groups"], rounds=2, only_on=ON_FAST_TRUNKS),
        Programs(["fftw-uneven"], rounds=8, only_on=ON_FAST_TRUNKS),
        Programs(["fftw-512-unforced"], rounds=1, ways=USED, only_on=ON_THE_CHAIN),
        Programs(["fftw-unforced"], rounds=1, ways=USED, only_on=ON_FAST_TRUNKS),
    ],
    order="parts",
)
