"""Rows of this extension in the bench's tables (``tests/extensions.py``)."""

NAMES = {"detect_changes"}
ESCAPES = {"changes": [("$data/changes", "--train", "$data/changes", "--allow-shared", "-o", "$out")]}
OUTPUTS = {
    ("changes", "out"): (
        ("$data/authors", "--train", "$data/authors", "--year", "2022", "--allow-shared"),
        ("authors", "toy"),
        True,
    ),
}
READING = {"changes": ("changes", "$changes", "--background", "$corpus", "--plan")}
READING_FAULTS = READING
COPIES = {
    "changes": (("changes", "$changes-b", "--train", "$changes-a", "--plan"), r"found: 1 of 1 \(problem-1\)", 2),
}
PLANS = {"changes"}
GOLDEN = {
    "changes": (
        ("changes", "changed/test", "--train", "changed/train", "--plan"),
        ("changes", "changed/test", "--train", "changed/train", "--out", "page"),
    ),
}
