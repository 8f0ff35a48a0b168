"""Trials, bag replay, error figures, reports: the one room that knows simulator and estimators."""
