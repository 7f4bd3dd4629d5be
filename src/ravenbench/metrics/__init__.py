"""Metrics: functions of truth and answers only."""
