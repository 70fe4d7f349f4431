"""matplotlib, set up so that the same input gives the same file, byte for byte."""

from __future__ import annotations

from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot  # noqa: E402

__all__ = ["plot", "save"]

matplotlib.rcParams.update({"svg.hashsalt": "aapc", "svg.fonttype": "none", "font.size": 8, "lines.markersize": 3})


def save(drawing: "plot.Figure", picture: Path) -> None:
    drawing.savefig(picture, metadata={"Date": None})
    plot.close(drawing)
