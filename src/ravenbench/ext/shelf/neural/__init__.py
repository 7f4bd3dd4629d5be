"""Neural verifiers, behind the extra ``neural``: importing this room without it names the command that brings it."""

from __future__ import annotations

from importlib.util import find_spec

from ravenbench.errors import MissingPart, install

for _name in ("torch", "transformers", "safetensors"):
    if find_spec(_name) is None:
        raise MissingPart(
            f"neural verifiers need {_name!r}, which is not installed", fix=install("neural")
        )
