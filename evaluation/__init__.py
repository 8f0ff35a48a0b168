"""Trials, bag replay, error figures and reports; the one room that knows simulator and estimators."""
