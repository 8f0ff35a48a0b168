"""What the simulated drone does by itself when something is wrong: link lost, battery low."""

from __future__ import annotations

from mavlink_bridge.peers import Peer, PeerTable
from mavlink_bridge.simulated_autopilot.pilot import Landed, Mode, Pilot

GROUND_STATION = 6
HOLD, RETURN, LAND = 1, 2, 3
NAMES = {HOLD: "holding", RETURN: "returning", LAND: "landing"}


class Safety:
    """Acts once for each cause. Only a ground station that was there can be lost."""

    def __init__(self, pilot: Pilot, peers: PeerTable) -> None:
        self._pilot = pilot
        self._peers = peers
        self._link_lost = False
        self._battery_action = 0

    @property
    def active(self) -> bool:
        """Whether the link is lost, or the battery low."""
        return self._link_lost or self._battery_action > 0

    def check(self, now: float) -> None:
        """Look, and act."""
        self._check_link(now)
        self._check_battery()

    def _check_link(self, now: float) -> None:
        heard = [peer.last_heard for peer in self._peers.peers.values() if _is_station(peer)]
        lost = bool(heard) and now - max(heard) > self._pilot.table["COM_DL_LOSS_T"]
        if lost and not self._link_lost:
            self._act(int(self._pilot.table["NAV_DLL_ACT"]), "Ground station lost")
        elif self._link_lost and not lost:
            self._pilot.say("Ground station is back")
        self._link_lost = lost

    def _check_battery(self) -> None:
        level = self._pilot.battery.level
        if level <= self._pilot.table["BAT_CRIT_THR"]:
            action = LAND
        else:
            action = RETURN if level <= self._pilot.table["BAT_LOW_THR"] else 0
        if action > self._battery_action:
            self._act(action, "Battery low")
        self._battery_action = action

    def _act(self, action: int, reason: str) -> None:
        pilot = self._pilot
        if not pilot.armed or pilot.landed is Landed.ON_GROUND or action not in NAMES:
            return
        if pilot.mode is Mode.LAND or (pilot.mode is Mode.RETURN and action != LAND):
            return
        pilot.say(f"{reason}: {NAMES[action]}")
        if action == HOLD:
            pilot.hold()
        elif action == RETURN:
            pilot.return_home()
        else:
            pilot.land()


def _is_station(peer: Peer) -> bool:
    return peer.heartbeat is not None and peer.heartbeat.type == GROUND_STATION
