"""Networks that several sweeps run on."""

from sweeping.definition import Network

# One of every kind that two cores carry with 16 ranks, those with unequal links first.
SIXTEEN_RANKS = [
    Network("chain-4x4-fast-trunks.toml"),
    Network("racks-2x8-fast-trunk.toml"),
    Network("chain-4x4.toml"),
    Network("uneven-deep.toml"),
    Network("nodes-4x4-two-switches.toml", launcher_options=["--shared-memory"]),
    Network("torus-4x4.toml"),
]
