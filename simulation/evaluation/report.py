"""Tables of what has been simulated."""

from __future__ import annotations

from pathlib import Path

from .experiments import START_UP, Network
from .results import Curve, Result, read_results

SECONDS_PER_BYTE = 8e-9
"""Of a link of the simulated tori: the paper's td."""


def markdown(header: list[str], rows: list[list[str]]) -> str:
    lines = ["| " + " | ".join(header) + " |", "|" + "---|" * len(header)]
    lines += ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def number(value: float) -> str:
    return f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def size_text(size: int) -> str:
    return f"{size // 1024} KiB" if size >= 1024 else f"{size} B"


def curves(results: list[Result]) -> dict[str, Curve]:
    """By method; checked and unchecked sizes together."""
    found: dict[str, Curve] = {}
    for result in results:
        found.setdefault(result.experiment.label, {}).update(result.seconds)
    return found


def torus_table(results: list[Result]) -> str:
    by_method = curves(results)
    unchecked = {(one.experiment.label, size) for one in results if not one.experiment.checked for size in one.seconds}
    sizes = sorted({size for curve in by_method.values() for size in curve})
    rows = []
    for method, curve in by_method.items():
        cells = []
        for size in sizes:
            mark = "*" if (method, size) in unchecked else ""
            cells.append(f"{number(curve[size] * 1e3)}{mark}" if size in curve else "")
        rows.append([f"`{method}`", *cells])
    return markdown(["ms", *map(size_text, sizes)], rows)


def work(side: int, method: str) -> tuple[float, float]:
    """Start-ups and blocks of the model (docs/torus.md) on side x side machines, the side a multiple of 8."""
    if method.startswith("torus-direct"):
        return side**3 / 8, side**3 / 8
    divisions = int(method.rsplit("-", 1)[1])
    spacing = 2**divisions
    if side // spacing == 2:
        return 3 * divisions + 2, side**2 * (1.75 * side - 2.5)
    return 3 * divisions + side / (2 * spacing) + 2, side**2 * (side / 4 + 3.5 * spacing - 2.5)


def model_table(results: list[Result]) -> str:
    """Simulated over predicted, the least and the most over the sizes."""
    rows = []
    for result in results:
        if not result.experiment.method.startswith("torus/"):
            continue
        side = round(result.experiment.network.ranks**0.5)
        start_ups, blocks = work(side, result.experiment.method)
        ratios = [
            seconds / (start_ups * START_UP + blocks * size * SECONDS_PER_BYTE)
            for size, seconds in result.seconds.items()
        ]
        sizes = sorted(result.seconds)
        rows.append(
            [
                result.experiment.network.name,
                f"`{result.experiment.method}`",
                f"{start_ups:.0f}",
                f"{blocks:.0f}",
                f"{size_text(sizes[0])} to {size_text(sizes[-1])}",
                f"{min(ratios):.3f} to {max(ratios):.3f}",
            ]
        )
    return markdown(["network", "method", "start-ups S", "blocks B", "sizes", "simulated over S·ts + m·B·td"], rows)


def at(curve: Curve, size: float) -> float:
    """Between simulated sizes, and beyond the largest, on the straight line through the nearest two."""
    sizes = sorted(curve)
    above = next((index for index, one in enumerate(sizes) if one >= size), len(sizes) - 1)
    upper = max(above, 1)
    left, right = sizes[upper - 1], sizes[upper]
    return curve[left] + (curve[right] - curve[left]) * (size - left) / (right - left)


def crossing(few: Curve, many: Curve) -> float | None:
    """The size from which on `many` (messages) takes less than `few`."""
    sizes = sorted({*few, *many})
    least = max(min(few), min(many))
    sizes = [size for size in sizes if size >= least]
    for left, right in zip(sizes, sizes[1:]):
        lead_left = at(few, left) - at(many, left)
        lead_right = at(few, right) - at(many, right)
        if lead_left <= 0 < lead_right:
            return left + (right - left) * -lead_left / (lead_right - lead_left)
    return None


def predicted_crossing(side: int, few: str, many: str) -> float | None:
    start_ups_few, blocks_few = work(side, few)
    start_ups_many, blocks_many = work(side, many)
    if start_ups_many <= start_ups_few or blocks_few <= blocks_many:
        return None
    return (start_ups_many - start_ups_few) * START_UP / ((blocks_few - blocks_many) * SECONDS_PER_BYTE)


