"""The class that the documentation shows does what it says."""

import re
from pathlib import Path

from ravenbench.obfuscation.base import ObfuscationTask

DOCS = Path(__file__).parents[2] / "docs" / "how-to" / "obfuscator.md"


def test_the_documented_obfuscator_works():
    shown = next(
        code
        for code in re.findall(r"```python\n(.*?)```", DOCS.read_text("utf-8"), re.DOTALL)
        if "class " in code
    )
    names = {"__name__": "shown"}
    exec(shown, names)
    rewriting = names["NoSemicolons"]().obfuscate(
        ObfuscationTask("t", "It rained; nobody came. We left; then.", (), "en")
    )
    assert (
        rewriting.text == "It rained. Nobody came. We left. Then."
        and len(rewriting.parts[0].operations) == 2
    )
