"""A small scene for the page with a mark whose pixel can be computed, and where that pixel is."""

import cv2
import numpy as np

from vr_view.server.topics import TopicSpec, TransformTopic

MARK = np.array([0.25, 2.1, 1.45])  # m, in the map
MAGENTA = (255, 0, 255)
IDENTITY = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0]
EYES = ("/viewpoint/left/image_raw/compressed", "/viewpoint/right/image_raw/compressed")
SPECS = [
    TopicSpec("/tf", "tf", 60.0),
    TopicSpec("/ground_truth/markers", "markers", 20.0),
    TopicSpec("/ground_truth/pose", "estimate", 20.0),
    TopicSpec("/reference/phone_robot", "odometry", 20.0),
    TopicSpec("/reference/target", "odometry", 20.0),
    TopicSpec("/viewpoint/latency", "latency", 20.0),
    TopicSpec("/drone/state", "status", 20.0),
    TopicSpec("/viewpoint/options", "status", 20.0),
    TopicSpec("/simulator", "simulator", 20.0),
    TopicSpec("/error", "error", 20.0),
    TopicSpec("/drone/transfer", "transfer", 20.0),
    TopicSpec(EYES[0], "image", 0.0),
    TopicSpec(EYES[1], "image", 0.0),
]
MAKERS = {"tf": TransformTopic}


def ball(name, frame, place, colour, radius=0.03):
    """A model of one link that shines by itself."""
    material = {
        "colour": [*(value / 255 for value in colour), 1.0],
        "emissive": [0, 0, 0],
        "specular": [0, 0, 0],
        "shininess": 0,
        "lighting": False,
        "double_sided": False,
        "texture": None,
        "given": True,
    }
    visual = {
        "name": "ball",
        "pose": IDENTITY,
        "shape": {"type": "sphere", "radius": radius},
        "material": material,
        "cast_shadows": False,
    }
    link = {
        "name": "link",
        "frame": frame,
        "parent": None,
        "pose": IDENTITY,
        "visuals": [visual],
        "lights": [],
    }
    pose = [*(float(value) for value in place), 0.0, 0.0, 0.0, 1.0]
    return {"name": name, "static": frame is None, "pose": pose, "root": "link", "links": [link]}


def document(*models):
    """A scene with the mark and further models."""
    return {
        "format": 1,
        "name": "test",
        "background": [0.1, 0.1, 0.1],
        "ambient": [0.5, 0.5, 0.5],
        "shadows": False,
        "lights": [],
        "models": [ball("mark", None, MARK, MAGENTA), *models],
    }


def plain_jpeg(left, right=None, size=64):
    """A JPEG of one colour (RGB), or of two side by side."""
    image = np.empty((size, size, 3), dtype=np.uint8)
    image[:] = left
    if right is not None:
        image[:, size // 2 :] = right
    return cv2.imencode(".jpg", image[..., ::-1], [cv2.IMWRITE_JPEG_QUALITY, 95])[1].tobytes()


def rotation(quaternion):
    """The matrix of x, y, z, w."""
    x, y, z, w = quaternion
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def device_point(point):
    """A point of the map in the device's floor space (x right, y up, z back), in mode `fixed`.

    The floor stands at (0, 0.5, 0) of the map and looks along the map's y.
    """
    x, y, z = point - np.array([0.0, 0.5, 0.0])
    return np.array([x, z, -y])


def eye_pixel(point, head, turn, eye, distance, tangent, size):
    """Where an eye (-1 left, 1 right) sees a point of the map, in an image of `size` squared."""
    seen = rotation(turn).T @ (device_point(point) - head) - [eye * distance / 2, 0, 0]
    right, up = seen[0] / -seen[2], seen[1] / -seen[2]
    return size / 2 * np.array([1 + right / tangent, 1 - up / tangent])


def flat_pixel(point, size, fov_degrees=55.0):
    """Where the page's first flat view shows a point of the map, in an image (width, height)."""
    eye, target = np.array([2.6, -2.6, 4.2]), np.array([0.0, 2.0, 0.3])
    back = (eye - target) / np.linalg.norm(eye - target)
    right = np.cross([0, 0, 1], back)
    right /= np.linalg.norm(right)
    x, y, z = np.stack([right, np.cross(back, right), back]) @ (point - eye)
    focal = size[1] / 2 / np.tan(np.radians(fov_degrees) / 2)
    return np.array([size[0] / 2 + focal * x / -z, size[1] / 2 - focal * y / -z])
