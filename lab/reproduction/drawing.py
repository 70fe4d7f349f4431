"""matplotlib, set up so that the same input gives the same file, byte for byte."""

from __future__ import annotations

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as plot  # noqa: E402

__all__ = ["plot", "save"]

matplotlib.rcParams.update(
    {
        "svg.hashsalt": "aapc",
        "svg.fonttype": "none",
        "font.sans-serif": ["DejaVu Sans"],  # the whole list of substitutes would stand in every label
        "font.size": 8,
        "lines.markersize": 3,
    }
)

SVG = "{http://www.w3.org/2000/svg}"


def save(drawing: "plot.Figure", picture: Path) -> None:
    drawing.savefig(picture, metadata={"Date": None})
    plot.close(drawing)
    picture.write_text(without_structure(picture.read_text(encoding="utf-8")), encoding="utf-8")


def without_structure(svg: str) -> str:
    """The same picture without the names of its parts, which nobody asks for and which are two thirds of its lines."""
    ElementTree.register_namespace("", SVG[1:-1])
    ElementTree.register_namespace("xlink", "http://www.w3.org/1999/xlink")
    root = ElementTree.fromstring(svg)
    for metadata in root.findall(f"{SVG}metadata"):
        root.remove(metadata)
    _flatten(root)
    for element in root.iter():
        if "d" in element.attrib:
            element.set("d", " ".join(element.attrib["d"].split()))
    ElementTree.indent(root, "")
    return ElementTree.tostring(root, encoding="unicode") + "\n"


def _flatten(parent: ElementTree.Element) -> None:
    """Puts what is in groups that only have a name into their place."""
    children = []
    for child in parent:
        _flatten(child)
        is_name_only = child.tag == f"{SVG}g" and set(child.attrib) <= {"id"}
        children += list(child) if is_name_only else [child]
    parent[:] = children
