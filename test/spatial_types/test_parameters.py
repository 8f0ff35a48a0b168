from dataclasses import dataclass, field

import pytest

from spatial_types.parameters import ParameterError, flatten, from_mapping, parameter


@dataclass(frozen=True)
class Zone:
    margin: float = parameter(0.09, "distance to the wall", unit="m", minimum=0.0, maximum=1.0)
    corners: tuple = parameter([0.0, 1.0], "corners")


@dataclass(frozen=True)
class Settings:
    method: str = parameter("model", "estimator", choices=("thesis", "model"))
    scans: int = parameter(5, "memory", minimum=0)
    enabled: bool = parameter(True, "on")
    frame: str = parameter("map", "a name")
    zone: Zone = field(default_factory=Zone)

    def check(self):
        if self.scans == 13:
            raise ParameterError("scans = 13: unlucky")


def test_defaults_and_dotted_names():
    assert [name for name, _, _ in flatten(Settings())] == [
        "method",
        "scans",
        "enabled",
        "frame",
        "zone.margin",
        "zone.corners",
    ]
    assert from_mapping(Settings, {}) == Settings()


def test_nested_and_dotted_values_agree():
    nested = from_mapping(Settings, {"zone": {"margin": 0.2}})
    assert nested == from_mapping(Settings, {"zone.margin": 0.2})
    assert nested.zone.margin == 0.2


def test_whole_number_serves_as_float():
    assert from_mapping(Settings, {"zone.margin": 1}).zone.margin == 1.0


@pytest.mark.parametrize(
    ("values", "words"),
    [
        (
            {"zone": {"margn": 1.0}},
            r"unknown parameter 'zone\.margn'; did you mean 'zone\.margin'\?",
        ),
        ({"zone.margin": 2.0}, "at most 1.0 m"),
        ({"zone.margin": -0.1}, "at least 0.0 m"),
        ({"zone.margin": float("nan")}, "expected a finite number"),
        ({"zone.corners": [0.0, float("inf")]}, "expected a finite number"),
        ({"zone.margin": "wide"}, "expected float"),
        ({"zone.corners": "abc"}, "expected a list"),
        ({"zone.corners": [0.0, "b"]}, "expected float"),
        ({"scans": 2.5}, "expected int"),
        ({"frame": ""}, "frame = '': expected a text as 'map'"),
        ({"scans": True}, "expected int"),
        ({"enabled": 1}, "expected bool"),
        ({"method": "magic"}, "one of thesis, model"),
        ({"scans": 13}, "unlucky"),
    ],
)
def test_bad_values_are_named(values, words):
    with pytest.raises(ParameterError, match=words) as caught:
        from_mapping(Settings, values, where="node: ")
    assert str(caught.value).startswith("node: ")
