"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

ESCAPES_NOTHING = {"new", "doctor"}
OUTPUTS = {("new", "folder"): (("verifier", "my_own"), ())}
OUTPUTS_NOTHING = {"doctor"}
OUTPUTS_BESIDE_OTHERS = {("new", "folder")}
