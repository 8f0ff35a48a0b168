"""Memory in programs that must be punctual: what neither Python nor C is to do meanwhile."""

from __future__ import annotations

import ctypes
import gc

# Of mallopt(3), glibc's.
_M_TRIM_THRESHOLD, _M_MMAP_THRESHOLD = -1, -3
_KEPT = 64 << 20  # bytes of free memory that stay with the process
_LARGEST = 32 << 20  # bytes of the largest block that comes from it; glibc takes no more


def spare_what_stays() -> None:
    """Leave what was imported and made so far out of garbage collection; call it before the work.

    A full collection goes through all of it, which holds every thread up for 20 to 80 ms.
    """
    gc.collect()
    gc.freeze()


def keep_freed_memory() -> bool:
    """Keep the memory of freed images for the next ones; whether the C library can.

    glibc gives it back to the system, and each page that is touched anew is a fault: 2500 a second
    in a node that reads images, on a virtual machine now and then of 10 ms.
    """
    mallopt = getattr(ctypes.CDLL(None), "mallopt", None)
    if mallopt is None:
        return False
    return bool(mallopt(_M_MMAP_THRESHOLD, _LARGEST) and mallopt(_M_TRIM_THRESHOLD, _KEPT))
