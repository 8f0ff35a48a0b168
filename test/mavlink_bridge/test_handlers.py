"""Handlers: several per message, only from whom they want, and none stops another."""

import sys
import types

import pytest

from mavlink_bridge.dialect.definition import load
from mavlink_bridge.handlers import registry as registry_module
from mavlink_bridge.handlers.registry import HandlerRegistry, handles
from mavlink_bridge.wire.frame_parser import FrameParser
from mavlink_bridge.wire.frame_writer import FrameWriter

DIALECT = load()


def heartbeat(system: int = 1, component: int = 1):
    message = DIALECT.MAVLink_heartbeat_message(2, 12, 81, 0, 4, 3)
    return FrameParser().feed(FrameWriter(system, component).write(message))[0]


def test_several_handlers_of_one_message_in_their_order():
    calls: list[str] = []
    registry = HandlerRegistry(DIALECT)
    registry.add(lambda frame, context: calls.append("by name"), "HEARTBEAT")
    registry.add(lambda frame, context: calls.append("by number"), 0)
    registry.add(lambda frame, context: calls.append("all"), "*")
    registry.add(lambda frame, context: calls.append("other"), "ATTITUDE")
    assert registry.dispatch(heartbeat()) == 3
    assert calls == ["by name", "by number", "all"]


def test_the_handler_gets_the_frame_and_the_context():
    seen = []
    registry = HandlerRegistry(DIALECT)
    registry.add(lambda frame, context: seen.append((frame, context)), "HEARTBEAT")
    frame = heartbeat()
    registry.dispatch(frame, "context")
    assert seen == [(frame, "context")]


@pytest.mark.parametrize(
    ("wanted", "taken"),
    [
        ({}, [(1, 1), (1, 2), (2, 1)]),
        ({"system": 1}, [(1, 1), (1, 2)]),
        ({"component": 1}, [(1, 1), (2, 1)]),
        ({"system": 2, "component": 1}, [(2, 1)]),
    ],
)
def test_filter_by_sender(wanted, taken):
    seen = []
    registry = HandlerRegistry(DIALECT)
    registry.add(lambda frame, _: seen.append((frame.system, frame.component)), 0, **wanted)
    for sender in ((1, 1), (1, 2), (2, 1)):
        registry.dispatch(heartbeat(*sender))
    assert seen == taken


def test_a_failing_handler_stops_no_other_and_is_told_of():
    told: list[str] = []
    calls: list[int] = []

    def broken(frame, context):
        raise RuntimeError("no")

    registry = HandlerRegistry(DIALECT, lambda name, error: told.append(f"{name}: {error}"))
    subscription = registry.add(broken, "HEARTBEAT", name="mine")
    registry.add(lambda frame, context: calls.append(1), "HEARTBEAT")
    for _ in range(3):
        registry.dispatch(heartbeat())
    assert calls == [1, 1, 1]
    assert told == ["mine: no"] * 3
    assert (subscription.calls, subscription.errors) == (3, 3)


def test_an_unknown_message_is_named_with_what_was_meant():
    with pytest.raises(ValueError, match=r"'HEARTBEET'; did you mean 'HEARTBEAT'"):
        HandlerRegistry(DIALECT).add(lambda frame, context: None, "HEARTBEET")


def test_a_removed_handler_hears_nothing():
    calls: list[int] = []
    registry = HandlerRegistry(DIALECT)
    subscription = registry.add(lambda frame, context: calls.append(1), "HEARTBEAT", "ATTITUDE")
    registry.remove(subscription)
    registry.remove(subscription)
    assert registry.dispatch(heartbeat()) == 0
    assert calls == []


def module_with_handlers() -> types.ModuleType:
    module = types.ModuleType("some_package")

    @handles("HEARTBEAT", system=1)
    @handles("ATTITUDE")
    def one(frame, context):
        context.append("one")

    @handles("HEARTBEAT")
    def two(frame, context):
        context.append("two")

    module.one, module.two, module.other = one, two, len  # type: ignore[attr-defined]
    return module


def test_marked_functions_of_a_module():
    seen: list[str] = []
    registry = HandlerRegistry(DIALECT)
    assert len(registry.add_marked(module_with_handlers())) == 3
    registry.dispatch(heartbeat(1), seen)
    registry.dispatch(heartbeat(2), seen)
    assert seen == ["one", "two", "two"]
    with pytest.raises(ValueError, match="no function marked"):
        registry.add_marked(types.ModuleType("empty"))


def test_plugins_come_from_entry_points_and_a_broken_one_spares_the_others(tmp_path, monkeypatch):
    package = tmp_path / "wind_plugin.py"
    package.write_text(
        "from mavlink_bridge.handlers.registry import handles\n"
        "@handles('HEARTBEAT')\n"
        "def beat(frame, context):\n    context.append(frame.system)\n"
    )
    (tmp_path / "broken_plugin.py").write_text("raise RuntimeError('not today')\n")
    information = tmp_path / "wind_plugin-1.0.dist-info"
    information.mkdir()
    (information / "METADATA").write_text("Metadata-Version: 2.1\nName: wind_plugin\nVersion: 1\n")
    (information / "entry_points.txt").write_text(
        f"[{registry_module.GROUP}]\nbroken = broken_plugin\nwind = wind_plugin\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    told: list[str] = []
    registry = HandlerRegistry(DIALECT, lambda name, error: told.append(f"{name}: {error}"))
    added = registry.add_plugins()
    assert [subscription.name for subscription in added] == ["beat"]
    assert told == ["broken (broken_plugin): not today"]
    seen: list[int] = []
    registry.dispatch(heartbeat(7), seen)
    assert seen == [7]
    sys.modules.pop("wind_plugin", None)
