"""``--device``: where neural verifiers whose own device is ``auto`` run."""

from __future__ import annotations

import os
import re
from typing import Annotated

import typer

from ravenbench.errors import SpecError

Device = Annotated[
    str | None,
    typer.Option("--device", help="Where neural verifiers run: auto (a GPU if there is one), cpu, cuda or cuda:1."),
]


def use(device: str | None) -> None:
    """Tell this process and its workers; no part of a run's identity, since it decides nothing but time and rounding.

    Raises
    ------
    SpecError
        If there is no such device.
    """
    if device is None:
        return
    if not re.fullmatch(r"auto|cpu|cuda(:\d+)?", device):
        raise SpecError(
            "there is no such device", found=f"--device {device}", expected="auto, cpu, cuda or cuda:NUMBER"
        )
    os.environ["RAVEN_DEVICE"] = device
