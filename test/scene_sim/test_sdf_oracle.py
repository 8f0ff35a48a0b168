"""The readers against libsdformat: our own files, a corpus, and random frame graphs."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import sdf_oracle
from frame_graphs import worlds
from hypothesis import HealthCheck, Phase, given, settings
from sdf_oracle import Oracle, lacking, scene_differences
from urdf_oracle import urdf_differences

from scene_sim.description import DescriptionError, ResourceFinder, read_sdf, read_urdf
from scene_sim.description.sdf_names import SDF_NAMES
from scene_sim.description.xacro_source import expanded_text

DATA = Path(__file__).parent / "data"
ROOT = Path(__file__).parents[2]
SDF_FILES = sorted([*DATA.glob("*.sdf"), *(ROOT / "worlds").glob("*.sdf")])
ROBOTS: list[tuple[Path, dict[str, str]]] = [
    *((file, {}) for file in DATA.glob("*.xacro")),
    *(
        (ROOT / "urdf" / f"{name}.urdf.xacro", {"simulator": simulator})
        for name in ("station", "phone_robot", "drone")
        for simulator in ("embedded", "gz", "gazebo_classic")
    ),
]


SCHEMAS = Path("/usr/share/sdformat12")


@pytest.mark.skipif(not SCHEMAS.is_dir(), reason="needs the schemas of libsdformat 12")
def test_every_element_of_the_schemas_is_known() -> None:
    files = [file for minor in (6, 7, 8, 9) for file in (SCHEMAS / f"1.{minor}").glob("*.sdf")]
    names = {name for f in files for name in re.findall(r'<element\s+name="(\w+)"', f.read_text())}
    assert len(names) > 300
    assert names <= SDF_NAMES


@pytest.fixture(scope="module")
def oracle() -> Iterator[Oracle]:
    program, reason = sdf_oracle.build()
    if program is None:
        lacking(f"libsdformat oracle {reason}")
    running = Oracle(program, DATA)
    yield running
    running.close()


@pytest.mark.parametrize("file", SDF_FILES, ids=lambda file: file.stem)
def test_sdf_file_reads_as_in_libsdformat(oracle: Oracle, file: Path) -> None:
    scene = read_sdf(file, ResourceFinder([DATA]))
    assert scene_differences(scene, oracle.report(file)) == []


@pytest.mark.parametrize(
    ("file", "arguments"), ROBOTS, ids=lambda case: case.stem if isinstance(case, Path) else ""
)
def test_robot_lumps_as_in_libsdformat(
    oracle: Oracle, file: Path, arguments: dict[str, str], tmp_path: Path
) -> None:
    plain = tmp_path / "robot.urdf"
    plain.write_text(expanded_text(file, arguments))
    differences = urdf_differences(read_urdf(file, arguments).model, oracle.report(plain))
    assert differences == []


# A file takes libsdformat a third of a second: few examples, and no shrinking.
SETTINGS = settings(
    max_examples=25,
    derandomize=True,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    phases=(Phase.explicit, Phase.generate),
)


@SETTINGS
@given(text=worlds())
def test_random_frame_graph_reads_as_in_libsdformat(
    oracle: Oracle, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "graph.sdf"
    file.write_text(text)
    assert scene_differences(read_sdf(file), oracle.report(file)) == []


@SETTINGS
@given(text=worlds(wild=True))
def test_wild_frame_graph_is_refused_where_libsdformat_refuses_it(
    oracle: Oracle, text: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    file = tmp_path_factory.getbasetemp() / "graph.sdf"
    file.write_text(text)
    report = oracle.report(file)
    scene, refusal = None, ""
    try:
        scene = read_sdf(file)
    except DescriptionError as error:
        refusal = str(error)
    assert bool(refusal) == bool(report["errors"]), refusal or report["errors"]
    if scene is not None:
        assert scene_differences(scene, report) == []
