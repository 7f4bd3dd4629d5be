"""Metrics: functions of truth and answers only."""

from ravenbench.metrics.scores import scores

__all__ = ["scores"]
