"""Parameters of the laser localizer, in the order of config/laser_localizer.yaml."""

from __future__ import annotations

import math
from dataclasses import dataclass

from spatial_types.parameters import ParameterError, parameter


@dataclass(frozen=True)
class SensorParameters:
    """What one range reading is worth."""

    sigma: float = parameter(
        0.03, "standard deviation of one range", unit="m", minimum=1e-4, maximum=1.0
    )
    range_bias: float = parameter(
        0.0,
        "how much farther than it is everything is read, as calibrate_station finds it; subtracted",
        unit="m",
        minimum=-1.0,
        maximum=1.0,
    )
    outlier_ratio: float = parameter(
        0.002, "part of the readings that tell nothing", minimum=1e-9, maximum=0.5
    )
    dropout_ratio: float = parameter(
        0.01, "part of the beams on a target that return nothing", minimum=1e-9, maximum=0.9
    )
    spot_radius: float = parameter(
        0.0,
        "half width of the beam's spot on the target; softens the edge (0: a pencil beam)",
        unit="m",
        minimum=0.0,
        maximum=0.1,
    )


@dataclass(frozen=True)
class TargetParameters:
    """The cylinder that is looked for."""

    radius: float = parameter(0.10, "radius of the target", unit="m", minimum=0.005, maximum=2.0)
    radius_tolerance: float = parameter(
        0.02,
        "how far the width of a candidate may be from the radius, beside the beams' own spacing",
        unit="m",
        minimum=0.0,
        maximum=1.0,
    )
    bottom: float = parameter(0.19, "height of the target's lower end in map", unit="m")
    top: float = parameter(0.55, "height of the target's upper end in map", unit="m")
    min_beams: int = parameter(3, "fewest beams that make a candidate", minimum=2, maximum=1000)
    max_misfit: float = parameter(
        1.5,
        "largest mean squared residual over sigma^2 of a round candidate of very many beams (1 "
        "expected); fewer beams are allowed more, as chance is",
        minimum=1.0,
        maximum=1000.0,
    )


@dataclass(frozen=True)
class ZoneParameters:
    """Where the target may be."""

    kind: str = parameter(
        "rectangle", "shape of the zone", choices=("rectangle", "polygon", "file", "open")
    )
    rectangle: tuple[float, ...] = parameter(
        [-4.0, 0.0, 4.0, 4.0], "x_min, y_min, x_max, y_max of the walls in map", unit="m"
    )
    polygon: tuple[float, ...] = parameter(
        [-4.0, 0.0, 4.0, 0.0, 4.0, 4.0, -4.0, 4.0], "corners x, y, x, y, ... in map", unit="m"
    )
    file: str = parameter("", "zone file (learnt, polygon with holes, rectangle) for kind 'file'")
    margin_sigmas: float = parameter(
        3.0, "the zone keeps this many sigma away from walls", minimum=0.0, maximum=20.0
    )
    learn_scans: int = parameter(
        50, "scans of the empty room to learn from", minimum=2, maximum=10000
    )
    learn_busy: bool = parameter(
        False, "people may be about while learning: take the farthest range that a beam sees often"
    )
    learn_file: str = parameter("zone.yaml", "file that the learn service writes")


@dataclass(frozen=True)
class FilterParameters:
    """From single scans to a steady state."""

    memory_scans: int = parameter(
        0, "scans pooled while the target stands (0: all since it stopped)", minimum=0
    )
    acceleration_density: float = parameter(
        0.04,
        "spectral density of the target's acceleration while driving",
        unit="m^2/s^3",
        minimum=1e-6,
        maximum=100.0,
    )
    start_probability: float = parameter(
        0.02, "chance per scan that a standing target starts", minimum=1e-6, maximum=0.5
    )
    stop_probability: float = parameter(
        0.02, "chance per scan that a driving target stops", minimum=1e-6, maximum=0.5
    )
    speed_limit: float = parameter(
        1.5,
        "speed that a target is not expected to exceed",
        unit="m/s",
        minimum=0.01,
        maximum=100.0,
    )
    position_floor: float = parameter(
        0.0003,
        "systematic error that no averaging removes, added to the covariance",
        unit="m",
        minimum=0.0,
        maximum=0.1,
    )


@dataclass(frozen=True)
class TrackParameters:
    """When a candidate becomes a target, and when it is given up."""

    max_targets: int = parameter(16, "most targets at once", minimum=1, maximum=1000)
    confirm_scans: int = parameter(
        2, "scans in which a candidate is seen before it is a target", minimum=1, maximum=100
    )
    lost_scans: int = parameter(
        3, "scans in a row without the target after which it is lost", minimum=1, maximum=1000
    )
    gate_sigmas: float = parameter(
        5.0, "association gate around the prediction", minimum=1.0, maximum=100.0
    )
    remember: float = parameter(
        10.0, "time for which a lost target keeps its id", unit="s", minimum=0.0, maximum=86400.0
    )
    require_motion: float = parameter(
        0.0,
        "a candidate is a target only after moving this far (0: at once); tells a target from "
        "furniture of its own size where the zone is not learnt",
        unit="m",
        minimum=0.0,
        maximum=100.0,
    )


@dataclass(frozen=True)
class LaserParameters:
    """All parameters of the laser localizer."""

    method: str = parameter(
        "model", "estimator: ours, or the source thesis's", choices=("model", "thesis")
    )
    sensor: SensorParameters = SensorParameters()
    target: TargetParameters = TargetParameters()
    zone: ZoneParameters = ZoneParameters()
    filter: FilterParameters = FilterParameters()
    track: TrackParameters = TrackParameters()

    def check(self) -> None:
        """Refuse combinations that no single range catches; ParameterError names the parameter."""
        if not self.target.top > self.target.bottom:
            raise ParameterError(
                f"target.top = {self.target.top} m: expected above target.bottom "
                f"({self.target.bottom} m)"
            )
        box = self.zone.rectangle
        if len(box) != 4 or not (box[0] < box[2] and box[1] < box[3]):
            raise ParameterError(
                f"zone.rectangle = {list(box)}: expected x_min, y_min, x_max, y_max, min < max"
            )
        if len(self.zone.polygon) % 2 or len(self.zone.polygon) < 6:
            raise ParameterError(
                f"zone.polygon = {list(self.zone.polygon)}: expected x, y of 3 corners or more"
            )
        if not all(math.isfinite(v) for v in (*box, *self.zone.polygon)):
            raise ParameterError("zone.rectangle or zone.polygon: expected finite numbers")
        if self.zone.kind == "file" and not self.zone.file:
            raise ParameterError("zone.file = '': expected a path, since zone.kind is 'file'")
