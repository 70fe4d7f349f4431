"""Carries out the runs of a sweep that are missing, lab by lab, and says how far it is."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from itertools import groupby

from emulation.errors import LabError

from .jobs import Job
from .running import RunFailed, lab_up

PutUp = Callable[..., AbstractContextManager]


class Progress:
    """How long the rest will take, by what the runs were expected to take."""

    def __init__(self, jobs: Sequence[Job]) -> None:
        self._left = sum(job.expected_seconds for job in jobs)
        self._done = 0.0
        self._seconds = 0.0

    def step(self, job: Job, seconds: float) -> None:
        self._left -= job.expected_seconds
        self._done += job.expected_seconds
        self._seconds += seconds
        minutes = self._left * self._seconds / self._done / 60
        print(f"{job.title}: {seconds:.0f} s; about {minutes:.0f} min left", file=sys.stderr)


def carry_out(jobs: Sequence[Job], lab: str, put_up: PutUp = lab_up) -> None:
    """Each job keeps what it measured before the next begins, so this may end anywhere; the lab is down then.

    A job that fails does not keep the others from being carried out; LabError names those in the end.
    """
    progress = Progress(jobs)
    failed = []
    for setting, of_this_lab in groupby(jobs, key=lambda job: job.setting):
        with put_up(lab, setting.topology, *setting.options()):
            for job in of_this_lab:
                began = time.monotonic()
                try:
                    job.carry_out(lab)
                except RunFailed as error:
                    print(f"{job.title}: failed: {error}", file=sys.stderr)
                    failed.append(job.title)
                progress.step(job, time.monotonic() - began)
    if failed:
        raise LabError(f"{len(failed)} of {len(jobs)} runs failed: {'; '.join(failed)}")


def describe(jobs: Sequence[Job]) -> str:
    """What would be carried out, and how long it should take."""
    lines = [f"{job.title}: about {job.expected_seconds:.0f} s" for job in jobs]
    return "\n".join([*lines, f"{len(jobs)} runs, about {sum(job.expected_seconds for job in jobs) / 60:.0f} min"])
