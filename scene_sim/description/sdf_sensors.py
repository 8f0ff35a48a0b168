"""Reads <sensor>: the common fields, and the block that goes with each type."""

from __future__ import annotations

from collections.abc import Callable
from typing import cast

from spatial_types.suggestions import closest
from spatial_types.transforms import Transform

from .poses import RawPose, take_pose
from .reading import Reading
from .sdf_parts import read_plugins
from .sensors import (
    AirPressure,
    Altimeter,
    Axes3Noise,
    Camera,
    Contact,
    Distortion,
    Imu,
    Intrinsics,
    Lidar,
    Magnetometer,
    NavSat,
    Noise,
    ScanAxis,
    Sensor,
    SensorSpec,
)
from .shapes import Vector3
from .xml_node import Node

_ALIASES = {
    "ray": "lidar",
    "gpu_ray": "gpu_lidar",
    "gps": "navsat",
    "depth": "depth_camera",
    "rgbd": "rgbd_camera",
}
_KNOWN_ELSEWHERE = [
    "boundingbox_camera",
    "boundingbox",
    "custom",
    "force_torque",
    "logical_camera",
    "multicamera",
    "rfid",
    "rfidtag",
    "segmentation_camera",
    "segmentation",
    "sonar",
    "thermal_camera",
    "thermal",
    "wireless_receiver",
    "wireless_transmitter",
    "wide_angle_camera",
    "wideanglecamera",
    "dvl",
    "air_speed",
    "air_flow",
    "none",
]
_NOISE_KINDS = ("none", "gaussian", "gaussian_quantized")


def read_sensor(
    node: Node, reading: Reading, locate: Callable[[RawPose], Transform]
) -> Sensor | None:
    """Read one sensor; None (and a warning) for types that only other simulators know.

    `locate` gives link_from_sensor of a pose as written. Raises DescriptionError for an unknown
    type, a missing block of the type, and impossible values.
    """
    name = node.required_attribute("name")
    written = node.required_attribute("type")
    kind = _ALIASES.get(written, written)
    read = _READERS.get(kind)
    if read is None:
        _refuse_unknown(node, written)
        node.take_whole()
        reading.warn(node, f"sensor '{name}' of type '{written}' is not supported: left out")
        return None
    pose = locate(take_pose(node))
    topic, spec = node.string("topic"), read(node)
    if topic == "__default__":
        topic = ""
    return Sensor(
        name=name,
        type=kind,
        spec=spec,
        pose=pose,
        topic=topic,
        update_rate=node.number("update_rate", 0.0, minimum=0.0),
        always_on=node.flag("always_on", False),
        visualize=node.flag("visualize", False),
        enable_metrics=node.flag("enable_metrics", False),
        frame_id=_frame_id(node),
        written_type=written,
        plugins=read_plugins(node),
        source=node.source,
    )


def _refuse_unknown(node: Node, written: str) -> None:
    known = [*_READERS, *_ALIASES]
    if written not in _KNOWN_ELSEWHERE:
        close = closest(written, [*known, *_KNOWN_ELSEWHERE])
        hint = f"did you mean '{close}'?" if close else f"expected one of {', '.join(known)}"
        raise node.error(f"type '{written}' is no sensor; {hint}")


def _frame_id(node: Node) -> str:
    names = [node.string(tag) for tag in ("gz_frame_id", "ignition_frame_id", "frame_id")]
    return next((name for name in names if name), "")


def _block(node: Node, *tags: str) -> Node:
    for tag in tags:
        child = node.child(tag)
        if child is not None:
            return child
    expected = " or ".join(f"<{tag}>" for tag in tags)
    raise node.error(f"of type '{node.attribute('type')}' needs {expected}")


def read_noise(node: Node | None) -> Noise:
    """Read <noise>, its kind as an attribute (imu, ...) or as an element (lidar, camera)."""
    if node is None:
        return Noise()
    kind = node.attribute("type") or node.string("type", "none")
    if kind not in _NOISE_KINDS:
        raise node.error(f"type is '{kind}': expected one of {', '.join(_NOISE_KINDS)}")
    return Noise(
        kind=kind,
        mean=node.number("mean", 0.0),
        stddev=node.number("stddev", 0.0, minimum=0.0),
        bias_mean=node.number("bias_mean", 0.0),
        bias_stddev=node.number("bias_stddev", 0.0, minimum=0.0),
        dynamic_bias_stddev=node.number("dynamic_bias_stddev", 0.0, minimum=0.0),
        dynamic_bias_correlation_time=node.number("dynamic_bias_correlation_time", 0.0, 0.0),
        precision=node.number("precision", 0.0, minimum=0.0),
    )


def _noise_in(node: Node | None, tag: str) -> Noise:
    child = node.child(tag) if node is not None else None
    return read_noise(child.child("noise")) if child is not None else Noise()


def _axes_noise(node: Node | None) -> Axes3Noise:
    return Axes3Noise(_noise_in(node, "x"), _noise_in(node, "y"), _noise_in(node, "z"))


def _scan_axis(node: Node | None, samples: int) -> ScanAxis:
    if node is None:
        return ScanAxis(samples=samples)
    axis = ScanAxis(
        samples=node.integer("samples", samples, minimum=1),
        resolution=node.positive("resolution", 1.0),
        min_angle=node.number("min_angle", 0.0),
        max_angle=node.number("max_angle", 0.0),
    )
    if axis.max_angle < axis.min_angle:
        raise node.error("max_angle is below min_angle")
    return axis


