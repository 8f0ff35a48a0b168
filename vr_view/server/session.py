"""One page's socket: reads what it says, writes what it wants, and holds it to its limits."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import OrderedDict, deque
from collections.abc import Callable
from typing import TYPE_CHECKING

from aiohttp import WSCloseCode, WSMsgType, web

from vr_view.server.access import PILOT
from vr_view.server.checks import ProtocolError
from vr_view.server.outside import Outcome
from vr_view.server.protocol import (
    ACTIONS,
    VERSION,
    Action,
    Device,
    Eyes,
    Message,
    Ping,
    Report,
    Subscribe,
    Vr,
    encode,
    parse_message,
)
from vr_view.server.schedule import NEVER, Schedule
from vr_view.server.token_bucket import TokenBucket
from vr_view.server.uploads import Uploads

if TYPE_CHECKING:
    from vr_view.server.hub import Hub

REPLACED, TOO_MANY, NOT_READING = 4001, 4002, 4003
MOST_ANSWERS = 256  # that wait to be sent; each is an answer to a message, whose rate is limited
PATIENCE = 5.0  # s of messages beyond the limit after which the page is sent away
COMPLAINT_GAP = 1.0  # s between two `error`s for the same reason
CLOSING_TIMEOUT = 2.0  # s
LONGEST_AGE = 10.0  # s: what claims to be older has another clock

log = logging.getLogger(__name__)


class Session:
    """A page that is connected; all of it on the server's loop."""

    def __init__(
        self,
        name: str,
        role: str,
        socket: web.WebSocketResponse,
        transport: asyncio.WriteTransport,
        hub: Hub,
        uploads: Uploads,
    ) -> None:
        """`name` is the page's own name for itself, which it keeps when it connects again."""
        self.name, self.role = name, role
        self.key = f"{role}:{name}"
        self._transport = transport
        self.schedule = Schedule(hub.topics)
        self.report = Report()
        self.network_age = NEVER
        self.is_in_vr = False
        self.dropped = 0
        self._socket, self._hub, self._uploads = socket, hub, uploads
        self._limits, self._clock = hub.limits, hub.clock
        rate = self._limits.messages_per_second
        self._bucket = TokenBucket(rate, 2.0 * rate, self._clock())
        self._answers: deque[str] = deque()
        self._newest: OrderedDict[str, str] = OrderedDict()
        self._wake = asyncio.Event()
        self._sending_since = NEVER
        self._complained: dict[str, float] = {}
        self._actions: set[asyncio.Task[None]] = set()
        self._closing: asyncio.Future[bool] | None = None

    @property
    def waiting_bytes(self) -> int:
        """What has been written and not yet been read."""
        return self._transport.get_write_buffer_size()

    @property
    def network_age_ms(self) -> float | None:
        """How old the last pose was when it came; None where this page sends none."""
        return None if self.network_age == NEVER else 1000.0 * self.network_age

    # Towards the page

    def say(self, frame: str) -> None:
        """Send an answer. A page that reads none of them is ended."""
        self._answers.append(frame)
        if len(self._answers) > MOST_ANSWERS:
            self._answers.clear()
            self.end(NOT_READING, b"reads nothing")
        self.wake()

    def say_newest(self, key: str, frame: str) -> None:
        """Send something of which only the newest counts."""
        self._newest[key] = frame
        self.wake()

    def wake(self) -> None:
        """There is something to send, perhaps."""
        self._wake.set()

    def end(self, code: int, reason: bytes) -> asyncio.Future[bool]:
        """Begin to close the socket."""
        if self._closing is None:
            closing = self._socket.close(code=code, message=reason)
            self._closing = asyncio.ensure_future(closing)
        return self._closing

    def hello(self, server: str, drone: str) -> str:
        """Return the first message."""
        limits = self._limits
        return encode(
            "hello",
            protocol=VERSION,
            role=self.role,
            session=self.name,
            server=server,
            time=self._clock(),
            limits={
                "message_bytes": limits.message_bytes,
                "messages_per_second": limits.messages_per_second,
                "upload_bytes": limits.upload_bytes,
            },
            heartbeat=limits.heartbeat,
            drone=drone,
            topics=[topic.spec.as_json() for topic in self._hub.topics.values()],
            actions=list(ACTIONS) if self.role == PILOT else [],
        )

    async def run(self) -> None:
        """Serve the page until it is gone."""
        writer = asyncio.ensure_future(self._write())
        writer.add_done_callback(lambda _: self._transport.close())
        try:
            async for message in self._socket:
                if message.type is WSMsgType.TEXT:
                    self._read(message.data)
                elif message.type is WSMsgType.BINARY:
                    self._complain("binary messages are not taken")
                if self.dropped > PATIENCE * self._limits.messages_per_second:
                    self.end(WSCloseCode.POLICY_VIOLATION, b"too many messages")
        finally:
            if self._closing is not None:
                await asyncio.wait({self._closing}, timeout=CLOSING_TIMEOUT)
            for task in (writer, *self._actions):
                task.cancel()
            (outcome,) = await asyncio.gather(writer, return_exceptions=True)
            if isinstance(outcome, Exception):
                log.error("writing to a page failed", exc_info=outcome)

    async def _write(self) -> None:
        """Send what is due; a send waits while the page does not read."""
        with contextlib.suppress(ConnectionError, RuntimeError):  # closed meanwhile
            while not self._socket.closed:
                self._wake.clear()
                now = self._clock()
                frame = self._next(now)
                if frame is None:
                    await self._sleep(self.schedule.wait(now))
                    continue
                self._sending_since = now
                await self._send(frame)
                self._sending_since = NEVER

    async def _sleep(self, pause: float) -> None:
        """Wait to be woken, at most so long (s)."""
        loop = asyncio.get_running_loop()
        alarm = None if pause == NEVER else loop.call_later(pause, self._wake.set)
        await self._wake.wait()
        if alarm is not None:
            alarm.cancel()

    def watch(self, now: float) -> None:
        """Cut the connection of a page that has read nothing for too long; call now and then."""
        if now - self._sending_since > self._limits.send_timeout:
            self._sending_since = NEVER
            self._hub.outside.refused("pages ended", "reads nothing")
            # A closing handshake would wait behind what is not read.
            self._transport.abort()

    def _next(self, now: float) -> str | bytes | None:
        if self._answers:
            return self._answers.popleft()
        if self._newest:
            return self._newest.popitem(last=False)[1]
        try:
            return self.schedule.next(now)
        except ValueError as error:
            self._hub.outside.refused("a value cannot be shown", str(error))
            self._wake.set()  # there may be more
            return None

    async def _send(self, frame: str | bytes) -> None:
        if isinstance(frame, str):
            await self._socket.send_str(frame)
        else:
            await self._socket.send_bytes(frame)

    # From the page

    def _read(self, line: str) -> None:
        now = self._clock()
        if not self._bucket.take(now):
            self.dropped += 1
            self._complain("too many messages: some are dropped")
            return
        self.dropped = max(0, self.dropped - 1)
        try:
            self._take(parse_message(line), now)
        except ProtocolError as error:
            self._complain(str(error))

    def _complain(self, text: str) -> None:
        now = self._clock()
        if now - self._complained.get(text[:20], -NEVER) < COMPLAINT_GAP:
            return
        if len(self._complained) > 100:
            self._complained.clear()
        self._complained[text[:20]] = now
        self._hub.outside.refused("messages of pages", text)
        self.say(encode("error", text=text))

    def _take(self, message: Message, now: float) -> None:
        takers: dict[type, Callable[..., None]] = {
            Ping: self._ping,
            Subscribe: self._subscribe,
            Device: self._device,
            Eyes: self._eyes,
            Vr: self._vr,
            Report: self._take_report,
            Action: self._action,
        }
        takers[type(message)](message, now)

    def _ping(self, ping: Ping, now: float) -> None:
        self.say_newest("pong", encode("pong", t=ping.t, time=now))

    def _subscribe(self, wish: Subscribe, now: float) -> None:
        unknown = self.schedule.subscribe(wish.rates)
        self._hub.count_rates()
        self.wake()
        if unknown:
            self._complain(f"no such topic: {', '.join(unknown)[:200]}")

    def _has_device(self, now: float) -> bool:
        if self.role != PILOT:
            self._complain("a guest has no device")
        elif not self._hub.lease.take(self, now):
            self._complain("another page has the device")
        else:
            return True
        return False

    def _device(self, device: Device, now: float) -> None:
        if self._has_device(now):
            age = min(max(now - device.t, 0.0), LONGEST_AGE)
            self.network_age = age
            self._hub.outside.device(device, age)

    def _eyes(self, eyes: Eyes, now: float) -> None:
        if self._has_device(now):
            self._hub.outside.eyes(eyes)

    def _vr(self, state: Vr, now: float) -> None:
        self.is_in_vr = state.active
        if not state.active and self._hub.lease.release(self):
            self.network_age = NEVER
            self._hub.outside.device_ended()

    def _take_report(self, report: Report, now: float) -> None:
        self.report = report

    def _action(self, action: Action, now: float) -> None:
        if self.role != PILOT:
            self.say(encode("result", id=action.id, ok=False, text="guests can only look"))
        elif len(self._actions) >= self._limits.actions:
            self.say(encode("result", id=action.id, ok=False, text="too many actions under way"))
        else:
            task = asyncio.ensure_future(self._act(action))
            self._actions.add(task)
            task.add_done_callback(self._actions.discard)

    async def _act(self, action: Action) -> None:
        upload = None
        try:
            if "upload" in action.arguments:
                upload = self._uploads.get(action.arguments["upload"])
                if upload is None:
                    raise ProtocolError("arguments.upload: no such file; hand it over again")
            outcome = await self._hub.outside.act(self.key, action, upload)
        except ProtocolError as error:
            outcome = Outcome(False, str(error))
        except Exception as error:  # a page must learn that it failed, whatever failed
            log.exception("%s failed", action.name)
            outcome = Outcome(False, f"failed: {error}")
        self.say(encode("result", id=action.id, ok=outcome.ok, text=outcome.text))
