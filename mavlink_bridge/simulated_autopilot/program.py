"""The simulated autopilot as a program, without ROS.

    ros2 run truthbed simulated_autopilot --link udpout:127.0.0.1:14550
    ros2 run truthbed simulated_autopilot --link tcpin:127.0.0.1:5760 --flavour ardupilot \
        --home 46.05,14.47,300 --system 2 --sign ~/.truthbed/drone.key

Ctrl-C ends it.
"""

from __future__ import annotations

import argparse
import signal
import sys
import time
from pathlib import Path
from typing import Any

from mavlink_bridge.links.link import Link, LinkError
from mavlink_bridge.links.link_url import open_link
from mavlink_bridge.links.waiting import wait
from mavlink_bridge.simulated_autopilot.flavour import HABITS
from mavlink_bridge.simulated_autopilot.vehicle import Vehicle, VehicleParameters
from mavlink_bridge.wire.key_file import KeyFileError, SigningStore, open_signing
from mavlink_bridge.wire.signing import Signing, stamp_from_unix
from spatial_types.parameters import ParameterError, from_mapping

STEP = 0.02
LINK_ID = 0
FOLDER = Path("~/.truthbed/drone_files")


def arguments_parser() -> argparse.ArgumentParser:
    """Return the parser."""
    parser = argparse.ArgumentParser(
        prog="simulated_autopilot",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--link", required=True, help="address, as udpout:127.0.0.1:14550")
    parser.add_argument("--flavour", choices=tuple(HABITS), default="px4", help="whose modes")
    parser.add_argument("--home", metavar="LAT,LON,ALT", help="where it stands: degrees, m")
    parser.add_argument("--system", type=int, default=1, help="MAVLink system number")
    parser.add_argument("--sign", type=Path, metavar="KEYFILE", help="sign, and want signatures")
    parser.add_argument(
        "--take-keys", action="store_true", help="follow SETUP_SIGNING; on trusted links only"
    )
    parser.add_argument("--files", type=Path, default=FOLDER, help="folder of its files")
    parser.add_argument(
        "--wind", metavar="E,N[,GUSTS]", help="wind towards east and north, and gusts, m/s"
    )
    parser.add_argument("--battery", type=float, default=1.0, help="charge at start, 0 to 1")
    parser.add_argument("--seed", type=int, default=0, help="of the gusts")
    return parser


def numbers(text: str, least: int, most: int, option: str) -> list[float]:
    """Return numbers separated by commas. Raises ParameterError."""
    try:
        values = [float(part) for part in text.split(",")]
    except ValueError:
        values = []
    if not least <= len(values) <= most:
        wanted = f"{least}" if least == most else f"{least} to {most}"
        raise ParameterError(f"{option} {text!r}: expected {wanted} numbers with commas between")
    return values


def parameters_from(options: argparse.Namespace) -> VehicleParameters:
    """Return the vehicle's parameters. Raises ParameterError."""
    values: dict[str, Any] = {
        "flavour": options.flavour,
        "system": options.system,
        "battery_level": options.battery,
        "seed": options.seed,
        "takes_keys": options.take_keys,
    }
    if options.home is not None:
        home = numbers(options.home, 3, 3, "--home")
        values.update(zip(("latitude", "longitude", "altitude"), home, strict=True))
    return from_mapping(VehicleParameters, values)


def signing_from(options: argparse.Namespace) -> tuple[Signing | None, SigningStore | None]:
    """Return the signing that the options want, and where it is kept. Raises KeyFileError."""
    if options.sign is not None:
        return open_signing(options.sign, LINK_ID, time.time())
    ready = Signing(None, LINK_ID, stamp_from_unix(time.time())) if options.take_keys else None
    return ready, None


def run(vehicle: Vehicle, link: Link, store: SigningStore | None) -> None:
    """Fly in real time until interrupted."""
    signing = vehicle.endpoint.connection.signing
    while not vehicle.reboot_asked:
        now = time.monotonic()
        vehicle.advance(now)
        if store is not None and signing is not None:
            store.keep(signing, now)
        wait([link], now, STEP)


def main(arguments: list[str] | None = None) -> int:
    """Run until Ctrl-C; see the module's text."""
    options = arguments_parser().parse_args(arguments)
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        wind = numbers(options.wind, 2, 3, "--wind") if options.wind is not None else [0.0, 0.0]
        parameters = parameters_from(options)
        signing, store = signing_from(options)
        folder = options.files.expanduser()
        folder.mkdir(parents=True, exist_ok=True)
        link = open_link(options.link)
    except (LinkError, ParameterError, KeyFileError, OSError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    about = f"{options.link}, {options.flavour}, system {options.system}"
    print(f"simulated_autopilot: {about}; Ctrl-C ends it", flush=True)
    try:
        while True:
            unix_time = time.time() - time.monotonic()
            vehicle = Vehicle(link, folder, parameters, signing=signing, unix_time=unix_time)
            vehicle.set_wind(*wind)
            run(vehicle, link, store)
            vehicle.restart()
    except KeyboardInterrupt:
        pass
    if store is not None and signing is not None:
        store.save(signing)
    link.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
