"""What can be wrong with the input of an evaluation, each named by its cause."""

from __future__ import annotations


class EvaluationError(Exception):
    """Base of everything that evaluation refuses; the text says what was expected."""


class NoOverlapError(EvaluationError):
    """Estimate and reference share no span of time."""


class StampError(EvaluationError):
    """Stamps are unsorted, repeated or too few to interpolate."""


class FrameError(EvaluationError):
    """Estimate and reference are given in different frames."""


class TrialError(EvaluationError):
    """A trial file is malformed; the text names the file and the line."""


class BagError(EvaluationError):
    """A bag cannot be read or lacks what the evaluation needs."""
