"""Verifiers, one method a file; ``Calibrated(scorer, calibrator)`` is the usual one."""
