"""Texts by machines: detectors, tried on people first, and rewriting by a language model."""

from ravenbench.seams import ONE_TEXT, Command

DETECT = Command(
    "ravenbench.cli.tasks:detect", "Was it a machine? Detectors, and first their false alarms.", ONE_TEXT, 6
)
