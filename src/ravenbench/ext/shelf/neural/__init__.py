"""Raises an error on import of neural verifiers if torch, transformers or safetensors is not installed.

In: nothing.
Out: nothing; MissingPart, which names the command that installs the extra ``neural``.
"""

from __future__ import annotations

from importlib.util import find_spec

from ravenbench.errors import MissingPart, install

for _name in ("torch", "transformers", "safetensors"):
    if find_spec(_name) is None:
        raise MissingPart(
            f"neural verifiers need {_name!r}, which is not installed", fix=install("neural")
        )
