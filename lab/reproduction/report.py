"""Plots and tables of what has been measured, put into docs/experiments.md between its markers."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from sweeping.quantities import size_text

from . import figures, results
from .capacity_report import capacity_block
from .clusters_report import cluster_blocks
from .drawing import plot, save
from .figures import Curve, Figure
from .networks import Network, networks
from .page import with_block

PAPERS_RATE_MEGABITS = 100
CONGESTION_CONTROLS = ("cubic", "bbr")
MPI_TITLES = {"openmpi": "Open MPI", "mpich": "MPICH"}
TUNED_LABEL = "tuned (best of the paper's)"

Medians = dict[str, dict[int, float]]  # method, bytes: seconds


def write_report(directory: Path, documents: Path) -> None:
    """Draws every figure for which there are results in `directory` and renews the marked blocks of experiments.md."""
    pictures = documents / "experiments"
    pictures.mkdir(parents=True, exist_ok=True)
    page = documents / "experiments.md"
    text = page.read_text() if page.exists() else "# The papers' experiments again\n"
    for name, block in blocks(directory, pictures):
        text = with_block(text, name, "lab/report", block)
    page.write_text(text)


def blocks(directory: Path, pictures: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each block for which there are results; draws what it shows."""
    capacity = results.rows(directory, "capacity")
    if capacity:
        yield "capacity", capacity_block(capacity)
    if results.rows(directory, "papers"):
        for figure in figures.figures():
            yield figure.name, _figure_block(figure, directory, pictures)
    yield from cluster_blocks(directory, pictures)


def _figure_block(figure: Figure, directory: Path, pictures: Path) -> str:
    lines = [f"## {figure.title}", "", f"**The paper saw:** {figure.claim}", ""]
    for mpi, mpi_title in MPI_TITLES.items():
        measured = {
            (network.name, control): medians
            for network in networks()
            for control in CONGESTION_CONTROLS
            if (medians := _read_medians(directory, network, control, mpi))
        }
        if not measured:
            continue
        picture = pictures / f"{figure.name}-{mpi}.svg"
        _draw(figure, measured, mpi_title, picture)
        lines += [f"![{figure.title}, {mpi_title}](experiments/{picture.name})", ""]
        lines += _table(figure, measured, mpi_title)
    return "\n".join(lines) + "\n"


def _read_medians(directory: Path, network: Network, control: str, mpi: str) -> Medians:
    medians: Medians = results.curves(
        results.rows(directory, "papers", network=network.name, congestion_control=control, mpi=mpi)
    )
    schemes = figures.papers_schemes()
    for size in figures.sizes():
        times = [medians[scheme][size] for scheme in schemes if size in medians.get(scheme, {})]
        if times:
            medians.setdefault(TUNED_LABEL, {})[size] = min(times)
    return medians


def _curves(figure: Figure) -> list[Curve]:
    tuned = [Curve(TUNED_LABEL, TUNED_LABEL)] if figure.name in figures.FIGURES_WITH_TUNED else []
    return list(figure.curves) + tuned


def _throughput(network: Network, size: int, seconds: float) -> float:
    """Aggregate throughput in Mbit/s: what all ranks receive in a second (2007, section 6)."""
    return network.ranks * (network.ranks - 1) * size * 8 / seconds / 1e6


def _draw(figure: Figure, measured: dict[tuple[str, str], Medians], mpi_title: str, picture: Path) -> None:
    controls = [control for control in CONGESTION_CONTROLS if any(key[1] == control for key in measured)]
    rows = len(controls) + (1 if figure.papers_milliseconds else 0)
    drawing, axes = plot.subplots(rows, len(networks()), figsize=(10, 2.6 * rows), squeeze=False, sharex=True)
    for column, network in enumerate(networks()):
        for row, control in enumerate(controls):
            axis = axes[row][column]
            axis.set_title(f"{network.title}\n{network.ranks} × {network.rate_megabits} Mbit/s, {control}")
            medians = measured.get((network.name, control), {})
            for curve in _curves(figure):
                points = {
                    size: medians[curve.method][size] for size in figure.sizes if size in medians.get(curve.method, {})
                }
                throughputs = [_throughput(network, size, seconds) for size, seconds in points.items()]
                style = "-" if curve.method.startswith("tree") else "--"
                axis.plot(list(points), throughputs, style, marker="o", label=curve.label)
            _finish(axis, network.peak_megabits(), figure.sizes)
        if figure.papers_milliseconds:
            _draw_papers_row(axes[-1][column], figure, network)
    for axis_row in axes:
        axis_row[0].set_ylabel("Mbit/s, all ranks")
    for axis in axes[-1]:
        axis.set_xlabel("message size")
    handles, labels = axes[0][0].get_legend_handles_labels()
    drawing.legend(handles, labels, loc="lower center", ncol=5, frameon=False)
    drawing.suptitle(f"{figure.title} ({mpi_title})")
    drawing.tight_layout(rect=(0, 0.3 / rows * 0.5, 1, 1))
    save(drawing, picture)


def _draw_papers_row(axis: "plot.Axes", figure: Figure, network: Network) -> None:
    papers = Network(
        network.name,
        network.title,
        network.uplinks,
        network.papers_machines,
        network.papers_machines,
        PAPERS_RATE_MEGABITS,
    )
    axis.set_title(f"as the paper printed it: {papers.ranks} × {PAPERS_RATE_MEGABITS} Mbit/s")
    for label, milliseconds in figure.papers_milliseconds[network.name].items():
        throughputs = [
            _throughput(papers, size, time / 1e3)
            for size, time in zip(figures.PAPER_2005_SIZES, milliseconds, strict=True)
        ]
        axis.plot(figures.PAPER_2005_SIZES, throughputs, "-", marker="s", label=label)
    _finish(axis, papers.peak_megabits(), figure.sizes)
    axis.legend(frameon=False)


def _finish(axis: "plot.Axes", peak: float, sizes: tuple[int, ...]) -> None:
    axis.axhline(peak, color="black", linewidth=0.8, linestyle=":")
    axis.annotate("peak", (sizes[0], peak), fontsize=6, verticalalignment="bottom")
    axis.set_xscale("log", base=2)
    axis.set_xticks(sizes, [size_text(size) for size in sizes])
    axis.set_ylim(0, peak * 1.12)


def _table(figure: Figure, measured: dict[tuple[str, str], Medians], mpi_title: str) -> list[str]:
    """Fractions of the peak, one row a curve and network, one column a size."""
    lines = [f"Fraction of the peak, {mpi_title}:", ""]
    lines.append("| network | | " + " | ".join(size_text(size) for size in figure.sizes) + " |")
    lines.append("|---|---|" + "---|" * len(figure.sizes))
    for network in networks():
        for control in CONGESTION_CONTROLS:
            medians = measured.get((network.name, control), {})
            for curve in _curves(figure):
                times = medians.get(curve.method, {})
                if not times:
                    continue
                cells = [
                    f"{_throughput(network, size, times[size]) / network.peak_megabits():.2f}" if size in times else "–"
                    for size in figure.sizes
                ]
                lines.append(f"| {network.name}, {control} | {curve.label} | " + " | ".join(cells) + " |")
    return [*lines, ""]
