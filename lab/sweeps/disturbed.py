"""`lattice` where something is not as it was told: wrong speeds, others' traffic, a late rank, a clock that is off."""

from dataclasses import replace

from sweeping.definition import Bench, Network, Sweep, Traffic, sizes, with_speeds_times

TREE = Network("chain-4x4-fast-trunks.toml", name="undisturbed")
LATE_SECONDS = 0.05

SWEEP = Sweep(
    summary="lattice with wrong speeds in the file, others' traffic, a rank that comes late, a clock that is off",
    networks=[
        TREE,
        replace(TREE, name="all-speeds-half", told=with_speeds_times(0.5)),
        replace(TREE, name="all-speeds-double", told=with_speeds_times(2)),
        replace(TREE, name="trunks-half", told=with_speeds_times(0.5, trunks_only=True)),
        replace(TREE, name="trunks-double", told=with_speeds_times(2, trunks_only=True)),
        # A fifth of the middle trunk, in one direction.
        Network(
            "chain-4x4-fast-trunks-guests.toml",
            name="traffic-of-others",
            launcher_options=["-n", "16"],
            traffic=Traffic("x0", "x1", 20_000_000),
        ),
        # Of 21 calls the twelfth; every tenth.
        replace(TREE, name="late-once", bench_options=["--late", f"5:{LATE_SECONDS}:12"]),
        replace(TREE, name="late-every-tenth", bench_options=["--late", f"5:{LATE_SECONDS}:10"]),
        replace(TREE, name="clock-1-ms-off", environment={"AAPC_TEST_CLOCK": "5:0.001:0:0"}),
    ],
    parts=[
        Bench(sizes("8Ki,32Ki,128Ki"), ["native", "lattice", "lattice+timed-grid"], repeats=20, most_seconds=40),
        # After the calls that the pace needs to find out that the links carry more than the file says.
        Bench(
            sizes("64Ki"),
            ["native", "lattice", "lattice+timed-grid"],
            repeats=9,
            most_seconds=20,
            warm_up=40,
            only_on=["all-speeds-half", "trunks-half"],
        ),
    ],
    mpis=["openmpi"],
)
