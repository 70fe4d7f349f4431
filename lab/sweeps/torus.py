"""Tori at speeds that two cores carry, where a machine forwards at every hop."""

from sweeping.definition import Bench, Network, Sweep, sizes

SWEEP = Sweep(
    summary="torus, torus-direct, the MPI's own and the ring on 4 x 4 machines; larger ones with --only 4x8 8x8",
    networks=[Network("torus-4x4.toml"), Network("torus-4x8.toml"), Network("torus-8x8.toml", speed="2Mbit")],
    parts=[Bench(sizes("64,512,4Ki,16Ki,64Ki"), ["native", "torus", "torus-direct", "ring"], repeats=9)],
    usual=["torus-4x4"],
)
