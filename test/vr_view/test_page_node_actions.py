"""What pilots do on the page reaches the nodes that it is for."""

from __future__ import annotations

from functools import partial

from geometry_msgs.msg import PoseStamped
from page_node import graph
from page_servers import base, in_page, open_page, until
from rcl_interfaces.msg import SetParametersResult
from std_msgs.msg import String
from std_srvs.srv import SetBool, Trigger


async def ask(page, name, /, **arguments):
    await page.send("action", id=1, name=name, arguments=arguments)
    return await page.next("result")


def test_pilots_act_by_services():
    calls = []

    def pause(request, response):
        calls.append(request.data)
        response.success, response.message = True, "paused"
        return response

    def take_off(_, response):
        response.success, response.message = False, "not armed"
        return response

    async def work(http):
        made.friend.create_service(SetBool, "/scene_sim/pause", pause)
        made.friend.create_service(Trigger, "/drone/take_off", take_off)
        async with open_page(http, made.server) as page:
            assert (await ask(page, "simulator.pause", on=True))["text"] == "paused"
            assert calls == [True]
            result = await ask(page, "drone.take_off")
            assert (result["ok"], result["text"]) == (False, "not armed")
            result = await ask(page, "drone.land")
            assert "nobody offers /drone/land" in result["text"]

    with graph() as made:
        in_page(work)


def test_pilots_set_parameters():
    """The flight mode is a parameter of the bridge, the speed one of the simulator."""
    asked = []

    def take(parameters):
        asked.extend((item.name, item.value) for item in parameters)
        is_known = all(item.value != "NONE" for item in parameters)
        return SetParametersResult(successful=is_known, reason="" if is_known else "no such mode")

    async def work(http):
        async with open_page(http, made.server) as page:
            result = await ask(page, "drone.mode", name="AUTO.LOITER")
            assert (result["ok"], result["text"]) == (True, "mode = AUTO.LOITER")
            result = await ask(page, "drone.mode", name="NONE")
            assert (result["ok"], result["text"]) == (False, "no such mode")
            result = await ask(page, "simulator.speed", factor=2.5)
            assert (result["ok"], result["text"]) == (True, "real_time_factor = 2.5")

    with graph() as made:
        bridge = made.add("mavlink_bridge", "/drone")
        bridge.declare_parameter("mode", "HOLD")
        simulator = made.add("scene_sim")
        simulator.declare_parameter("real_time_factor", 1.0)
        bridge.add_on_set_parameters_callback(take)
        in_page(work)
        assert asked == [("mode", "AUTO.LOITER"), ("mode", "NONE")]
        assert bridge.get_parameter("mode").value == "AUTO.LOITER"
        assert simulator.get_parameter("real_time_factor").value == 2.5


def test_pilots_act_by_topics():
    async def work(http):
        modes = made.listen(String, "/viewpoint/mode")
        setpoints = made.listen(PoseStamped, "/drone/setpoint_pose")
        async with open_page(http, made.server) as page:
            await until(lambda: made.node.count_subscribers("/viewpoint/mode"))
            assert (await ask(page, "viewpoint.mode", name="orbit"))["ok"]
            await until(lambda: [mode.data for mode in modes] == ["orbit"])
            result = await ask(page, "drone.setpoint", position=[1, 2, 3])
            assert "yaw" in result["text"]
            assert (await ask(page, "drone.setpoint", position=[1, 2, 3], yaw=0.5))["ok"]
            await until(lambda: len(setpoints) > 2)  # it is repeated
            assert setpoints[-1].pose.position.z == 3.0
            assert setpoints[-1].header.frame_id == "map"
        await until(lambda: made.node.actions.held_setpoint is None)

    with graph() as made:
        in_page(work)


def test_files_are_flown_and_fetched_by_name():
    async def work(http):
        flown = made.listen(String, "/drone/files/fly")
        fetched = made.listen(String, "/drone/files/fetch")
        async with open_page(http, made.server) as page:
            for topic in ("/drone/files/fly", "/drone/files/fetch"):
                await until(partial(made.node.count_subscribers, topic))
            assert (await ask(page, "drone.setpoint", position=[1, 2, 3], yaw=0.5))["ok"]
            assert (await ask(page, "drone.fly_stored_file", name="square.yaml"))["ok"]
            assert made.node.actions.held_setpoint is None  # it would end the flight
            assert (await ask(page, "drone.fetch_file", name="flight.log"))["ok"]
            await until(lambda: flown and fetched)
        assert [name.data for name in (*flown, *fetched)] == ["square.yaml", "flight.log"]

    with graph() as made:
        in_page(work)


def test_a_file_goes_to_the_bridges_folder_and_its_name_to_the_bridge(tmp_path):
    async def work(http):
        names = made.listen(String, "/drone/files/send")
        url = f"{base(made.server)}/upload"
        async with http.post(url, params={"name": "a.traj"}, data=b"points") as answer:
            upload = (await answer.json())["upload"]
        async with open_page(http, made.server) as page:
            await until(lambda: made.node.count_subscribers("/drone/files/send"))
            arguments = {"upload": upload}
            await page.send("action", id=1, name="drone.send_file", arguments=arguments)
            assert (await page.next("result"))["ok"]
            await until(lambda: [name.data for name in names] == ["a.traj"])
        assert (tmp_path / "files/a.traj").read_bytes() == b"points"

    with graph(drone_files=str(tmp_path / "files")) as made:
        in_page(work)
