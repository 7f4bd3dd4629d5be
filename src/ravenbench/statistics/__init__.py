"""Intervals, tests and tie groups: functions of truth and answers only."""
