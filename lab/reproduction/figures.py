"""The papers' figures: which methods each compares, and what the papers saw."""

from __future__ import annotations

from dataclasses import dataclass, field

KIBI = 1024


@dataclass(frozen=True)
class Curve:
    """One line of a plot."""

    label: str  # the paper's name for it, or ours
    method: str  # in full, as `aapc bench` names it


@dataclass(frozen=True)
class Figure:
    """One figure of a paper; it is drawn for each of our topologies, whichever the paper showed."""

    name: str  # in file names
    title: str
    claim: str  # what the paper says it saw
    curves: tuple[Curve, ...]
    sizes: tuple[int, ...]  # bytes a pair
    papers_milliseconds: dict[str, dict[str, tuple[float, ...]]] = field(default_factory=dict)  # network, curve


PAPER_2005_SIZES = tuple(size * KIBI for size in (8, 16, 32, 64, 128, 256))

NATIVE = Curve("this MPI's own", "native")
LAM = Curve("LAM", "linear/plain+window:all")
MPICH_RING = Curve("MPICH (ring)", "ring/plain+window:1")
MPICH_PAIRWISE = Curve("MPICH (pairwise)", "pairwise/plain+window:1")
SENDER_ALL = Curve("sender all", "tree/paper+sender")
RECEIVER_ALL = Curve("receiver all", "tree/paper+receiver")
NO_SYNC = Curve("no-sync.", "tree/paper+none")
DUMMY = Curve("dummy", "tree/paper+dummy")
BARRIER_ALL = Curve("barrier all", "tree/paper+barrier")
MERGED = Curve("merged, sender", "tree/merged+sender")
TIMED = Curve("merged, timed", "tree/merged+timed")


def sender_partial(phases: int) -> Curve:
    return Curve(f"sender partial ({phases})", f"tree/paper+sender-partial:{phases}")


def barrier_partial_none(phases: int) -> Curve:
    return Curve(f"barrier partial & none ({phases})", f"tree/paper+barrier-partial-none:{phases}")


def barrier_partial_sender(phases: int) -> Curve:
    return Curve(f"barrier partial & sender ({phases})", f"tree/paper+barrier-partial-sender:{phases}")


MEDIUM = tuple(size * KIBI for size in (2, 8, 16, 32, 64, 128, 256))
LARGE = tuple(size * KIBI for size in (64, 128, 256, 512))

# Faraj & Yuan 2005, Figures 6 to 8, completion times in milliseconds for 8, 16, 32, 64, 128 and 256 KB.
PAPER_2005 = {
    "one-switch": {
        "LAM": (29.7, 61.4, 128.2, 468.8, 633.7, 1157),
        "MPICH": (30.7, 58.1, 117.6, 309.7, 410.0, 721),
        "sender all": (56.5, 71.4, 86.0, 217.7, 398.0, 715),
    },
    "star": {
        "LAM": (199, 403, 848, 1827, 3338, 6550),
        "MPICH": (155, 308, 613, 1374, 2989, 5405),
        "sender all": (212, 341, 632, 1428, 2595, 4836),
    },
    "chain": {
        "LAM": (242, 495, 1034, 2127, 4080, 8375),
        "MPICH": (238, 476, 958, 2061, 4379, 8210),
        "sender all": (271, 443, 868, 1700, 3372, 6396),
    },
}


def figures() -> list[Figure]:
    return [
        Figure(
            "2005-6-to-8",
            "Faraj & Yuan 2005, Figures 6 to 8: the generated routine against LAM and MPICH",
            "Large messages (32 KB and more on one switch, 128 KB on the star, 16 KB on the chain): the generated routine is "
            "ahead of both, by up to 115 % over LAM and 42 % over MPICH on one switch, 28.6 % and 15.2 % on the star and 21 % "
            "and 30 % on the chain at 128 KB. Small messages: it is behind.",
            (NATIVE, LAM, MPICH_RING, MPICH_PAIRWISE, SENDER_ALL, MERGED, TIMED),
            MEDIUM,
            PAPER_2005,
        ),
        Figure(
            "2007-7",
            "Faraj, Yuan & Patarasuk 2007, Figure 7: the tuned routine against LAM and MPICH, with the peak",
            "The tuned routine is ahead of MPICH, LAM and LAM's algorithm on MPICH on all topologies from 4 KB up. (Tuned "
            "means the best of the paper's schemes at each size; so it does here, and the best of ours is shown beside it.)",
            (NATIVE, LAM, MPICH_RING, TIMED),
            MEDIUM,
        ),
        Figure(
            "2007-8",
            "2007, Figure 8: sender-based against receiver-based synchronisation",
            "receiver all is better for small messages, sender all for large ones.",
            (SENDER_ALL, RECEIVER_ALL, TIMED),
            MEDIUM,
        ),
        Figure(
            "2007-9",
            "2007, Figure 9: kinds of synchronisation",
            "no-sync. and dummy are much slower than sender all; barrier all suffers with small messages and is slightly "
            "behind sender all with large ones.",
            (NO_SYNC, DUMMY, SENDER_ALL, BARRIER_ALL, TIMED),
            MEDIUM,
        ),
        Figure(
            "2007-10",
            "2007, Figure 10: partial synchronisation",
            "The larger the messages, the more synchronisation pays: sender all is best from 32 KB, the partial schemes from "
            "2 KB to 16 KB.",
            (NO_SYNC, SENDER_ALL, sender_partial(2), sender_partial(8), sender_partial(16), TIMED),
            MEDIUM,
        ),
        Figure(
            "2007-11",
            "2007, Figure 11: schemes with barriers",
            "barrier partial & none (4) is like no-sync. for large messages and costly for small ones; mixing barriers and "
            "senders never beats both barrier all and sender all.",
            (NO_SYNC, BARRIER_ALL, barrier_partial_none(4), barrier_partial_sender(4), SENDER_ALL, TIMED),
            MEDIUM,
        ),
        Figure(
            "2007-12",
            "2007, Figure 12: sender all against the tuned routine",
            "sender all is very close to tuned from 16 KB up.",
            (SENDER_ALL, TIMED),
            MEDIUM,
        ),
        Figure(
            "2007-13",
            "2007, Figure 13: fully synchronised schemes, large messages",
            "From best to worst: sender all, barrier partial & sender (16), (8), (4), barrier all.",
            (
                SENDER_ALL,
                barrier_partial_sender(16),
                barrier_partial_sender(8),
                barrier_partial_sender(4),
                BARRIER_ALL,
                TIMED,
            ),
            LARGE,
        ),
    ]


# The figures in which a curve "tuned" is drawn: the best of the paper's own schemes at each size.
FIGURES_WITH_TUNED = {"2007-7", "2007-12"}


def papers_schemes() -> list[str]:
    """The methods among which the paper's tuning chooses."""
    schemes = {
        curve.method for figure in figures() for curve in figure.curves if curve.method.startswith("tree/paper+")
    }
    return sorted(schemes)


def candidates(size: int) -> list[str]:
    """What is measured at one message size: everything that some figure shows there, native first."""
    wanted = dict.fromkeys(
        curve.method for figure in figures() if size in figure.sizes for curve in figure.curves
    )
    wanted.pop(NATIVE.method, None)
    return [NATIVE.method, *wanted]


def sizes() -> list[int]:
    return sorted({size for figure in figures() for size in figure.sizes})
