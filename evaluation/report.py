"""One self-contained HTML page, the JSON and the PNG plots of a score."""

from __future__ import annotations

import base64
import json
import os
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import jinja2
import numpy as np

from evaluation.errors import EvaluationError
from evaluation.metrics import along_across
from evaluation.scoring import Score
from evaluation.series import write_tum
from evaluation.tables import shown
from evaluation.thesis import STATIC, STATIC_WHOLE, limit_at

# What the estimators' reasons are called where their numbers were cut out.
WITHOUT_NUMBERS = {
    "seen in … of … scans": "seen in too few scans so far",
    "more than … targets": "more targets than are followed",
}
TITLES = {
    "path": "Path from above",
    "error_over_time": "Error over time, estimate minus truth (grey: no estimate)",
    "histograms": "Distribution of the errors (red: bias)",
    "error_by_speed": "Error by speed and yaw rate",
}


@dataclass(frozen=True)
class Comparison:
    """A table to show beside the figures: its head, and rows of as many cells."""

    head: Sequence[str]
    rows: Sequence[Sequence[str]]


def make_room(figures: Path | str | None, report: Path | str | None) -> None:
    """Make the folders of the results before the work; EvaluationError where that fails."""
    folders = [Path(figures).parent] if figures else []
    folders += [Path(report)] if report else []
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise EvaluationError(
                f"{folder}: results cannot be written: {error.strerror}"
            ) from None
        if not os.access(folder, os.W_OK):
            raise EvaluationError(f"{folder}: results cannot be written: not allowed")
    if figures and Path(figures).is_dir():
        raise EvaluationError(f"{figures}: is a folder; expected a file for the figures")


def write_json(figures: dict[str, Any], path: Path) -> None:
    """Write figures as JSON; NaN and infinity, which JSON lacks, must not be in them.

    Raises EvaluationError where the file cannot be written.
    """
    text = json.dumps(figures, indent=2, allow_nan=False, default=_plain) + "\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    except OSError as error:
        raise EvaluationError(f"{path}: cannot be written: {error.strerror}") from None


def _plain(value: Any) -> Any:
    if isinstance(value, (np.floating, np.integer, np.bool_)):
        return value.item()
    raise TypeError(f"{type(value).__name__} cannot be written as JSON")


def write_report(
    score: Score,
    folder: Path,
    pictures: dict[str, bytes] | None = None,
    comparison: Comparison | None = None,
) -> dict[str, bytes]:
    """Write report.html, the plots and the trajectories (TUM, for evo) into a folder.

    `pictures` are further images (name with suffix to bytes) to show on top, `comparison` the
    thesis's figures for this trial. Returns the plots.
    """
    # Its import takes a second, and most runs want figures only.
    from evaluation.plots import plots_of

    folder.mkdir(parents=True, exist_ok=True)
    plots = plots_of(score)
    for name, data in plots.items():
        (folder / f"{name}.png").write_bytes(data)
    if score.recording.reference is not None:
        write_tum(score.recording.reference.poses, folder / "reference.tum")
    for track in score.recording.tracks:
        poses, _ = track.poses.in_order()
        write_tum(poses.select(np.isfinite(poses.x)), folder / f"{track.name}.tum")
    html = render(score, plots, pictures or {}, comparison)
    (folder / "report.html").write_text(html, encoding="utf-8")
    return plots


def render(
    score: Score,
    plots: dict[str, bytes],
    pictures: dict[str, bytes],
    comparison: Comparison | None = None,
) -> str:
    """Return the page as text."""
    environment = jinja2.Environment(
        loader=jinja2.FileSystemLoader(Path(__file__).parent / "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters.update(
        mm=lambda value: shown(value, ".1f", 1e3),
        metres=lambda value: shown(value, ".4f"),
        deg=lambda value: shown(value, ".2f"),
        percent=lambda value: shown(value, ".1f", 100.0),
        number=lambda value: shown(value, ".2f"),
        wrapped=lambda degrees: 180.0 - (180.0 - degrees) % 360.0,
        counted=lambda count, noun: f"{count} {noun}" if count == 1 else f"{count} {noun}s",
    )
    return environment.get_template("report.html.j2").render(
        figures=score.figures,
        thesis=STATIC,
        thesis_whole=STATIC_WHOLE,
        limits=_limits(score),
        spread=_spread(score),
        refused=_refused(score.figures["refused_reasons"]),
        comparison=comparison,
        begin_s=score.recording.begin * 1e-9,
        plots=[(TITLES[name], _data_uri("png", data)) for name, data in plots.items()],
        pictures=[_data_uri(name.rsplit(".", 1)[-1], data) for name, data in pictures.items()],
    )


def _refused(reasons: dict[str, int]) -> dict[str, int]:
    """Reasons as they read well without their numbers, and how often each was given."""
    counts: Counter[str] = Counter()
    for reason, count in reasons.items():
        head = reason.split(":")[0] if "…" in reason else reason
        counts[WITHOUT_NUMBERS.get(head, head)] += count
    return dict(counts.most_common())


def _data_uri(kind: str, data: bytes) -> str:
    return f"data:image/{kind};base64,{base64.b64encode(data).decode()}"


def _limits(score: Score) -> list[dict[str, Any]]:
    """Our errors along and across the line of sight beside what one or five scans can give."""
    rows: list[dict[str, Any]] = []
    for track in score.tracks:
        own = track is score.tracks[0]
        errors, samples = track.errors, score.recording.samples
        for k, name in enumerate(samples.point_names):
            here = errors.select((samples.point == k) & errors.available)
            if not len(here):
                continue
            place = [name] if len(samples.point_names) > 1 else []
            parts = place if own else [track.track.name, *place]
            distance = float(np.hypot(here.reference_x, here.reference_y).mean())
            rows.append(
                {
                    "name": ", ".join(parts) or "whole",
                    "distance": distance,
                    "ours": along_across(here),
                    "one": limit_at(distance),
                    "five": limit_at(distance, 5),
                }
            )
    return rows


def _spread(score: Score) -> dict[str, tuple[float, float, float]]:
    """Mean of x, y (m) and angle (deg) of each point, as table 5.2 prints them."""
    result: dict[str, tuple[float, float, float]] = {}
    if not score.tracks:
        return result
    errors, samples = score.tracks[0].errors, score.recording.samples
    for k, name in enumerate(samples.point_names):
        here = errors.select((samples.point == k) & errors.available)
        if len(here):
            yaw = np.degrees(np.angle(np.mean(np.exp(1j * (here.reference_yaw + here.yaw)))))
            result[name] = (
                float(np.mean(here.reference_x + here.x)),
                float(np.mean(here.reference_y + here.y)),
                float(yaw),
            )
    return result
