"""A small ROS program for the tests: numbered messages, an image, a latched text, a service."""

import array
import contextlib
import sys
import time

import rclpy
from rclpy.executors import ExternalShutdownException
from rclpy.qos import QoSDurabilityPolicy, QoSProfile, qos_profile_sensor_data
from sensor_msgs.msg import Image
from std_msgs.msg import Header, String
from std_srvs.srv import SetBool


def answer(request, response):
    response.success, response.message = request.data, "done"
    return response


def main():
    """Run with the number of messages to send once somebody listens, or none to talk for ever."""
    rclpy.init(args=[])
    node = rclpy.create_node("talker", namespace="/test")
    node.declare_parameter("gain", 1.5)
    node.declare_parameter("names", ["a", "b"])
    node.create_service(SetBool, "switch", answer)
    latched = QoSProfile(depth=1, durability=QoSDurabilityPolicy.TRANSIENT_LOCAL)
    status = node.create_publisher(String, "status", latched)
    status.publish(String(data="ready"))
    counter = node.create_publisher(Header, "counter", 10)
    images = node.create_publisher(Image, "image", qos_profile_sensor_data)
    image = Image(height=240, width=320, encoding="rgb8", step=960)
    image.data = array.array("B", bytes(230400))
    wanted = int(sys.argv[1]) if len(sys.argv) > 1 else None
    print("ready", flush=True)
    sent = 0
    while rclpy.ok() and (wanted is None or sent < wanted):
        listeners = (counter.get_subscription_count(), images.get_subscription_count())
        if wanted is None or all(listeners):
            counter.publish(Header(frame_id=str(sent)))
            image.header.frame_id = str(sent)
            images.publish(image)
            sent += 1
        until = time.monotonic() + 1 / 30
        while (left := until - time.monotonic()) > 0:
            rclpy.spin_once(node, timeout_sec=left)
    print("sent", flush=True)
    while rclpy.ok():
        rclpy.spin_once(node, timeout_sec=0.5)  # SIGTERM may miss one that waits for ever


if __name__ == "__main__":
    with contextlib.suppress(KeyboardInterrupt, ExternalShutdownException):
        main()
