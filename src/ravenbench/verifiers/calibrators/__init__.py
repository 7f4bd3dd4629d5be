"""Calibrators: raw scores to answers in [0, 1]."""
