"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

ESCAPES = {"export": [("$run", "-o", "$out")]}
OUTPUTS = {
    ("export", "out"): (
        ("$runs/run/run",),
        ("runs/run/run", "runs/run", "runs/run/run/cells"),
        True,
    ),
    ("export", "result"): (
        ("$runs/run/run",),
        ("runs/run/run", "runs/run/run/run.json", "runs/run/run/cells"),
        True,
    ),
}