def _lidar(node: Node) -> SensorSpec:
    block = _block(node, "lidar", "ray")
    scan, limits = block.required("scan"), block.required("range")
    lidar = Lidar(
        horizontal=_scan_axis(scan.required("horizontal"), 640),
        vertical=_scan_axis(scan.child("vertical"), 1),
        range_min=limits.number("min", 0.0, minimum=0.0),
        range_max=limits.number("max", 0.0, minimum=0.0),
        range_resolution=limits.number("resolution", 0.0, minimum=0.0),
        noise=read_noise(block.child("noise")),
        visibility_mask=block.integer("visibility_mask", 0xFFFFFFFF),
    )
    if lidar.range_max <= lidar.range_min:
        raise limits.error(f"max {lidar.range_max:g} is not above min {lidar.range_min:g}")
    return lidar


def _camera(node: Node) -> SensorSpec:
    block = _block(node, "camera")
    image = block.child("image") or Node("image", {}, block.source)
    clip = block.child("clip")
    lens = block.child("lens")
    near = clip.positive("near", 0.1) if clip is not None else 0.1
    far = clip.positive("far", 100.0) if clip is not None else 100.0
    if clip is not None and far <= near:
        raise clip.error(f"far {far:g} is not above near {near:g}")
    fov = block.positive("horizontal_fov", 1.047)
    if fov >= 3.1415:
        raise block.required("horizontal_fov").error("expected less than pi for a pinhole camera")
    return Camera(
        name=block.attribute("name"),
        width=image.integer("width", 320, minimum=1),
        height=image.integer("height", 240, minimum=1),
        image_format=image.string("format", "R8G8B8"),
        anti_aliasing=image.integer("anti_aliasing", 4),
        horizontal_fov=fov,
        near=near,
        far=far,
        pose=take_pose(block).transform,
        noise=read_noise(block.child("noise")),
        distortion=_distortion(block.child("distortion")),
        intrinsics=_intrinsics(lens.child("intrinsics") if lens is not None else None),
        info_topic=block.string("camera_info_topic"),
        optical_frame_id=block.string("optical_frame_id"),
        triggered=block.flag("triggered", False),
        trigger_topic=block.string("trigger_topic"),
        visibility_mask=block.integer("visibility_mask", 0xFFFFFFFF),
    )


def _distortion(node: Node | None) -> Distortion:
    if node is None:
        return Distortion()
    k1, k2, k3, p1, p2 = (node.number(name, 0.0) for name in ("k1", "k2", "k3", "p1", "p2"))
    center = cast(tuple[float, float], node.vector("center", (0.5, 0.5)))
    return Distortion(k1, k2, k3, p1, p2, center)


def _intrinsics(node: Node | None) -> Intrinsics | None:
    if node is None:
        return None
    return Intrinsics(
        fx=node.positive("fx", 277.0),
        fy=node.positive("fy", 277.0),
        cx=node.number("cx", 160.0),
        cy=node.number("cy", 120.0),
        skew=node.number("s", 0.0),
    )


def _imu(node: Node) -> SensorSpec:
    block = node.child("imu")
    if block is None:
        return Imu()
    reference = block.child("orientation_reference_frame")
    return Imu(
        angular_velocity=_axes_noise(block.child("angular_velocity")),
        linear_acceleration=_axes_noise(block.child("linear_acceleration")),
        enable_orientation=block.flag("enable_orientation", True),
        localization=reference.string("localization", "CUSTOM") if reference is not None else "",
        custom_rpy=_custom_rpy(reference),
    )


def _custom_rpy(reference: Node | None) -> Vector3:
    if reference is None:
        return (0.0, 0.0, 0.0)
    return cast(Vector3, reference.vector("custom_rpy", (0.0, 0.0, 0.0)))


def _navsat(node: Node) -> SensorSpec:
    block = node.child("navsat") or node.child("gps")
    position = block.child("position_sensing") if block is not None else None
    velocity = block.child("velocity_sensing") if block is not None else None
    return NavSat(
        horizontal_position=_noise_in(position, "horizontal"),
        vertical_position=_noise_in(position, "vertical"),
        horizontal_velocity=_noise_in(velocity, "horizontal"),
        vertical_velocity=_noise_in(velocity, "vertical"),
    )


def _magnetometer(node: Node) -> SensorSpec:
    return Magnetometer(_axes_noise(node.child("magnetometer")))


def _altimeter(node: Node) -> SensorSpec:
    block = node.child("altimeter")
    return Altimeter(_noise_in(block, "vertical_position"), _noise_in(block, "vertical_velocity"))


def _air_pressure(node: Node) -> SensorSpec:
    block = node.child("air_pressure")
    altitude = block.number("reference_altitude", 0.0) if block is not None else 0.0
    return AirPressure(_noise_in(block, "pressure"), altitude)


def _contact(node: Node) -> SensorSpec:
    block = _block(node, "contact")
    topic = block.string("topic")
    return Contact(block.required("collision").text, "" if topic.startswith("__") else topic)


_READERS: dict[str, Callable[[Node], SensorSpec]] = {
    "lidar": _lidar,
    "gpu_lidar": _lidar,
    "camera": _camera,
    "depth_camera": _camera,
    "rgbd_camera": _camera,
    "imu": _imu,
    "navsat": _navsat,
    "magnetometer": _magnetometer,
    "altimeter": _altimeter,
    "air_pressure": _air_pressure,
    "contact": _contact,
}