def crossing_table(results: list[Result]) -> str:
    rows = []
    networks = dict.fromkeys(one.experiment.network for one in results)
    for network in networks:
        side = round(network.ranks**0.5)
        by_method = curves([one for one in results if one.experiment.network == network])
        pairs = [("torus/divisions-1", "torus/divisions-0"), ("torus/divisions-2", "torus/divisions-1")]
        pairs += [("torus/divisions-0", method) for method in by_method if method.startswith("torus-direct")]
        for few, many in pairs:
            # Of a method that was simulated at one size so far there is no line.
            if any(len(by_method.get(method, {})) < 2 for method in (few, many)):
                continue
            predicted = predicted_crossing(side, few, many)
            simulated = crossing(by_method[few], by_method[many])
            rows.append(
                [
                    network.name,
                    f"`{few}`",
                    f"`{many}`",
                    "never" if predicted is None else f"{number(predicted)} B",
                    "none seen" if simulated is None else f"{number(simulated)} B",
                ]
            )
    return markdown(["network", "better below", "better above", "predicted", "simulated"], rows)


def tree_table(results: list[Result]) -> str:
    sizes = sorted({size for one in results for size in one.of_bound})
    rows = []
    for result in results:
        cells = [f"{result.of_bound[size]:.3f}" if size in result.of_bound else "" for size in sizes]
        rows.append([f"`{result.experiment.label}`", *cells])
    return markdown(["of the bound", *map(size_text, sizes)], rows)


def cost_table(results: list[Result]) -> str:
    rows = []
    for network in dict.fromkeys(one.experiment.network for one in results):
        here = [one for one in results if one.experiment.network == network]
        longest = max(here, key=lambda one: max(float(sample["processor_seconds"]) for sample in one.samples))
        sample = max(longest.samples, key=lambda one: float(one["processor_seconds"]))
        rows.append(
            [
                network.name,
                str(network.ranks),
                f"{sum(one.processor_seconds for one in here):.0f} s",
                f"`{longest.experiment.label}`, {size_text(int(sample['message_bytes']))}: "
                f"{float(sample['processor_seconds']):.1f} s, "
                f"{sample['messages']} messages",
                f"{max(one.memory_bytes for one in here) / 1e9:.2f} GB",
            ]
        )
    return markdown(["network", "ranks", "processor time in all", "longest single exchange", "most memory"], rows)


def networks_of(results: list[Result], kind: str) -> list[Network]:
    return list(dict.fromkeys(one.experiment.network for one in results if one.experiment.network.kind == kind))


def write_report(file: Path, page: Path) -> None:
    results = list(read_results(file).values())
    if results:
        page.write_text(report(results))


def report(results: list[Result]) -> str:
    """The page."""
    tori = [one for one in results if one.experiment.network.kind == "torus"]
    parts = [
        "# Results of the simulation\n",
        "Written by `simulation/evaluate`. [simulation.md](simulation.md) says what is simulated, what it shows and what\n"
        "it cannot show.\n",
    ]
    parts.append("## Tori\n")
    parts.append(
        "Links of 1 Gbit/s (td = 8 ns a byte), 30 µs for which a sender is busy with each message (ts). Simulated\n"
        "milliseconds. An asterisk: data not looked at, because the buffers of all ranks would not have fitted into\n"
        "memory.\n"
    )
    for network in networks_of(results, "torus"):
        parts.append(f"### {network.name}: {network.ranks} ranks\n")
        parts.append(torus_table([one for one in tori if one.experiment.network == network]))
    if tori:
        parts += ["### Start-ups and blocks\n", model_table(tori)]
        parts += ["### Where one overtakes the other\n", crossing_table(tori)]
    if networks_of(results, "tree"):
        parts.append("## Trees\n")
        parts.append(
            "Links of 100 Mbit/s and 25 µs. The bound over the simulated time: 1 is the time that the busiest link needs\n"
            "for the data alone.\n"
        )
    for network in networks_of(results, "tree"):
        parts.append(f"### {network.name}: {network.ranks} ranks\n")
        parts.append(tree_table([one for one in results if one.experiment.network == network]))
    parts += ["## What the simulation costs\n", cost_table(results)]
    return "\n".join(parts)
