"""Parameters of the orientation estimator, both methods."""

from __future__ import annotations

from dataclasses import dataclass, field

from ground_truth_localizer.cylinder_projection import CylinderParameters
from ground_truth_localizer.marker_pattern import PatternParameters
from spatial_types.parameters import parameter


@dataclass(frozen=True)
class ModelParameters:
    """Settings of `method: model`."""

    encoding: str = parameter(
        "linear",
        "what a pixel's value measures: light (linear) or its sRGB code (Gazebo, most cameras)",
        choices=("linear", "srgb"),
    )
    noise: float = parameter(
        2.0, "noise of one pixel, one sigma", unit="grey levels", minimum=0.01, maximum=60.0
    )
    model_error: float = parameter(
        0.5,
        "misfit of the shading model that averaging rows does not remove",
        unit="grey levels",
        minimum=0.01,
    )
    edge_error: float = parameter(
        0.09,
        "systematic error of one silhouette edge (anti-aliasing, lens)",
        unit="pixels",
        minimum=0.0,
        maximum=5.0,
    )
    marker_error: float = parameter(
        0.07,
        "systematic error of each marker's edge (anti-aliasing, print)",
        unit="pixels",
        minimum=0.0,
        maximum=5.0,
    )
    shade_error: float = parameter(
        0.012, "relative error of the markers' colours and shade", minimum=0.0, maximum=0.5
    )
    search: float = parameter(
        4.0, "how far around the laser's position to look", unit="sigma", minimum=1.0, maximum=20.0
    )
    search_floor: float = parameter(
        0.004, "least uncertainty assumed of the laser's position", unit="m", minimum=0.0
    )
    acceleration_density: float = parameter(
        0.3, "growth of the laser's uncertainty up to the image", unit="m^2/s^3", minimum=0.0
    )
    pose_time_error: float = parameter(
        0.012,
        "error of the camera's pose while it turns, as time (tf interpolates between joint states)",
        unit="s",
        minimum=0.0,
        maximum=0.2,
    )
    edge_misfit: float = parameter(
        6.0, "largest misfit of the silhouette that is still good", minimum=1.0
    )
    yaw_misfit: float = parameter(
        12.0, "largest misfit of the markers that is still good", minimum=1.0
    )
    margin: float = parameter(1.5, "how much worse the next best direction must fit", minimum=1.0)
    largest_sigma: float = parameter(
        2.0, "largest yaw sigma that is still good", unit="deg", minimum=0.01
    )


@dataclass(frozen=True)
class ThesisParameters:
    """Settings of `method: thesis`."""

    threshold: int = parameter(
        60, "least intensity of a target pixel", unit="grey levels", minimum=1, maximum=254
    )
    white_tolerance: int = parameter(
        0,
        "largest difference of red, green and blue of a target pixel (the thesis: 0)",
        unit="grey levels",
        minimum=0,
        maximum=255,
    )
    projection: str = parameter(
        "chord",
        "chord: the thesis's formula; exact: the same pixels through the exact projection",
        choices=("chord", "exact"),
    )


@dataclass(frozen=True)
class OrientationParameters:
    """Everything that the orientation estimator can be told."""

    method: str = parameter("model", "which estimator", choices=("model", "thesis"))
    target: CylinderParameters = field(default_factory=CylinderParameters)
    pattern: PatternParameters = field(default_factory=PatternParameters)
    model: ModelParameters = field(default_factory=ModelParameters)
    thesis: ThesisParameters = field(default_factory=ThesisParameters)

    def check(self) -> None:
        """Check the parts against each other."""
        self.target.check()
        self.pattern.check()
