"""Writes the Python module of a dialect with pymavlink's generator.

`setup.py` calls this while it builds, so nothing but the standard library and pymavlink is
imported here.
"""

from __future__ import annotations

import contextlib
import hashlib
import io
import os
import shutil
import tempfile
from pathlib import Path

XML = Path(__file__).parent / "truthbed.xml"
# Raise it when what is generated from the same XML changes.
WAY_OF_MAKING = 2
# Where dialects use one id for different messages, this one's counts.
PREFERRED = "ardupilotmega.xml"


class DialectError(ValueError):
    """A dialect's XML cannot be used; the text names the file and what the generator said."""


def generate(xml: Path, module: Path) -> None:
    """Write the module of `xml` to the file `module`, whole or not at all.

    An `<include>` is looked for beside `xml`, then beside our own XML, then in pymavlink. Raises
    DialectError when the generator refuses.
    """
    with tempfile.TemporaryDirectory() as folder:
        for source in [*_pymavlink_definitions().glob("*.xml"), XML, *xml.parent.glob("*.xml")]:
            shutil.copy(source, folder)
        written = Path(folder) / "generated.py"
        _run_generator(Path(folder) / xml.name, written, xml)
        with written.open("a", encoding="utf-8") as file:
            file.write(f"\n\nOTHER_CRC_EXTRAS = {_known_crc_extras()}\n")
        module.parent.mkdir(parents=True, exist_ok=True)
        unfinished = module.with_suffix(f".{os.getpid()}.tmp")
        shutil.copy(written, unfinished)
        unfinished.replace(module)


def fingerprint(xml: Path) -> str:
    """Return what the generated module depends on, as a short text that a file name may hold."""
    from pymavlink import __version__ as version  # type: ignore[attr-defined]

    digest = hashlib.sha256(f"{WAY_OF_MAKING} {version} {xml.name}".encode())
    for source in sorted({XML, *xml.parent.glob("*.xml")}):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:16]


def _pymavlink_definitions() -> Path:
    from pymavlink.dialects import v20

    return Path(next(iter(v20.__path__)))


def _known_crc_extras() -> dict[int, int]:
    """Return the CRC_EXTRA of every message that pymavlink knows, by id.

    With it the parser can check messages that the dialect lacks, and hand them on.
    """
    from pymavlink.generator import mavparse

    sources = _pymavlink_definitions().glob("*.xml")
    extras: dict[int, int] = {}
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        for xml in sorted(sources, key=lambda source: (source.name != PREFERRED, source.name)):
            for message in mavparse.MAVXML(str(xml), mavparse.PROTOCOL_2_0).message:
                extras.setdefault(message.id, message.crc_extra)
    return dict(sorted(extras.items()))


def _run_generator(xml: Path, module: Path, name: Path) -> None:
    from pymavlink.generator import mavgen, mavparse

    options = mavgen.Opts(str(module), mavparse.PROTOCOL_2_0, "Python3", validate=False)
    said = io.StringIO()
    try:
        with contextlib.redirect_stdout(said), contextlib.redirect_stderr(said):
            done = mavgen.mavgen(options, [str(xml)])
    except (Exception, SystemExit) as error:
        raise DialectError(f"{name}: {error} {_last_line(said)}".rstrip()) from error
    if not done or not module.exists():
        raise DialectError(f"{name}: {_last_line(said) or 'the generator refused it'}")


def _last_line(said: io.StringIO) -> str:
    lines = [line for line in said.getvalue().splitlines() if "rror" in line or "uplicate" in line]
    return lines[-1] if lines else ""
