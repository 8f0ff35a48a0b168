"""When a trouble that comes again and again is worth a line in the log."""

from __future__ import annotations

from dataclasses import dataclass

FIRST_GAP = 2.0  # seconds to the second line; each further gap is twice as long,
LONGEST_GAP = 60.0  # up to this one
QUIET = 10.0  # after so long without the trouble, the next one is told at once


@dataclass
class _Course:
    last: float
    due: float
    gap: float = FIRST_GAP
    is_told: bool = False


class Complaints:
    """Decides for each kind of trouble, by its name, whether to tell of it now."""

    def __init__(self) -> None:
        self._courses: dict[str, _Course] = {}

    def is_due(self, trouble: str, now: float, patience: float = 0.0) -> bool:
        """Take in that the trouble is there at `now` (s); True where it should be told.

        With `patience` (s) only a trouble that has lasted for so long is told, without ever being
        away for as long.
        """
        course = self._courses.get(trouble)
        if course is None or now - course.last > (QUIET if course.is_told else patience or QUIET):
            course = self._courses[trouble] = _Course(now, now + patience)
        course.last = now
        if now < course.due:
            return False
        course.due = now + course.gap
        course.is_told = True
        course.gap = min(2.0 * course.gap, LONGEST_GAP)
        return True
