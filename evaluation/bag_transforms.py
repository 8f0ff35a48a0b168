"""What a bag's /tf and /tf_static say, looked up at any time of it."""

from __future__ import annotations

from collections.abc import Callable

from evaluation.bag_reading import Bag, BagMessage
from evaluation.errors import BagError
from evaluation.transform_tree import TransformError, TransformTree
from ros_interface.errors import MessageError
from ros_interface.stamps import nanoseconds_from_stamp
from spatial_types.transforms import Transform

MOVING, STATIC = "/tf", "/tf_static"


class BagTransforms:
    """Feed it the messages of both topics; `note` is told what is wrong with them."""

    def __init__(self, bag: Bag, map_frame: str, note: Callable[[str], None]) -> None:
        self._bag = bag
        self._map_frame = map_frame
        self._note = note
        self._tree = TransformTree()
        self._fixed: dict[str, Transform] = {}
        self._moving: list[BagMessage] = []

    @property
    def handlers(self) -> dict[str, Callable[[BagMessage], None]]:
        """Who takes the messages of which topic."""
        return {MOVING: self._moving.append, STATIC: self._on_static}

    def lookup(self, frame: str, stamp: int) -> Transform:
        """map_from_frame at a time; what only static transforms lead to is looked up once.

        Raises TransformError.
        """
        known = self._fixed.get(frame)
        if known is not None:
            return known
        for message in self._moving:
            self._on_moving(message)
        self._moving.clear()
        pose = self._tree.lookup(self._map_frame, frame, stamp)
        if self._tree.is_fixed(self._map_frame, frame):
            self._fixed[frame] = pose
        return pose

    def _on_static(self, message: BagMessage) -> None:
        self._fixed.clear()
        for item in self._bag.deserialize(message).transforms:
            try:
                self._tree.set_static(item.header.frame_id, item.child_frame_id, item.pose)
            except TransformError as error:
                self._note(f"{message.topic}: {error}")

    def _on_moving(self, message: BagMessage) -> None:
        try:
            for item in self._bag.deserialize(message).transforms:
                stamp = nanoseconds_from_stamp(item.header.stamp)
                names = (item.header.frame_id, item.child_frame_id)
                self._tree.set_moving(*names, stamp, item.pose)
        except (BagError, TransformError, MessageError) as error:
            self._note(f"{message.topic}: {error}")
