"""Loads the dialect: classes of messages and constants, as pymavlink generates them.

An installed package holds the module that was generated when it was built. From source it is
generated on first use, into the user's cache folder.
"""

from __future__ import annotations

import functools
import importlib
import importlib.util
import os
import sys
from pathlib import Path
from types import ModuleType
from typing import Any

from mavlink_bridge.dialect.generator import XML, DialectError, fingerprint, generate
from mavlink_bridge.wire.crc import crc16

INSTALLED = "mavlink_bridge.dialect._generated.truthbed"


@functools.cache
def load(xml: Path | None = None) -> Any:
    """Return the generated module of our dialect, or of another one given by its XML.

    A dialect of your own may `<include>truthbed.xml</include>`. Raises DialectError when the XML
    cannot be used or pymavlink, which generates, is missing.
    """
    if xml is None:
        try:
            return _with_fast_checksum(importlib.import_module(INSTALLED))
        except ModuleNotFoundError:
            pass
    return _with_fast_checksum(_from_cache(xml or XML))


def _from_cache(xml: Path) -> ModuleType:
    if not xml.is_file():
        raise DialectError(f"{xml}: no such dialect")
    try:
        name = f"truthbed_dialect_{fingerprint(xml)}"
    except ModuleNotFoundError as error:
        raise DialectError("the dialect's module is made by pymavlink: install it") from error
    file = _cache_folder() / f"{name}.py"
    if not file.is_file():
        generate(xml, file)
    spec = importlib.util.spec_from_file_location(name, file)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


def _cache_folder() -> Path:
    chosen = os.environ.get("XDG_CACHE_HOME")
    return (Path(chosen) if chosen else Path.home() / ".cache") / "truthbed"


class _FastChecksum:
    """In the place of pymavlink's `x25crc` where it would count in Python."""

    def __init__(self, data: bytes | bytearray = b"") -> None:
        self._data = bytearray(data)

    def accumulate(self, data: bytes | bytearray) -> None:
        self._data += data

    @property
    def crc(self) -> int:
        return crc16(self._data[:-1], self._data[-1])


def _with_fast_checksum(module: Any) -> Any:
    if getattr(module, "mcrf4xx", None) is None:
        module.x25crc = _FastChecksum
    return module
