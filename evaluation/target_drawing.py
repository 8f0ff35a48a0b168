"""`ros2 run truthbed target_drawing --out target.pdf`: the target as a drawing to scale, to print.

The first page shows the target with its dimensions. The others hold the strip of markers in true
size, in pieces that are glued together. Sizes and colours are the estimator's parameters.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import matplotlib
import numpy as np
from matplotlib.axes import Axes
from matplotlib.backends.backend_pdf import PdfPages
from matplotlib.figure import Figure
from matplotlib.patches import Circle, Rectangle, Wedge

from evaluation.commands import REFUSED, overrides_from
from evaluation.errors import EvaluationError
from evaluation.report import make_room
from ground_truth_localizer.marker_pattern import MarkerPattern
from ground_truth_localizer.orientation_parameters import OrientationParameters
from ground_truth_localizer.target_strip import Piece, pieces
from spatial_types.parameters import ParameterError, from_mapping

MM = 1e3  # millimetres in a metre: pages are drawn in millimetres
INCH = 25.4
PAPERS = {"A4": (297.0, 210.0), "A3": (420.0, 297.0), "letter": (279.4, 215.9)}
MARGIN = 12.0  # what printers leave white
TAB = 10.0
RULER = 100.0
SCALES = (1.0, 2.0, 2.5, 4.0, 5.0, 10.0, 20.0, 50.0)
THIN: dict[str, Any] = {"color": "0.35", "linewidth": 0.4}
TEXT: dict[str, Any] = {"fontsize": 7, "color": "0.2", "parse_math": False}


def write_drawing(path: Path, parameters: OrientationParameters, paper: str) -> int:
    """Write the PDF and return its number of pages; EvaluationError where nothing fits."""
    width, _ = PAPERS[paper]
    pattern = MarkerPattern(parameters.pattern)
    longest = width - 2 * MARGIN - TAB
    strip = pieces(pattern, parameters.target.radius, longest / MM)
    plain = matplotlib.rc_context({"pdf.compression": 0})  # so that its lengths can be read
    with plain, PdfPages(path, metadata={"CreationDate": None}) as pages:
        pages.savefig(_overview(parameters, pattern, paper, len(strip)))
        for number in range(len(strip)):
            pages.savefig(_strip_page(parameters, strip, number, paper))
    return 1 + len(strip)


def _page(paper: str) -> tuple[Figure, Axes]:
    """Return a page whose axes are its millimetres, from the lower left corner."""
    width, height = PAPERS[paper]
    figure = Figure(figsize=(width / INCH, height / INCH))
    axes = figure.add_axes((0.0, 0.0, 1.0, 1.0))
    axes.set_xlim(0.0, width)
    axes.set_ylim(0.0, height)
    axes.set_axis_off()
    _rulers(axes)
    return figure, axes


def _rulers(axes: Axes) -> None:
    """Draw a ruler of 100 mm across and one of 50 mm upright, by which a print is checked."""
    x, y = MARGIN, MARGIN
    axes.plot([x, x + RULER], [y, y], **THIN)
    axes.plot([x, x], [y, y + RULER / 2], **THIN)
    for k in range(11):
        tick = 3.0 if k % 5 == 0 else 1.5
        axes.plot([x + 10.0 * k] * 2, [y, y + tick], **THIN)
        if k <= 5:
            axes.plot([x, x + tick], [y + 10.0 * k] * 2, **THIN)
    told = "100 mm across, 50 mm up: if your print differs, switch 'fit to page' off"
    axes.text(x + 5.0, y + 4.0, told, **TEXT)


def _strip_page(
    parameters: OrientationParameters, strip: Sequence[Piece], number: int, paper: str
) -> Figure:
    """Draw one piece of the strip in true size."""
    figure, axes = _page(paper)
    piece, last = strip[number], number == len(strip) - 1
    height = PAPERS[paper][1]
    tall = parameters.target.marker_height * MM
    if tall > height - 2 * MARGIN - 60.0:
        raise EvaluationError(
            f"target.marker_height = {parameters.target.marker_height} m does not fit {paper}"
        )
    low = (height - tall) / 2.0 + 10.0
    left = MARGIN - piece.start * MM
    start, stop = (s * MM + left for s in (piece.start, piece.stop))
    for patch in piece.patches:
        x, long = patch.start * MM + left, (patch.stop - patch.start) * MM
        axes.add_patch(Rectangle((x, low), long, tall, color=patch.colour, linewidth=0))
        axes.text(x + long / 2, low - 6.0, patch.name, ha="center", **TEXT)
    for y in (low, low + tall):
        axes.plot([start, stop + TAB], [y, y], **THIN)
    for x in (start, stop, stop + TAB):
        _cut_mark(axes, x, low, low + tall)
    after = 1 if last else number + 2
    axes.text(stop + TAB / 2, low + tall / 2, f"glue under {after}", rotation=90, **TEXT)
    texts = [
        f"Piece {number + 1} of {len(strip)}, true size. Print at 100 %, on matte paper. Up is up.",
        f"Cut along the two long lines ({tall:.1f} mm apart), at the left mark, and at the right "
        "end of the tab.",
        f"Glue piece {after} onto the tab, its left edge at the tab's beginning.",
        f"Target radius {parameters.target.radius * MM:.1f} mm: the ring closes at "
        f"{2 * np.pi * parameters.target.radius * MM:.1f} mm.",
    ]
    for k, text in enumerate(texts):
        axes.text(MARGIN, height - MARGIN - 4.0 - 5.0 * k, text, **TEXT)
    return figure


def _cut_mark(axes: Axes, x: float, low: float, high: float) -> None:
    for begin, end in ((low - 4.0, low - 1.0), (high + 1.0, high + 4.0)):
        axes.plot([x, x], [begin, end], **THIN)


def _overview(
    parameters: OrientationParameters, pattern: MarkerPattern, paper: str, count: int
) -> Figure:
    """Draw the target from the side and from above, with its dimensions."""
    figure, axes = _page(paper)
    width, height = PAPERS[paper]
    target = parameters.target
    room_high, room_wide = height - 2 * MARGIN - 40.0, (width - 2 * MARGIN) / 2 - 60.0
    sizes = ((target.top * MM, room_high), (2 * target.radius * MM, room_wide))
    fitting = [s for s in SCALES if all(size / s <= room for size, room in sizes)]
    if not fitting:
        raise EvaluationError(f"the target does not fit {paper} at any scale")
    scale = fitting[0]
    _side_view(axes, parameters, pattern, (width * 0.27, MARGIN + 22.0), MM / scale)
    _top_view(axes, target.radius, pattern, (width * 0.72, height * 0.52), MM / scale)
    title = (
        f"Target, scale 1:{scale:g}; lengths in mm. The {count} pages that follow hold its ring of "
        "markers in true size."
    )
    axes.text(MARGIN, height - MARGIN - 4.0, title, fontsize=9)
    return figure


def _side_view(
    axes: Axes,
    parameters: OrientationParameters,
    pattern: MarkerPattern,
    foot: tuple[float, float],
    scale: float,
) -> None:
    """Draw the cylinder seen from where its yaw points, above the floor at `foot`."""
    target, (x, floor) = parameters.target, foot
    radius, ends = target.radius * scale, (target.bottom, target.top)
    low, high = (floor + z * scale for z in ends)
    rings = (target.marker_bottom, target.marker_top)
    ring = [floor + z * scale for z in rings]
    axes.add_patch(Rectangle((x - radius, low), 2 * radius, high - low, fill=False, linewidth=0.8))
    for centre, half, colour in zip(pattern.centres, pattern.halves, pattern.colours, strict=True):
        edges = np.linspace(centre - half, centre + half, 25)
        seen = np.sin(edges[np.cos(edges) > 0.0]) * radius
        if len(seen) > 1:
            size = (float(np.ptp(seen)), ring[1] - ring[0])
            corner = (x + float(seen.min()), ring[0])
            axes.add_patch(Rectangle(corner, *size, color=np.clip(colour, 0.0, 1.0), linewidth=0))
    axes.plot([x - radius - 25.0, x + radius + 45.0], [floor, floor], color="0.2", linewidth=0.8)
    axes.text(x - radius - 25.0, floor - 4.0, "floor", **TEXT)
    _dimension(axes, (x - radius, high + 8.0), (x + radius, high + 8.0), 2 * target.radius)
    _dimension(axes, (x - radius - 10.0, low), (x - radius - 10.0, high), np.ptp(ends))
    for k, z in enumerate((target.bottom, target.marker_centre, target.top)):
        away = x + radius + 10.0 + 11.0 * k
        _dimension(axes, (away, floor), (away, floor + z * scale), z)
    _dimension(axes, (x - radius - 3.0, ring[0]), (x - radius - 3.0, ring[1]), np.ptp(rings))


def _top_view(
    axes: Axes, radius: float, pattern: MarkerPattern, centre: tuple[float, float], scale: float
) -> None:
    """Draw the ring from above, yaw 0 to the right."""
    (x, y), r = centre, radius * scale
    axes.add_patch(Circle(centre, r, fill=False, linewidth=0.8))
    items = zip(pattern.names, pattern.centres, pattern.halves, pattern.colours, strict=True)
    for name, angle, half, colour in items:
        low, high = (float(np.degrees(angle + side * half)) for side in (-1.0, 1.0))
        shade = np.clip(colour, 0.0, 1.0)
        axes.add_patch(Wedge(centre, r, low, high, width=0.08 * r, color=shade, linewidth=0))
        at = (x + (r + 14.0) * np.cos(angle), y + (r + 9.0) * np.sin(angle))
        rgb = ", ".join(f"{round(255 * value)}" for value in shade)
        told = f"{name} {np.degrees(angle):.0f} deg\n{high - low:.0f} deg wide\nRGB {rgb}"
        axes.text(*at, told, ha="center", va="center", **TEXT)
    axes.annotate("", (x + 0.8 * r, y), (x, y), arrowprops={"arrowstyle": "->", "lw": 0.6})
    axes.text(x, y - 5.0, "yaw 0", **TEXT)
    axes.text(x, y + r + 28.0, "from above", ha="center", **TEXT)


def _dimension(
    axes: Axes, start: tuple[float, float], stop: tuple[float, float], length: float
) -> None:
    """Draw a dimension line with arrows and its length (m) in millimetres."""
    axes.annotate("", stop, start, arrowprops={"arrowstyle": "<->", "lw": 0.4, "shrinkA": 0})
    upright = start[0] == stop[0]
    middle = ((start[0] + stop[0]) / 2, (start[1] + stop[1]) / 2)
    axes.text(
        *middle,
        f"{length * MM:.1f}",
        rotation=90 if upright else 0,
        ha="right" if upright else "center",
        va="center" if upright else "bottom",
        **TEXT,
    )


def _arguments(args: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="target_drawing", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("target.pdf"), help="the PDF to write")
    parser.add_argument("--paper", choices=sorted(PAPERS), default="A4", help="laid across")
    parser.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        dest="sets",
        help="a parameter of orientation_estimator, as target.radius=0.08",
    )
    return parser.parse_args(args)


def main(args: Sequence[str] | None = None) -> int:
    """Run the command; 2 for what is refused."""
    arguments = _arguments(args)
    try:
        values: dict[str, Any] = overrides_from(arguments.sets)
        parameters = from_mapping(OrientationParameters, values)
        make_room(arguments.out, None)
        count = write_drawing(arguments.out, parameters, arguments.paper)
    except (EvaluationError, ParameterError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return REFUSED
    print(f"{arguments.out}: {count} pages of {arguments.paper}; print them at 100 %")
    return 0


if __name__ == "__main__":
    sys.exit(main())
