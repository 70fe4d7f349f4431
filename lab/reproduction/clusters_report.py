"""The sections of docs/experiments.md on clusters: Figures 2 to 4, 6, 8 and 9 of Steffenel, Martinasso & Trystram."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from sweeping.medians import Row
from sweeping.quantities import size_text, time_text

from .clusters import (
    FEWEST_FITTED_RANKS,
    FEWEST_RANKS,
    GRID_CLUSTERS,
    GRID_MACHINES,
    GRID_TOPOLOGY,
    MOST_FITTED_RANKS,
    SIGNATURE_METHODS,
    SIGNATURE_NETWORK,
    HoldOut,
    Place,
    hold_out,
    predicted_curves,
    wide_area_messages,
)
from .drawing import plot, save
from .results import Curve

PAPER = "Steffenel, Martinasso & Trystram"
EQUATION_6 = ("everybody directly", "equation 6")
EQUATION_6_SHARED = ("everybody directly", "equation 6, links shared")
EQUATION_7 = ("local-group", "equation 7 as printed")
EQUATION_7_CORRECTED = ("local-group", "equation 7'")
EQUATION_7_SHARED = ("local-group", "equation 7', links shared")

Curves = dict[str, Curve]  # by what the legend says


def cluster_blocks(directory: Path, pictures: Path) -> Iterator[tuple[str, str]]:
    """Name and text of each block for which there are results."""
    places = [Place(directory, control, mpi) for control in ("cubic", "bbr", "reno") for mpi in ("openmpi", "mpich")]
    signatures = [
        (f"{place.name}, {method}", f"clusters-2-to-4-{place.name}-{method}", samples)
        for place in places
        for method in SIGNATURE_METHODS
        if (samples := place.signature(method))
    ]
    if signatures:
        yield "clusters-2-to-4", _signature_block(signatures, pictures)
    grids = [place for place in places if place.grid_curves()]
    if grids:
        yield "clusters-8", _comparison_block(grids, pictures)
    modelled = [place for place in grids if place.grid_samples(GRID_CLUSTERS[0])]
    if modelled:
        yield "clusters-6-and-9", _prediction_block(modelled, pictures)


# ---- Figures 2 to 4: one cluster, prediction against measurement ----


def _signature_block(signatures: Sequence[tuple[str, str, Sequence[Row]]], pictures: Path) -> str:
    lines = [
        f"## {PAPER}, Figures 2 to 4: the contention signature predicts other numbers of ranks",
        "",
        "**The paper saw:** errors mostly below 10 % where there are enough ranks to saturate the network (Fast Ethernet and Gigabit "
        "Ethernet), and a signature that is too low where it was fitted before saturation (Myrinet).",
        "",
        f"{SIGNATURE_NETWORK.machines} machines on one switch at {SIGNATURE_NETWORK.rate_megabits} Mbit/s: the MPI's own all-to-all, which "
        "changes its algorithm with the size, and `linear`, everything at once, which the paper's MPIs did. "
        f"The model is fitted to what was measured with {FEWEST_FITTED_RANKS} to {MOST_FITTED_RANKS} ranks; all points with more "
        "are held out. (Fewer do not saturate the network; what becomes of the error when they are fitted as well is said below.)",
        "",
    ]
    for name, file, samples in signatures:
        result = hold_out(samples)
        with_few = hold_out(samples, FEWEST_RANKS)
        picture = pictures / f"{file}.svg"
        _draw_signature(result, name, picture)
        lines += [
            f"![Prediction and error, {name}](experiments/{picture.name})",
            "",
            *_signature_table(result, with_few, name),
        ]
    return "\n".join(lines) + "\n"


def _draw_signature(result: HoldOut, name: str, picture: Path) -> None:
    drawing, (times, errors) = plot.subplots(1, 2, figsize=(10, 3.6))
    for number, ranks in enumerate(sorted({point.ranks for point in result.points})):
        points = [point for point in result.points if point.ranks == ranks]
        sizes = [point.size for point in points]
        color, held_out = f"C{number}", ranks > MOST_FITTED_RANKS
        times.plot(sizes, [point.predicted for point in points], "-", color=color)
        times.plot(
            sizes,
            [point.measured for point in points],
            "o",
            color=color,
            fillstyle="full" if held_out else "none",
            label=f"{ranks} ranks" + (", held out" if held_out else ""),
        )
    times.set_xscale("log", base=2)
    times.set_yscale("log")
    times.set_ylabel("seconds")
    times.set_title("measured (points) and predicted (lines)")
    times.legend(frameon=False)
    for number, size in enumerate(sorted({point.size for point in result.points})):
        points = [point for point in result.points if point.size == size]
        errors.plot(
            [point.ranks for point in points],
            [100 * point.error for point in points],
            "o-",
            color=f"C{number}",
            label=size_text(size),
        )
    errors.axhspan(-10, 10, color="0.9")
    errors.axvline(MOST_FITTED_RANKS + 0.5, color="black", linewidth=0.8, linestyle=":")
    errors.set_xlabel("ranks")
    errors.set_ylabel("measured over predicted, - 1, in %")
    errors.set_title("error; right of the line held out")
    errors.legend(frameon=False, ncol=2)
    _label_sizes(times, {point.size for point in result.points})
    drawing.suptitle(name)
    drawing.tight_layout()
    save(drawing, picture)


def _signature_table(result: HoldOut, with_few: HoldOut, name: str) -> list[str]:
    fit = result.fit
    threshold = fit["threshold"] and fit["threshold"]["interval"]
    lines = [
        f"{name}: gamma {_with_interval(fit['gamma'])}, delta {_with_interval(fit['delta'])} s, threshold "
        + ("none" if threshold is None else f"above {threshold[0]} and up to {threshold[1]} bytes")
        + f". Median error of the held-out points: {result.median_error:.1%}; fitted to {FEWEST_RANKS} ranks and more, "
        f"{with_few.median_error:.1%}.",
        "",
        "| ranks | size | measured | predicted | error |",
        "|---|---|---|---|---|",
    ]
    lines += [
        f"| {point.ranks} | {size_text(point.size)} | {time_text(point.measured)} | {time_text(point.predicted)} |"
        f" {point.error:+.1%} |"
        for point in result.held_out
    ]
    return [*lines, ""]


def _with_interval(parameter: dict) -> str:
    low, high = (f"{end:.4g}" if end is not None else "?" for end in parameter["interval"])
    return f"{parameter['value']:.4g} ({low} to {high})"


# ---- Figures 6, 8 and 9: two clusters ----


def _comparison_block(places: Sequence[Place], pictures: Path) -> str:
    counts = {algorithm: wide_area_messages(GRID_TOPOLOGY, algorithm) for algorithm in ("local-group", "ring")}
    lines = [
        f"## {PAPER}, Figure 8: `local-group` against everybody sending directly",
        "",
        "**The paper saw:** more than 50 % of improvement over Open MPI's own on two clusters of 30.",
        "",
        f"Two clusters of {GRID_MACHINES} machines at 100 Mbit/s, joined by one link of 100 Mbit/s and 10 ms each way. Messages across the "
        f"wide area, counted in the schedules: {counts['local-group']} with `local-group`, {counts['ring']} directly.",
        "",
    ]
    for place in places:
        curves = place.grid_curves()
        picture = pictures / f"clusters-8-{place.name}.svg"
        _draw_curves(curves, {}, place.name, picture)
        lines += [
            f"![Times on two clusters, {place.name}](experiments/{picture.name})",
            "",
            *_speed_up_table(curves, place.name),
        ]
    return "\n".join(lines) + "\n"


def _speed_up_table(curves: Curves, name: str) -> list[str]:
    sizes = sorted(curves["native"])
    lines = [
        f"{name}: time, and how many times as long `native` took:",
        "",
        "| | " + " | ".join(size_text(size) for size in sizes) + " |",
        "|---|" + "---|" * len(sizes),
    ]
    for method, curve in curves.items():
        cells = [f"{time_text(curve[size])}, {curves['native'][size] / curve[size]:.2f}" for size in sizes]
        lines.append(f"| `{method}` | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _prediction_block(places: Sequence[Place], pictures: Path) -> str:
    lines = [
        f"## {PAPER}, Figures 6 and 9: what two clusters should take",
        "",
        "**The paper saw:** equation 6 far from what Open MPI's own takes on two clusters, and equation 7 close to what `local-group` "
        'takes. (7\' is equation 7 with every message as large as it is; "links shared" has the messages of a cluster share its link to '
        "the backbone, which the paper leaves out.)",
        "",
    ]
    for place in places:
        measured = place.grid_curves()
        predicted = predicted_curves(place, sorted(measured["native"]))
        local_group = next(method for method in measured if method.startswith("local-group"))
        comparisons = [
            ("6", "native", {"6": predicted[EQUATION_6], "6, links shared": predicted[EQUATION_6_SHARED]}),
            (
                "9",
                local_group,
                {
                    "7": predicted[EQUATION_7],
                    "7'": predicted[EQUATION_7_CORRECTED],
                    "7', links shared": predicted[EQUATION_7_SHARED],
                },
            ),
        ]
        for number, method, equations in comparisons:
            picture = pictures / f"clusters-{number}-{place.name}.svg"
            lines_of_equations = {f"equation {name}": curve for name, curve in equations.items()}
            _draw_curves({method: measured[method]}, lines_of_equations, f"Figure {number}, {place.name}", picture)
            lines += [f"![Figure {number}, {place.name}](experiments/{picture.name})", ""]
            lines += _prediction_table(number, method, measured[method], equations, place.name)
    return "\n".join(lines) + "\n"


def _prediction_table(number: str, method: str, measured: Curve, equations: Curves, name: str) -> list[str]:
    lines = [
        f"Figure {number}, {name}, `{method}`:",
        "",
        "| size | measured | " + " | ".join(f"equation {equation} | error" for equation in equations) + " |",
        "|---|---|" + "---|---|" * len(equations),
    ]
    for size, seconds in sorted(measured.items()):
        cells = [f"{time_text(curve[size])} | {seconds / curve[size] - 1:+.1%}" for curve in equations.values()]
        lines.append(f"| {size_text(size)} | {time_text(seconds)} | " + " | ".join(cells) + " |")
    return [*lines, ""]


def _draw_curves(measured: Curves, predicted: Curves, title: str, picture: Path) -> None:
    drawing, axis = plot.subplots(figsize=(6, 3.6))
    for curves, style in ((measured, "o-"), (predicted, "--")):
        for label, curve in curves.items():
            sizes = sorted(curve)
            axis.plot(sizes, [curve[size] for size in sizes], style, label=label)
    axis.set_xscale("log", base=2)
    axis.set_yscale("log")
    axis.set_ylabel("seconds")
    axis.set_title(title)
    axis.legend(frameon=False)
    _label_sizes(axis, {size for curve in (*measured.values(), *predicted.values()) for size in curve})
    drawing.tight_layout()
    save(drawing, picture)


def _label_sizes(axis: "plot.Axes", sizes: set[int]) -> None:
    axis.set_xticks(sorted(sizes), [size_text(size) for size in sorted(sizes)])
    axis.set_xlabel("message size")
