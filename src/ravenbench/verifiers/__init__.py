"""Verifiers; ``Calibrated(scorer, calibrator)`` is the usual one.

This file contains no code; see the modules in this folder.
"""
