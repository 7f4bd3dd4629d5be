"""Texts by machines: detectors tried on people first, and whether a language model has read some texts."""

from ravenbench.seams import ONE_TEXT, SHARE, Command

DETECT = Command(
    "ravenbench.cli.tasks:detect", "Was it a machine? Detectors, and first their false alarms.", ONE_TEXT, 6
)
EXPOSURE = Command("ravenbench.cli.tasks:exposure", "Has a language model read these texts?", SHARE, 7)
