"""Setting up: what is installed and what is missing, what has a name, and the files of a method of one's own."""

from ravenbench.seams import SHARE, Command

DOCTOR = Command(
    "ravenbench.ext.tools.doctor:command",
    "What is installed, what is missing, and how to get it.",
    SHARE,
    5,
)
LIST = Command(
    "ravenbench.ext.tools.list:command",
    "Show verifiers, methods, obfuscators, samplers … by name.",
    SHARE,
    3,
)
NEW = Command(
    "ravenbench.ext.tools.new:command", "Write the files of a new verifier, ready to run.", SHARE, 4
)
